// A warp's tile of a product is read by other lanes than stored it, without __syncwarp.
// Guide, 10.24.
#include "../suite.h"
#include <mma.h>
using namespace nvcuda;

__global__ void product(const __half *a, const __half *b, float *out) {
    __shared__ float tile[16 * 16];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(c, fa, fb, c);
    wmma::store_matrix_sync(tile, c, 16, wmma::mem_row_major); // bug: race.warp
#ifndef BUG
    __syncwarp();
#endif
    for (int i = threadIdx.x; i < 256; i += 32)
        out[i] = 2 * tile[i]; // with
}

int main() {
    __half h[256], *a;
    float r[256], *out;
    for (__half &x : h)
        x = __float2half(1);
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&out, sizeof r));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    product<<<1, 32>>>(a, a, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(r[37] == 32);
}
