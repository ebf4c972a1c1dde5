// Descriptors of matrices in shared memory that are made of generic addresses, whose low 18 bits
// are those of the addresses in shared memory: in blocks alone and in clusters.
#include <cstdint>
#include <cuda_bf16.h>

#include "check.h"

enum { ROWS = 64, COLUMNS = 8, DEPTH = 16, LEADING = 128, STRIDE = 256 };

// In groups of 8 rows and 16 bytes, nothing is swizzled.
__device__ uint64_t descriptor(uint64_t address) {
    return ((address & 0x3ffff) >> 4) | (uint64_t)(LEADING >> 4) << 16 |
           (uint64_t)(STRIDE >> 4) << 32;
}

__device__ void multiply(float (&sums)[4], uint64_t a, uint64_t b) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("{ .reg .pred keep; setp.ne.b32 keep, %6, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, "
                 "keep, 1, 1, 0, 0; }"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "l"(a), "l"(b), "r"(0));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ void fill_and_multiply(__nv_bfloat16 *a, float value, float *out) {
    __nv_bfloat16 *b = a + ROWS * DEPTH;
    float sums[4];
    for (int i = threadIdx.x; i < (ROWS + COLUMNS) * DEPTH; i += blockDim.x)
        a[i] = __float2bfloat16(i < ROWS * DEPTH ? 2 : value);
    __syncthreads();
    asm volatile("fence.proxy.async;" ::: "memory");
    multiply(sums, descriptor((uint64_t)a), descriptor((uint64_t)b));
    for (int i = 0; i < 4; i++)
        out[(blockIdx.x * 128 + threadIdx.x) * 4 + i] = sums[i];
}

__global__ void alone(float *out) {
    __shared__ alignas(1024) __nv_bfloat16 tiles[(ROWS + COLUMNS) * DEPTH];
    extern __shared__ __align__(1024) __nv_bfloat16 more[];
    fill_and_multiply(blockIdx.x ? more : tiles, 3 + blockIdx.x, out);
}

__global__ void __cluster_dims__(2, 1, 1) together(float *out) {
    extern __shared__ __align__(1024) __nv_bfloat16 tiles[];
    fill_and_multiply(tiles, 3 + blockIdx.x, out);
}

static void check(const float *out, int blocks) {
    for (int i = 0; i < blocks * 512; i++)
        if (out[i] != DEPTH * 2 * (3 + i / 512)) {
            CHECK(out[i] == DEPTH * 2 * (3 + i / 512));
            return;
        }
}

int main() {
    float *out = shared_array<float>(4 * 512);
    alone<<<2, 128, 8192>>>(out);
    CUDA(cudaDeviceSynchronize());
    check(out, 2);
    together<<<4, 128, 8192>>>(out);
    CUDA(cudaDeviceSynchronize());
    check(out, 4);
    return failures != 0;
}
