// Inclusive prefix sum of a long array: each block scans its part (warp shuffles, then the warps'
// totals), a second kernel scans the blocks' totals, a third adds them.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

__device__ int scan_warp(int v) {
    int lane = threadIdx.x % warpSize;
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d)
            v += other;
    }
    return v;
}

__device__ int scan_block(int v) {
    __shared__ int totals[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = scan_warp(v);
    if (lane == 31)
        totals[warp] = v;
    __syncthreads();
    if (warp == 0)
        totals[lane] = scan_warp(totals[lane]);
    __syncthreads();
    return warp ? v + totals[warp - 1] : v;
}

__global__ void scan_parts(const int *in, int *out, int *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = scan_block(i < n ? in[i] : 0);
    if (i < n)
        out[i] = v;
    if (threadIdx.x == blockDim.x - 1)
        sums[blockIdx.x] = v;
}

__global__ void add_before(int *out, const int *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += sums[blockIdx.x - 1];
}

int main() {
    const int n = 1000 * 1000 - 5, threads = 1024, blocks = (n + threads - 1) / threads;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++)
        in[i] = i % 17 - 8 + i % 3;
    int *din, *dout, *sums, *total;
    CHECK(cudaMalloc(&din, n * sizeof(int)));
    CHECK(cudaMalloc(&dout, n * sizeof(int)));
    CHECK(cudaMalloc(&sums, threads * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int round = 0; round < 2; round++) {
        CHECK(cudaEventRecord(start));
        scan_parts<<<blocks, threads>>>(din, dout, sums, n);
        scan_parts<<<1, threads>>>(sums, sums, total, blocks);
        add_before<<<blocks, threads>>>(dout, sums, n);
        CHECK(cudaEventRecord(stop));
    }
    CHECK(cudaMemcpy(out.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost));
    int want = 0;
    for (int i = 0; i < n; i++) {
        want += in[i];
        if (out[i] != want) {
            printf("FAILED: element %d is %d, not %d\n", i, out[i], want);
            return 1;
        }
    }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: prefix sums of %d numbers in %d blocks\n", n, blocks);
    printf("speed: %.1f million elements/s\n", n / ms / 1e3);
    return 0;
}
