// A matrix is stored with the next one's columns between its rows, behind the end. Guide, 10.24.
#include "../suite.h"
#include <mma.h>
using namespace nvcuda;

__global__ void work(float *out, int stride) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 2.0f);
    wmma::store_matrix_sync(out, c, stride, wmma::mem_row_major); // bug: memory.global
}

int main() {
    float *out, h;
    OK(cudaMalloc(&out, 16 * 16 * sizeof h));
#ifdef BUG
    work<<<1, 32>>>(out, 20);
#else
    work<<<1, 32>>>(out, 16);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h, out + 255, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h == 2);
}
