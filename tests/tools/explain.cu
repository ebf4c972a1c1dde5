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
