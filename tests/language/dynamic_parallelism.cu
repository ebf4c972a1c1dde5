// Kernels that launch kernels (guide 13): how a launch may be written, when children run, what they
// see, which errors threads get.
#include <cstdint>

#include "check.h"

static int *notes; // managed: what kernels leave for the host
__device__ int counter;

static int *cleared(size_t n) {
    memset(notes, 0, n * sizeof *notes);
    return notes;
}

static void finish() {
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
}

// ---- How a launch may be written --------------------------------------------------------------

struct odd {
    char c;
    double d;
    short s[3];
};

__global__ void overloaded(int *to, int x) {
    *to = x;
}
__global__ void overloaded(int *to, double x) {
    *to = (int)(x * 100);
}
__global__ void with_defaults(int *to, int a, int b = 20, int c = 300) {
    *to = a + b + c;
}
__global__ void takes_struct(char a, odd o, int *to, float f) {
    *to = a == 'a' && o.c == 'o' && o.d == 2.5 && o.s[2] == -3 && f == 0.25f;
}
template <class T> __global__ void deduced(int *to, T x) {
    *to = (int)sizeof(T) * 1000 + (int)x;
}
template <int N, class... T> __global__ void several(int *to, T... x) {
    int sum = N;
    int each[] = {(sum += (int)x)...};
    *to = sum + 0 * each[0];
}
template <> __global__ void deduced<short>(int *to, short x) {
    *to = -x;
}
namespace place {
namespace inner {
__global__ void qualified(int *to) {
    *to = 7;
}
} // namespace inner
static __global__ void hidden(int *to) {
    *to = 8;
}
} // namespace place
namespace {
__global__ void unnamed(int *to) {
    *to = 9;
}
} // namespace
__global__ void shape(int *to) {
    if (threadIdx.x == 1 && threadIdx.y == 2 && blockIdx.z == 3)
        *to = (int)(gridDim.x * 10000 + gridDim.z * 1000 + blockDim.x * 100 + blockDim.y);
}
__global__ void shared_bytes(int *to, int n) {
    extern __shared__ int window[];
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
        window[i] = i;
    __syncthreads();
    if (threadIdx.x == 0)
        *to = window[n - 1];
}

#define LAUNCH_ONE(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)

struct functor {
    int *to;
    __device__ void operator()(int x) const {
        overloaded<<<1, 1>>>(to, x);
    }
};

__host__ __device__ void from_both(int *to, int x) {
    overloaded<<<1, 1>>>(to, x);
}

__device__ __noinline__ dim3 grid_of(int n) {
    return dim3(2, 1, n);
}

// clang-format off
__global__ void spellings(int *n) {
    overloaded<<<1, 1>>>(n + 0, 5);
    overloaded<<<1, 1>>>(n + 1, 1.5);
    with_defaults<<<1, 1>>>(n + 2, 1);
    with_defaults<<<1, 1>>>(n + 3, 1, 2);
    odd o = {'o', 2.5, {1, 2, -3}};
    takes_struct<<<1, 1>>>('a', o, n + 4, 0.25f);
    deduced<<<1, 1>>>(n + 5, 3.0);
    deduced<char><<<1, 1>>>(n + 6, 4);
    deduced<short> << <1, 1>> >(n + 7, 5);
    several<100><<<1, 1>>>(n + 8, 1, 2.0f, 'a' - 'a' + 3, (char)4);
    place::inner::qualified<<<1, 1>>>(n + 9); ::place::hidden<<<1, 1>>>(n + 10);
    unnamed<<<1, 1>>>(n + 11);
    shape<<<grid_of(4), dim3{2, 3}>>>(n + 12);
    shared_bytes<<<1, 32, 5000 * sizeof(int), 0>>>(n + 13, 5000);
    if (n) overloaded<<<1, 1>>>(n + 14, 14); else overloaded<<<1, 1>>>(n + 14, 15);
    LAUNCH_ONE(overloaded, n + 15, 15);
    functor{n + 16}(16);
    from_both(n + 17, 17);
    auto lambda = [=](int x) { overloaded<<<1, 1>>>(n + 18, x); };
    lambda(18);
    for (int i = 0; i < 3; i++) overloaded<<<1, 1>>>(n + 19 + i, i + (n ? 1 : 2));
    (deduced<long long>)<<<1, 1>>>(n + 22, 1);
}
// clang-format on

