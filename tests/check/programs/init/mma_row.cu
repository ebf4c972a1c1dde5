// A warp multiplies a matrix of global memory of which one row was never set, and the sums decide a
// branch. Guide, 10.24; PTX ISA, mma.m16n8k16: lanes l / 4 have a row of a and its sums.
#include "../suite.h"
#include <cuda_fp16.h>

__global__ void multiply(const __half2 *a, int *out) {
    int lane = threadIdx.x, row = lane / 4, column = lane % 4;
    __half2 x[4], one = __half2half2(__int2half_rn(1));
    unsigned w[4], y;
    float d[4] = {};
    for (int k = 0; k < 4; k++) {
        x[k] = a[(row + k % 2 * 8) * 8 + k / 2 * 4 + column];
        memcpy(&w[k], &x[k], 4);
    }
    memcpy(&y, &one, 4);
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %8}, {%0, %1, %2, %3};\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(y));
    // The last row is none of the matrix'.
    if (row < 7 && d[2] > 16) // bug: init.matrix
        atomicAdd(out, 1);
    if (d[0] > 16)
        atomicAdd(out, 1);
}

int main() {
    static __half h[15 * 16];
    __half *a;
    int *out, n;
    for (__half &x : h)
        x = __half(2);
    OK(cudaMalloc(&a, 16 * 16 * sizeof(__half)));
    OK(cudaMalloc(&out, sizeof(int)));
    OK(cudaMemset(out, 0, sizeof(int)));
#ifdef BUG
    OK(cudaMemcpy(a, h, 14 * 16 * sizeof(__half), cudaMemcpyHostToDevice));
#else
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
#endif
    multiply<<<1, 32>>>((__half2 *)a, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&n, out, sizeof n, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(out));
    return verdict(n == 60);
}
