#include "device/helpers/block_texel.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// ---- Bits -------------------------------------------------------------------------------------

// `n` bits, at most 16, from bit `at` of a block of 16 bytes.
static unsigned bits(const uint8_t *block, unsigned at, unsigned n) {
    uint32_t word = 0;
    for (unsigned k = 0; k < 3 && at / 8 + k < 16; k++)
        word |= (uint32_t)block[at / 8 + k] << 8 * k;
    return word >> at % 8 & ((1u << n) - 1);
}

static int sign_extended(unsigned value, unsigned n) {
    return (int)(value << (32 - n)) >> (32 - n);
}

// ---- BC1 to BC5 -------------------------------------------------------------------------------

// Two colours of 5, 6 and 5 bits, and an index of 2 bits for each texel. BC1 has blocks of three
// colours and transparent black.
static void color(const uint8_t *block, unsigned texel, bool opaque, double out[4]) {
    static const uint8_t shift[3] = {11, 5, 0}, width[3] = {5, 6, 5};
    unsigned c0 = block[0] | block[1] << 8, c1 = block[2] | block[3] << 8;
    unsigned index = block[4 + texel / 4] >> 2 * (texel % 4) & 3;
    bool four = opaque || c0 > c1;
    out[3] = four || index < 3;
    for (unsigned k = 0; k < 3; k++) {
        unsigned most = (1u << width[k]) - 1, a = c0 >> shift[k] & most, b = c1 >> shift[k] & most;
        unsigned sum = index == 0   ? a
                       : index == 1 ? b
                       : four       ? (4 - index) * a + (index - 1) * b
                                    : a + b;
        out[k] =
            index < 2 || out[3] == 0 ? sum / (double)most : sum / (double)((four ? 3 : 2) * most);
        if (out[3] == 0)
            out[k] = 0;
    }
}

// Two values of 8 bits, and an index of 3 bits for each texel: eight values, or six and the ends of
// the range.
static double single(const uint8_t *block, unsigned texel, bool is_signed) {
    uint64_t word;
    memcpy(&word, block, sizeof word);
    int a = is_signed ? (int8_t)block[0] : block[0], b = is_signed ? (int8_t)block[1] : block[1];
    int index = (int)(word >> (16 + 3 * texel) & 7), steps = a > b ? 7 : 5;
    double scale = is_signed ? 127 : 255;
    // The least number means what the next one does.
    a = a < -127 ? -127 : a;
    b = b < -127 ? -127 : b;
    if (index < 2)
        return (index ? b : a) / scale;
    if (steps == 5 && index >= 6)
        return index == 7 ? 1 : is_signed ? -1 : 0;
    return ((steps + 1 - index) * a + (index - 1) * b) / (steps * scale);
}

// ---- What BC6 and BC7 share ---------------------------------------------------------------------

// The subset of each of the 16 texels: a bit, or two, for each.
// clang-format off
static const uint16_t two_subsets[64] = {
0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22
};
static const uint32_t three_subsets[64] = {
0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050, 0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250, 0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500, 0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200, 0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50, 0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600, 0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000, 0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254
};
static const uint8_t second_of_two[64] = {15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2, 15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15};
static const uint8_t second_of_three[64] = {3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15, 8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3};
static const uint8_t third_of_three[64] = {15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8, 15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8};
// clang-format on

static unsigned subset_of(unsigned subsets, unsigned partition, unsigned texel) {
    return subsets == 2   ? two_subsets[partition] >> texel & 1
           : subsets == 3 ? three_subsets[partition] >> 2 * texel & 3
                          : 0;
}

// Indices of the texels that are told first in their subsets lack their highest bit. How many of
// these come before a texel, and whether it is one.
static unsigned short_before(unsigned subsets, unsigned partition, unsigned texel, bool *itself) {
    unsigned first[3] = {0}, n = 0;
    if (subsets == 2)
        first[1] = second_of_two[partition];
    if (subsets == 3) {
        first[1] = second_of_three[partition];
        first[2] = third_of_three[partition];
    }
    *itself = false;
    for (unsigned k = 0; k < subsets; k++) {
        n += first[k] < texel;
        *itself |= first[k] == texel;
    }
    return n;
}