static void check_spellings() {
    static const int expected[] = {5,    150, 321, 303, 1,  8003, 1004, -5, 110, 7, 8,   9,
                                   24203, 4999, 14,  15,  16, 17,   18,   1,  2,   3, 8001};
    int *n = cleared(32);
    spellings<<<1, 1>>>(n);
    finish();
    for (int i = 0; i < 23; i++) {
        if (n[i] != expected[i])
            printf("spelling %d: %d, not %d\n", i, n[i], expected[i]);
        CHECK(n[i] == expected[i]);
    }
    from_both(n, 1234); // on the host
    finish();
    CHECK(n[0] == 1234);
}

// ---- Order ------------------------------------------------------------------------------------

// Writes down when it came: notes[place] = 1, 2, 3 ...
__global__ void arrive(int *n, int place) {
    if (threadIdx.x == 0 && blockIdx.x == 0)
        n[place] = atomicAdd(&counter, 1) + 1;
}
__global__ void slowly(int *n, int place) {
    for (int i = 0; i < 50; i++)
        __nanosleep(20000);
    arrive<<<1, 32>>>(n, place); // also a grandchild
}
__global__ void tails(int *n) {
    arrive<<<1, 1, 0, cudaStreamTailLaunch>>>(n, 5);
    slowly<<<1, 1, 0, cudaStreamTailLaunch>>>(n, 6);
    arrive<<<1, 1, 0, cudaStreamTailLaunch>>>(n, 7); // after 6's child
    slowly<<<1, 1>>>(n, 1);
    slowly<<<1, 1, 0, cudaStreamFireAndForget>>>(n, 2);
    slowly<<<1, 1, 0, cudaStreamPerThread>>>(n, 3);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    slowly<<<1, 1, 0, s>>>(n, 4);
    cudaStreamDestroy(s);
}
__global__ void nested_tails(int *n) {
    // The tail launches of a tail launch come before what is left of its parent's.
    if (threadIdx.x == 0) {
        arrive<<<1, 1, 0, cudaStreamTailLaunch>>>(n, 1);
        arrive<<<1, 1, 0, cudaStreamTailLaunch>>>(n, 2);
    }
}
__global__ void outer_tails(int *n) {
    nested_tails<<<1, 32, 0, cudaStreamTailLaunch>>>(n);
    arrive<<<1, 1, 0, cudaStreamTailLaunch>>>(n, 3);
}

static void reset_counter() {
    int zero = 0;
    CUDA(cudaMemcpyToSymbol(counter, &zero, sizeof zero));
}

static void check_tails() {
    int *n = cleared(16);
    reset_counter();
    tails<<<1, 1>>>(n);
    arrive<<<1, 1>>>(n, 8); // the next grid in the parent's stream
    finish();
    for (int i = 1; i <= 4; i++)
        CHECK(n[i] >= 1 && n[i] <= 4);
    for (int i = 5; i <= 8; i++)
        CHECK(n[i] == i);
    reset_counter();
    cleared(16);
    outer_tails<<<1, 1>>>(n);
    finish();
    CHECK(n[1] == 1 && n[2] == 2 && n[3] == 3);
}

__global__ void append(int *n, int x) {
    int at = n[0];
    __nanosleep(2000);
    n[1 + at] = x;
    n[0] = at + 1;
}
// One stream for all threads of the grid: whoever has the turn launches next.
__global__ void in_order(int *n, cudaStream_t *stream, int links) {
    if (blockIdx.x == 0 && threadIdx.x == 0)
        cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
    __syncthreads();
    for (int i = 0; i < links; i++) {
        if (threadIdx.x == i % blockDim.x)
            append<<<1, 1, 0, *stream>>>(n, i);
        __syncthreads();
    }
}
__global__ void null_stream(int *n, int links) {
    int *mine = n + blockIdx.x * 256;
    for (int i = 0; i < links; i++) {
        if (threadIdx.x == i % blockDim.x)
            append<<<1, 1>>>(mine, i);
        __syncthreads();
    }
}
__global__ void wait_for_event(int *n) {
    cudaStream_t a, b;
    cudaEvent_t done;
    n[40] += cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    n[40] += cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    n[40] += cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    for (int i = 0; i < 10; i++)
        append<<<1, 1, 0, a>>>(n, i);
    n[40] += cudaEventRecord(done, a);
    n[40] += cudaStreamWaitEvent(b, done, 0);
    for (int i = 10; i < 20; i++)
        append<<<1, 1, 0, b>>>(n, i);
    n[40] += cudaEventRecord(done, b);
    n[40] += cudaStreamWaitEvent(0, done, 0); // the block's NULL stream
    n[40] += cudaEventDestroy(done);
    for (int i = 20; i < 30; i++)
        append<<<1, 1>>>(n, i);
    n[40] += cudaStreamDestroy(a) + cudaStreamDestroy(b);
}

