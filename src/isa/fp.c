// Soft floating point. A finite number is unpacked to an integer times a power of two, the exact
// result of an operation is formed in 128 bits (with a sticky lowest bit), and one function
// rounds and packs it. Where the mode is the host's own (round to nearest even, nothing flushed)
// f32 and f64 take the host's instruction instead: same result, less time.
#include "isa/fp.h"

#include <math.h>
#include <string.h>

typedef unsigned __int128 u128;

static const struct format {
    uint8_t exp_bits, man_bits;
    uint64_t nan; // canonical
} formats[FP_FORMAT_COUNT] = {
    [FP_F16] = {5, 10, 0x7fff},
    [FP_BF16] = {8, 7, 0x7fff},
    [FP_TF32] = {8, 23, 0x7fffffff},
    [FP_F32] = {8, 23, 0x7fffffff},
    [FP_F64] = {11, 52, 0xfff8000000000000},
    [FP_E4M3] = {4, 3, 0x7f},
    [FP_E5M2] = {5, 2, 0x7f},
    // These have neither infinity nor NaN, which becomes the largest number.
    [FP_E2M3] = {2, 3, 0x1f},
    [FP_E3M2] = {3, 2, 0x1f},
    [FP_E2M1] = {2, 1, 0x7},
};

enum kind { ZERO, FINITE, INF, NAN_ };

// sign * man * 2^exp; man has its top bit at TOP after normalise().
struct num {
    enum kind kind;
    bool sign;
    int exp;
    u128 man;
    uint32_t random; // added to the highest bits that are cut off, when random_bits is not 0
    unsigned random_bits;
};
enum { TOP = 124 };

static unsigned width(enum fp_format f) {
    return 1u + formats[f].exp_bits + formats[f].man_bits;
}

static uint64_t sign_bit(enum fp_format f) {
    return 1ull << (width(f) - 1);
}

static uint64_t inf_bits(enum fp_format f) {
    return ((1ull << formats[f].exp_bits) - 1) << formats[f].man_bits;
}

static int bias(enum fp_format f) {
    return (1 << (formats[f].exp_bits - 1)) - 1;
}

static bool is_finite_only(enum fp_format f) {
    return f >= FP_E2M3;
}

static uint64_t max_finite(enum fp_format f) {
    if (is_finite_only(f))
        return formats[f].nan;
    if (f == FP_E4M3)
        return 0x7e;
    return f == FP_TF32 ? 0x7f7fe000 : inf_bits(f) - 1;
}

enum fp_format fp_format_of(enum isa_type t) {
    switch (t) {
    case ISA_F16:
    case ISA_F16X2:
        return FP_F16;
    case ISA_BF16:
    case ISA_BF16X2:
        return FP_BF16;
    case ISA_F64:
        return FP_F64;
    case ISA_TF32:
        return FP_TF32;
    case ISA_E4M3X2:
    case ISA_E4M3X4:
        return FP_E4M3;
    case ISA_E5M2X2:
    case ISA_E5M2X4:
        return FP_E5M2;
    case ISA_E2M3X2:
    case ISA_E2M3X4:
        return FP_E2M3;
    case ISA_E3M2X2:
    case ISA_E3M2X4:
        return FP_E3M2;
    case ISA_E2M1X2:
    case ISA_E2M1X4:
        return FP_E2M1;
    default:
        return FP_F32;
    }
}

uint64_t fp_one(enum fp_format f) {
    return (uint64_t)bias(f) << formats[f].man_bits;
}

uint64_t fp_nan(enum fp_format f) {
    return formats[f].nan;
}

bool fp_is_nan(enum fp_format f, uint64_t a) {
    a &= sign_bit(f) - 1;
    if (is_finite_only(f))
        return false;
    return f == FP_E4M3 ? a == 0x7f : a > inf_bits(f);
}

static bool is_subnormal(enum fp_format f, uint64_t a) {
    a &= sign_bit(f) - 1;
    return a && a < 1ull << formats[f].man_bits;
}

uint64_t fp_flush(enum fp_format f, uint64_t a) {
    return is_subnormal(f, a) ? a & sign_bit(f) : a;
}

