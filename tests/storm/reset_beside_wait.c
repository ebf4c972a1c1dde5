// cudaDeviceReset while other threads wait for the device: both end, whatever the waits answer, and
// the device can be used anew. A kernel runs until it has been seen, and for some time longer, so
// that the reset always meets it and the waits.
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 12, LONGER_NS = 20000000 };

// Says in word[0] that it runs, waits until word[1] is set, and goes on for the time in word[2].
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry run(.param .u64 words)\n{\n"
                          "    .reg .pred %p;\n    .reg .b32 %r<2>;\n    .reg .b64 %rd<6>;\n"
                          "    ld.param.u64 %rd1, [words];\n"
                          "    mov.u64 %rd2, 1;\n"
                          "    st.volatile.u64 [%rd1], %rd2;\n"
                          "wait:\n"
                          "    ld.volatile.u64 %rd3, [%rd1+8];\n"
                          "    setp.eq.u64 %p, %rd3, 0;\n"
                          "    @%p bra wait;\n"
                          "    ld.volatile.u64 %rd3, [%rd1+16];\n"
                          "    mov.u64 %rd4, %globaltimer;\n"
                          "    add.u64 %rd4, %rd4, %rd3;\n"
                          "longer:\n"
                          "    mov.u64 %rd5, %globaltimer;\n"
                          "    setp.lt.u64 %p, %rd5, %rd4;\n"
                          "    @%p bra longer;\n"
                          "    ret;\n}\n";

static _Atomic uint64_t words[3]; // the program's own memory, which stays when the device is reset
static atomic_int waiting, bad;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            bad++;                                                                                 \
        }                                                                                          \
    } while (0)
#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t result = (call);                                                               \
        if (result != cudaSuccess)                                                                 \
            fprintf(stderr, "%s\n", cudaGetErrorName(result));                                     \
        CHECK(result == cudaSuccess && #call);                                                     \
    } while (0)

static void *wait_for_device(void *number) {
    waiting++;
    if ((size_t)number % 2)
        cudaDeviceSynchronize();
    else
        cudaStreamSynchronize(cudaStreamLegacy);
    cudaGetLastError();
    return NULL;
}

static void launch(void) {
    cudaLibrary_t library;
    cudaKernel_t kernel;
    const void *p = (const void *)words;
    void *params[] = {&p};
    OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&kernel, library, "run"));
    OK(cudaLaunchKernel((const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, params, 0, 0));
}

static void *release_kernel(void *unused) {
    usleep(2000);
    words[1] = 1;
    return NULL;
}

static void round_of(int number) {
    pthread_t threads[THREADS], release;
    words[0] = words[1] = 0;
    words[2] = LONGER_NS;
    waiting = 0;
    launch();
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, wait_for_device, (void *)i);
    while (!words[0] || waiting < THREADS)
        usleep(100);
    usleep(500 * (number % 4)); // the waits have begun, most of them
    pthread_create(&release, NULL, release_kernel, NULL);
    OK(cudaDeviceReset());
    CHECK(words[1] == 1); // it did not leave the kernel alone
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(release, NULL);
}

static void use_anew(void) {
    unsigned in = 0x12345678, out = 0;
    void *p;
    OK(cudaMalloc(&p, sizeof in));
    OK(cudaMemcpy(p, &in, sizeof in, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(&out, p, sizeof in, cudaMemcpyDeviceToHost));
    CHECK(out == in);
    OK(cudaFree(p));
}

int main(void) {
    for (int i = 0; i < ROUNDS && !bad; i++) {
        round_of(i);
        use_anew();
    }
    return bad != 0;
}
