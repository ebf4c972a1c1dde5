// What generated code may call besides kd_rt_*: functions that LLVM emits calls to on its own,
// and the mathematics that the code generator asks for.
#include <math.h>
#include <string.h>

#include "device/code/code_loader.h"

// Integers wider than the machine's, from the compiler's support library.
__int128 __divti3(__int128, __int128);
__int128 __modti3(__int128, __int128);
unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
__int128 __multi3(__int128, __int128);
#if defined(__x86_64__)
// Half precision on machines without F16C.
_Float16 __truncsfhf2(float);
_Float16 __truncdfhf2(double);
float __extendhfsf2(_Float16);
#endif

#define SYMBOLS(X)                                                                                 \
    X(memcpy)                                                                                      \
    X(memmove)                                                                                     \
    X(memset)                                                                                      \
    X(memcmp)                                                                                      \
    X(fma)                                                                                         \
    X(fmaf) X(fmod) X(fmodf) X(floor) X(floorf) X(ceil) X(ceilf) X(trunc) X(truncf) X(rint)        \
        X(rintf) X(nearbyint) X(nearbyintf) X(round) X(roundf) X(roundeven) X(roundevenf) X(sqrt)  \
            X(sqrtf) X(fmin) X(fminf) X(fmax) X(fmaxf) X(fabs) X(fabsf) X(copysign) X(copysignf)   \
                X(ldexp) X(ldexpf) X(exp2) X(exp2f) X(log2) X(log2f) X(exp) X(expf) X(log) X(logf) \
                    X(pow) X(powf) X(sin) X(sinf) X(cos) X(cosf) X(tanh) X(tanhf) X(__divti3)      \
                        X(__modti3) X(__udivti3) X(__umodti3) X(__multi3)

void *library_symbol(const char *name) {
#define ENTRY(f) {#f, (void *)f},
    static const struct {
        const char *name;
        void *address;
    } table[] = {
        SYMBOLS(ENTRY)
#if defined(__x86_64__)
            ENTRY(__truncsfhf2) ENTRY(__truncdfhf2) ENTRY(__extendhfsf2)
#endif
    };
#undef ENTRY
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].address;
    return NULL;
}
