// A warp adds a product of bytes to sums of shared memory (wmma, m32n8k16), of which one was never
// written, and looks at what comes of it there. Guide, 6.2.2 (shared memory has no initial values);
// 10.24.
#include "../suite.h"
#include <mma.h>
using namespace nvcuda;

__global__ void multiply(const signed char *a, int *out) {
    __shared__ int sums[32 * 8];
    for (int i = threadIdx.x; i < 32 * 8; i += 32)
#ifdef BUG
        if (i != 100)
#endif
            sums[i] = i;
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, int> c;
    wmma::load_matrix_sync(fa, a, 32);
    wmma::fill_fragment(fb, 1);
    wmma::load_matrix_sync(c, sums, 8, wmma::mem_row_major);
    wmma::mma_sync(c, fa, fb, c);
    wmma::store_matrix_sync(sums, c, 8, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 31 * 8; i += 32) // the last row is none of the matrix'
        if (sums[i] != i + 16)                     // bug: init.matrix
            atomicAdd(out, 1);
}

int main() {
    static signed char h[31];
    signed char *a;
    int *out, n;
    memset(h, 1, sizeof h);
    OK(cudaMalloc(&a, 32 * 16));
    OK(cudaMalloc(&out, sizeof n));
    OK(cudaMemset(out, 0, sizeof n));
    for (int k = 0; k < 16; k++)
        OK(cudaMemcpy(a + 32 * k, h, sizeof h, cudaMemcpyHostToDevice));
    multiply<<<1, 32>>>(a, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&n, out, sizeof n, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(n == 0);
}
