// A copy of rows takes the width for the pitch's: its last row ends behind the source. Guide,
// 6.2.2.
#include "../suite.h"

int main() {
    char *a, *b;
    OK(cudaMalloc(&a, 4 * 96));
    OK(cudaMalloc(&b, 4 * 128));
    OK(cudaMemset(a, 1, 4 * 96));
#ifdef BUG
    OK(cudaMemcpy2D(b, 128, a, 128, 96, 4, cudaMemcpyDeviceToDevice)); // bug: memory.copy
#else
    OK(cudaMemcpy2D(b, 128, a, 96, 96, 4, cudaMemcpyDeviceToDevice));
#endif
    OK(cudaDeviceSynchronize());
    OK(cudaFree(a));
    OK(cudaFree(b));
    return verdict(true);
}
