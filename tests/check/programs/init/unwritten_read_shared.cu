// The first row of a tile is never filled, and summed with the others into a sum that nobody looks
// at. Guide, 6.2.2.
// check: --unwritten-reads yes
#include "../suite.h"

__global__ void sum(const float4 *in, float4 *out) {
    __shared__ float4 tile[4][32];
#ifdef BUG
    for (int y = 1; y < 4; y++)
#else
    for (int y = 0; y < 4; y++)
#endif
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();
    float4 s = {};
#pragma unroll 1
    for (int y = 0; y < 4; y++) {
        float4 v = tile[y][31 - threadIdx.x]; // bug: init.shared
        s.x += v.x, s.y += v.y, s.z += v.z, s.w += v.w;
    }
    out[threadIdx.x] = s;
}

int main() {
    float4 *in, *out;
    OK(cudaMalloc(&in, 128 * sizeof *in));
    OK(cudaMalloc(&out, 32 * sizeof *out));
    OK(cudaMemset(in, 0, 128 * sizeof *in));
    sum<<<1, 32>>>(in, out);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(true);
}
