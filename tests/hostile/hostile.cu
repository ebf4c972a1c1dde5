// Kernels that misbehave. Each must give the error that the guide names, the error must stay until
// the device is reset, the process must live, and the next kernel must work.
//   hostile CASE    (the case "loop" never ends: for Ctrl-C)
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_runtime.h>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

static int failures;

static void expect(cudaError_t got, cudaError_t want, const char *what) {
    if (got == want)
        return;
    printf("%s: %s, expected %s\n", what, cudaGetErrorName(got), cudaGetErrorName(want));
    failures++;
}

__global__ void count(int *out) {
    atomicAdd(out, 1);
}

static void works() {
    int *p, n = -1;
    expect(cudaMalloc(&p, sizeof *p), cudaSuccess, "cudaMalloc");
    expect(cudaMemset(p, 0, sizeof *p), cudaSuccess, "cudaMemset");
    count<<<3, 70>>>(p);
    expect(cudaMemcpy(&n, p, sizeof n, cudaMemcpyDeviceToHost), cudaSuccess, "cudaMemcpy");
    if (n != 210) {
        printf("the next kernel counted %d, expected 210\n", n);
        failures++;
    }
    expect(cudaFree(p), cudaSuccess, "cudaFree");
}

// ---- Faults -------------------------------------------------------------------------------

__global__ void read_null(int *, int *out) {
    int *volatile null = nullptr;
    out[0] = *null; // fault: read_null
}
__global__ void write_far(int *p, int *) {
    p[(size_t)1 << 40] = 1; // fault: write_far
}
__device__ __noinline__ int descend(int n, int *p) {
    volatile int frame[64];
    frame[n & 63] = n;
    if (p[0] == 12345)
        return n;
    return descend(n + 1, p) + frame[(n + 1) & 63];
}
__global__ void recurse(int *p, int *out) {
    out[0] = descend(0, p);
}
__global__ void trap(int *, int *) {
    __trap();
}
__global__ void failed_assert(int *p, int *) {
    assert(p == nullptr);
}
__global__ void failed_asserts(int *, int *) {
    assert(threadIdx.x != 3 && threadIdx.x != 4 && threadIdx.x != 7);
}
__global__ void bad_pointer(int *p, int *out) {
    typedef int (*function)(int);
    function f = (function)(0x123456780 + (size_t)(p[0] & 0));
    out[0] = f(3);
}
// Misaligned: one thread, lanes side by side, lanes anywhere, vectors, atomics, shared memory.
__global__ void misaligned(int *p, int *) {
    volatile int *q = (volatile int *)((char *)p + 1);
    *q = 7; // fault: misaligned
}
__global__ void misaligned_row(int *p, int *) {
    int *q = (int *)((char *)p + 2);
    q[threadIdx.x] = 7; // fault: misaligned_row
}
__global__ void misaligned_lane(int *p, int *out) {
    char *q = (char *)p + threadIdx.x * 36 % 1024 + (threadIdx.x == 21 ? 2 : 0);
    out[threadIdx.x] = *(int *)q; // fault: misaligned_lane
}
__global__ void misaligned_branch(int *p, int *out) {
    if (threadIdx.x == 13)
        out[0] = *(int *)((char *)p + threadIdx.x); // fault: misaligned_branch
}
__global__ void misaligned_vector(int *p, int *) {
    float4 *q = (float4 *)((float2 *)p + 1);
    q[threadIdx.x] = make_float4(1, 2, 3, 4); // fault: misaligned_vector
}
__global__ void misaligned_atomic(int *p, int *) {
    atomicAdd((int *)((char *)p + 3 + 4 * threadIdx.x), 1); // fault: misaligned_atomic
}
__global__ void misaligned_shared(int *p, int *out) {
    extern __shared__ char bytes[];
    bytes[threadIdx.x] = (char)p[0];
    __syncthreads();
    out[0] = *(int *)(bytes + threadIdx.x); // fault: misaligned_shared
}