static void check_streams() {
    cudaStream_t *stream = shared_array<cudaStream_t>(1);
    int *n = cleared(2048);
    in_order<<<1, 64>>>(n, stream, 100);
    finish();
    CHECK(n[0] == 100);
    for (int i = 0; i < 100; i++)
        CHECK(n[1 + i] == i);
    cleared(2048);
    null_stream<<<4, 40>>>(n, 50);
    finish();
    for (int b = 0; b < 4; b++) {
        CHECK(n[b * 256] == 50);
        for (int i = 0; i < 50; i++)
            CHECK(n[b * 256 + 1 + i] == i);
    }
    cleared(64);
    wait_for_event<<<1, 1>>>(n);
    finish();
    CHECK(n[0] == 30 && n[40] == 0);
    for (int i = 0; i < 30; i++)
        CHECK(n[1 + i] == i);
    CUDA(cudaFree(stream));
}

// A grid that launches itself behind itself.
__global__ void again(int *n, int times) {
    n[0]++;
    if (times > 1)
        again<<<1, 1, 0, cudaStreamTailLaunch>>>(n, times - 1);
}

// ---- Memory -----------------------------------------------------------------------------------

__global__ void add_one(int *data) {
    data[threadIdx.x] += 1;
}
__global__ void see_writes(int *data) {
    data[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        add_one<<<1, 256>>>(data);
        add_one<<<1, 256, 0, cudaStreamTailLaunch>>>(data);
    }
}

// As in the guide: each level works on halves, with what the level above has written.
__global__ void halves(int n, int *data) {
    extern __shared__ int window[];
    if (n <= 1)
        return;
    if (threadIdx.x < n)
        window[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n)
        data[threadIdx.x] = window[n - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        halves<<<1, 256, n / 2 * sizeof(int)>>>(n / 2, data);
        halves<<<1, 256, n / 2 * sizeof(int)>>>(n / 2, data + n / 2);
    }
}

static void reverse_halves(int n, int *data) {
    if (n <= 1)
        return;
    for (int i = 0; i < n / 2; i++) {
        int x = data[i];
        data[i] = data[n - 1 - i];
        data[n - 1 - i] = x;
    }
    reverse_halves(n / 2, data);
    reverse_halves(n / 2, data + n / 2);
}

__global__ void copies(int *n, char *a, char *b) {
    cudaError_t e[12];
    int local = 1;
    __shared__ int in_block;
    e[0] = cudaMemsetAsync(a, 7, 100000);
    e[1] = cudaMemcpyAsync(b, a, 50000, cudaMemcpyDeviceToDevice);
    e[2] = cudaMemset2DAsync(b, 100, 1, 10, 20);
    e[3] = cudaMemcpy2DAsync(a, 64, b, 100, 10, 20, cudaMemcpyDefault);
    cudaPitchedPtr p = {a + 60000, 32, 32, 8};
    cudaExtent extent = {5, 4, 3};
    e[4] = cudaMemset3DAsync(p, 9, extent);
    cudaMemcpy3DParms parms = {};
    parms.srcPtr = p;
    parms.srcPos.x = 1;
    parms.dstPtr = cudaPitchedPtr{b + 60000, 16, 16, 4};
    parms.dstPos.z = 1;
    parms.extent = cudaExtent{4, 4, 2};
    parms.kind = cudaMemcpyDeviceToDevice;
    e[5] = cudaMemcpy3DAsync(&parms);
    e[6] = cudaMemcpyAsync(b, a, 4, cudaMemcpyHostToDevice);
    e[7] = cudaMemcpyAsync(&local, a, 4, cudaMemcpyDeviceToDevice);
    e[8] = cudaMemcpyAsync(a, &in_block, 4, cudaMemcpyDeviceToDevice);
    e[9] = cudaMemsetAsync(&local, 0, 4);
    e[10] = cudaMemcpy2DAsync(a, 5, b, 100, 10, 20, cudaMemcpyDeviceToDevice);
    for (int i = 0; i < 11; i++)
        n[i] = e[i];
}

