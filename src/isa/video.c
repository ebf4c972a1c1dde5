#include "isa/video.h"

#include <string.h>

#include "isa/ops/video.h"

// ---- Parts -------------------------------------------------------------------------------------
// Bits 0 to 11: digits, the last in bits 0 to 2; bits 12 to 14: how many; bit 15: halves.

static unsigned part_digit(uint16_t part, unsigned k) {
    return part >> (3 * k) & 7;
}

static unsigned part_digits(uint16_t part) {
    return part >> 12 & 7;
}

static bool part_halves(uint16_t part) {
    return part >> 15;
}

uint16_t isa_part_parse(const char *text, size_t len) {
    unsigned digits = 0;
    if (len < 2 || len > 5 || (text[0] != 'b' && text[0] != 'h'))
        return 0;
    for (size_t k = 1; k < len; k++) {
        if (text[k] < '0' || text[k] > '7')
            return 0;
        digits = digits << 3 | (unsigned)(text[k] - '0');
    }
    return (uint16_t)(digits | (unsigned)(len - 1) << 12 | (text[0] == 'h') << 15);
}

void isa_part_print(uint16_t part, char text[8]) {
    unsigned n = part_digits(part);
    *text++ = part_halves(part) ? 'h' : 'b';
    while (n-- > 0)
        *text++ = (char)('0' + part_digit(part, n));
    *text = 0;
}

static bool digits_below(uint16_t part, unsigned limit) {
    for (unsigned k = 0; k < part_digits(part); k++)
        if (part_digit(part, k) >= limit)
            return false;
    return true;
}

static bool digits_fall(uint16_t part) {
    for (unsigned k = 1; k < part_digits(part); k++)
        if (part_digit(part, k) <= part_digit(part, k - 1))
            return false;
    return true;
}

bool isa_part_fits(enum isa_part kind, uint16_t part) {
    unsigned n = part_digits(part);
    bool halves = part_halves(part);
    switch (kind) {
    case ISA_PART_SEL:
        return n == 1 && digits_below(part, halves ? 2 : 4);
    case ISA_PART_HSEL:
        return n == 2 && halves && digits_below(part, 4);
    case ISA_PART_BSEL:
        return n == 4 && !halves && digits_below(part, 8);
    case ISA_PART_HMASK:
        return n && halves && digits_below(part, 2) && digits_fall(part);
    case ISA_PART_BMASK:
        return n && !halves && digits_below(part, 4) && digits_fall(part);
    default:
        return !part;
    }
}

// ---- The control -------------------------------------------------------------------------------

enum { UPPER_HALF = 6 }; // among scalar selectors
enum { CONTROL_B = 4, CONTROL_D = 8, CONTROL_NEGATED = 12, CONTROL_SIMD_B = 12, CONTROL_MASK = 24 };

bool isa_is_video(isa_op op) {
    return op >= ISA_OP_VADD && op <= ISA_OP_VSET4;
}

unsigned isa_video_elements(isa_op op) {
    return op >= ISA_OP_VADD4 && op <= ISA_OP_VSET4   ? 4
           : op >= ISA_OP_VADD2 && op <= ISA_OP_VSET2 ? 2
                                                      : 0;
}

enum isa_video_op isa_video_op(isa_op op) {
    static const uint8_t scalar[] = {VIDEO_ADD, VIDEO_SUB, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX,
                                     VIDEO_SHL, VIDEO_SHR, VIDEO_ADD,     VIDEO_SET};
    static const uint8_t simd[] = {VIDEO_ADD, VIDEO_SUB, VIDEO_AVRG, VIDEO_ABSDIFF,
                                   VIDEO_MIN, VIDEO_MAX, VIDEO_SET};
    if (op >= ISA_OP_VADD4)
        return (enum isa_video_op)simd[op - ISA_OP_VADD4];
    return (enum isa_video_op)(op >= ISA_OP_VADD2 ? simd[op - ISA_OP_VADD2]
                                                  : scalar[op - ISA_OP_VADD]);
}

static uint32_t scalar_selector(uint16_t part) {
    return part ? part_digit(part, 0) + (part_halves(part) ? 5 : 1) : 0;
}

static uint32_t simd_selector(uint16_t part, unsigned elements, unsigned first) {
    uint32_t s = 0;
    for (unsigned k = 0; k < elements; k++)
        s |= (part ? part_digit(part, k) : first + k) << (3 * k);
    return s;
}

static uint32_t simd_mask(uint16_t part, unsigned elements) {
    uint32_t m = 0;
    if (!part)
        return (1u << elements) - 1;
    for (unsigned k = 0; k < part_digits(part); k++)
        m |= 1u << part_digit(part, k);
    return m;
}