// Bad addresses in one thread: the report must name it. In place: what the block has stored before
// must not mislead the search for the thread.
__global__ void far_thread(int *p, int *out) {
    size_t i = threadIdx.x;
    if (i == 29)
        i += (size_t)1 << 38;
    p[threadIdx.x] += 3;
    out[i] = p[threadIdx.x]; // fault: far_thread
}
__global__ void far_row(int *p, int *) {
    p[((size_t)1 << 38) + threadIdx.x] = 5; // fault: far_row
}
__global__ void no_address(int *p, int *) {
    long long *q = (long long *)((size_t)p + (threadIdx.x == 17) * ((size_t)1 << 62));
    *q = 1; // fault: no_address
}
__device__ __noinline__ int load(const int *p) {
    return *p; // fault: in_function
}
__global__ void in_function(int *p, int *out) {
    for (int i = 0; i < 1000; i++)
        if (threadIdx.x == 7)
            out[0] = load(p + (i == 900 ? (size_t)1 << 38 : i % 8));
}
__global__ void after_barriers(int *p, int *out) {
    __shared__ int next[64];
    next[threadIdx.x] = (threadIdx.x + 5) % 33;
    __syncthreads();
    int i = next[next[threadIdx.x]];
    __syncthreads();
    next[threadIdx.x] = i;
    __syncthreads();
    int *q = p + (next[threadIdx.x] == 8 ? (size_t)1 << 38 : 0);
    out[0] = *q; // fault: after_barriers
}
// One block faults; the others would wait, or compute, for ever.
__global__ void stuck_waiting(int *p, int *out) {
    if (blockIdx.x == 1)
        out[0] = p[(size_t)1 << 38];
    volatile int *flag = p;
    while (flag[1] == 0)
        ;
}
__global__ void stuck_computing(int *p, int *out) {
    if (blockIdx.x == 1)
        out[0] = p[(size_t)1 << 38];
    unsigned x = threadIdx.x;
    for (;;) {
        x = x * 1664525u + 1013904223u;
        asm volatile("" : "+r"(x)); // a loop without effects would be no loop
    }
}

// Phases and barriers that nobody completes: every thread waits, and the launch ends.
__global__ void phase_without_end(int *p, int *out) {
    __shared__ block_barrier bar;
    if (threadIdx.x == 0)
        init(&bar, 34); // there are 33 threads
    __syncthreads();
    bar.arrive_and_wait();
    out[0] = p[0];
}
__global__ void phase_of_one(int *p, int *out) {
    __shared__ block_barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        bar.wait_parity(false);
    }
    __syncthreads();
    out[0] = p[0];
}
__global__ void phase_of_bytes(int *p, int *out) {
    __shared__ block_barrier bar;
    if (threadIdx.x == 0)
        init(&bar, 33);
    __syncthreads();
    if (threadIdx.x == 5)
        bar.wait(cuda::device::barrier_arrive_tx(bar, 1, 16)); // no copy brings them
    else
        bar.arrive_and_wait();
    out[0] = p[0];
}
__global__ void __cluster_dims__(2, 1, 1) cluster_phase(int *p, int *out) {
    __shared__ block_barrier bar;
    if (threadIdx.x == 0)
        init(&bar, 33);
    cooperative_groups::this_cluster().sync();
    if (blockIdx.x == 0)
        bar.wait_parity(false);
    cooperative_groups::this_cluster().sync();
    out[0] = p[0];
}
__global__ void __cluster_dims__(2, 1, 1) cluster_barrier(int *p, int *out) {
    __shared__ block_barrier bar;
    if (threadIdx.x == 0)
        init(&bar, 34);
    __syncthreads();
    if (blockIdx.x == 1)
        bar.arrive_and_wait();
    cooperative_groups::this_cluster().sync();
    out[0] = p[0];
}