static void check_memory() {
    int *data = shared_array<int>(256);
    see_writes<<<1, 256>>>(data);
    finish();
    for (int i = 0; i < 256; i++)
        CHECK(data[i] == i + 2);
    int expected[256];
    for (int i = 0; i < 256; i++)
        data[i] = expected[i] = i * 37 % 256;
    halves<<<1, 256, 256 * sizeof(int)>>>(256, data);
    reverse_halves(256, expected);
    finish();
    CHECK(!memcmp(data, expected, sizeof expected));
    CUDA(cudaFree(data));

    char *a = shared_array<char>(100000), *b = shared_array<char>(100000);
    int *n = cleared(16);
    copies<<<1, 1>>>(n, a, b);
    finish();
    for (int i = 0; i < 6; i++)
        CHECK(n[i] == cudaSuccess);
    CHECK(n[6] == cudaErrorInvalidMemcpyDirection);
    for (int i = 7; i < 10; i++)
        CHECK(n[i] == cudaErrorInvalidValue);
    CHECK(n[10] == cudaErrorInvalidPitchValue);
    for (int i = 0; i < 2000; i++) // rows of b: ten ones, then sevens
        CHECK(b[i] == (i % 100 < 10 ? 1 : 7));
    for (int i = 0; i < 20 * 64; i++)
        CHECK(a[i] == (i % 64 < 10 ? 1 : 7));
    CHECK(b[49999] == 7 && b[50000] == 0 && a[99999] == 7);
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 32; x++)
                CHECK(a[60000 + (z * 8 + y) * 32 + x] == (x < 5 && y < 4 ? 9 : 7));
    for (int z = 0; z < 4; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 16; x++)
                CHECK(b[60000 + (z * 4 + y) * 16 + x] == (z >= 1 && z < 3 && x < 4 ? 9 : 0));
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));
}

__global__ void heap(int *n) {
    int *p = nullptr, *q = nullptr;
    n[0] = cudaMalloc(&p, 100 * sizeof(int));
    for (int i = 0; i < 100; i++)
        p[i] = i;
    n[1] = p[99];
    n[2] = cudaFree(p);
    n[3] = cudaMalloc((void **)&q, (size_t)1 << 40);
    n[4] = q == nullptr;
    n[5] = cudaFree(&counter);
    n[6] = cudaFree(nullptr);
}

static void check_heap() {
    int *n = cleared(8);
    heap<<<1, 1>>>(n);
    finish();
    CHECK(n[0] == cudaSuccess && n[1] == 99 && n[2] == cudaSuccess);
    CHECK(n[3] == cudaErrorMemoryAllocation && n[4] == 1);
    CHECK(n[5] == cudaErrorInvalidValue && n[6] == cudaSuccess);
}

// ---- Single threads, many of them -------------------------------------------------------------

__global__ void mark_place(int *n, int place) {
    atomicAdd(n + place, 1);
}
__global__ void some_launch(int *n) {
    int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (t % 3 == 1) {
        mark_place<<<1, 2>>>(n, t);
        if (t % 2)
            mark_place<<<2, 3, 0, cudaStreamFireAndForget>>>(n, t);
    }
}

// Fibonacci numbers by a tree of grids.
__global__ void tree(int *sum, int depth) {
    if (depth < 2) {
        atomicAdd(sum, 1);
        return;
    }
    if (threadIdx.x < 2)
        tree<<<1, 2, 0, cudaStreamFireAndForget>>>(sum, depth - 1 - (int)threadIdx.x);
}

static void check_many() {
    int *n = cleared(4096);
    some_launch<<<5, 100>>>(n);
    finish();
    for (int t = 0; t < 500; t++)
        CHECK(n[t] == (t % 3 != 1 ? 0 : t % 2 ? 8 : 2));
    cleared(4);
    again<<<1, 1>>>(n, 3000);
    finish();
    CHECK(n[0] == 3000);
}

