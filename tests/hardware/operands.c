// See operands.h.
#include "operands.h"
#include "isa/ops/arith.h"
#include "isa/ops/floats.h"
#include "isa/ops/select.h"
#include "isa/ops/warp.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

// The first 6, and the first 12, are what is crossed where there are many operands.
static const uint32_t edges_f32[32] = {
    0x00000000, 0x3f800000, 0x807fffff, 0x7f800000, 0x7fc12345, 0xff7fffff, 0x80000000, 0xbf800001,
    0x00800000, 0x7f7fffff, 0xff800000, 0xffa54321, 0x00000001, 0x80800000, 0x80000001, 0x007fffff,
    0x00800001, 0x3f7fffff, 0x3f800001, 0x34000000, 0xb3800000, 0x7e800000, 0x01000000, 0x4b7fffff,
    0x4f000000, 0xcf000000, 0x5f800000, 0x3effffff, 0x3f000000, 0xc0200000, 0x477fe000, 0x38800000,
};
static const uint64_t edges_f64[32] = {
    0x0000000000000000, 0x3ff0000000000000, 0x800fffffffffffff, 0x7ff0000000000000,
    0x7ff8123456789abc, 0xffefffffffffffff, 0x8000000000000000, 0xbff0000000000001,
    0x0010000000000000, 0x7fefffffffffffff, 0xfff0000000000000, 0xfff4cba987654321,
    0x0000000000000001, 0x8010000000000000, 0x8000000000000001, 0x0010000000000001,
    0x3fefffffffffffff, 0x3ff0000000000001, 0x3cb0000000000000, 0xbca0000000000000,
    0x41e0000000000000, 0xc1e0000000000000, 0x43e0000000000000, 0xc3e0000000000000,
    0x43f0000000000000, 0x41dfffffffe00000, 0x3fe0000000000000, 0xc004000000000000,
    0x47efffffefffffff, 0x47effffff0000000, 0x380fffffefffffff, 0x3690000000000001,
};
static const uint16_t edges_f16[32] = {
    0x0000, 0x3c00, 0x83ff, 0x7c00, 0x7e12, 0xfbff, 0x8000, 0xbc01, 0x0400, 0x7bff, 0xfc00,
    0xfd21, 0x0001, 0x8400, 0x8001, 0x03ff, 0x0401, 0x3bff, 0x3c01, 0x1400, 0x9000, 0x7800,
    0x0800, 0x6400, 0x67ff, 0x5bf8, 0x5c00, 0x37ff, 0x3800, 0xc100, 0x7b00, 0x1000,
};
static const uint16_t edges_bf16[32] = {
    0x0000, 0x3f80, 0x807f, 0x7f80, 0x7fc1, 0xff7f, 0x8000, 0xbf81, 0x0080, 0x7f7f, 0xff80,
    0xffa5, 0x0001, 0x8080, 0x8001, 0x007f, 0x0081, 0x3f7f, 0x3f81, 0x3c00, 0xbb80, 0x7e80,
    0x0100, 0x4b7f, 0x4f00, 0xcf00, 0x5f80, 0x3eff, 0x3f00, 0xc020, 0x477f, 0x3880,
};
static const uint64_t edges_integer[32] = {
    0,
    1,
    UINT64_MAX,
    0x8000000080008080,
    0x7fffffff7fff7f7f,
    0x20,
    0x40,
    0xff,
    7,
    0x80000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    2,
    0x1f,
    0x21,
    0x3f,
    0x41,
    8,
    0x80,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffffff,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    UINT64_MAX - 1,
    0x0123456789abcdef,
    0xfedcba9876543210,
    0x8000000180000001,
};

uint64_t hw_mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

uint64_t hw_hash(uint64_t so_far, union isa_bits next) {
    so_far = (so_far ^ next.u64[0]) * 0x9e3779b97f4a7c15;
    so_far = (so_far ^ so_far >> 32 ^ next.u64[1]) * 0xbf58476d1ce4e5b9;
    return so_far ^ so_far >> 29;
}

// ---- Formats -----------------------------------------------------------------------------------
struct layout {
    unsigned exponent, mantissa;
};

