// An index that is too large by the distance of two arrays: the write through a's pointer lands in
// b, which lives. Guide, 6.2.2 and 10.1.4: a pointer reaches its own allocation alone.
#include "../suite.h"

__global__ void set(char *a, long at) {
    a[at] = 1; // bug: memory.global
}

int main() {
    char *a, *b, h[2];
    OK(cudaMalloc(&a, 256));
    OK(cudaMalloc(&b, 256));
    OK(cudaMemset(a, 0, 256));
    OK(cudaMemset(b, 0, 256));
#ifdef BUG
    set<<<1, 1>>>(a, (long)b - (long)a);
#else
    set<<<1, 1>>>(a, 255);
#endif
    OK(cudaGetLastError());
    OK(cudaMemcpy(&h[0], a + 255, 1, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&h[1], b, 1, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(h[0] == 1 && h[1] == 0);
}
