#include <stddef.h>

void native_saxpy(float a, const float *x, float *y, size_t n) {
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