// A texel's index among those of `n` bits that begin at bit `at`.
static unsigned index_of(const uint8_t *block, unsigned at, unsigned n, unsigned subsets,
                         unsigned partition, unsigned texel) {
    bool shorter;
    unsigned before = short_before(subsets, partition, texel, &shorter);
    return bits(block, at + n * texel - before, n - shorter);
}

// Between two values, by an index of 2, 3 or 4 bits.
static int mix(int a, int b, unsigned index, unsigned index_bits) {
    static const uint8_t weights[3][16] = {
        {0, 21, 43, 64},
        {0, 9, 18, 27, 37, 46, 55, 64},
        {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}};
    int w = weights[index_bits - 2][index];
    return (a * (64 - w) + b * w + 32) >> 6;
}

// ---- BC7 --------------------------------------------------------------------------------------

struct mode7 {
    uint8_t subsets, partition, rotation, selection; // the last three: bits
    uint8_t color, alpha;                            // bits of a component
    uint8_t own, shared;                             // lowest bits: of each end, of each subset
    uint8_t index, second;                           // bits of indices
};

// The component k of an end of a subset: with its lowest bit, stretched to 8 bits.
static int end7(const uint8_t *block, const struct mode7 *m, unsigned at, unsigned end,
                unsigned k) {
    unsigned ends = 2 * m->subsets, n = k < 3 ? m->color : m->alpha;
    if (!n)
        return 255;
    unsigned value =
        bits(block,
             at + (k < 3 ? (k * ends + end) * m->color : 3 * ends * m->color + end * m->alpha), n);
    unsigned lowest = at + ends * (3 * m->color + m->alpha);
    if (m->own || m->shared) {
        value = value << 1 | bits(block, lowest + (m->own ? end : end / 2), 1);
        n++;
    }
    value <<= 8 - n;
    return (int)(value | value >> n);
}