static uint64_t input(enum fp_format f, uint64_t a, const struct isa_mods *m) {
    return m->ftz ? fp_flush(f, a) : a;
}

static int top_bit(u128 v) {
    uint64_t hi = (uint64_t)(v >> 64);
    return hi ? 127 - __builtin_clzll(hi) : 63 - __builtin_clzll((uint64_t)v);
}

static void normalise(struct num *n) {
    int shift = TOP - top_bit(n->man);
    if (shift < 0) // a sum's carry: the bit that goes is kept as sticky
        n->man = n->man >> 1 | (n->man & 1);
    else
        n->man <<= shift;
    n->exp -= shift;
}

static struct num unpack(enum fp_format f, uint64_t a) {
    unsigned mb = formats[f].man_bits;
    uint64_t mag = a & (sign_bit(f) - 1), man = mag & ((1ull << mb) - 1);
    int e = (int)(mag >> mb);
    struct num n = {.sign = (a & sign_bit(f)) != 0, .kind = FINITE};
    if (fp_is_nan(f, a))
        n.kind = NAN_;
    else if (f != FP_E4M3 && !is_finite_only(f) && mag == inf_bits(f))
        n.kind = INF;
    else if (!mag)
        n.kind = ZERO;
    if (n.kind != FINITE)
        return n;
    n.man = e ? man | 1ull << mb : man;
    n.exp = (e ? e : 1) - bias(f) - (int)mb;
    normalise(&n);
    return n;
}

static uint64_t with_sign(enum fp_format f, bool sign, uint64_t mag) {
    return sign ? mag | sign_bit(f) : mag;
}

// Is the magnitude to be incremented, given the bits that are cut off?
static bool rounds_up(unsigned rnd, bool sign, bool odd, bool half, bool below_half) {
    switch (rnd) {
    case ISA_RND_RZ:
    case ISA_RND_RZI:
        return false;
    case ISA_RND_RM:
    case ISA_RND_RMI:
        return sign && (half || below_half);
    case ISA_RND_RP:
    case ISA_RND_RPI:
        return !sign && (half || below_half);
    case ISA_RND_RNA:
        return half;
    default:
        return half && (below_half || odd);
    }
}

// man >> shift, rounded. shift > 0.
static u128 shift_round(u128 man, int shift, unsigned rnd, bool sign) {
    if (shift > 127) {
        bool any = man != 0;
        return rounds_up(rnd, sign, false, false, any);
    }
    u128 kept = man >> shift, rest = man & (((u128)1 << shift) - 1), half = (u128)1 << (shift - 1);
    return kept + rounds_up(rnd, sign, kept & 1, (rest & half) != 0, (rest & (half - 1)) != 0);
}

// The same by n's random bits.
static u128 shift_random(const struct num *n, int shift) {
    int below = shift - (int)n->random_bits; // of the bits that the random ones are added to
    u128 kept = shift > 127 ? 0 : n->man >> shift, top = below > 127 ? 0 : n->man >> below;
    uint32_t mask = (1u << n->random_bits) - 1;
    return kept + ((((uint32_t)top & mask) + (n->random & mask)) >> n->random_bits);
}

static uint64_t overflow(enum fp_format f, bool sign, const struct isa_mods *m) {
    bool down =
        m->rnd == ISA_RND_RZ || (m->rnd == ISA_RND_RM && !sign) || (m->rnd == ISA_RND_RP && sign);
    bool largest = down || m->satfinite || f == FP_E4M3 || is_finite_only(f);
    return with_sign(f, sign, largest ? max_finite(f) : inf_bits(f));
}

// .ftz looks at the number rounded as if exponents had no bound: what rounds up to the least normal
// number stays. `exponent` is one below that number's, or less.
static uint64_t flush_tiny(enum fp_format f, struct num n, int exponent, unsigned rnd) {
    int mb = formats[f].man_bits, emin = 1 - bias(f);
    bool carries = shift_round(n.man, TOP - mb, rnd, n.sign) >> (mb + 1);
    return with_sign(f, n.sign, carries && exponent + 1 == emin ? 1ull << mb : 0);
}

