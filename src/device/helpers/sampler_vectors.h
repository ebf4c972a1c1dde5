// Vectors of LANES lanes, which the includer defines, for texture fetches: the arithmetic of
// sampler.c, so the same bits.
#ifndef KUDZU_DEVICE_SAMPLER_VECTORS_H
#define KUDZU_DEVICE_SAMPLER_VECTORS_H

#include <string.h>

#include "device/helpers/sampler.h"

typedef double f64 __attribute__((vector_size(8 * LANES)));
typedef int64_t i64 __attribute__((vector_size(8 * LANES)));
typedef uint64_t u64 __attribute__((vector_size(8 * LANES)));
typedef float f32 __attribute__((vector_size(4 * LANES)));
typedef int32_t i32 __attribute__((vector_size(4 * LANES)));
typedef uint32_t u32 __attribute__((vector_size(4 * LANES)));

#define INLINE static inline __attribute__((always_inline))
#define EACH for (unsigned l = 0; l < LANES; l++)

INLINE f64 pick(i64 mask, f64 a, f64 b) {
    return (f64)((mask & (i64)a) | (~mask & (i64)b));
}

INLINE f64 all(double x) {
    f64 v;
    EACH v[l] = x;
    return v;
}

// Of numbers up to 2^51.
INLINE f64 floor_of(f64 x) {
    f64 r = (x + 0x1.8p52) - 0x1.8p52;
    return pick(r > x, r - 1, r);
}

// As an index: what is beyond any texture stays beyond it, and no number is 0.
INLINE f64 floor_index(f64 u) {
    f64 limit = all(1e15);
    u = pick(u == u, u, all(0));
    u = pick(u < -limit, -limit, u);
    return floor_of(pick(u > limit, limit, u));
}

INLINE f64 eighths(f64 fraction) {
    i64 in = (fraction >= 0) & (fraction <= 1);
    f64 w = floor_of(pick(in, fraction, all(0)) * 256 + 0.5) / 256;
    return pick(in, w, all(0));
}

INLINE f64 modulo(f64 i, double n) {
    f64 r = i - n * floor_of(i / n); // the quotient may be one off
    r = pick(r < 0, r + n, r);
    return pick(r >= n, r - n, r);
}

INLINE f64 limited(f64 i, double n) {
    i = pick(i < 0, all(0), i);
    return pick(i >= n, all(n - 1), i);
}

// Numbers of 1 and 2 bytes with a sign are extended by it.
INLINE u32 extended(const struct kd_texture *t, u32 v) {
    int above = 32 - 8 * t->bytes;
    return t->texel == KD_TEXEL_SIGNED ? (u32)((i32)(v << above) >> above) : v;
}

INLINE double double_of(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

INLINE f64 convert_channel(const struct kd_texture *t, u32 bits, unsigned k) {
    f64 v;
    if (t->texel == KD_TEXEL_FLOAT && t->bytes == 4)
        return __builtin_convertvector((f32)bits, f64);
    if (t->texel == KD_TEXEL_UNSIGNED && !t->srgb)
        return __builtin_convertvector((i32)bits, f64) / (t->bytes == 1 ? 255.0 : 65535.0);
    EACH v[l] = sampler_component(t, bits[l], k);
    return v;
}

INLINE u32 load(const uint32_t *from) {
    u32 v;
    memcpy(&v, from, sizeof v);
    return v;
}

#endif