static void texel7(const uint8_t *block, unsigned texel, double out[4]) {
    static const struct mode7 modes[8] = {
        {3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0},
        {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
        {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
        {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0}};
    if (!block[0]) { // a mode that is reserved
        memset(out, 0, 4 * sizeof *out);
        return;
    }
    unsigned number = (unsigned)__builtin_ctz(block[0]), at = number + 1;
    const struct mode7 *m = &modes[number];
    unsigned partition = bits(block, at, m->partition);
    unsigned rotation = bits(block, at + m->partition, m->rotation);
    unsigned selection = bits(block, at + m->partition + m->rotation, m->selection);
    at += m->partition + m->rotation + m->selection;
    unsigned ends = 2 * m->subsets;
    unsigned indices = at + ends * (3 * m->color + m->alpha + m->own) + m->subsets * m->shared;
    unsigned second = indices + 16 * m->index - m->subsets;
    unsigned end = 2 * subset_of(m->subsets, partition, texel);
    unsigned of_color = index_of(block, indices, m->index, m->subsets, partition, texel);
    unsigned color_bits = m->index, of_alpha = of_color, alpha_bits = m->index;
    if (m->second) {
        of_alpha = index_of(block, second, m->second, m->subsets, partition, texel);
        alpha_bits = m->second;
    }
    if (selection) {
        unsigned index = of_color;
        of_color = of_alpha;
        of_alpha = index;
        color_bits = m->second;
        alpha_bits = m->index;
    }
    int value[4];
    for (unsigned k = 0; k < 4; k++)
        value[k] = mix(end7(block, m, at, end, k), end7(block, m, at, end + 1, k),
                       k < 3 ? of_color : of_alpha, k < 3 ? color_bits : alpha_bits);
    if (rotation) {
        int alpha = value[3];
        value[3] = value[rotation - 1];
        value[rotation - 1] = alpha;
    }
    for (unsigned k = 0; k < 4; k++)
        out[k] = value[k] / 255.0;
}

// ---- BC6 --------------------------------------------------------------------------------------

// Ends of the first subset are W and X, of the second Y and Z.
enum field { RW, RX, RY, RZ, GW, GX, GY, GZ, BW, BX, BY, BZ, FIELDS };

// Bits of a field, in the order in which blocks have them.
struct part6 {
    uint8_t field, shift, bits;
};

struct mode6 {
    uint8_t number, ends, base, delta[3]; // ends: 4 or 2; bits of the first end, of the others
    bool transformed;                     // the other ends are told by differences
};

// clang-format off
static const struct part6 layouts[14][25] = {
    {{GY, 4, 1}, {BY, 4, 1}, {BZ, 4, 1}, {RW, 0, 10}, {GW, 0, 10}, {BW, 0, 10}, {RX, 0, 5}, {GZ, 4, 1}, {GY, 0, 4}, {GX, 0, 5}, {BZ, 0, 1}, {GZ, 0, 4}, {BX, 0, 5}, {BZ, 1, 1}, {BY, 0, 4}, {RY, 0, 5}, {BZ, 2, 1}, {RZ, 0, 5}, {BZ, 3, 1}},
    {{GY, 5, 1}, {GZ, 4, 1}, {GZ, 5, 1}, {RW, 0, 7}, {BZ, 0, 1}, {BZ, 1, 1}, {BY, 4, 1}, {GW, 0, 7}, {BY, 5, 1}, {BZ, 2, 1}, {GY, 4, 1}, {BW, 0, 7}, {BZ, 3, 1}, {BZ, 5, 1}, {BZ, 4, 1}, {RX, 0, 6}, {GY, 0, 4}, {GX, 0, 6}, {GZ, 0, 4}, {BX, 0, 6}, {BY, 0, 4}, {RY, 0, 6}, {RZ, 0, 6}},
    {{RW, 0, 10}, {GW, 0, 10}, {BW, 0, 10}, {RX, 0, 5}, {RW, 10, 1}, {GY, 0, 4}, {GX, 0, 4}, {GW, 10, 1}, {BZ, 0, 1}, {GZ, 0, 4}, {BX, 0, 4}, {BW, 10, 1}, {BZ, 1, 1}, {BY, 0, 4}, {RY, 0, 5}, {BZ, 2, 1}, {RZ, 0, 5}, {BZ, 3, 1}},
    {{RW, 0, 10}, {GW, 0, 10}, {BW, 0, 10}, {RX, 0, 4}, {RW, 10, 1}, {GZ, 4, 1}, {GY, 0, 4}, {GX, 0, 5}, {GW, 10, 1}, {GZ, 0, 4}, {BX, 0, 4}, {BW, 10, 1}, {BZ, 1, 1}, {BY, 0, 4}, {RY, 0, 4}, {BZ, 0, 1}, {BZ, 2, 1}, {RZ, 0, 4}, {GY, 4, 1}, {BZ, 3, 1}},
    {{RW, 0, 10}, {GW, 0, 10}, {BW, 0, 10}, {RX, 0, 4}, {RW, 10, 1}, {BY, 4, 1}, {GY, 0, 4}, {GX, 0, 4}, {GW, 10, 1}, {BZ, 0, 1}, {GZ, 0, 4}, {BX, 0, 5}, {BW, 10, 1}, {BY, 0, 4}, {RY, 0, 4}, {BZ, 1, 1}, {BZ, 2, 1}, {RZ, 0, 4}, {BZ, 4, 1}, {BZ, 3, 1}},
    {{RW, 0, 9}, {BY, 4, 1}, {GW, 0, 9}, {GY, 4, 1}, {BW, 0, 9}, {BZ, 4, 1}, {RX, 0, 5}, {GZ, 4, 1}, {GY, 0, 4}, {GX, 0, 5}, {BZ, 0, 1}, {GZ, 0, 4}, {BX, 0, 5}, {BZ, 1, 1}, {BY, 0, 4}, {RY, 0, 5}, {BZ, 2, 1}, {RZ, 0, 5}, {BZ, 3, 1}},
    {{RW, 0, 8}, {GZ, 4, 1}, {BY, 4, 1}, {GW, 0, 8}, {BZ, 2, 1}, {GY, 4, 1}, {BW, 0, 8}, {BZ, 3, 1}, {BZ, 4, 1}, {RX, 0, 6}, {GY, 0, 4}, {GX, 0, 5}, {BZ, 0, 1}, {GZ, 0, 4}, {BX, 0, 5}, {BZ, 1, 1}, {BY, 0, 4}, {RY, 0, 6}, {RZ, 0, 6}},
    {{RW, 0, 8}, {BZ, 0, 1}, {BY, 4, 1}, {GW, 0, 8}, {GY, 5, 1}, {GY, 4, 1}, {BW, 0, 8}, {GZ, 5, 1}, {BZ, 4, 1}, {RX, 0, 5}, {GZ, 4, 1}, {GY, 0, 4}, {GX, 0, 6}, {GZ, 0, 4}, {BX, 0, 5}, {BZ, 1, 1}, {BY, 0, 4}, {RY, 0, 5}, {BZ, 2, 1}, {RZ, 0, 5}, {BZ, 3, 1}},
    {{RW, 0, 8}, {BZ, 1, 1}, {BY, 4, 1}, {GW, 0, 8}, {BY, 5, 1}, {GY, 4, 1}, {BW, 0, 8}, {BZ, 5, 1}, {BZ, 4, 1}, {RX, 0, 5}, {GZ, 4, 1}, {GY, 0, 4}, {GX, 0, 5}, {BZ, 0, 1}, {GZ, 0, 4}, {BX, 0, 6}, {BY, 0, 4}, {RY, 0, 5}, {BZ, 2, 1}, {RZ, 0, 5}, {BZ, 3, 1}},
    {{RW, 0, 6}, {GZ, 4, 1}, {BZ, 0, 1}, {BZ, 1, 1}, {BY, 4, 1}, {GW, 0, 6}, {GY, 5, 1}, {BY, 5, 1}, {BZ, 2, 1}, {GY, 4, 1}, {BW, 0, 6}, {GZ, 5, 1}, {BZ, 3, 1}, {BZ, 5, 1}, {BZ, 4, 1}, {RX, 0, 6}, {GY, 0, 4}, {GX, 0, 6}, {GZ, 0, 4}, {BX, 0, 6}, {BY, 0, 4}, {RY, 0, 6}, {RZ, 0, 6}},
    {{RW, 0, 10}, {GW, 0, 10}, {BW, 0, 10}, {RX, 0, 10}, {GX, 0, 10}, {BX, 0, 10}},
    {{RW, 0, 10}, {GW, 0, 10}, {BW, 0, 10}, {RX, 0, 9}, {RW, 10, 1}, {GX, 0, 9}, {GW, 10, 1}, {BX, 0, 9}, {BW, 10, 1}},
    {{RW, 0, 10}, {GW, 0, 10}, {BW, 0, 10}, {RX, 0, 8}, {RW, 11, 1}, {RW, 10, 1}, {GX, 0, 8}, {GW, 11, 1}, {GW, 10, 1}, {BX, 0, 8}, {BW, 11, 1}, {BW, 10, 1}},
    {{RW, 0, 10}, {GW, 0, 10}, {BW, 0, 10}, {RX, 0, 4}, {RW, 15, 1}, {RW, 14, 1}, {RW, 13, 1}, {RW, 12, 1}, {RW, 11, 1}, {RW, 10, 1}, {GX, 0, 4}, {GW, 15, 1}, {GW, 14, 1}, {GW, 13, 1}, {GW, 12, 1}, {GW, 11, 1}, {GW, 10, 1}, {BX, 0, 4}, {BW, 15, 1}, {BW, 14, 1}, {BW, 13, 1}, {BW, 12, 1}, {BW, 11, 1}, {BW, 10, 1}},
};
static const struct mode6 modes6[14] = {
    {0x00, 4, 10, {5, 5, 5}, true}, {0x01, 4, 7, {6, 6, 6}, true}, {0x02, 4, 11, {5, 4, 4}, true},
    {0x06, 4, 11, {4, 5, 4}, true}, {0x0a, 4, 11, {4, 4, 5}, true}, {0x0e, 4, 9, {5, 5, 5}, true},
    {0x12, 4, 8, {6, 5, 5}, true}, {0x16, 4, 8, {5, 6, 5}, true}, {0x1a, 4, 8, {5, 5, 6}, true},
    {0x1e, 4, 6, {6, 6, 6}, false}, {0x03, 2, 10, {10, 10, 10}, false},
    {0x07, 2, 11, {9, 9, 9}, true}, {0x0b, 2, 12, {8, 8, 8}, true}, {0x0f, 2, 16, {4, 4, 4}, true},
};
// clang-format on

static const struct mode6 *mode_of6(const uint8_t *block) {
    unsigned number = block[0] & 3;
    if (number > 1)
        number = block[0] & 31;
    for (unsigned k = 0; k < 14; k++)
        if (modes6[k].number == number)
            return &modes6[k];
    return NULL;
}

// A number of n bits on the scale of 16.
static int stretched6(int v, unsigned n, bool is_signed) {
    if (!is_signed)
        return n >= 15 ? v : v == 0 ? 0 : v == (1 << n) - 1 ? 0xffff : ((v << 16) + 0x8000) >> n;
    int m = v < 0 ? -v : v;
    if (n < 16)
        m = m == 0 ? 0 : m >= (1 << (n - 1)) - 1 ? 0x7fff : ((m << 15) + 0x4000) >> (n - 1);
    return v < 0 ? -m : m;
}

static double half_value(unsigned h) {
    int exponent = h >> 10 & 31;
    double m = exponent ? ldexp(1024 + (h & 1023), exponent - 25) : ldexp(h & 1023, -24);
    if (exponent == 31) // of the least number of 16 bits
        m = INFINITY;
    return h & 0x8000 ? -m : m;
}

// The largest magnitude is that of the largest half.
static double finished6(int v, bool is_signed) {
    if (!is_signed)
        return half_value((unsigned)(v * 31 >> 6));
    unsigned m = (unsigned)((v < 0 ? -v : v) * 31 >> 5);
    return half_value(v < 0 && m ? m | 0x8000 : m);
}

static void texel6(const uint8_t *block, unsigned texel, bool is_signed, double out[4]) {
    const struct mode6 *m = mode_of6(block);
    unsigned value[FIELDS] = {0};
    memset(out, 0, 3 * sizeof *out);
    if (!m)
        return;
    unsigned at = m->number < 2 ? 2 : 5, partition = 0, subsets = m->ends / 2;
    for (const struct part6 *p = layouts[m - modes6]; p->bits; at += p->bits, p++)
        value[p->field] |= bits(block, at, p->bits) << p->shift;
    if (subsets == 2) {
        partition = bits(block, at, 5);
        at += 5;
    }
    unsigned index_bits = subsets == 2 ? 3 : 4;
    unsigned index = index_of(block, at, index_bits, subsets, partition, texel);
    unsigned subset = subset_of(subsets, partition, texel);
    for (unsigned k = 0; k < 3; k++) {
        int end[2], base = (int)value[4 * k];
        if (is_signed)
            base = sign_extended(value[4 * k], m->base);
        for (unsigned e = 0; e < 2; e++) {
            unsigned number = 2 * subset + e;
            int v = number ? (int)value[4 * k + number] : base;
            if (number && (m->transformed || is_signed))
                v = sign_extended(value[4 * k + number], m->delta[k]);
            if (number && m->transformed) {
                v = (v + base) & ((1 << m->base) - 1);
                v = is_signed ? sign_extended((unsigned)v, m->base) : v;
            }
            end[e] = stretched6(v, m->base, is_signed);
        }
        out[k] = finished6(mix(end[0], end[1], index, index_bits), is_signed);
    }
}

// ---- All ----------------------------------------------------------------------------------------

void kd_block_texel(unsigned format, const uint8_t *block, unsigned x, unsigned y, double out[4]) {
    unsigned texel = 4 * y + x;
    uint32_t word;
    switch (format) {
    case KD_BLOCK_BC1:
        color(block, texel, false, out);
        break;
    case KD_BLOCK_BC2:
        color(block + 8, texel, true, out);
        out[3] = (block[texel / 2] >> 4 * (texel % 2) & 15) / 15.0;
        break;
    case KD_BLOCK_BC3:
        color(block + 8, texel, true, out);
        out[3] = single(block, texel, false);
        break;
    case KD_BLOCK_BC4_UNSIGNED:
    case KD_BLOCK_BC4_SIGNED:
        out[0] = single(block, texel, format == KD_BLOCK_BC4_SIGNED);
        break;
    case KD_BLOCK_BC5_UNSIGNED:
    case KD_BLOCK_BC5_SIGNED:
        out[0] = single(block, texel, format == KD_BLOCK_BC5_SIGNED);
        out[1] = single(block + 8, texel, format == KD_BLOCK_BC5_SIGNED);
        break;
    case KD_BLOCK_BC6_UNSIGNED:
    case KD_BLOCK_BC6_SIGNED:
        texel6(block, texel, format == KD_BLOCK_BC6_SIGNED, out);
        break;
    case KD_BLOCK_PACKED_1010102:
        memcpy(&word, block, sizeof word);
        for (unsigned k = 0; k < 3; k++)
            out[k] = (word >> 10 * k & 1023) / 1023.0;
        out[3] = (word >> 30) / 3.0;
        break;
    default:
        texel7(block, texel, out);
    }
}
