// See pointwise_inputs.h.
#include "pointwise_inputs.h"
#include "isa/ops/arith.h"
#include "isa/ops/floats.h"

static const uint64_t edges32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00800001, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7fffffff, 0xffc00000, 0x7f800001, 0x4b7fffff, 0x4f000000, 0xcf000000, 0x5f800000,
    0x3effffff, 0x3f000000, 0x33800000, 0xc0200000, 0x477fe000, 0x477ff000, 0x7e800000, 0x33000000,
};
static const uint64_t edges64[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff,
    0x0010000000000000, 0x8010000000000001, 0x3ff0000000000000, 0xbff0000000000000,
    0x3fefffffffffffff, 0x3ff0000000000001, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff0000000000001,
    0x41e0000000000000, 0xc1e0000000000000, 0x43e0000000000000, 0xc3e0000000000000,
    0x43f0000000000000, 0x41dfffffffe00000, 0x3fe0000000000000, 0xc004000000000000,
    0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x380fffffefffffff,
    0x3690000000000000, 0x3690000000000001, 0x0360000000000000, 0x40f0000000000000,
};
static const uint64_t edges16[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x83ff, 0x3c00, 0xbc00, 0x3bff, 0x3c01,
    0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7fff, 0xfe00, 0x7c01, 0x3800, 0x4100, 0x7f7f, 0x7f80,
    0xff80, 0x7f81, 0x3f80, 0xbf80, 0x0080, 0x007f, 0x4300, 0x6400, 0x2400, 0xffff,
};
static const uint64_t edges_int[] = {
    0,           1,
    2,           3,
    7,           8,
    15,          16,
    31,          32,
    33,          63,
    64,          100,
    127,         128,
    255,         256,
    0x7fff,      0x8000,
    0xffff,      0x10000,
    0x7fffffff,  0x80000000,
    0xfffffffe,  0xffffffff,
    0x100000000, INT64_MAX,
    1ull << 63,  UINT64_MAX - 1,
    UINT64_MAX,  0x8000000180000001,
};
static const uint64_t edges8[] = {0x0000, 0x0100, 0x8001, 0x7f7e, 0xfe80, 0x7b7c,
                                  0x7d7f, 0xfcff, 0x0708, 0x3840, 0x8783, 0x0403};
enum { EDGES = 32 };

static uint64_t mix(uint64_t x) {
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9;
    return x ^ x >> 32;
}

static uint64_t edge(enum isa_type t, unsigned k) {
    k %= EDGES;
    switch (t) {
    case ISA_F32:
    case ISA_TF32:
        return edges32[k];
    case ISA_F64:
        return edges64[k];
    case ISA_F16:
    case ISA_BF16:
        return edges16[k];
    case ISA_F16X2:
    case ISA_BF16X2:
        return edges16[k] << 16 | edges16[mix(k) % EDGES];
    case ISA_E4M3X2:
    case ISA_E5M2X2:
        return edges8[k % 12];
    default:
        return edges_int[k];
    }
}

// Random floats whose exponents lie near each other and near zero, one, or the least normal.
static uint64_t close(enum isa_type t, uint64_t r) {
    bool low = r >> 60 & 1;
    switch (t) {
    case ISA_F32:
        return (r & 0x83ffffff) | (low ? 0x1e000000 : 0x3c000000);
    case ISA_F64:
        return (r & 0x803fffffffffffff) | (low ? 0x1fc0000000000000 : 0x3fc0000000000000);
    case ISA_F16:
        return (r & 0x87ff) | (low ? 0x1800 : 0x3800);
    case ISA_F16X2:
        return (r & 0x87ff87ff) | (low ? 0x18001800 : 0x38003800);
    case ISA_BF16:
        return (r & 0x83ff) | (low ? 0x1c00 : 0x3c00);
    case ISA_BF16X2:
        return (r & 0x83ff83ff) | (low ? 0x1c001c00 : 0x3c003c00);
    default:
        return r >> (r >> 58); // integers of all sizes
    }
}

// n / d next to an integer.
static void hard_quotient(enum isa_type t, uint64_t r, union isa_bits *x) {
    unsigned half = isa_type_bits(t) / 2;
    uint64_t d = x[1].u64[0] >> (r >> 32) % (2 * half), q = mix(r + 2) >> (64 - 2 * half);
    q >>= r >> 40 & 1 ? half : (r >> 48) % (2 * half);
    x[1].u64[0] = d;
    x[0].u64[0] = d * q + r % 3 - 1;
}

static uint32_t bits32(float f) {
    union isa_bits b = {.f32 = f};
    return b.u32[0];
}

// c such that a * b + c nearly vanishes, or comes near the least normal number.
static void hard_sum(enum isa_type t, uint64_t r, union isa_bits *x) {
    double target = r & 1 ? 0 : r & 2 ? 0x1p-126 : -0x1p-126;
    if (t == ISA_F32)
        x[2].u64[0] = bits32((float)(target - (double)x[0].f32 * x[1].f32)) + (r >> 8) % 3 - 1;
    else if (t == ISA_F64)
        x[2].f64 = -(x[0].f64 * x[1].f64) * (r & 4 ? 1 : 1 + 0x1p-52);
}

