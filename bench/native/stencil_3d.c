// Bands of rows, so that three planes of a band stay in the cache.
#include <stddef.h>

enum { BAND = 16 };

void native_stencil_3d(const float *in, float *out, int w, int h, int d) {
    ptrdiff_t row = w, plane = (ptrdiff_t)w * h;
#pragma omp parallel for schedule(static)
    for (int y0 = 1; y0 < h - 1; y0 += BAND)
        for (int z = 1; z < d - 1; z++)
            for (int y = y0; y < y0 + BAND && y < h - 1; y++) {
                const float *p = in + z * plane + y * row;
                float *q = out + z * plane + y * row;
#pragma omp simd
                for (int x = 1; x < w - 1; x++)
                    q[x] = 0.4f * p[x] + 0.1f * (p[x - 1] + p[x + 1] + p[x - row] + p[x + row] +
                                                 p[x - plane] + p[x + plane]);
            }
}