// Of one element; exponent 0: no float.
static struct layout layout_of(enum isa_type t) {
    switch (t) {
    case ISA_F16:
    case ISA_F16X2:
        return (struct layout){5, 10};
    case ISA_BF16:
    case ISA_BF16X2:
        return (struct layout){8, 7};
    case ISA_F32:
    case ISA_TF32:
        return (struct layout){8, 23};
    case ISA_F64:
        return (struct layout){11, 52};
    default:
        return (struct layout){0, 0};
    }
}

static bool is_pair(enum isa_type t) {
    return t == ISA_F16X2 || t == ISA_BF16X2 || t == ISA_U16X2 || t == ISA_S16X2;
}

static enum isa_type element_of(enum isa_type t) {
    switch (t) {
    case ISA_F16X2:
        return ISA_F16;
    case ISA_BF16X2:
        return ISA_BF16;
    case ISA_U16X2:
        return ISA_U16;
    case ISA_S16X2:
        return ISA_S16;
    default:
        return t;
    }
}

static uint64_t cut(enum isa_type t, uint64_t v) {
    unsigned bits = isa_type_bits(t);
    return bits >= 64 ? v : v & ((1ull << bits) - 1);
}

// ---- Edge values
// ---------------------------------------------------------------------------------
static uint64_t edge_element(enum isa_type t, unsigned k) {
    switch (t) {
    case ISA_F16:
        return edges_f16[k % 32];
    case ISA_BF16:
        return edges_bf16[k % 32];
    case ISA_F32:
    case ISA_TF32:
        return edges_f32[k % 32];
    case ISA_F64:
        return edges_f64[k % 32];
    default:
        return cut(t, edges_integer[k % 32]);
    }
}

static uint64_t edge(enum isa_type t, unsigned k) {
    if (!is_pair(t))
        return edge_element(t, k);
    enum isa_type e = element_of(t);
    return edge_element(e, k * 11 + 5) << 16 | edge_element(e, k);
}

// More values for one operand alone: every exponent, or the neighbours of powers of two.
static uint64_t swept_element(enum isa_type t, unsigned k) {
    static const uint64_t mantissas[] = {0, UINT64_MAX, 0x8000000000000000, 0x5555555555555555};
    struct layout l = layout_of(t);
    if (!l.exponent)
        return cut(t, (1ull << k % 64) + (uint64_t)(k / 64) - 1);
    uint64_t exponent = (uint64_t)k * ((1u << l.exponent) - 1) / 255;
    uint64_t sign = (uint64_t)(k >> 1 & 1) << (l.exponent + l.mantissa);
    return sign | exponent << l.mantissa | mantissas[k % 4] >> (64 - l.mantissa);
}

static uint64_t swept(enum isa_type t, unsigned k) {
    if (k < 32)
        return edge(t, k);
    enum isa_type e = element_of(t);
    uint64_t low = swept_element(e, k);
    return is_pair(t) ? swept_element(e, k ^ 0x55) << 16 | low : low;
}

// ---- Random values
// ------------------------------------------------------------------------------- Floats whose
// exponents lie around `middle`, a fraction of 8 of the exponent's range.
static uint64_t near_element(enum isa_type t, uint64_t r, unsigned middle) {
    struct layout l = layout_of(t);
    if (!l.exponent)
        return cut(t, r >> (r >> 58)); // integers of all sizes
    uint64_t spread = l.exponent > 5 ? 31 : 7;
    uint64_t center = ((1ull << l.exponent) - 1) * middle / 8;
    uint64_t exponent = center + (r >> 56 & spread) - spread / 2;
    uint64_t mantissa = r & ((1ull << l.mantissa) - 1);
    return (r >> 55 & 1) << (l.exponent + l.mantissa) | exponent << l.mantissa | mantissa;
}

// Few ones or few zeros, in runs.
static uint64_t sparse(enum isa_type t, uint64_t r) {
    uint64_t run = (UINT64_MAX >> (r & 63)) << (r >> 6 & 63);
    uint64_t v = run ^ 1ull << (r >> 12 & 63) ^ (r >> 20 & 1 ? 1ull << (r >> 24 & 63) : 0);
    return cut(t, r >> 30 & 1 ? ~v : v);
}

