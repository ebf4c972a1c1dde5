// A copy writes more bytes than its destination has. Guide, 6.2.2.
#include "../suite.h"

int main() {
    int h[64] = {}, *a;
    OK(cudaMalloc(&a, 60 * sizeof(int)));
#ifdef BUG
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice)); // bug: memory.copy
#else
    OK(cudaMemcpy(a, h, 60 * sizeof(int), cudaMemcpyHostToDevice));
#endif
    OK(cudaFree(a));
    return verdict(true);
}
