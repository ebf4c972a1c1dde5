// Kernels that `kudzu explain` is asked about; test_explain.py looks for lines by their marks.
__global__ void plain(float *y, const float *x, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i]; // contiguous
}

__global__ void indexed(float *y, const float *x, const int *index) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int k = index[i];
    y[i] = x[k]; // gathered
}

__global__ void strided(float *y, const float2 *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i].y; // strided
}

__global__ void branches(int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = y[i], turns = 0;
    for (; v > 1; turns++) // leaves by data
        v = v % 2 ? 3 * v + 1 : v / 2;
    if (n > 3) // uniform
        y[i] = turns;
}

__global__ void rows(float *y, const int *start, const int *column, const float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
        sum += x[column[k]];
    y[i] = sum;
}

__global__ void counts(unsigned *bins, const unsigned char *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[x[i]], 1);
}

__global__ void locked(int *lock, int *value) {
    while (atomicCAS(lock, 0, 1)) // waits
        ;
    *value += 1;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void some_warps(int *p) {
    if (threadIdx.x >= 64)
        return;
    p[threadIdx.x] += 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    p[threadIdx.x] += p[threadIdx.x ^ 1];
}

__device__ __noinline__ int calls_itself(int n) {
    return n < 2 ? n : calls_itself(n - 1) + calls_itself(n - 2);
}

__global__ void recursive(int *p) {
    p[threadIdx.x] = calls_itself(p[threadIdx.x]);
}

__global__ void elected(int *p) {
    __shared__ long long arrivals;
    unsigned address = (unsigned)__cvta_generic_to_shared(&arrivals), yes;
    asm volatile("{ .reg .pred p; elect.sync _|p, -1; selp.u32 %0, 1, 0, p; }" : "=r"(yes));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(blockDim.x));
    __syncthreads();
    for (int k = 0; k < p[0]; k++) {
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address) : "memory");
        if (yes) {
            asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;"
                         "@!p bra again; }" ::"r"(address),
                         "r"(k & 1)
                         : "memory");
            p[1] += k;
        }
        __syncwarp();
    }
}