uint32_t isa_video_control(isa_op op, const struct isa_video *v) {
    unsigned n = isa_video_elements(op);
    if (n)
        return simd_selector(v->part[0], n, 0) | simd_selector(v->part[1], n, n) << CONTROL_SIMD_B |
               simd_mask(v->part[2], n) << CONTROL_MASK;
    uint32_t c = scalar_selector(v->part[0]) | scalar_selector(v->part[1]) << CONTROL_B |
                 scalar_selector(v->part[2]) << CONTROL_D;
    for (unsigned k = 0; k < 3; k++)
        c |= (uint32_t)v->negated[k] << (CONTROL_NEGATED + k);
    return c;
}

// ---- Scalar instructions -----------------------------------------------------------------------

// Width and position of what a selector selects.
static unsigned selected_bits(unsigned selector) {
    return selector == 0 ? 32 : selector < 5 ? 8 : 16;
}

static unsigned selected_shift(unsigned selector) {
    return selector == 0 ? 0 : selector < 5 ? 8 * (selector - 1) : 16 * (selector - 5);
}

static int64_t extended(uint32_t v, unsigned bits, bool is_signed) {
    uint64_t u = v & ((1ull << bits) - 1);
    return is_signed && u >> (bits - 1) ? (int64_t)u - (1ll << bits) : (int64_t)u;
}

static int64_t select_part(uint32_t v, unsigned selector, enum isa_type t) {
    return extended(v >> selected_shift(selector), selected_bits(selector), isa_type_is_signed(t));
}

static int64_t clamped(int64_t v, unsigned bits, bool is_signed) {
    int64_t low = is_signed ? -(1ll << (bits - 1)) : 0;
    int64_t high = (1ll << (bits - is_signed)) - 1;
    return v < low ? low : v > high ? high : v;
}