// ---- Errors -----------------------------------------------------------------------------------

__global__ void nothing() {
}
__global__ __launch_bounds__(64) void bounded() {
}
__global__ void bad_launches(int *n) {
    if (threadIdx.x == 1) { // errors are a thread's
        nothing<<<0, 1>>>();
        n[0] = cudaPeekAtLastError();
        n[1] = cudaGetLastError();
        n[2] = cudaGetLastError();
        nothing<<<1, 1025>>>();
        n[3] = cudaGetLastError();
        nothing<<<dim3(1, 70000), 1>>>();
        n[4] = cudaGetLastError();
        nothing<<<-1, 1>>>();
        n[5] = cudaGetLastError();
        nothing<<<1, 1, 1 << 20>>>();
        n[6] = cudaGetLastError();
        bounded<<<1, 65>>>();
        n[7] = cudaGetLastError();
        nothing<<<1, 1, 0, (cudaStream_t)0x12345670>>>();
        n[8] = cudaGetLastError();
        nothing<<<1, 1>>>();
        n[9] = cudaGetLastError();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        n[10] = cudaGetLastError();
    if (threadIdx.x == 2)
        nothing<<<1, 0>>>(); // left behind
    if (threadIdx.x == 3) {
        cudaStream_t s;
        cudaEvent_t e;
        n[11] = cudaStreamCreateWithFlags(&s, cudaStreamDefault);
        n[12] = cudaEventCreateWithFlags(&e, cudaEventDefault);
        cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
        n[13] = cudaEventRecord(e, cudaStreamTailLaunch);
        n[14] = cudaStreamWaitEvent(cudaStreamFireAndForget, e, 0);
        n[15] = cudaEventDestroy(e);
        n[16] = cudaEventRecord(e, 0);
        n[17] = cudaStreamDestroy((cudaStream_t)0x12345670);
        n[18] = cudaPeekAtLastError();
    }
}
__global__ void fresh(int *n) {
    if (threadIdx.x == 2)
        n[blockIdx.x] = cudaGetLastError();
    if (threadIdx.x == 2)
        nothing<<<1, 0>>>();
}

__global__ void deeper(int *n, int depth) {
    n[0] = depth;
    deeper<<<1, 1>>>(n, depth + 1);
    cudaError_t e = cudaGetLastError();
    if (e)
        n[1] = e;
}
__global__ void flood(int *n, int count) {
    int failed = 0;
    for (int i = 0; i < count; i++) {
        mark_place<<<1, 1>>>(n, 0); // one after the other: they pile up
        cudaError_t e = cudaGetLastError();
        failed += e != cudaSuccess;
        if (e)
            n[2] = e;
    }
    n[1] = failed;
}
__global__ void events(int *n) {
    cudaEvent_t e;
    while (cudaEventCreateWithFlags(&e, cudaEventDisableTiming) == cudaSuccess)
        n[0]++;
    n[1] = cudaGetLastError();
}

static void check_errors() {
    int *n = cleared(32);
    bad_launches<<<1, 32>>>(n);
    finish();
    CHECK(n[0] == cudaErrorInvalidConfiguration && n[1] == n[0] && n[2] == cudaSuccess);
    for (int i = 3; i < 6; i++)
        CHECK(n[i] == cudaErrorInvalidConfiguration);
    CHECK(n[6] == cudaErrorInvalidValue);
    CHECK(n[7] == cudaErrorInvalidValue);
    CHECK(n[8] == cudaErrorInvalidResourceHandle);
    CHECK(n[9] == cudaSuccess && n[10] == cudaSuccess);
    for (int i = 11; i < 15; i++)
        CHECK(n[i] == cudaErrorInvalidValue);
    CHECK(n[15] == cudaSuccess);
    CHECK(n[16] == cudaErrorInvalidResourceHandle && n[17] == cudaErrorInvalidResourceHandle);
    CHECK(n[18] == cudaErrorInvalidResourceHandle);
    CUDA(cudaGetLastError()); // none of this is the host's
    cleared(64);
    memset(n, 1, 64 * sizeof *n);
    fresh<<<64, 32>>>(n);
    finish();
    for (int i = 0; i < 64; i++)
        CHECK(n[i] == cudaSuccess);

    cleared(4);
    deeper<<<1, 1>>>(n, 0);
    finish();
    CHECK(n[0] == 24 && n[1] == cudaErrorLaunchMaxDepthExceeded);
    size_t limit;
    CUDA(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    CHECK(limit == 2048);
    CUDA(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 0));
    cleared(4);
    flood<<<1, 1>>>(n, 10);
    finish();
    CHECK(n[0] == 0 && n[1] == 10 && n[2] == cudaErrorLaunchOutOfResources);
    CUDA(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 100));
    cleared(4);
    events<<<1, 1>>>(n);
    finish();
    CHECK(n[0] == 200 && n[1] == cudaErrorMemoryAllocation);
    cleared(4);
    events<<<1, 1>>>(n); // they were free when the grid ended
    finish();
    CHECK(n[0] == 200);
    CUDA(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 20000));
    cleared(4);
    flood<<<1, 1>>>(n, 5000);
    finish();
    CHECK(n[0] == 5000 && n[1] == 0);
    int tries = 0;
    cleared(4);
    tree<<<1, 2>>>(n, 14);
    finish();
    CHECK(n[0] > 0 && tries == 0);
}

