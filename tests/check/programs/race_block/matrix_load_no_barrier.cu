// Rows of matrices are loaded by ldmatrix while other warps still fill them. Guide, 10.6.
#include "../suite.h"

__device__ unsigned load(const void *row) {
    unsigned r, at = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" // bug: race.block
                 : "=r"(r)
                 : "r"(at));
    return r;
}

__global__ void work(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[128];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    tile[t] = in[t]; // with
#ifndef BUG
    __syncthreads();
#endif
    out[t] = load(&tile[(3 - warp) * 32 + lane % 8 * 4]); // or
}

int main() {
    unsigned h[128], *in, *out;
    for (unsigned i = 0; i < 128; ++i)
        h[i] = i;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    work<<<1, 128>>>(in, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(in));
    OK(cudaFree(out));
    return verdict(h[0] == 96 && h[127] == 31);
}