static bool compares(int64_t a, int64_t b, unsigned cmp) {
    switch (cmp) {
    case ISA_CMP_EQ:
        return a == b;
    case ISA_CMP_NE:
        return a != b;
    case ISA_CMP_LT:
        return a < b;
    case ISA_CMP_LE:
        return a <= b;
    case ISA_CMP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static unsigned shift_amount(int64_t b, unsigned mode) {
    return mode == ISA_SZEXT_WRAP ? (unsigned)b & 31 : b > 32 ? 32 : (unsigned)b;
}

static int64_t combine(enum isa_video_op op, int64_t a, int64_t b, const struct isa_mods *m) {
    switch (op) {
    case VIDEO_ADD:
        return a + b;
    case VIDEO_SUB:
        return a - b;
    case VIDEO_AVRG:
        return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_ABSDIFF:
        return a < b ? b - a : a - b;
    case VIDEO_MIN:
        return a < b ? a : b;
    case VIDEO_MAX:
        return a > b ? a : b;
    case VIDEO_SHL:
        return (int64_t)((uint64_t)a << shift_amount(b, m->mode));
    case VIDEO_SHR:
        return a >> shift_amount(b, m->mode);
    default:
        return compares(a, b, m->cmp);
    }
}

// What an H100 computes counts here, also where it departs from the manual. The rules were found in
// its recording (tests/hardware); the driver's compiler seems to write each scalar instruction as a
// sequence of others.

static bool is_shift(enum isa_video_op op) {
    return op == VIDEO_SHL || op == VIDEO_SHR;
}

// .sat to the word; shifts do so for parts too. Sums and differences above u32's range stay as they
// are; what a shift to the left loses above 34 bits does not count.
static int64_t saturated_word(enum isa_video_op op, int64_t v, bool is_signed) {
    if (op == VIDEO_SHL)
        v = (int64_t)((uint64_t)v << 30) >> 30;
    if (is_signed || op == VIDEO_SHL)
        return clamped(v, 32, is_signed);
    return v < 0 ? 0 : v;
}

// .sat to a byte or half: only above, and of the unsigned number.
static int64_t saturated_part(int64_t v, unsigned bits, bool is_signed) {
    uint64_t high = (1ull << (bits - is_signed)) - 1;
    return (uint64_t)v > high ? (int64_t)high : v;
}

// v before the second operation: some sequences keep 64 bits, others extend the word, with its sign
// whatever dtype is.
static int64_t widened(enum isa_video_op op, int64_t v, bool sat) {
    bool is_word = op == VIDEO_ADD || op == VIDEO_SUB || (sat && is_shift(op));
    return is_word ? (int32_t)v : v;
}

// Compares 64 bits by dtype's sign.
static int64_t second_operation(int64_t v, uint32_t c, bool is_signed, unsigned op) {
    int64_t w = is_signed ? (int32_t)c : (int64_t)c;
    bool less = is_signed ? v < w : (uint64_t)v < (uint64_t)w;
    switch (op) {
    case ISA_ATOM_ADD:
        return (int64_t)((uint64_t)v + (uint64_t)w);
    case ISA_ATOM_MIN:
        return less ? v : w;
    case ISA_ATOM_MAX:
        return less ? w : v;
    default:
        return v;
    }
}

// The upper half of the result is v's own upper half, the others are v's low bits.
static uint32_t merged(int64_t v, uint32_t c, unsigned to) {
    unsigned shift = selected_shift(to);
    uint32_t mask = (uint32_t)((1ull << selected_bits(to)) - 1) << shift;
    uint32_t placed = to == UPPER_HALF ? (uint32_t)v : (uint32_t)v << shift;
    return (placed & mask) | (c & ~mask);
}

void eval_video(enum isa_video_op op, enum isa_type dtype, enum isa_type atype, enum isa_type btype,
                const struct isa_mods *m, const union isa_bits *src, union isa_bits *dst) {
    uint32_t control = src[3].u32[0], c = src[2].u32[0];
    unsigned to = control >> CONTROL_D & 15, bits = selected_bits(to);
    bool is_signed = isa_type_is_signed(dtype);
    int64_t a = select_part(src[0].u32[0], control & 15, atype);
    int64_t b = select_part(src[1].u32[0], control >> CONTROL_B & 15, btype);
    int64_t v = combine(op, a, b, m);
    if (m->sat && (bits == 32 || is_shift(op)))
        v = saturated_word(op, v, is_signed);
    else if (m->sat)
        v = saturated_part(v, bits, is_signed);
    if (to)
        dst[0] = (union isa_bits){.u64 = {merged(v, c, to)}};
    else
        dst[0] = (union isa_bits){
            .u64 = {(uint32_t)second_operation(widened(op, v, m->sat), c, is_signed, m->atom)}};
}

// Whole words are multiplied as signed ones, and c is added as one, whatever the types; these say
// only how parts are extended and what .sat does.
void eval_vmad(enum isa_type atype, enum isa_type btype, const struct isa_mods *m,
               const union isa_bits *src, union isa_bits *dst) {
    uint32_t control = src[3].u32[0];
    bool minus_product = (control >> CONTROL_NEGATED ^ control >> (CONTROL_NEGATED + 1)) & 1;
    bool minus_c = control >> (CONTROL_NEGATED + 2) & 1;
    bool is_signed =
        isa_type_is_signed(atype) || isa_type_is_signed(btype) || minus_product || minus_c;
    int64_t v = (int64_t)(int32_t)select_part(src[0].u32[0], control & 15, atype) *
                (int32_t)select_part(src[1].u32[0], control >> CONTROL_B & 15, btype);
    int64_t c = (int32_t)src[2].u32[0];
    v = (minus_product ? -v : v) + (minus_c ? -c : c) + m->po;
    v = is_signed ? v >> m->scale : (int64_t)((uint64_t)v >> m->scale);
    if (m->sat)
        v = clamped(v, 32, is_signed);
    dst[0] = (union isa_bits){.u64 = {(uint32_t)v}};
}

// ---- SIMD instructions -------------------------------------------------------------------------

static int64_t element(const union isa_bits *src, unsigned index, unsigned elements,
                       enum isa_type t) {
    unsigned bits = 32 / elements;
    uint32_t v = src[index >= elements].u32[0] >> (index % elements * bits);
    return extended(v, bits, isa_type_is_signed(t));
}

void eval_video_simd(enum isa_video_op op, unsigned elements, enum isa_type dtype,
                     enum isa_type atype, enum isa_type btype, const struct isa_mods *m,
                     const union isa_bits *src, union isa_bits *dst) {
    uint32_t control = src[3].u32[0], d = src[2].u32[0];
    unsigned bits = 32 / elements, limit = 2 * elements - 1;
    for (unsigned k = 0; k < elements; k++) {
        int64_t a = element(src, control >> (3 * k) & limit, elements, atype);
        int64_t b = element(src, control >> (CONTROL_SIMD_B + 3 * k) & limit, elements, btype);
        int64_t v = combine(op, a, b, m);
        uint32_t mask = (uint32_t)((1ull << bits) - 1) << (k * bits);
        if (m->sat)
            v = clamped(v, bits, isa_type_is_signed(dtype));
        if (!(control >> (CONTROL_MASK + k) & 1))
            continue;
        if (m->atom == ISA_ATOM_ADD)
            d += (uint32_t)v;
        else
            d = (d & ~mask) | ((uint32_t)v << (k * bits) & mask);
    }
    dst[0] = (union isa_bits){.u64 = {d}};
}