// ---- Questions --------------------------------------------------------------------------------

__global__ __launch_bounds__(128) void asked(int *p) {
    __shared__ int window[100];
    window[threadIdx.x % 100] = *p;
    __syncthreads();
    *p = window[(threadIdx.x + 1) % 100];
}
__global__ void questions(int *n) {
    cudaFuncAttributes attr;
    size_t limit = 0;
    n[0] = cudaGetDevice(n + 1);
    n[2] = cudaGetDeviceCount(n + 3);
    n[4] = cudaDeviceGetAttribute(n + 5, cudaDevAttrMaxThreadsPerBlock, 0);
    n[6] = cudaDeviceGetAttribute(n + 5, cudaDevAttrWarpSize, 1000);
    n[7] = cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
    n[8] = (int)limit;
    n[9] = cudaDeviceGetLimit(&limit, cudaLimitDevRuntimeSyncDepth);
    n[10] = cudaFuncGetAttributes(&attr, asked);
    n[11] = attr.maxThreadsPerBlock;
    n[12] = (int)attr.sharedSizeBytes;
    n[13] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(n + 14, asked, 128, 0);
    n[15] = cudaRuntimeGetVersion(n + 16);
    const char *name = cudaGetErrorName(cudaErrorInvalidConfiguration);
    const char *text = cudaGetErrorString(cudaErrorInvalidConfiguration);
    n[17] = name[9] == 'I' && name[16] == 'C' && text[0] == 'i';
    n[18] = cudaFuncGetAttributes(&attr, (const void *)1234);
    cudaFuncCache config;
    n[19] = cudaDeviceGetCacheConfig(&config);
}

static void check_questions() {
    int *n = cleared(32), device, count, blocks;
    cudaFuncAttributes attr;
    size_t heap;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaGetDeviceCount(&count));
    CUDA(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CUDA(cudaFuncGetAttributes(&attr, asked));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, asked, 128, 0));
    questions<<<1, 1>>>(n);
    finish();
    CHECK(n[0] == 0 && n[1] == device && n[2] == 0 && n[3] == count);
    CHECK(n[4] == 0 && n[5] == 1024 && n[6] == cudaErrorInvalidDevice);
    CHECK(n[7] == 0 && (size_t)n[8] == heap && n[9] == cudaErrorUnsupportedLimit);
    CHECK(n[10] == 0 && n[11] == 128 && n[12] == (int)attr.sharedSizeBytes);
    CHECK(n[13] == 0 && n[14] == blocks && n[15] == 0 && n[16] == 12090 && n[17]);
    CHECK(n[18] == cudaErrorInvalidDeviceFunction && n[19] == 0);
}

// ---- What children see ------------------------------------------------------------------------

// Long enough for a child to begin and end.
__device__ int pass_time(int x) {
    for (int i = 0; i < 5000000; i++)
        x = x * 1664525 + 1013904223;
    return x;
}

__global__ void copy_to(int *to, const int *from) {
    to[threadIdx.x] = from[threadIdx.x];
}