static uint64_t near(enum isa_type t, uint64_t r, unsigned middle) {
    enum isa_type e = element_of(t);
    uint64_t low = near_element(e, r, middle);
    return is_pair(t) ? near_element(e, hw_mix(r), middle) << 16 | low : low;
}

static uint64_t random_value(enum isa_type t, uint64_t r, unsigned way) {
    switch (way) {
    case 0:
        return near(t, r, 4); // about 1
    case 1:
        return near(t, r, 2); // products about the least normal number
    case 2:
        return near(t, r, 6);
    case 3:
        return sparse(t, r);
    case 4:
        return r & 1 ? edge(t, (unsigned)(r >> 8)) : near(t, hw_mix(r), 4);
    default:
        return cut(t, r);
    }
}

// ---- Hard cases: results next to where rounding decides
// ------------------------------------------ Quotients next to an integer.
static void hard_quotient(enum isa_type t, uint64_t r, union isa_bits *x) {
    unsigned bits = isa_type_bits(t);
    uint64_t d = cut(t, x[1].u64[0]) >> (r >> 32) % bits;
    uint64_t q = hw_mix(r) >> (64 - bits / 2) >> (r >> 40) % (bits / 2);
    x[1].u64[0] = cut(t, d);
    x[0].u64[0] = cut(t, d * q + r % 3 - 1);
}

// (1 + u)(1 - u) = 1 - u^2 for u the last bit of 1, scaled to half of c's last bit: the sum lies so
// closely beside the middle of two neighbours that a sum rounded twice lands on it.
static void beside_middle(enum isa_type t, uint64_t r, union isa_bits *x) {
    struct layout l = layout_of(t);
    uint64_t bias = (1ull << (l.exponent - 1)) - 1, sign = 1ull << (l.exponent + l.mantissa);
    uint64_t room = ((1ull << l.exponent) - 1) - bias - l.mantissa > 12 ? 12 : 4;
    uint64_t e = bias + 1 + (r >> 8) % room;
    if (e <= l.mantissa + 1)
        e = l.mantissa + 2;
    x[0].u64[0] = (bias << l.mantissa) + 1 + (r & 1);
    x[1].u64[0] = ((e - l.mantissa - 1) << l.mantissa) - 2;
    x[2].u64[0] = e << l.mantissa | (hw_mix(r) & ((1ull << l.mantissa) - 1));
    x[0].u64[0] ^= r & 2 ? sign : 0;
    x[2].u64[0] ^= r & 4 ? sign : 0;
}

// (1 + u)(1 - u) scaled to the least normal number: the product lies so closely below it that
// rounding makes it equal, for the smallest u. c is zero or tiny.
static void below_least(enum isa_type t, uint64_t r, union isa_bits *x, unsigned nsources) {
    struct layout l = layout_of(t);
    uint64_t bias = (1ull << (l.exponent - 1)) - 1, sign = 1ull << (l.exponent + l.mantissa);
    uint64_t u = 1 + (r & 3), half = l.mantissa / 2 + 2;
    uint64_t e = 1 + (r >> 8) % (bias / 2); // biased; the other's makes up for it
    x[0].u64[0] = (e << l.mantissa) + (u << (l.mantissa - half));
    x[1].u64[0] = ((bias + 1 - e) << l.mantissa) - (u << (l.mantissa - half + 1));
    x[0].u64[0] ^= r & 4 ? sign : 0;
    x[1].u64[0] ^= r & 16 ? sign : 0;
    if (nsources > 2)
        x[2].u64[0] = (r >> 40 & 3) | (r & 32 ? sign : 0);
}

// c = -a, and b next to 1: nearly everything cancels.
static void cancelling(enum isa_type t, uint64_t r, union isa_bits *x) {
    struct layout l = layout_of(t);
    uint64_t one = ((1ull << (l.exponent - 1)) - 1) << l.mantissa;
    x[1].u64[0] = one + r % 5 - 2;
    x[2].u64[0] = x[0].u64[0] ^ 1ull << (l.exponent + l.mantissa);
}

