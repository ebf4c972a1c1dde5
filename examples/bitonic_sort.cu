// Bitonic sort: short distances within a block in shared memory, long ones in global memory.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        exit(1);                                                                                   \
    }

const int BLOCK = 512;

template <typename T> __device__ void compare(T &a, T &b, bool up) {
    if ((a > b) == up) {
        T t = a;
        a = b;
        b = t;
    }
}

__global__ void far_step(unsigned *v, unsigned size, unsigned distance) {
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned i = 2 * t - (t & (distance - 1));
    compare(v[i], v[i + distance], (i & size) == 0);
}

// All steps with distances of up to BLOCK, for sizes from `from` to `to`.
__global__ void near_steps(unsigned *v, unsigned from, unsigned to) {
    __shared__ unsigned s[2 * BLOCK];
    unsigned base = blockIdx.x * 2 * BLOCK, t = threadIdx.x;
    s[t] = v[base + t];
    s[t + BLOCK] = v[base + t + BLOCK];
    for (unsigned size = from; size <= to; size *= 2)
        for (unsigned d = size / 2 < BLOCK ? size / 2 : BLOCK; d > 0; d /= 2) {
            __syncthreads();
            unsigned i = 2 * t - (t & (d - 1));
            compare(s[i], s[i + d], ((base + i) & size) == 0);
        }
    __syncthreads();
    v[base + t] = s[t];
    v[base + t + BLOCK] = s[t + BLOCK];
}

int main() {
    const unsigned n = 1 << 17;
    std::vector<unsigned> v(n), got(n);
    unsigned seed = 99;
    for (auto &x : v)
        x = seed = seed * 1664525u + 1013904223u;
    unsigned *d;
    CHECK(cudaMalloc(&d, n * sizeof(unsigned)));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int round = 0; round < 2; round++) {
        CHECK(cudaMemcpy(d, v.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
        CHECK(cudaEventRecord(start));
        near_steps<<<n / (2 * BLOCK), BLOCK>>>(d, 2, 2 * BLOCK);
        for (unsigned size = 4 * BLOCK; size <= n; size *= 2) {
            for (unsigned distance = size / 2; distance > BLOCK; distance /= 2)
                far_step<<<n / (2 * BLOCK), BLOCK>>>(d, size, distance);
            near_steps<<<n / (2 * BLOCK), BLOCK>>>(d, size, size);
        }
        CHECK(cudaEventRecord(stop));
    }
    CHECK(cudaMemcpy(got.data(), d, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    std::sort(v.begin(), v.end());
    if (got != v) {
        printf("FAILED: not sorted\n");
        return 1;
    }
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("checked: %u numbers sorted as std::sort does\n", n);
    printf("speed: %.2f million keys/s\n", n / ms / 1e3);
    return 0;
}
