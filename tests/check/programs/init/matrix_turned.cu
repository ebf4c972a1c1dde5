// A warp transposes a tile (movmatrix) of which one element was never set, and branches on what it
// gets. Guide, 10.24; PTX ISA, movmatrix: lane l has two neighbours of row l / 4, columns l % 4 * 2
// and the next.
#include "../suite.h"

__global__ void turn(const unsigned *words, int *out) {
    int lane = threadIdx.x;
    unsigned turned;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;\n"
                 : "=r"(turned)
                 : "r"(words[lane]));
    if ((turned & 0xffff) != 3)
        atomicAdd(out, 1);
    if (lane < 28 && turned >> 16 != 3) // bug: init.matrix
        atomicAdd(out, 1);
}

int main() {
    static unsigned short h[64];
    unsigned short *words;
    int *out, n;
    for (unsigned short &x : h)
        x = 3;
    OK(cudaMalloc(&words, sizeof h));
    OK(cudaMalloc(&out, sizeof n));
    OK(cudaMemset(out, 0, sizeof n));
#ifdef BUG
    OK(cudaMemcpy(words, h, 62 * 2, cudaMemcpyHostToDevice)); // row 7 lacks columns 6 and 7
#else
    OK(cudaMemcpy(words, h, 63 * 2, cudaMemcpyHostToDevice)); // it lacks column 7, a row then
#endif
    turn<<<1, 32>>>((unsigned *)words, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(&n, out, sizeof n, cudaMemcpyDeviceToHost));
    OK(cudaFree(words));
    OK(cudaFree(out));
    return verdict(n == 0);
}
