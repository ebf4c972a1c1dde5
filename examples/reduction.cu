// Sum of an array, twice: with a tree in shared memory, and with warp shuffles.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

__global__ void sum_shared(const unsigned *x, unsigned long long *out, int n) {
    __shared__ unsigned long long s[256];
    unsigned long long v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(out, s[0]);
}

__global__ void sum_shuffle(const unsigned *x, unsigned long long *out, int n) {
    unsigned long long v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i];
    for (int d = 16; d > 0; d /= 2) // within a warp no shared memory is needed
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, v);
}

int main() {
    const int n = (1 << 22) + 321;
    std::vector<unsigned> x(n);
    unsigned long long want = 0;
    for (int i = 0; i < n; i++) {
        x[i] = (unsigned)i * 2654435761u;
        want += x[i];
    }
    unsigned *dx;
    unsigned long long *out, got[2];
    CHECK(cudaMalloc(&dx, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(dx, x.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    cudaEvent_t t[3];
    for (auto &event : t)
        CHECK(cudaEventCreate(&event));
    for (int round = 0; round < 2; round++) { // the first round compiles
        CHECK(cudaMemset(out, 0, sizeof got));
        CHECK(cudaEventRecord(t[0]));
        sum_shared<<<64, 256>>>(dx, out, n);
        CHECK(cudaEventRecord(t[1]));
        sum_shuffle<<<64, 256>>>(dx, out + 1, n);
        CHECK(cudaEventRecord(t[2]));
    }
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    if (got[0] != want || got[1] != want) {
        printf("FAILED: %llu and %llu, not %llu\n", got[0], got[1], want);
        return 1;
    }
    float a, b;
    CHECK(cudaEventElapsedTime(&a, t[0], t[1]));
    CHECK(cudaEventElapsedTime(&b, t[1], t[2]));
    printf("checked: both sums of %d numbers are %llu\n", n, want);
    printf("speed: shared memory %.2f GB/s, shuffles %.2f GB/s\n", n * 4.0 / a / 1e6,
           n * 4.0 / b / 1e6);
    cudaFree(dx);
    cudaFree(out);
    return 0;
}
