// A product of numbers of 8 bits with scales for each 32 of them (mma.block_scale), of which that of
// one column was never set. Guide, 10.24; PTX ISA, mma.m16n8k32: of b's scales each four lanes have
// that of a column, in the byte and the lane that operands name.
// options: -arch=sm_120a
#include "../suite.h"

__global__ void multiply(const unsigned char *scales, float *out) {
    int lane = threadIdx.x, column = lane / 4;
    // The other bytes and lanes are not looked at, and not set.
    unsigned one = 0x38383838, of_a = 127, of_b = ((const unsigned *)scales)[lane];
    float d[4] = {};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32."
                 "e4m3.e4m3.f32.ue8m0 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
                 "{%0, %1, %2, %3}, {%5}, {0, 0}, {%6}, {1, 2};\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(one), "r"(of_a), "r"(of_b));
    for (int k = 0; k < 4; k++)
        out[(column + k / 2 * 8) * 8 + lane % 4 * 2 + k % 2] = d[k]; // bug: init.matrix
}

__global__ void set(unsigned char *scales, int n) {
    if ((int)threadIdx.x < n)
        scales[(threadIdx.x * 4 + 2) * 4 + 1] = 128;
}

int main() {
    float h[16 * 8], *out;
    unsigned char *scales;
    bool right = true;
    OK(cudaMalloc(&scales, 32 * 4));
    OK(cudaMalloc(&out, sizeof h));
#ifdef BUG
    set<<<1, 32>>>(scales, 7);
#else
    set<<<1, 32>>>(scales, 8);
#endif
    multiply<<<1, 32>>>(scales, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    for (float x : h)
        right &= x == 64;
    OK(cudaFree(scales));
    OK(cudaFree(out));
    return verdict(right);
}
