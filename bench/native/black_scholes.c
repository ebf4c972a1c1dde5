#include <math.h>
#include <stddef.h>

static inline float cnd(float d) {
    return 0.5f * erfcf(-d * 0.70710678f);
}

void native_black_scholes(const float *s, const float *k, const float *t, float *call, float *put,
                          int n) {
    const float r = 0.02f, v = 0.3f;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        float sq = sqrtf(t[i]);
        float d1 = (logf(s[i] / k[i]) + (r + 0.5f * v * v) * t[i]) / (v * sq), d2 = d1 - v * sq;
        float e = k[i] * expf(-r * t[i]);
        call[i] = s[i] * cnd(d1) - e * cnd(d2);
        put[i] = e * cnd(-d2) - s[i] * cnd(-d1);
    }
}
