// A warp multiplies two matrices of halves of global memory (wmma), the last column of one of which
// was never set; only the sums of that column follow from it. Guide, 10.24.
#include "../suite.h"
#include <mma.h>
using namespace nvcuda;

__global__ void multiply(const __half *a, const __half *b, float *out) {
    __shared__ float tile[16 * 16];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 1.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(c, fa, fb, c);
    wmma::store_matrix_sync(tile, c, 16, wmma::mem_col_major); // bug: init.matrix
    __syncwarp();
    // The last row is none of the matrix'.
    for (int i = threadIdx.x; i < 16 * 16; i += 32)
        if (i % 16 < 15)
            out[i / 16 * 15 + i % 16] = tile[i];
}

int main() {
    static __half h[16 * 16];
    static float r[16 * 15];
    __half *a, *b;
    float *out;
    bool right = true;
    for (__half &x : h)
        x = __float2half(1);
    OK(cudaMalloc(&a, sizeof h));
    OK(cudaMalloc(&b, sizeof h));
    OK(cudaMalloc(&out, sizeof r));
    OK(cudaMemcpy(a, h, 15 * 16 * sizeof *h, cudaMemcpyHostToDevice));
#ifdef BUG
    OK(cudaMemcpy(b, h, 15 * 16 * sizeof *h, cudaMemcpyHostToDevice));
#else
    OK(cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice));
#endif
    multiply<<<1, 32>>>(a, b, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost));
    for (float x : r)
        right &= x == 17;
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(out));
    return verdict(right);
}
