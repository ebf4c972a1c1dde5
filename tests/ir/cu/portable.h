// Code that is compiled twice: for the device, to run on the interpreter, and for the host, whose
// results are what is expected. BODY(name) { ... } defines what thread t writes to out[0 .. WORDS).
#ifdef __CUDA__
#define DEVICE __attribute__((device))
#define BODY(name)                                                                                 \
    DEVICE static void name##_body(int t, unsigned *out);                                          \
    extern "C" __attribute__((global)) void name(unsigned *out) {                                  \
        int t = __nvvm_read_ptx_sreg_tid_x();                                                      \
        name##_body(t, out + t * WORDS);                                                           \
    }                                                                                              \
    DEVICE static void name##_body(int t, unsigned *out)
#else
#include <cstdio>
#define DEVICE
#define BODY(name)                                                                                 \
    static void name##_body(int t, unsigned *out);                                                 \
    static struct name##_test {                                                                    \
        name##_test() {                                                                            \
            unsigned out[THREADS * WORDS] = {};                                                    \
            for (int t = 0; t < THREADS; t++)                                                      \
                name##_body(t, out + t * WORDS);                                                   \
            printf("%s", #name);                                                                   \
            for (unsigned w : out)                                                                 \
                printf(" %08x", w);                                                                \
            printf("\n");                                                                          \
        }                                                                                          \
    } name##_instance;                                                                             \
    static void name##_body(int t, unsigned *out)
int main() {
}
#endif
enum { THREADS = 40, WORDS = 4 };
#define NOINLINE __attribute__((noinline))
