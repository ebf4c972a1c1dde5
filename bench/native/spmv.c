#include <stddef.h>

void native_spmv(const int *start, const int *column, const float *value, const float *x, float *y,
                 int rows) {
#pragma omp parallel for schedule(dynamic, 512)
    for (int row = 0; row < rows; row++) {
        float sum = 0;
        int last = start[row + 1];
#pragma omp simd reduction(+ : sum) simdlen(16)
        for (int i = start[row]; i < last; i++)
            sum += value[i] * x[column[i]];
        y[row] = sum;
    }
}