// Halfway between neighbours of a shorter format, or one bit beside.
static uint64_t halfway(enum isa_type t, uint64_t v, uint64_t r) {
    static const uint8_t cuts32[] = {13, 16, 20, 21, 23, 12, 15, 17};
    static const uint8_t cuts64[] = {29, 42, 45, 43};
    unsigned c = t == ISA_F32   ? cuts32[r >> 8 & 7]
                 : t == ISA_F64 ? cuts64[r >> 8 & 3] + (r >> 16 & 3) * (r >> 20 & 7)
                                : 1 + (unsigned)(r >> 8) % (isa_type_bits(t) - 1);
    v = (v >> c << c) + (1ull << (c - 1)) + r % 3 - 1;
    if (t == ISA_F64 && r >> 40 & 3) // from below f32's subnormal numbers to above f16's largest
        v = (v & 0x800fffffffffffff) | (0x367 + (r >> 24) % 0xb0) << 52;
    else if (t == ISA_F64) // about f32's least normal number
        v = (v & 0x8000000000000000) | (0x380fffffc0000000 + (hw_mix(r) & 0x7fffffff));
    if (t == ISA_F32)
        v = (v & 0x807fffff) | (0x60 + (r >> 24) % 0x30) << 23;
    return cut(t, v);
}

static void make_hard(const struct hw_case *c, uint64_t r, union isa_bits *x) {
    enum isa_type t = (enum isa_type)c->ty;
    bool is_float = layout_of(t).exponent && !is_pair(t);
    if ((c->op == ISA_OP_DIV || c->op == ISA_OP_REM) && !is_float)
        hard_quotient(t, r, x);
    else if ((c->op == ISA_OP_FMA || c->op == ISA_OP_MAD) && is_float)
        r >> 32 & 2 ? below_least(t, r, x, 3) : (r >> 32 & 1 ? beside_middle : cancelling)(t, r, x);
    else if (c->op == ISA_OP_MUL && is_float)
        below_least(t, r, x, 2);
    else if (c->op == ISA_OP_CVT)
        for (unsigned k = 0; k < c->nsources; k++)
            if (isa_type_bits((enum isa_type)c->sources[k].type) > 8)
                x[k].u64[0] = halfway((enum isa_type)c->sources[k].type, x[k].u64[0], r + k);
}

// ---- Sets
// ------------------------------------------------------------------------------------------
static unsigned count_sources(const struct hw_case *c, bool predicates) {
    unsigned n = 0;
    for (unsigned k = 0; k < c->nsources; k++)
        n += (c->sources[k].type == ISA_PRED) == predicates;
    return n;
}

// All values of its only operand are tried.
static bool is_exhaustive(const struct hw_case *c) {
    return c->kind == HW_POINTWISE && c->nsources == 1 &&
           isa_type_bits((enum isa_type)c->sources[0].type) == 16 && !hw_is_approximate(c);
}

// Edge values an operand, so that their cross product has about a thousand sets.
static unsigned edges_of_each(const struct hw_case *c) {
    static const unsigned each[] = {1, 256, 32, 12, 6, 4, 3, 3, 3};
    unsigned n = count_sources(c, false);
    return n < COUNT(each) ? each[n] : 2;
}

// Forms with very many combinations of modifiers get fewer sets.
static bool is_one_of_many(const struct hw_case *c) {
    return c->has_immediate || ((c->op == ISA_OP_SET || c->op == ISA_OP_SETP) && c->mods.boolop);
}

struct hw_extent hw_extent_of(const struct hw_case *c) {
    if (c->kind == HW_WARP)
        return (struct hw_extent){1024, 4096, 32};
    if (is_one_of_many(c))
        return (struct hw_extent){0, 2048, 128};
    if (is_exhaustive(c))
        return (struct hw_extent){256, 65536, 1024};
    unsigned n = 1;
    for (unsigned k = count_sources(c, false); k > 0; k--)
        n *= edges_of_each(c);
    n <<= count_sources(c, true) > 2 ? 2 : count_sources(c, true);
    n = (n + 31) / 32 * 32;
    if (hw_is_approximate(c))
        return (struct hw_extent){n + 1536, 0, 64};
    return (struct hw_extent){n, 4096, 64};
}

static void crossed(const struct hw_case *c, unsigned n, union isa_bits *out) {
    unsigned each = edges_of_each(c);
    for (unsigned k = 0; k < c->nsources; k++) {
        enum isa_type t = (enum isa_type)c->sources[k].type;
        unsigned base = t == ISA_PRED ? 2 : each, index = n % base;
        n /= base;
        out[k].u64[0] = t == ISA_PRED ? index : each > 32 ? swept(t, index) : edge(t, index);
        if (t == ISA_B128)
            out[k].u64[1] = edge(ISA_B64, index + 7);
    }
}

