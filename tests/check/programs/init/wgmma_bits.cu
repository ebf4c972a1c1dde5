// A warpgroup multiplies by a tile of bits in shared memory, of which the last column was never
// written, and counts those of its sums that are wrong. Guide, 6.2.2 (shared memory has no initial
// values); 10.24.
// options: -arch=sm_90a
#include "../wgmma.h"

__global__ void multiply(int *out) {
    __shared__ alignas(128) unsigned a[64 * 8], b[8 * 8]; // rows and columns of 256 bits
    for (int k = threadIdx.x; k < 64 * 8; k += 128)
        a[k] = 0xffff;
    if (threadIdx.x < 64)
#ifdef BUG
        if (threadIdx.x % 32 < 28) // of pieces of 8 columns by 128 bits
#endif
            b[threadIdx.x] = 0xff;
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    int d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%0, %1, %2, %3}, %4, "
                 "%5, 1;\n"
                 "wgmma.commit_group.sync.aligned;\n"
                 "wgmma.wait_group.sync.aligned 0;\n"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "l"(descriptor_of(a, 1024, 128)), "l"(descriptor_of(b, 128, 256))
                 : "memory");
    if (d[0] != 64 || d[2] != 64) // even columns
        atomicAdd(out, 1);
    if (d[1] != 64 || d[3] != 64) // bug: init.matrix
        atomicAdd(out, 1);
}

int main() {
    int *out, n;
    OK(cudaMalloc(&out, sizeof n));
    OK(cudaMemset(out, 0, sizeof n));
    multiply<<<1, 128>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&n, out, sizeof n, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(n == 0);
}