struct fault {
    const char *name;
    void (*kernel)(int *, int *);
    cudaError_t error;
};
static const fault faults[] = {
    {"read_null", read_null, cudaErrorIllegalAddress},
    {"write_far", write_far, cudaErrorIllegalAddress},
    {"recurse", recurse, cudaErrorHardwareStackError},
    {"trap", trap, cudaErrorLaunchFailure},
    {"failed_assert", failed_assert, cudaErrorAssert},
    {"failed_asserts", failed_asserts, cudaErrorAssert},
    {"bad_pointer", bad_pointer, cudaErrorInvalidPc},
    {"far_thread", far_thread, cudaErrorIllegalAddress},
    {"far_row", far_row, cudaErrorIllegalAddress},
    {"no_address", no_address, cudaErrorIllegalAddress},
    {"in_function", in_function, cudaErrorIllegalAddress},
    {"after_barriers", after_barriers, cudaErrorIllegalAddress},
    {"stuck_waiting", stuck_waiting, cudaErrorIllegalAddress},
    {"stuck_computing", stuck_computing, cudaErrorIllegalAddress},
    {"phase_without_end", phase_without_end, cudaErrorLaunchTimeout},
    {"phase_of_one", phase_of_one, cudaErrorLaunchTimeout},
    {"phase_of_bytes", phase_of_bytes, cudaErrorLaunchTimeout},
    {"cluster_phase", cluster_phase, cudaErrorLaunchTimeout},
    {"cluster_barrier", cluster_barrier, cudaErrorLaunchTimeout},
    {"misaligned", misaligned, cudaErrorMisalignedAddress},
    {"misaligned_row", misaligned_row, cudaErrorMisalignedAddress},
    {"misaligned_lane", misaligned_lane, cudaErrorMisalignedAddress},
    {"misaligned_branch", misaligned_branch, cudaErrorMisalignedAddress},
    {"misaligned_vector", misaligned_vector, cudaErrorMisalignedAddress},
    {"misaligned_atomic", misaligned_atomic, cudaErrorMisalignedAddress},
    {"misaligned_shared", misaligned_shared, cudaErrorMisalignedAddress},
};

static void run_fault(const fault &f) {
    int *p;
    expect(cudaMalloc(&p, 4096), cudaSuccess, "cudaMalloc");
    expect(cudaMemset(p, 0, 4096), cudaSuccess, "cudaMemset");
    f.kernel<<<2, 33, 256>>>(p, p + 1);
    cudaError_t got = cudaDeviceSynchronize();
    expect(got, f.error, f.name);
    void *q;
    int host;
    expect(cudaDeviceSynchronize(), f.error, "synchronise again");
    expect(cudaMalloc(&q, 16), f.error, "allocate after the fault");
    expect(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost), f.error, "copy after the fault");
    expect(cudaGetLastError(), f.error, "last error");
    expect(cudaDeviceReset(), cudaSuccess, "reset");
    (void)cudaGetLastError();
    works();
}

// ---- What is no fault ---------------------------------------------------------------------

__global__ void divide(const int *d, int *out) {
    out[0] = 17 / d[0];
    out[1] = (int)(17u / (unsigned)d[0]);
}
static void run_divide() {
    int *p, host[3];
    expect(cudaMalloc(&p, 12), cudaSuccess, "cudaMalloc");
    expect(cudaMemset(p, 0, 12), cudaSuccess, "cudaMemset");
    divide<<<1, 1>>>(p, p + 1);
    expect(cudaMemcpy(host, p, 12, cudaMemcpyDeviceToHost), cudaSuccess, "divide");
    if (host[1] != -1 || host[2] != -1) {
        printf("17 / 0 gave %x and %x, expected all ones\n", host[1], host[2]);
        failures++;
    }
    works();
}

// Aligned to what each access needs and to no more; a misaligned address in threads that do not
// use it.
__global__ void aligned(char *p, int n) {
    float *f = (float *)(p + 4);
    double *d = (double *)(p + 1032);
    f[threadIdx.x] = 2.0f;
    d[threadIdx.x] = f[threadIdx.x] + 1;
    int *odd = (int *)(p + 2048 + (int)threadIdx.x * n + (threadIdx.x & 1));
    if (threadIdx.x % 2 == 0)
        *odd = (int)threadIdx.x;
}
static void run_aligned() {
    char *p;
    static char host[4096];
    expect(cudaMalloc(&p, 4096), cudaSuccess, "cudaMalloc");
    aligned<<<1, 64>>>(p, 4);
    expect(cudaMemcpy(host, p, 4096, cudaMemcpyDeviceToHost), cudaSuccess, "aligned");
    for (int t = 0; t < 64; t++) {
        float f;
        double d;
        int i;
        memcpy(&f, host + 4 + 4 * t, 4);
        memcpy(&d, host + 1032 + 8 * t, 8);
        memcpy(&i, host + 2048 + 4 * t, 4);
        if (f != 2.0f || d != 3.0 || (t % 2 == 0 && i != t)) {
            printf("thread %d stored %g, %g, %d\n", t, f, d, i);
            failures++;
        }
    }
    works();
}

