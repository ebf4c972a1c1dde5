float cnd(float d) {
    return 0.5f * erfc(-d * 0.70710678f);
}

__kernel void black_scholes(__global const float *s, __global const float *k,
                            __global const float *t, __global float *call, __global float *put) {
    const float r = 0.02f, v = 0.3f;
    int i = get_global_id(0);
    float sq = sqrt(t[i]);
    float d1 = (log(s[i] / k[i]) + (r + 0.5f * v * v) * t[i]) / (v * sq), d2 = d1 - v * sq;
    float e = k[i] * exp(-r * t[i]);
    call[i] = s[i] * cnd(d1) - e * cnd(d2);
    put[i] = e * cnd(-d2) - s[i] * cnd(-d1);
}
