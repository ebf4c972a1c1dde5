// A program of a C++ and a CUDA source, that uses the runtime and cuRAND.
#include <cstdio>
#include <curand.h>
#include <vector>

#include "scale.h"

int main() {
    const int n = 1000;
    float *x;
    curandGenerator_t generator;
    std::vector<float> before(n), after(n);
    if (cudaMalloc(&x, n * sizeof *x) ||
        curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT) ||
        curandGenerateUniform(generator, x, n) ||
        cudaMemcpy(before.data(), x, n * sizeof *x, cudaMemcpyDeviceToHost) || scale(x, 4, n) ||
        cudaMemcpy(after.data(), x, n * sizeof *x, cudaMemcpyDeviceToHost)) {
        printf("FAILED: %s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    for (int i = 0; i < n; i++)
        if (after[i] != 4 * before[i] || before[i] <= 0 || before[i] > 1) {
            printf("FAILED: %g became %g\n", before[i], after[i]);
            return 1;
        }
    curandDestroyGenerator(generator);
    cudaFree(x);
    puts("checked");
}
