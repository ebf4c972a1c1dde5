// Pi by throwing darts: each thread has a random sequence of its own (a counter-based hash), the
// hits are counted with a warp reduction and one atomic a warp.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

__host__ __device__ unsigned hash(unsigned long long x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return (unsigned)(x >> 32);
}

__host__ __device__ unsigned hits_of(unsigned thread, unsigned darts) {
    unsigned hits = 0;
    for (unsigned k = 0; k < darts; k++) {
        unsigned r = hash((unsigned long long)thread << 32 | k);
        float x = (r & 0xffff) / 65536.0f, y = (r >> 16) / 65536.0f;
        hits += x * x + y * y < 1.0f;
    }
    return hits;
}

__global__ void throw_darts(unsigned long long *total, unsigned darts) {
    unsigned hits = hits_of(blockIdx.x * blockDim.x + threadIdx.x, darts);
    hits = __reduce_add_sync(0xffffffff, hits);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, (unsigned long long)hits);
}

int main() {
    const unsigned blocks = 64, threads = 256, darts = 200;
    unsigned long long *total, got, want = 0;
    CHECK(cudaMalloc(&total, sizeof got));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int round = 0; round < 2; round++) {
        CHECK(cudaMemset(total, 0, sizeof got));
        CHECK(cudaEventRecord(start));
        throw_darts<<<blocks, threads>>>(total, darts);
        CHECK(cudaEventRecord(stop));
    }
    CHECK(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned t = 0; t < blocks * threads; t++)
        want += hits_of(t, darts);
    double n = (double)blocks * threads * darts, pi = 4.0 * got / n;
    if (got != want || fabs(pi - 3.14159265) > 0.01) {
        printf("FAILED: %llu hits, not %llu; pi would be %g\n", got, want, pi);
        return 1;
    }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: %.0f darts hit as often as on the host; pi is about %.4f\n", n, pi);
    printf("speed: %.1f million darts/s\n", n / ms / 1e3);
    return 0;
}
