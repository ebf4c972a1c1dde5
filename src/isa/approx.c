// See approx.h. The order of operations is part of the contract.
#include "isa/approx.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static uint32_t bits_of(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static float float_of(uint32_t u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

// Comparisons with NaN are false: NaN passes through.
static float clamp(float x, float lo, float hi) {
    x = x < lo ? lo : x;
    return x > hi ? hi : x;
}

float approx_rsqrt(float x) {
    return 1.0f / sqrtf(x);
}

// Sine of x + quadrant * pi/2.
static float sine(float x, uint32_t quadrant) {
    float t = fmaf(x, APPROX_TWO_OVER_PI, APPROX_ROUND);
    uint32_t q = bits_of(t) + quadrant;
    float k = t - APPROX_ROUND;
    float r = fmaf(k, -APPROX_PIO2_HI, x);
    r = fmaf(k, -APPROX_PIO2_LO, r);
    r = clamp(r, -APPROX_REDUCED_MAX, APPROX_REDUCED_MAX);
    float z = r * r;
    float s = fmaf(z, APPROX_SIN3, APPROX_SIN2);
    s = fmaf(z, s, APPROX_SIN1);
    s = r * fmaf(z, s, 1.0f);
    float c = fmaf(z, APPROX_COS3, APPROX_COS2);
    c = fmaf(z, c, APPROX_COS1);
    c = fmaf(z, c, 1.0f);
    float y = q & 1 ? c : s;
    return float_of(bits_of(y) ^ (q & 2) << 30);
}

float approx_sin(float x) {
    return sine(x, 0);
}

float approx_cos(float x) {
    return sine(x, 1);
}

float approx_ex2(float x) {
    x = clamp(x, APPROX_EX2_MIN, APPROX_EX2_MAX);
    float t = x + APPROX_ROUND;
    float f = x - (t - APPROX_ROUND);
    float p = fmaf(f, APPROX_EX2_6, APPROX_EX2_5);
    p = fmaf(f, p, APPROX_EX2_4);
    p = fmaf(f, p, APPROX_EX2_3);
    p = fmaf(f, p, APPROX_EX2_2);
    p = fmaf(f, p, APPROX_EX2_1);
    p = fmaf(f, p, 1.0f);
    // Two factors, so that subnormal results are rounded once and large ones do not overflow early.
    int32_t k = (int32_t)(bits_of(t) - bits_of(APPROX_ROUND));
    int32_t half = k >> 1, rest = k - half;
    float r = p * float_of((uint32_t)(half + 127) << 23);
    return r * float_of((uint32_t)(rest + 127) << 23);
}

float approx_lg2(float x) {
    uint32_t small = x < 0x1p-126f;
    float v = small ? x * 0x1p+23f : x;
    uint32_t shifted = bits_of(v) - APPROX_SQRT_HALF_BITS;
    int32_t e = (int32_t)shifted >> 23;
    float f = float_of(bits_of(v) - ((uint32_t)e << 23)) - 1.0f;
    float p = fmaf(f, APPROX_LG2_9, APPROX_LG2_8);
    p = fmaf(f, p, APPROX_LG2_7);
    p = fmaf(f, p, APPROX_LG2_6);
    p = fmaf(f, p, APPROX_LG2_5);
    p = fmaf(f, p, APPROX_LG2_4);
    p = fmaf(f, p, APPROX_LG2_3);
    p = fmaf(f, p, APPROX_LG2_2);
    p = fmaf(f, p, APPROX_LG2_1);
    float r = fmaf(f, p, (float)(e - (small ? 23 : 0)));
    r = x == INFINITY ? x : r;
    r = x == 0.0f ? -INFINITY : r;
    return x >= 0.0f ? r : NAN;
}

// Lambert's continued fraction, cut after four terms.
float approx_tanh(float x) {
    float c = clamp(x, -APPROX_TANH_MAX, APPROX_TANH_MAX);
    float z = c * c;
    float n = fmaf(z, z + 378.0f, 17325.0f);
    n = c * fmaf(z, n, 135135.0f);
    float d = fmaf(z, 28.0f, 3150.0f);
    d = fmaf(z, d, 62370.0f);
    d = fmaf(z, d, 135135.0f);
    return clamp(n / d, -1.0f, 1.0f);
}
