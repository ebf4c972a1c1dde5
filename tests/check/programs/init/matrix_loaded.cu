// A warp loads a tile of shared memory (ldmatrix) of which the last element was never written, and
// multiplies by it. Guide, 6.2.2 (shared memory has no initial values); PTX ISA, ldmatrix.
#include "../suite.h"
#include <cuda_fp16.h>

__global__ void multiply(float *out) {
    __shared__ alignas(16) __half b[16 * 8]; // 16 elements of k, each with eight columns
    int lane = threadIdx.x;
    for (int k = 4 * lane; k < 4 * lane + 4; k++)
#ifdef BUG
        if (k < 16 * 8 - 1)
#endif
            b[k] = __int2half_rn(k % 8);
    __syncwarp();
    unsigned w[2], from = (unsigned)__cvta_generic_to_shared(&b[lane % 16 * 8]);
    float d[4] = {};
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];\n"
                 : "=r"(w[0]), "=r"(w[1])
                 : "r"(from)
                 : "memory");
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %4, %4, %4}, {%5, %6}, {%0, %1, %2, %3};\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(0x3c003c00), "r"(w[0]), "r"(w[1]));
    out[lane / 4 * 8 + lane % 4 * 2] = d[0];
    out[lane / 4 * 8 + lane % 4 * 2 + 1] = d[1]; // bug: init.matrix
}

int main() {
    float *out, h[64];
    OK(cudaMalloc(&out, sizeof h));
    multiply<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(h[0] == 0 && h[63] == 7 * 16);
}
