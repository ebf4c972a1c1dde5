#include <stddef.h>

void native_transpose(const float *in, float *out, int n) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int by = 0; by < n; by += 32)
        for (int bx = 0; bx < n; bx += 32)
            for (int y = by; y < by + 32; y++)
#pragma omp simd
                for (int x = bx; x < bx + 32; x++)
                    out[(size_t)y * n + x] = in[(size_t)x * n + y];
}
