// A sparse matrix picks two of each four rows of another one (mma.sp), of which the rows that none
// picks were never set; one of those that are picked was not either. Guide, 10.24; PTX ISA,
// mma.sp.m16n8k16: lanes l / 4 have a column of b, rows l % 4 * 2 and the next, and 8 below.
#include "../suite.h"
#include <cuda_fp16.h>

__global__ void multiply(const __half *b, int *out) {
    int lane = threadIdx.x, column = lane / 4, row = lane % 4 * 2;
    unsigned w[2];
    float d[4] = {};
    for (int k = 0; k < 2; k++) {
        __half2 x =
            __halves2half2(b[(row + k * 8) * 8 + column], b[(row + k * 8 + 1) * 8 + column]);
        memcpy(&w[k], &x, 4);
    }
    // The first two of each four: 0 and 1.
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %4}, {%5, %6}, {%0, %1, %2, %3}, %7, 0x0;\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(0x3c003c00), "r"(w[0]), "r"(w[1]), "r"(0x44444444));
    for (int k = 0; k < 4; k++)
        if (d[k] != 16) // bug: init.matrix
            atomicAdd(out, 1);
}

int main() {
    static __half h[2 * 8];
    __half *b;
    int *out, n;
    for (__half &x : h)
        x = __half(2);
    OK(cudaMalloc(&b, 16 * 8 * sizeof(__half)));
    OK(cudaMalloc(&out, sizeof n));
    OK(cudaMemset(out, 0, sizeof n));
    for (int row = 0; row < 16; row += 4)
#ifdef BUG
        OK(cudaMemcpy(b + row * 8, h, sizeof h - (row == 12 ? 2 : 0), cudaMemcpyHostToDevice));
#else
        OK(cudaMemcpy(b + row * 8, h, sizeof h, cudaMemcpyHostToDevice));
#endif
    multiply<<<1, 32>>>(b, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&n, out, sizeof n, cudaMemcpyDeviceToHost));
    OK(cudaFree(b));
    OK(cudaFree(out));
    return verdict(n == 0);
}