// Rounds a finite non-zero number (lowest bit sticky) to the format.
static uint64_t pack(enum fp_format f, struct num n, const struct isa_mods *m, bool ftz) {
    int mb = f == FP_TF32 ? 10 : formats[f].man_bits;
    int low = formats[f].man_bits - mb; // bits of the container that the format leaves zero
    normalise(&n);
    int e = n.exp + TOP; // value is 1.x * 2^e
    int emin = 1 - bias(f);
    if (e < emin && ftz)
        return flush_tiny(f, n, e, m->rnd);
    int shift = TOP - mb + (e < emin ? emin - e : 0);
    uint64_t kept = (uint64_t)(n.random_bits ? shift_random(&n, shift)
                                             : shift_round(n.man, shift, m->rnd, n.sign));
    // A carry out of the mantissa steps the exponent by itself.
    uint64_t biased = e < emin ? 0 : (uint64_t)(e - emin);
    uint64_t mag = (biased << mb) + kept;
    if (e > bias(f) + 1 || mag << low > max_finite(f))
        return overflow(f, n.sign, m);
    return with_sign(f, n.sign, mag << low);
}

static uint64_t quiet(uint64_t f64_nan) {
    return f64_nan | 1ull << 51;
}

// The NaN that an operation yields: canonical, but f64 passes on an operand's payload.
static uint64_t nan_of(enum fp_format f, uint64_t first_choice, uint64_t second_choice) {
    if (f == FP_F64 && fp_is_nan(f, first_choice))
        return quiet(first_choice);
    if (f == FP_F64 && fp_is_nan(f, second_choice))
        return quiet(second_choice);
    return formats[f].nan;
}

// .sat, .relu: what is done to the rounded result.
static uint64_t finish(enum fp_format f, uint64_t r, const struct isa_mods *m) {
    bool nan = fp_is_nan(f, r);
    if (m->sat) {
        if (nan || (r & sign_bit(f)))
            return 0;
        return r > fp_one(f) ? fp_one(f) : r;
    }
    if (m->relu && !nan && (r & sign_bit(f)))
        return 0;
    return r;
}

// The host computes f32 and f64 itself when it rounds as asked.
static bool is_native(enum fp_format f, const struct isa_mods *m) {
    return (f == FP_F32 || f == FP_F64) && (m->rnd == ISA_RND_NONE || m->rnd == ISA_RND_RN) &&
           !m->ftz;
}

static float as_f32(uint64_t bits) {
    uint32_t u = (uint32_t)bits;
    float v;
    memcpy(&v, &u, sizeof v);
    return v;
}

