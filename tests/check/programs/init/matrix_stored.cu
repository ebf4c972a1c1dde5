// A warp stores a tile of words that it loaded (stmatrix), of which the last was never set, turned,
// and a lane branches on it. Guide, 10.24; PTX ISA, stmatrix: of each matrix lane l has two
// neighbours of column l / 4, and lane 8 * m + r names row r of matrix m.
#include "../suite.h"

__global__ void turn(const unsigned *words, int *out) {
    __shared__ alignas(16) unsigned short tile[16 * 8]; // two matrices of 8 by 8
    int lane = threadIdx.x;
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[lane % 16 * 8]);
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};\n"
                 :
                 : "r"(to), "r"(words[lane]), "r"(words[32 + lane])
                 : "memory");
    __syncwarp();
    if (lane < 8 && tile[(8 + lane) * 8 + 6] != 7) // the last column but one
        atomicAdd(out, 1);
    if (lane < 8 && tile[(8 + lane) * 8 + 7] != 7) // bug: init.matrix
        atomicAdd(out, 1);
}

int main() {
    static unsigned h[64];
    unsigned *words;
    int *out, n;
    for (unsigned &x : h)
        x = 0x70007;
    OK(cudaMalloc(&words, sizeof h));
    OK(cudaMalloc(&out, sizeof n));
    OK(cudaMemset(out, 0, sizeof n));
#ifdef BUG
    OK(cudaMemcpy(words, h, sizeof h - 4, cudaMemcpyHostToDevice));
#else
    OK(cudaMemcpy(words, h, sizeof h, cudaMemcpyHostToDevice));
#endif
    turn<<<1, 32>>>(words, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&n, out, sizeof n, cudaMemcpyDeviceToHost));
    OK(cudaFree(words));
    OK(cudaFree(out));
    return verdict(n == 0);
}
