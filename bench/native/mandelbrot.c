#include <stddef.h>
#include <string.h>

void native_mandelbrot(int *out, int w, int h, int limit) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int py = 0; py < h; py++) {
        float ci = py * (2.0f / h) - 1.0f;
        for (int px = 0; px < w; px += 16) {
            float cr[16], zr[16] = {0}, zi[16] = {0};
            int n[16] = {0}, live = 1;
            for (int l = 0; l < 16; l++)
                cr[l] = (px + l) * (3.0f / w) - 2.0f;
            for (int k = 0; k < limit && live; k++) {
                live = 0;
#pragma omp simd simdlen(16) reduction(| : live)
                for (int l = 0; l < 16; l++) {
                    int in = zr[l] * zr[l] + zi[l] * zi[l] <= 4.0f;
                    float r = zr[l] * zr[l] - zi[l] * zi[l] + cr[l];
                    float i = 2.0f * zr[l] * zi[l] + ci;
                    zr[l] = in ? r : zr[l];
                    zi[l] = in ? i : zi[l];
                    n[l] += in;
                    live |= in;
                }
            }
            memcpy(out + (size_t)py * w + px, n, sizeof n);
        }
    }
}
