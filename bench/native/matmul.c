#include <stddef.h>
#include <string.h>

void native_matmul(const float *a, const float *b, float *c, int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i += 4)
        for (int j = 0; j < n; j += 64) {
            float acc[4][64] = {{0}};
            for (int k = 0; k < n; k++)
                for (int r = 0; r < 4; r++) {
                    float v = a[(size_t)(i + r) * n + k];
#pragma omp simd
                    for (int l = 0; l < 64; l++)
                        acc[r][l] += v * b[(size_t)k * n + j + l];
                }
            for (int r = 0; r < 4; r++)
                memcpy(c + (size_t)(i + r) * n + j, acc[r], sizeof acc[r]);
        }
}
