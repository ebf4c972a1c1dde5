// A copy whose direction does not fit its pointers fails, and is not looked at. Guide, 6.2.12.
#include "../suite.h"

int main() {
    int *a, h = 0, back = 0;
    OK(cudaMalloc(&a, sizeof(int)));
    OK(cudaMemset(a, 1, sizeof(int)));
#ifdef BUG
    cudaMemcpy(&back, a, sizeof(int), (cudaMemcpyKind)77); // bug: api.ignored
#else
    OK(cudaMemcpy(&back, a, sizeof(int), cudaMemcpyDeviceToHost));
#endif
    OK(cudaMemcpy(&h, a, sizeof h, cudaMemcpyDeviceToHost));
    OK(cudaFree(a));
    return verdict(h == back);
}
