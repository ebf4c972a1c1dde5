// Each warp looks at all of a tile's mask and goes on without a barrier where it is empty; a warp
// that is ahead then writes the next tile's mask. Guide, 5.4.4.
#include "../suite.h"

__global__ void kept(const int *mask, int tiles, int *out) {
    __shared__ int m[128];
    int n = 0;
    for (int t = 0; t < tiles; ++t) {
        m[threadIdx.x] = mask[t * 128 + threadIdx.x]; // bug: race.block
        __syncthreads();
        int any = 0;
        for (int i = threadIdx.x % 32; i < 128; i += 32)
            any |= m[i]; // with
        any = __any_sync(0xffffffff, any);
        if (!any) {
#ifndef BUG
            __syncthreads();
#endif
            continue;
        }
        n += m[127 - threadIdx.x];
        __syncthreads();
    }
    atomicAdd(out, n);
}

int main() {
    const int tiles = 6;
    int h[tiles * 128], *mask, *out, r;
    for (int i = 0; i < tiles * 128; ++i)
        h[i] = i / 128 % 2;
    OK(cudaMalloc(&mask, sizeof h));
    OK(cudaMalloc(&out, sizeof r));
    OK(cudaMemset(out, 0, sizeof r));
    OK(cudaMemcpy(mask, h, sizeof h, cudaMemcpyHostToDevice));
    kept<<<1, 128>>>(mask, tiles, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost));
    OK(cudaFree(mask));
    OK(cudaFree(out));
    return verdict(r == 3 * 128);
}
