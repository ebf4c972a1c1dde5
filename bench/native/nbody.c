#include <math.h>
#include <stddef.h>

// Sixteen bodies at a time, IEEE division and square root.
void native_nbody(const float *pos, float *acc, int n) {
#pragma omp parallel for schedule(static)
    for (int i0 = 0; i0 < n; i0 += 16) {
        float x[16], y[16], z[16], ax[16] = {0}, ay[16] = {0}, az[16] = {0};
        for (int l = 0; l < 16; l++) {
            x[l] = pos[4 * (i0 + l)];
            y[l] = pos[4 * (i0 + l) + 1];
            z[l] = pos[4 * (i0 + l) + 2];
        }
        for (int j = 0; j < n; j++) {
            float px = pos[4 * j], py = pos[4 * j + 1], pz = pos[4 * j + 2], m = pos[4 * j + 3];
#pragma omp simd simdlen(16)
            for (int l = 0; l < 16; l++) {
                float dx = px - x[l], dy = py - y[l], dz = pz - z[l];
                float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
                float inv = 1.0f / sqrtf(d2), k = m * inv * inv * inv;
                ax[l] += dx * k;
                ay[l] += dy * k;
                az[l] += dz * k;
            }
        }
        for (int l = 0; l < 16; l++) {
            acc[4 * (i0 + l)] = ax[l];
            acc[4 * (i0 + l) + 1] = ay[l];
            acc[4 * (i0 + l) + 2] = az[l];
            acc[4 * (i0 + l) + 3] = 0;
        }
    }
}
