#include <stddef.h>

void native_stencil(const float *in, float *out, int w, int h) {
#pragma omp parallel for schedule(static)
    for (int y = 1; y < h - 1; y++)
#pragma omp simd
        for (int x = 1; x < w - 1; x++)
            out[(size_t)y * w + x] =
                0.25f * (in[(size_t)y * w + x - 1] + in[(size_t)y * w + x + 1] +
                         in[(size_t)(y - 1) * w + x] + in[(size_t)(y + 1) * w + x]);
}