// One lane launches what reads the stores of its warp.
__global__ void launch_after_stores(int *n, int *from, int *to) {
    from[threadIdx.x] = (int)threadIdx.x + 1;
    if (threadIdx.x % 32 == 0) {
        copy_to<<<1, 32>>>(to + threadIdx.x, from + threadIdx.x);
        n[threadIdx.x / 32] = pass_time((int)threadIdx.x);
    }
}

struct locks {
    int lock, stored;
};

// The same where each thread waits for the others of its warp, so that they do not run together;
// the last warp launches what reads the stores of all.
__global__ void launch_after_locks(int *n, int *from, int *to, locks *l) {
    bool done = false;
    while (!done) {
        if (atomicCAS(&l->lock, 0, 1) == 0) {
            __threadfence();
            n[4]++;
            __threadfence();
            atomicExch(&l->lock, 0);
            done = true;
        }
    }
    __syncwarp();
    from[threadIdx.x] = (int)threadIdx.x + 1;
    if (threadIdx.x % 32 == 0 && atomicAdd(&l->stored, 1) == (int)blockDim.x / 32 - 1) {
        copy_to<<<1, blockDim.x>>>(to, from);
        n[threadIdx.x / 32] = pass_time(n[0]);
    }
}

static void check_view() {
    enum { THREADS = 128 };
    int *n = cleared(8 + 4 * THREADS + sizeof(locks) / sizeof(int)), *from = n + 8;
    int *to = from + THREADS;
    launch_after_stores<<<1, THREADS>>>(n, from, to);
    launch_after_locks<<<1, THREADS>>>(n, to + THREADS, to + 2 * THREADS,
                                       (locks *)(to + 3 * THREADS));
    finish();
    CHECK(n[4] == THREADS);
    for (int i = 0; i < THREADS; i++) {
        CHECK(to[i] == i + 1);
        CHECK(to[2 * THREADS + i] == i + 1);
    }
}

// ---- The functions beneath <<<>>> -------------------------------------------------------------

__global__ void by_hand(int *n) {
    void *buffer = cudaGetParameterBuffer(8, 12);
    n[1] = (int)((uintptr_t)buffer % 64);
    *(int **)buffer = n;
    *(int *)((char *)buffer + 8) = 77;
    n[2] = cudaLaunchDevice((void *)(void (*)(int *, int))overloaded, buffer, dim3(1), dim3(1), 0, 0);
    n[3] = cudaGetParameterBuffer(8, 1 << 20) == nullptr;
    n[4] = cudaGetLastError();
    n[5] = cudaLaunchDevice((void *)mark_place, nullptr, dim3(1), dim3(1), 0, 0);
    n[6] = cudaLaunchDevice((void *)nothing, nullptr, dim3(1), dim3(1), 0, 0);
    n[7] = cudaLaunchDevice((void *)64, nullptr, dim3(1), dim3(1), 0, 0);
}

static void check_by_hand() {
    int *n = cleared(8);
    by_hand<<<1, 1>>>(n);
    finish();
    CHECK(n[0] == 77 && n[1] == 0 && n[2] == 0);
    CHECK(n[3] == 1 && n[4] == cudaErrorInvalidValue);
    CHECK(n[5] == cudaErrorInvalidValue && n[6] == 0 && n[7] == cudaErrorInvalidDeviceFunction);
}

// ---- A child that fails -----------------------------------------------------------------------

__global__ void crash(int *p) {
    *p = 1;
}
__global__ void launch_crash(int *n) {
    crash<<<1, 1>>>((int *)8);
    n[0] = cudaGetLastError();
    mark_place<<<1, 1, 0, cudaStreamTailLaunch>>>(n, 1);
}

static void check_fault() {
    int *n = cleared(4);
    launch_crash<<<1, 1>>>(n);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

int main() {
    if (!on_kudzu())
        return 77; // NVIDIA's driver refuses launches from the device without its own runtime library
    notes = shared_array<int>(8192);
    check_spellings();
    check_tails();
    check_streams();
    check_memory();
    check_heap();
    check_many();
    check_errors();
    check_questions();
    check_by_hand();
    check_view();
    check_fault(); // last: the device is gone
    printf(failures ? "%d failures\n" : "passed\n", failures);
    return failures != 0;
}