static double as_f64(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t from_f32(float v) {
    uint32_t u;
    memcpy(&u, &v, sizeof u);
    return isnan(v) ? formats[FP_F32].nan : u;
}

static uint64_t from_f64(double v) {
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    return isnan(v) ? formats[FP_F64].nan : u;
}

#define NATIVE(f, m, expr32, expr64)                                                               \
    if (is_native(f, m))                                                                           \
    return finish(f, (f) == FP_F32 ? from_f32(expr32) : from_f64(expr64), m)

// x + y for finite or zero numbers; an exact zero gets the sign the rounding mode gives it.
static struct num add_exact(struct num x, struct num y, unsigned rnd) {
    if (x.kind == ZERO && y.kind == ZERO) {
        x.sign = x.sign == y.sign ? x.sign : rnd == ISA_RND_RM;
        return x;
    }
    if (x.kind == ZERO)
        return y;
    if (y.kind == ZERO)
        return x;
    if (x.exp < y.exp || (x.exp == y.exp && x.man < y.man)) {
        struct num t = x;
        x = y;
        y = t;
    }
    int d = x.exp - y.exp;
    u128 low = d > 127 ? 1 : (y.man >> d) | (d && (y.man & (((u128)1 << d) - 1)) ? 1 : 0);
    x.man = x.sign == y.sign ? x.man + low : x.man - low;
    if (!x.man)
        x = (struct num){.kind = ZERO, .sign = rnd == ISA_RND_RM};
    return x;
}

static uint64_t pack_any(enum fp_format f, struct num n, const struct isa_mods *m) {
    if (n.kind == ZERO)
        return with_sign(f, n.sign, 0);
    return pack(f, n, m, m->ftz);
}

uint64_t fp_add(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m) {
    a = input(f, a, m);
    b = input(f, b, m);
    if (fp_is_nan(f, a) || fp_is_nan(f, b))
        return finish(f, nan_of(f, b, a), m);
    NATIVE(f, m, as_f32(a) + as_f32(b), as_f64(a) + as_f64(b));
    struct num x = unpack(f, a), y = unpack(f, b);
    if (x.kind == INF && y.kind == INF && x.sign != y.sign)
        return finish(f, formats[f].nan, m);
    if (x.kind == INF || y.kind == INF)
        return finish(f, x.kind == INF ? a : b, m);
    return finish(f, pack_any(f, add_exact(x, y, m->rnd), m), m);
}

uint64_t fp_sub(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m) {
    return fp_add(f, a, fp_is_nan(f, b) ? b : b ^ sign_bit(f), m);
}

static struct num mul_exact(struct num x, struct num y) {
    struct num p = {.kind = FINITE, .sign = x.sign != y.sign};
    if (x.kind == ZERO || y.kind == ZERO) {
        p.kind = ZERO;
        return p;
    }
    // The mantissas have at most 53 bits, at the top.
    p.man = (x.man >> (TOP - 62)) * (y.man >> (TOP - 62));
    p.exp = x.exp + y.exp + 2 * (TOP - 62);
    normalise(&p);
    return p;
}

uint64_t fp_mul(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m) {
    a = input(f, a, m);
    b = input(f, b, m);
    if (fp_is_nan(f, a) || fp_is_nan(f, b))
        return finish(f, nan_of(f, b, a), m);
    NATIVE(f, m, as_f32(a) * as_f32(b), as_f64(a) * as_f64(b));
    struct num x = unpack(f, a), y = unpack(f, b);
    if (x.kind == INF || y.kind == INF) {
        bool invalid = x.kind == ZERO || y.kind == ZERO;
        return finish(f, invalid ? formats[f].nan : with_sign(f, x.sign != y.sign, inf_bits(f)), m);
    }
    return finish(f, pack_any(f, mul_exact(x, y), m), m);
}

// What a tensor copy fills in for halves outside its tensor, of either sign (recorded on an H200).
static bool is_outside(uint64_t a) {
    return (a & 0x7fff) == 0x7ff7;
}

uint64_t fp_fma(enum fp_format f, uint64_t a, uint64_t b, uint64_t c, const struct isa_mods *m) {
    if (m->oob && (is_outside(a) || is_outside(b)))
        return 0;
    a = input(f, a, m);
    b = input(f, b, m);
    c = input(f, c, m);
    if (fp_is_nan(f, a) || fp_is_nan(f, b) || fp_is_nan(f, c))
        return finish(f, nan_of(f, b, nan_of(f, c, a)), m);
    NATIVE(f, m, fmaf(as_f32(a), as_f32(b), as_f32(c)), fma(as_f64(a), as_f64(b), as_f64(c)));
    struct num x = unpack(f, a), y = unpack(f, b), z = unpack(f, c);
    if (x.kind == INF || y.kind == INF) {
        bool sign = x.sign != y.sign;
        bool invalid = x.kind == ZERO || y.kind == ZERO || (z.kind == INF && z.sign != sign);
        return finish(f, invalid ? formats[f].nan : with_sign(f, sign, inf_bits(f)), m);
    }
    if (z.kind == INF)
        return finish(f, c, m);
    return finish(f, pack_any(f, add_exact(mul_exact(x, y), z, m->rnd), m), m);
}

static struct num div_exact(struct num x, struct num y) {
    struct num q = {.kind = FINITE, .sign = x.sign != y.sign};
    u128 n = (x.man >> (TOP - 63)) << 62;
    uint64_t d = (uint64_t)(y.man >> (TOP - 63));
    q.man = n / d;
    q.man |= n % d != 0;
    q.exp = x.exp - y.exp - 62;
    return q;
}

uint64_t fp_div(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m) {
    a = input(f, a, m);
    b = input(f, b, m);
    if (fp_is_nan(f, a) || fp_is_nan(f, b))
        return finish(f, nan_of(f, a, b), m);
    NATIVE(f, m, as_f32(a) / as_f32(b), as_f64(a) / as_f64(b));
    struct num x = unpack(f, a), y = unpack(f, b);
    bool sign = x.sign != y.sign;
    if (x.kind == y.kind && x.kind != FINITE)
        return finish(f, formats[f].nan, m);
    if (x.kind == INF || y.kind == ZERO)
        return finish(f, with_sign(f, sign, inf_bits(f)), m);
    if (x.kind == ZERO || y.kind == INF)
        return finish(f, with_sign(f, sign, 0), m);
    return finish(f, pack_any(f, div_exact(x, y), m), m);
}

uint64_t fp_div_approx(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m) {
    const uint64_t sign = 0x80000000, infinite = 0x7f800000, far = 0x7e800000; // 2^126
    uint64_t size = b & ~sign;
    return fp_div(f, a, size > far && size < infinite ? (b & sign) | infinite : b, m);
}

uint64_t fp_rcp(enum fp_format f, uint64_t a, const struct isa_mods *m) {
    return fp_div(f, fp_one(f), a, m);
}

static struct num sqrt_exact(struct num x) {
    int odd = x.exp & 1;
    u128 v = x.man >> odd; // top bit at TOP or TOP - 1; nothing lost: 53 bits at the top
    struct num r = {.kind = FINITE, .exp = (x.exp + odd) / 2};
    u128 root = 0;
    for (int bit = TOP / 2; bit >= 0; bit--) {
        u128 t = root | (u128)1 << bit;
        if (t * t <= v)
            root = t;
    }
    // One more bit of room for the sticky bit.
    r.man = root << 1 | (root * root != v);
    r.exp -= 1;
    return r;
}

uint64_t fp_sqrt(enum fp_format f, uint64_t a, const struct isa_mods *m) {
    a = input(f, a, m);
    if (fp_is_nan(f, a))
        return finish(f, nan_of(f, a, a), m);
    if ((a & sign_bit(f)) && a != sign_bit(f))
        return finish(f, formats[f].nan, m);
    NATIVE(f, m, sqrtf(as_f32(a)), sqrt(as_f64(a)));
    struct num x = unpack(f, a);
    return finish(f, x.kind == FINITE ? pack_any(f, sqrt_exact(x), m) : a, m);
}

// Magnitude and sign as an integer that orders like the number, -0 below +0.
static int64_t order_key(enum fp_format f, uint64_t a) {
    int64_t mag = (int64_t)(a & (sign_bit(f) - 1));
    return a & sign_bit(f) ? -mag - 1 : mag;
}

static uint64_t min_max(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m,
                        bool max) {
    a = input(f, a, m);
    b = input(f, b, m);
    uint64_t sign = (a ^ b) & sign_bit(f);
    bool nan_a = fp_is_nan(f, a), nan_b = fp_is_nan(f, b);
    if ((nan_a && nan_b) || ((nan_a || nan_b) && m->nan))
        return nan_of(f, b, a);
    if (m->xorsign_abs) {
        a &= ~sign_bit(f);
        b &= ~sign_bit(f);
    }
    bool take_b = nan_a || (!nan_b && (order_key(f, b) > order_key(f, a)) == max);
    uint64_t r = take_b ? b : a;
    return m->xorsign_abs ? (r & ~sign_bit(f)) | sign : r;
}

uint64_t fp_min(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m) {
    return min_max(f, a, b, m, false);
}

uint64_t fp_max(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m) {
    return min_max(f, a, b, m, true);
}

// The sign of a NaN stays.
uint64_t fp_abs(enum fp_format f, uint64_t a, const struct isa_mods *m) {
    if (fp_is_nan(f, a))
        return nan_of(f, a, a);
    return input(f, a, m) & ~sign_bit(f);
}

uint64_t fp_neg(enum fp_format f, uint64_t a, const struct isa_mods *m) {
    if (fp_is_nan(f, a))
        return nan_of(f, a, a);
    return input(f, a, m) ^ sign_bit(f);
}

uint64_t fp_copysign(enum fp_format f, uint64_t sign, uint64_t value) {
    return (value & ~sign_bit(f)) | (sign & sign_bit(f));
}

bool fp_compare(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m) {
    if (f != FP_F64) { // comparisons of f64 support subnormal numbers, .ftz or not
        a = input(f, a, m);
        b = input(f, b, m);
    }
    bool unordered = fp_is_nan(f, a) || fp_is_nan(f, b);
    bool zeros = ((a | b) & (sign_bit(f) - 1)) == 0;
    int64_t x = order_key(f, a), y = order_key(f, b);
    bool lt = !zeros && x < y, eq = zeros || x == y, gt = !zeros && x > y;
    switch (m->cmp) {
    case ISA_CMP_EQ:
        return !unordered && eq;
    case ISA_CMP_NE:
        return !unordered && !eq;
    case ISA_CMP_LT:
        return !unordered && lt;
    case ISA_CMP_LE:
        return !unordered && (lt || eq);
    case ISA_CMP_GT:
        return !unordered && gt;
    case ISA_CMP_GE:
        return !unordered && (gt || eq);
    case ISA_CMP_EQU:
        return unordered || eq;
    case ISA_CMP_NEU:
        return unordered || !eq;
    case ISA_CMP_LTU:
        return unordered || lt;
    case ISA_CMP_LEU:
        return unordered || lt || eq;
    case ISA_CMP_GTU:
        return unordered || gt;
    case ISA_CMP_GEU:
        return unordered || gt || eq;
    case ISA_CMP_NUM:
        return !unordered;
    default:
        return unordered; // ISA_CMP_NAN
    }
}

bool fp_testp(enum fp_format f, uint64_t a, const struct isa_mods *m) {
    uint64_t mag = a & (sign_bit(f) - 1);
    switch (m->mode) {
    case ISA_TESTP_FINITE:
        return mag < inf_bits(f);
    case ISA_TESTP_INFINITE:
        return mag == inf_bits(f);
    case ISA_TESTP_NUMBER:
        return mag <= inf_bits(f);
    case ISA_TESTP_NOTANUMBER:
        return mag > inf_bits(f);
    case ISA_TESTP_NORMAL: // zero counts as normal
        return mag < inf_bits(f) && (!mag || mag >= 1ull << formats[f].man_bits);
    default:
        return is_subnormal(f, a);
    }
}

static bool rounds_to_integer(const struct isa_mods *m) {
    return m->rnd >= ISA_RND_RNI && m->rnd <= ISA_RND_RPI;
}

// Rounds to an integer as m->rnd says; kind may become ZERO.
static struct num round_integral(struct num n, unsigned rnd) {
    if (n.kind != FINITE || n.exp >= 0)
        return n;
    n.man = shift_round(n.man, -n.exp, rnd, n.sign);
    n.exp = 0;
    if (!n.man)
        n.kind = ZERO;
    else
        normalise(&n);
    return n;
}

// .rna keeps the upper bits of a NaN; .satfinite then takes one unit from whatever is not finite.
static uint64_t tf32_nan(uint64_t a, const struct isa_mods *m) {
    const uint64_t unit = 0x2000;
    if (m->rnd != ISA_RND_RNA)
        return formats[FP_TF32].nan & ~(unit - 1);
    a &= ~(unit - 1);
    return m->satfinite ? a - unit : a;
}

// A conversion of a format to itself without rounding, saturation or flushing is a move.
static bool is_move(enum fp_format to, enum fp_format from, const struct isa_mods *m) {
    return to == from && (to == FP_F32 || to == FP_F64) && !rounds_to_integer(m) && !m->sat &&
           !m->ftz;
}

// The payload of a NaN moves along with the upper bits of the mantissa between f64 and the other
// formats, and from bf16 to f32, which widens the bits and no more.
static uint64_t convert_nan(enum fp_format to, enum fp_format from, uint64_t a,
                            const struct isa_mods *m) {
    uint64_t man = a & ((1ull << formats[from].man_bits) - 1);
    uint64_t sign = a & sign_bit(from) ? sign_bit(to) : 0, inf = sign | inf_bits(to);
    unsigned have = formats[from].man_bits, want = formats[to].man_bits;
    if (to == FP_TF32)
        return tf32_nan(a, m);
    if (to == FP_F32 && from == FP_BF16 && !m->ftz)
        return inf | man << (want - have);
    if (to == FP_F64 && from == FP_F32 && m->ftz) // by way of f32 arithmetic
        return inf_bits(to) | formats[FP_F32].nan << (want - have);
    if (to == FP_F64)
        return quiet(inf | man << (want - have));
    if (from == FP_F64)
        return inf | 1ull << (want - 1) | man >> (have - want);
    return formats[to].nan;
}

// A number that is zero or infinite.
static uint64_t convert_special(enum fp_format to, struct num n, const struct isa_mods *m) {
    uint64_t mag = n.kind == ZERO                                        ? 0
                   : m->satfinite || to == FP_E4M3 || is_finite_only(to) ? max_finite(to)
                                                                         : inf_bits(to);
    return finish(to, with_sign(to, n.sign, mag), m);
}

uint64_t fp_convert_random(enum fp_format to, uint64_t a, uint32_t random, unsigned bits,
                           const struct isa_mods *m) {
    if (fp_is_nan(FP_F32, a))
        return formats[to].nan;
    struct num n = unpack(FP_F32, a);
    if (n.kind != FINITE)
        return convert_special(to, n, m);
    n.random = random;
    n.random_bits = bits;
    return finish(to, pack(to, n, m, false), m);
}

uint64_t fp_convert(enum fp_format to, enum fp_format from, uint64_t a, const struct isa_mods *m) {
    if (is_move(to, from, m))
        return a;
    // .ftz concerns f32 alone, on either side; subnormal operands of a conversion to f16 stay.
    if (m->ftz && from == FP_F32 && to != FP_F16)
        a = fp_flush(from, a);
    if (fp_is_nan(from, a))
        return finish(to, convert_nan(to, from, a, m), m);
    struct num n = unpack(from, a);
    if (rounds_to_integer(m))
        n = round_integral(n, m->rnd);
    if (n.kind != FINITE)
        return convert_special(to, n, m);
    return finish(to, pack(to, n, m, m->ftz && to == FP_F32), m);
}

static uint64_t low_bits(uint64_t v, unsigned bits) {
    return bits == 64 ? v : v & ((1ull << bits) - 1);
}

uint64_t fp_to_int(enum fp_format from, uint64_t a, unsigned bits, bool is_signed,
                   const struct isa_mods *m) {
    if (m->ftz && from == FP_F32)
        a = fp_flush(from, a);
    struct num n = unpack(from, a);
    if (n.kind == NAN_)
        return from == FP_F64 || bits == 64 ? 1ull << (bits - 1) : 0;
    uint64_t max = is_signed ? (1ull << (bits - 1)) - 1 : low_bits(~0ull, bits);
    uint64_t min = is_signed ? 1ull << (bits - 1) : 0; // magnitude of the most negative
    uint64_t limit = n.sign ? min : max;
    n = round_integral(n, m->rnd);
    uint64_t mag;
    if (n.kind == ZERO)
        return 0;
    if (n.kind == INF || n.exp + TOP >= 64)
        mag = limit;
    else
        mag = (uint64_t)(n.man >> -n.exp);
    if (mag > limit)
        mag = limit;
    return low_bits(n.sign ? 0 - mag : mag, bits);
}

uint64_t fp_from_int(enum fp_format to, uint64_t a, bool is_signed, const struct isa_mods *m) {
    struct num n = {.kind = FINITE, .sign = is_signed && (int64_t)a < 0};
    n.man = n.sign ? 0 - a : a;
    if (!a)
        return 0;
    return finish(to, pack(to, n, m, false), m);
}
