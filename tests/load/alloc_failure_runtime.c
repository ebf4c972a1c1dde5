// Whatever the system refuses to the runtime library, it reports: each of its allocations in turn.
// What has been registered when memory ran out is an error where it is used.
#include "runtime/check.h"
#include "runtime/images.h"

#include "load/refuse.h"

enum result { RIGHT, REFUSED, WRONG };

static struct __cudaFatBinaryWrapper wrapper = {KUDZU_FATBIN_WRAPPER_MAGIC, 1, test_image, 0};
enum { KERNELS = 40, LATE = 32 }; // LATE: for which the table of symbols has to grow
static char stubs[KERNELS];

// Registers an image as the compiler's code does.
static void **register_image(void) {
    void **image = __cudaRegisterFatBinary(&wrapper);
    for (int i = 0; i < KERNELS; i++)
        __cudaRegisterFunction(image, &stubs[i], &stubs[i], i % 2 ? "shape" : "fill", -1, NULL,
                               NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(image);
    return image;
}

static int refused_by(cudaError_t e, const char *call) {
    if (e == cudaSuccess)
        return 0;
    if (e != cudaErrorMemoryAllocation) {
        fprintf(stderr, "%s: %s where %s was refused\n", call, cudaGetErrorName(e),
                what ? what : "nothing");
        failures++;
    }
    CHECK(cudaGetLastError() == e);
    return 1;
}
#define TRIED(call)                                                                                \
    do {                                                                                           \
        if (refused_by(call, #call))                                                               \
            return REFUSED;                                                                        \
    } while (0)

static void CUDART_CB count_up(void *n) {
    ++*(int *)n;
}
static void CUDART_CB count_call(cudaStream_t s, cudaError_t e, void *n) {
    (void)s;
    *(int *)n += e == cudaSuccess;
}

static int filled(const int *back, int first) {
    for (int i = 0; i < 64; i++)
        if (back[i] != first + i)
            return 0;
    return 1;
}

static enum result launches(int *p, cudaStream_t s) {
    int first = 5, back[64] = {0};
    void *arguments[] = {&p, &first};
    TRIED(cudaLaunchKernel(&stubs[LATE], (dim3){2, 1, 1}, (dim3){32, 1, 1}, arguments, 0, s));
    TRIED(cudaMemcpyAsync(back, p, sizeof back, cudaMemcpyDeviceToHost, s));
    TRIED(cudaStreamSynchronize(s));
    if (!filled(back, 5))
        return WRONG;
    first = 9;
    TRIED(cudaConfigureCall((dim3){2, 1, 1}, (dim3){32, 1, 1}, 0, s));
    cudaError_t set = cudaSetupArgument(&p, sizeof p, 0);
    if (set == cudaSuccess)
        set = cudaSetupArgument(&first, sizeof first, sizeof p);
    if (set != cudaSuccess) { // the configuration is taken all the same
        dim3 d;
        size_t n;
        cudaStream_t t;
        CHECK(cudaGetLastError() == set);
        CHECK(__cudaPopCallConfiguration(&d, &d, &n, &t) == cudaSuccess);
        return REFUSED;
    }
    TRIED(cudaLaunch(&stubs[0]));
    TRIED(cudaMemcpyAsync(back, p, sizeof back, cudaMemcpyDeviceToHost, s));
    TRIED(cudaStreamSynchronize(s));
    return filled(back, 9) ? RIGHT : WRONG;
}

static enum result library_kernel(cudaLibrary_t library, int *p) {
    cudaKernel_t kernel;
    int first = 1, back[64];
    void *arguments[] = {&p, &first};
    TRIED(cudaLibraryGetKernel(&kernel, library, "fill"));
    TRIED(cudaLaunchKernel(kernel, (dim3){2, 1, 1}, (dim3){32, 1, 1}, arguments, 0, NULL));
    TRIED(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost));
    return filled(back, 1) ? RIGHT : WRONG;
}

static enum result callbacks(cudaStream_t s) {
    static int calls;
    calls = 0;
    TRIED(cudaStreamAddCallback(s, count_call, &calls, 0));
    TRIED(cudaLaunchHostFunc(s, count_up, &calls));
    TRIED(cudaStreamSynchronize(s));
    return calls == 2 ? RIGHT : WRONG;
}

static cudaLibrary_t library;
static int *memory;
static cudaStream_t stream;

static enum result work(void) {
    enum result r;
    TRIED(cudaMalloc((void **)&memory, 64 * sizeof(int)));
    TRIED(cudaStreamCreate(&stream));
    TRIED(cudaLibraryLoadData(&library, test_image, NULL, NULL, 0, NULL, NULL, 0));
    if ((r = launches(memory, stream)) || (r = callbacks(stream)))
        return r;
    return library_kernel(library, memory);
}

static void give_back(void) {
    if (library) {
        // Its one allocation may be refused, too: the library stays until the next call.
        cudaError_t e = cudaLibraryUnload(library);
        CHECK(e == cudaSuccess || (refused && cudaGetLastError() == cudaErrorMemoryAllocation));
        atomic_store(&countdown, -1);
        CHECK(e == cudaSuccess || cudaLibraryUnload(library) == cudaSuccess);
    }
    atomic_store(&countdown, -1);
    if (stream)
        CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(cudaFree(memory) == cudaSuccess);
    library = NULL;
    stream = NULL;
    memory = NULL;
}

static int attempt(int n) {
    refused = 0;
    atomic_store(&countdown, n);
    enum result r = work();
    give_back();
    if (r == RIGHT || (r == REFUSED && refused))
        return 1;
    fprintf(stderr, "call %d, %s refused: wrong result\n", n, refused ? what : "nothing");
    return 0;
}

enum { TIMES = 12 };

// When memory runs out while the image is registered, everything that is not there says so.
static int while_registering(int n, int unused) {
    (void)unused;
    alarm(100); // a hang, not a slow machine
    atomic_store(&countdown, n);
    void **image = register_image();
    atomic_store(&countdown, -1);
    if (!refused)
        return 2;
    CHECK(work() == REFUSED);
    give_back();
    __cudaUnregisterFatBinary(image);
    return failures != 0;
}

static int once_it_runs(int n, int unused) {
    (void)unused;
    alarm(100); // a hang, not a slow machine
    void **image = register_image();
    CHECK(work() == RIGHT);
    give_back();
    CHECK(work() == RIGHT);
    give_back();
    long before = atomic_load(&live);
    int happened = 0;
    for (int i = 0; i < TIMES; i++) {
        if (!attempt(n))
            return 1;
        happened |= refused;
    }
    CHECK(work() == RIGHT);
    give_back();
    if (atomic_load(&live) - before >= TIMES) {
        fprintf(stderr, "call %d, %s: %ld blocks more\n", n, what, atomic_load(&live) - before);
        failures++;
    }
    __cudaUnregisterFatBinary(image);
    return failures ? 1 : happened ? 0 : 2;
}

int main(void) {
    char cache[] = "/tmp/kudzu-load-XXXXXX", command[64];
    CHECK(mkdtemp(cache) != NULL);
    setenv("CUDA_CACHE_PATH", cache, 1);
    setenv("KUDZU_TIER", "full", 1);
    refuse_calls_of("libcudart.so");
    all_calls("registering", while_registering, 0, 2);
    all_calls("once it runs", once_it_runs, 0, 3);
    CHECK(!refuse_failures);
    snprintf(command, sizeof command, "rm -rf %s", cache);
    CHECK(system(command) == 0);
    return finish();
}