// a * b = 1 - u^2 for u the last bit of 1.0, scaled to half of c's last bit: the sum lies just
// beside the middle of two neighbours, so closely that a sum rounded twice lands on the middle.
static void beside_middle(enum isa_type t, uint64_t r, union isa_bits *x) {
    bool f32 = t == ISA_F32, f16 = t == ISA_F16;
    unsigned mant = f32 ? 23 : f16 ? 10 : 7, bias = f16 ? 15 : 127;
    unsigned e = f16 ? 16 + (r >> 8) % 12 : 150 + (r >> 8) % 60; // c's exponent
    uint64_t sign = 1ull << (isa_type_bits(t) - 1);
    x[0].u64[0] = ((uint64_t)bias << mant) + 1 + (r & 1); // 1 + u, sometimes 1 + 2 u
    x[1].u64[0] = ((uint64_t)(e - mant - 1) << mant) - 2; // 1 - u
    x[2].u64[0] = (uint64_t)e << mant | (mix(r) & ((1ull << mant) - 1));
    x[0].u64[0] ^= r & 2 ? sign : 0;
    x[2].u64[0] ^= r & 4 ? sign : 0;
}

// Products that lie so closely below the least normal number that rounding makes them equal, or
// just not. c is zero.
static void below_least(enum isa_type t, uint64_t r, union isa_bits *x) {
    bool f32 = t == ISA_F32, f16 = t == ISA_F16;
    unsigned mant = f32 ? 23 : f16 ? 10 : 7, bias = f16 ? 15 : 127, half = mant / 2 + 2;
    uint64_t u = 1 + (r & 3), e = 1 + (r >> 8) % (bias / 2);
    uint64_t sign = r & 4 ? 1ull << (isa_type_bits(t) - 1) : 0;
    x[0].u64[0] = (e << mant) + (u << (mant - half));
    x[1].u64[0] = (((bias + 1 - e) << mant) - (u << (mant - half + 1))) ^ sign;
    x[2].u64[0] = 0;
}

// Halfway between two neighbours of a shorter format, or next to it.
static uint64_t hard_conversion(enum isa_type t, uint64_t v, uint64_t r) {
    static const uint8_t cut32[] = {13, 16, 20, 21, 23, 22, 15, 17}, cut64[] = {29, 42, 45, 43};
    unsigned cut = t == ISA_F32   ? cut32[r >> 8 & 7]
                   : t == ISA_F64 ? cut64[r >> 8 & 3] + (r >> 16 & 3) * (r >> 20 & 7)
                                  : 1 + (r >> 8) % (isa_type_bits(t) - 1);
    v = (v >> cut << cut) + (1ull << (cut - 1)) + r % 3 - 1;
    if (t == ISA_F64 && !(r >> 40 & 3)) // about f32's least normal number
        return (v & 1ull << 63) | (0x380fffffc0000000 + (mix(r) & 0x7fffffff));
    if (t == ISA_F64) // from below f32's subnormal numbers to above f16's largest
        v = (v & 0x800fffffffffffff) | (0x367 + (r >> 24) % 0xb0) << 52;
    if (t == ISA_F32)
        v = (v & 0x807fffff) | (0x60 + (r >> 24) % 0x30) << 23;
    return v;
}

static void make_hard(const struct kir_inst *i, const uint8_t *types, uint64_t r,
                      union isa_bits *x) {
    enum isa_type t = i->ty;
    if ((i->op == ISA_OP_DIV || i->op == ISA_OP_REM) && !isa_type_is_float(t))
        hard_quotient(t, r, x);
    else if (i->mods.ftz && r >> 34 & 1 && (t == ISA_F32 || t == ISA_F16) &&
             (i->op == ISA_OP_FMA || i->op == ISA_OP_MAD || i->op == ISA_OP_MUL))
        below_least(t, r, x);
    else if (i->op == ISA_OP_FMA || i->op == ISA_OP_MAD)
        (r >> 33 & 1 && t != ISA_F64 ? beside_middle : hard_sum)(t, r, x);
    else if (i->op == ISA_OP_CVT && isa_type_bits(types[0]) > 8)
        x[0].u64[0] = hard_conversion(types[0], x[0].u64[0], r);
}

void pw_inputs(const struct kir_inst *i, unsigned n, const uint8_t *types, union isa_bits *out) {
    for (unsigned k = 0; k < i->nops; k++) {
        uint64_t r = mix(n * 8 + k + 1);
        unsigned index = k == 0 ? n : k == 1 ? n / EDGES : (unsigned)(r >> 40);
        uint64_t v = n < EDGES * EDGES ? edge(types[k], index) : n & 1 ? r : close(types[k], r);
        out[k] = (union isa_bits){.u64 = {v, mix(r + 1)}};
    }
    if (n >= EDGES * EDGES && n % 4 == 2 && i->nops)
        make_hard(i, types, mix(n + 77), out);
    for (unsigned k = 0; k < i->nops; k++) { // bits above the type are never looked at
        unsigned bits = isa_type_bits(types[k]);
        if (bits < 64)
            out[k].u64[0] = (out[k].u64[0] & ((1ull << bits) - 1)) | mix(n * 8 + k) << bits;
    }
}