static void scattered(const struct hw_case *c, unsigned n, union isa_bits *out) {
    for (unsigned k = 0; k < c->nsources; k++) {
        enum isa_type t = (enum isa_type)c->sources[k].type;
        uint64_t r = hw_mix((uint64_t)n * HW_MAX_SOURCES + k);
        out[k].u64[0] = t == ISA_PRED ? r & 1 : random_value(t, r, n % 8);
        if (t == ISA_B128)
            out[k].u64[1] = hw_mix(r);
    }
    if (n % 8 == 7)
        make_hard(c, hw_mix(~(uint64_t)n), out);
}

// Which lanes of warp w take part.
static uint32_t warp_mask(const struct hw_case *c, unsigned w) {
    static const uint32_t masks[] = {0xffffffff, 0x00000001, 0x80000000, 0x55555555, 0x0000ffff};
    if (c->op == ISA_OP_SHFL || w % 2 == 0) // what comes from a lane outside the mask is undefined
        return 0xffffffff;
    uint32_t m = w / 2 % 8 < COUNT(masks) ? masks[w / 2 % 8] : (uint32_t)hw_mix(w);
    return m ? m : 1;
}

// Values of a lane: alike in some warps, so that matches are found and votes agree.
static uint64_t lane_value(enum isa_type t, unsigned w, unsigned lane, unsigned k) {
    uint64_t common = hw_mix(w * 8 + k), own = hw_mix(common + lane);
    if (t == ISA_PRED)
        return w % 4 == 0 ? w / 4 & 1 : w % 4 == 1 ? own % 16 == 0 : own & 1;
    switch (w % 4) {
    case 0:
        return cut(t, common);
    case 1:
        return cut(t, hw_mix(common + own % 3));
    case 2:
        return cut(t, (own % 32 ? common : ~common));
    default:
        return cut(t, own);
    }
}

static void warp_operands(const struct hw_case *c, unsigned n, union isa_bits *out) {
    static const uint32_t segments[] = {0x1f,   0,      0x181f, 0x1800, 0x1c1f,
                                        0x1e00, 0x1f1f, 0x0f,   0x100f, 0x1008};
    unsigned w = n / 32, lane = n % 32, last = c->nsources - 1;
    for (unsigned k = 0; k < last; k++)
        out[k].u64[0] = lane_value((enum isa_type)c->sources[k].type, w, lane, k);
    if (c->op == ISA_OP_SHFL) {
        uint64_t r = hw_mix(w), own = hw_mix(r + lane);
        out[0].u64[0] = hw_mix(n) & 0xffffffff;
        out[1].u64[0] = w % 4 == 3 ? (uint32_t)own : (w % 2 ? own : r) % 36;
        out[2].u64[0] = w % 8 == 7 ? (uint32_t)hw_mix(r) : segments[w / 2 % COUNT(segments)];
    }
    out[last].u64[0] = warp_mask(c, w);
}

void hw_operands(const struct hw_case *c, unsigned n, union isa_bits *out) {
    struct hw_extent e = hw_extent_of(c);
    for (unsigned k = 0; k < c->nsources; k++)
        out[k] = (union isa_bits){0};
    unsigned crossing = e.edges - (hw_is_approximate(c) ? 1536 : 0);
    if (c->kind == HW_WARP)
        warp_operands(c, n, out);
    else if (n < crossing)
        crossed(c, n, out);
    else if (is_exhaustive(c) && n >= e.edges)
        out[0].u64[0] = n - e.edges;
    else
        scattered(c, n, out);
}

uint32_t hw_operand_digest(const struct hw_case *c) {
    struct hw_extent e = hw_extent_of(c);
    union isa_bits x[HW_MAX_SOURCES];
    uint64_t h = 0;
    for (unsigned n = 0; n < e.edges + e.random; n++) {
        hw_operands(c, n, x);
        for (unsigned k = 0; k < c->nsources; k++)
            h = hw_hash(h, x[k]);
    }
    return (uint32_t)(h >> 32);
}
