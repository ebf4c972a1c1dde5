// Reference semantics of the integer instructions. Operands are 64-bit, sign- or zero-extended
// from their type; results are cut to their type by the caller.
#ifndef KUDZU_ISA_BITOPS_H
#define KUDZU_ISA_BITOPS_H

#include "isa/isa.h"

static inline uint64_t bit_low_mask(unsigned n) {
    return n >= 64 ? ~0ull : (1ull << n) - 1;
}

static inline uint64_t bit_clamp_s32(int64_t v) {
    return (uint64_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

static inline uint64_t bit_add_carry(uint64_t a, uint64_t b, uint64_t carry_in, unsigned n,
                                     bool *carry_out) {
    uint64_t mask = bit_low_mask(n);
    unsigned __int128 sum = (unsigned __int128)(a & mask) + (b & mask) + (carry_in & 1);
    *carry_out = (sum >> n) & 1;
    return (uint64_t)sum & mask;
}

// As hardware does it: a + ~b + carry, so that the flag is the complement of the borrow.
static inline uint64_t bit_sub_carry(uint64_t a, uint64_t b, uint64_t carry_in, unsigned n,
                                     bool *carry_out) {
    return bit_add_carry(a, ~b, carry_in, n, carry_out);
}

static inline uint64_t bit_mul_high(uint64_t a, uint64_t b, unsigned n, bool is_signed) {
    if (n < 64)
        return is_signed ? (uint64_t)((int64_t)(a * b) >> n) : a * b >> n;
    if (is_signed)
        return (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64);
    return (uint64_t)((unsigned __int128)a * b >> 64);
}

static inline uint64_t bit_low24(uint64_t a, bool is_signed) {
    return is_signed ? (uint64_t)((int64_t)(a << 40) >> 40) : a & 0xffffff;
}

static inline uint64_t bit_div(uint64_t a, uint64_t b, bool is_signed) {
    if (!b)
        return ~0ull;
    if (!is_signed)
        return a / b;
    return (int64_t)b == -1 ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t bit_rem(uint64_t a, uint64_t b, bool is_signed) {
    if (!b)
        return ~0ull;
    if (!is_signed)
        return a % b;
    return (int64_t)b == -1 ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

static inline uint64_t bit_find(uint64_t a, unsigned n, bool is_signed, bool shiftamt) {
    if (is_signed && (int64_t)a < 0)
        a = ~a;
    a &= bit_low_mask(n);
    if (!a)
        return 0xffffffff;
    unsigned pos = 63 - (unsigned)__builtin_clzll(a);
    return shiftamt ? n - 1 - pos : pos;
}

static inline uint64_t bit_reverse(uint64_t a, unsigned n) {
    uint64_t r = 0;
    for (unsigned i = 0; i < n; i++)
        r |= (a >> i & 1) << (n - 1 - i);
    return r;
}

// Positions and lengths of bit fields: the manual takes eight bits of them, which hardware does for
// 32-bit fields; for 64-bit ones it takes all.
static inline uint64_t bit_field_number(uint64_t v, unsigned n) {
    return n == 32 ? v & 0xff : v & 0xffffffff;
}

static inline uint64_t bit_extract(uint64_t a, uint64_t pos, uint64_t len, unsigned n,
                                   bool is_signed) {
    uint64_t p = bit_field_number(pos, n), l = bit_field_number(len, n);
    a &= bit_low_mask(n);
    if (!l)
        return 0;
    uint64_t sign_pos = p + l - 1 < n ? p + l - 1 : n - 1;
    uint64_t field = p < 64 ? a >> p & bit_low_mask(l < 64 ? (unsigned)l : 64) : 0;
    bool negative = is_signed && (a >> sign_pos & 1);
    uint64_t have = p >= n ? 0 : l < n - p ? l : n - p; // bits that come from a
    return negative ? field | ~bit_low_mask((unsigned)have) : field;
}

static inline uint64_t bit_insert(uint64_t a, uint64_t b, uint64_t pos, uint64_t len, unsigned n) {
    uint64_t p = bit_field_number(pos, n), l = bit_field_number(len, n);
    if (p >= n)
        return b;
    uint64_t mask = bit_low_mask(l < 64 ? (unsigned)l : 64) << p;
    return (b & ~mask) | (a << p & mask);
}

static inline uint64_t bit_mask(uint64_t pos, uint64_t len, bool wrap) {
    uint32_t p = (uint32_t)pos, l = (uint32_t)len;
    if (wrap) {
        p &= 31;
        l &= 31;
    }
    return p > 31 ? 0 : bit_low_mask(l > 32 ? 32 : l) << p & 0xffffffff;
}

static inline uint64_t bit_sign_extend(uint64_t a, uint64_t width, bool wrap, bool is_signed) {
    uint32_t w = wrap ? (uint32_t)width & 31 : (uint32_t)width;
    if (w >= 32)
        return a;
    uint64_t field = a & bit_low_mask(w);
    bool negative = is_signed && w && (field >> (w - 1) & 1);
    return negative ? field | ~bit_low_mask(w) : field;
}

static inline uint64_t bit_find_nth(uint32_t mask, uint32_t base, int32_t offset) {
    if (offset == INT32_MIN) // what the sequence of instructions behind fns yields
        return 0;
    if (!offset)
        return base < 32 && (mask >> base & 1) ? base : 0xffffffff;
    int64_t left = offset < 0 ? -(int64_t)offset : offset;
    int64_t step = offset < 0 ? -1 : 1;
    for (int64_t pos = base; pos >= 0 && pos < 32; pos += step)
        if ((mask >> pos & 1) && --left == 0)
            return (uint64_t)pos;
    return 0xffffffff;
}

static inline int64_t bit_element(uint64_t v, unsigned index, unsigned n, bool is_signed) {
    uint64_t e = v >> (index * n) & bit_low_mask(n);
    return is_signed ? (int64_t)(e << (64 - n)) >> (64 - n) : (int64_t)e;
}

static inline uint64_t bit_dp4a(uint64_t a, uint64_t b, uint64_t c, bool a_signed, bool b_signed) {
    for (unsigned i = 0; i < 4; i++)
        c += (uint64_t)(bit_element(a, i, 8, a_signed) * bit_element(b, i, 8, b_signed));
    return c;
}

static inline uint64_t bit_dp2a(uint64_t a, uint64_t b, uint64_t c, bool a_signed, bool b_signed,
                                bool high) {
    for (unsigned i = 0; i < 2; i++)
        c += (uint64_t)(bit_element(a, i, 16, a_signed) *
                        bit_element(b, i + (high ? 2 : 0), 8, b_signed));
    return c;
}

static inline bool bit_compare(uint64_t a, uint64_t b, bool is_signed, unsigned cmp) {
    bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (cmp) {
    case ISA_CMP_EQ:
        return a == b;
    case ISA_CMP_NE:
        return a != b;
    case ISA_CMP_LT:
        return less;
    case ISA_CMP_LE:
        return less || a == b;
    case ISA_CMP_GT:
        return !less && a != b;
    case ISA_CMP_GE:
        return !less;
    case ISA_CMP_LO:
        return a < b;
    case ISA_CMP_LS:
        return a <= b;
    case ISA_CMP_HI:
        return a > b;
    default:
        return a >= b; // ISA_CMP_HS
    }
}

static inline uint64_t bit_funnel(uint32_t a, uint32_t b, uint32_t c, unsigned mode) {
    bool wrap = mode == ISA_SHF_L_WRAP || mode == ISA_SHF_R_WRAP;
    unsigned n = wrap ? c & 31 : c > 32 ? 32 : c;
    uint64_t both = (uint64_t)b << 32 | a;
    if (mode == ISA_SHF_L_WRAP || mode == ISA_SHF_L_CLAMP)
        return both << n >> 32;
    return both >> n & 0xffffffff;
}

static inline uint64_t bit_lop3(uint64_t a, uint64_t b, uint64_t c, uint64_t lut) {
    uint64_t r = 0;
    for (unsigned i = 0; i < 8; i++)
        if (lut >> i & 1)
            r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return r;
}

// Selector of byte `i` of the result for the modes other than the default one.
static inline unsigned bit_permute_selector(uint32_t c, unsigned mode, unsigned i) {
    unsigned s = c & 3;
    switch (mode) {
    case ISA_PRMT_F4E:
        return s + i;
    case ISA_PRMT_B4E:
        return (s - i) & 7;
    case ISA_PRMT_RC8:
        return s;
    case ISA_PRMT_ECL:
        return i > s ? i : s;
    case ISA_PRMT_ECR:
        return i < s ? i : s;
    case ISA_PRMT_RC16:
        return (s & 1) * 2 + (i & 1);
    default:
        return c >> (4 * i) & 15;
    }
}

static inline uint64_t bit_permute(uint32_t a, uint32_t b, uint32_t c, unsigned mode) {
    uint64_t both = (uint64_t)b << 32 | a, r = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned sel = bit_permute_selector(c, mode, i);
        uint64_t byte = both >> (8 * (sel & 7)) & 0xff;
        if (mode == ISA_MODE_NONE && (sel & 8))
            byte = byte & 0x80 ? 0xff : 0;
        r |= byte << (8 * i);
    }
    return r;
}

// Clamps an integer, extended from its type, to `n` bits.
static inline uint64_t bit_saturate(uint64_t a, bool from_signed, unsigned n, bool to_signed) {
    int64_t min = to_signed ? -(int64_t)(bit_low_mask(n - 1)) - 1 : 0;
    uint64_t max = to_signed ? bit_low_mask(n - 1) : bit_low_mask(n);
    if (from_signed && (int64_t)a < 0)
        return (int64_t)a < min ? (uint64_t)min : a;
    return a > max ? max : a;
}

#endif