__global__ void exhaust(int *out) {
    int n = 0;
    for (; n < 100000; n++) {
        char *volatile piece =
            (char *)malloc(1 << 20); // a read keeps the compiler from dropping it
        if (!piece)
            break;
        piece[n] = 1;
    }
    out[0] = n;
}
static void run_heap() {
    int *p, n = -1;
    size_t heap = 0;
    expect(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize), cudaSuccess, "heap size");
    expect(cudaMalloc(&p, 4), cudaSuccess, "cudaMalloc");
    exhaust<<<1, 1>>>(p);
    expect(cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost), cudaSuccess, "exhaust");
    if (n < 1 || (size_t)n << 20 > heap) {
        printf("%d MiB came from a heap of %zu bytes\n", n, heap);
        failures++;
    }
    works();
}

// ---- Launches that are refused: not sticky ------------------------------------------------

static void refused(dim3 grid, dim3 block, size_t shared, cudaError_t want, const char *what) {
    int *p = nullptr;
    count<<<grid, block, shared>>>(p);
    expect(cudaGetLastError(), want, what);
    expect(cudaGetLastError(), cudaSuccess, "the error is cleared");
}
static void run_launches() {
    const cudaError_t bad = cudaErrorInvalidConfiguration;
    refused(1, 1025, 0, bad, "1025 threads");
    refused(1, dim3(1, 1, 65), 0, bad, "depth of 65");
    refused(1, 0, 0, bad, "no thread");
    refused(0, 1, 0, bad, "no block");
    refused(0x80000000u, 1, 0, bad, "2^31 blocks");
    refused(dim3(1, 65536), 1, 0, bad, "65536 rows of blocks");
    refused(dim3(1, 1, 0xffffffffu), 1, 0, bad, "2^32-1 layers of blocks");
    refused(1, dim3(0xffffffffu, 0xffffffffu, 0xffffffffu), 0, bad, "2^96 threads");
    refused(1, 1, (size_t)1 << 31, cudaErrorInvalidValue, "2 GiB of shared memory");
    works();
}

__global__ void loop(volatile int *p) {
    while (p[0] == 0) {
    }
}
static void run_loop() {
    int *p;
    expect(cudaMalloc(&p, 4), cudaSuccess, "cudaMalloc");
    expect(cudaMemset(p, 0, 4), cudaSuccess, "cudaMemset");
    works();
    cudaStream_t streams[3];
    for (cudaStream_t &s : streams) {
        expect(cudaStreamCreate(&s), cudaSuccess, "cudaStreamCreate");
        loop<<<2, 64, 0, s>>>(p);
    }
    loop<<<2, 64>>>(p);
    printf("looping\n");
    fflush(stdout);
    expect(cudaDeviceSynchronize(), cudaSuccess, "a loop without end ended");
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    bool found = false;
    for (const fault &f : faults)
        if (!strcmp(name, f.name)) {
            run_fault(f);
            found = true;
        }
    static const struct {
        const char *name;
        void (*run)();
    } others[] = {{"divide", run_divide},
                  {"aligned", run_aligned},
                  {"heap", run_heap},
                  {"launches", run_launches},
                  {"loop", run_loop}};
    for (const auto &o : others)
        if (!strcmp(name, o.name)) {
            o.run();
            found = true;
        }
    if (!found) {
        fprintf(stderr, "no such case: %s\n", name);
        return 2;
    }
    if (!failures)
        printf("as documented\n");
    return failures != 0;
}
