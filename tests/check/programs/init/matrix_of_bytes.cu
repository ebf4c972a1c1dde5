// A warp loads a tile of 16 by 16 bytes of shared memory, transposed (ldmatrix), of which the last
// byte of a row was never written. Guide, 6.2.2; PTX ISA, ldmatrix: a register has four neighbours
// of column l / 4, the second one of 8 further, from row l % 4 * 4 on.
// options: -arch=sm_120a
#include "../suite.h"

__global__ void look(int *out) {
    __shared__ alignas(16) unsigned char tile[16 * 16];
    int lane = threadIdx.x;
    for (int k = lane; k < 16 * 16; k += 32)
#ifdef BUG
        if (k != 5 * 16 + 15)
#endif
            tile[k] = 3;
    __syncwarp();
    unsigned w[2], from = (unsigned)__cvta_generic_to_shared(&tile[lane % 16 * 16]);
    asm volatile("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0, %1}, [%2];\n"
                 : "=r"(w[0]), "=r"(w[1])
                 : "r"(from)
                 : "memory");
    if (w[0] != 0x3030303 || (w[1] & 0xffff00ff) != 0x3030003)
        atomicAdd(out, 1);
    if ((w[1] >> 8 & 0xff) != 3) // bug: init.matrix
        atomicAdd(out, 1);
}

int main() {
    int *out, n;
    OK(cudaMalloc(&out, sizeof n));
    OK(cudaMemset(out, 0, sizeof n));
    look<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&n, out, sizeof n, cudaMemcpyDeviceToHost));
    OK(cudaFree(out));
    return verdict(n == 0);
}
