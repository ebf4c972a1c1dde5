// See pointwise_inputs.h.
#include "pointwise_inputs.h"

static const uint64_t edges32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00800001, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7fffffff, 0xffc00000, 0x7f800001, 0x4b7fffff, 0x4f000000, 0xcf000000, 0x5f800000,
    0x3effffff, 0x3f000000, 0x33800000, 0xc0200000, 0x477fe000, 0x477ff000, 0x38800000, 0x33000000,
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

void pw_inputs(unsigned n, unsigned nops, const uint8_t *types, union isa_bits *out) {
    for (unsigned k = 0; k < nops; k++) {
        uint64_t r = mix(n * 8 + k + 1);
        unsigned index = k == 0 ? n : k == 1 ? n / EDGES : (unsigned)(r >> 40);
        uint64_t v = n < EDGES * EDGES ? edge(types[k], index) : n & 1 ? r : close(types[k], r);
        // Bits above the type are never looked at.
        uint64_t above = isa_type_bits(types[k]) < 64 ? mix(r) << isa_type_bits(types[k]) : 0;
        uint64_t mask =
            isa_type_bits(types[k]) < 64 ? (1ull << isa_type_bits(types[k])) - 1 : UINT64_MAX;
        out[k] = (union isa_bits){.u64 = {(v & mask) | above, mix(r + 1)}};
    }
}
