// Matrices in shared memory that descriptors name: of wgmma and tcgen05, whose descriptors are the
// same but for a pattern (bit 61) and an address (bit 52) that tcgen05 alone has.
#include "isa/matrix_internal.h"

struct matrix_tile matrix_tile_of(uint64_t descriptor, bool trans) {
    static const uint8_t widths[] = {16, 128, 64, 32};
    bool pairs = descriptor >> 61 == 1;
    return (struct matrix_tile){.start = (uint32_t)(descriptor & 0x3fff) << 4,
                                .leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
                                .stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
                                .width = pairs ? 128 : widths[descriptor >> 62],
                                .base = (uint32_t)(descriptor >> 49 & 7),
                                .pairs = pairs,
                                .trans = trans};
}

enum { ABSOLUTE_BIT = 52 };

bool matrix_tensor_tile_is_bad(uint64_t descriptor, bool trans) {
    return descriptor >> ABSOLUTE_BIT & 1 &&
           (trans || descriptor >> 61 != 2 || (descriptor >> 49 & 7));
}

struct matrix_tile matrix_tensor_tile_of(uint64_t descriptor, bool trans) {
    struct matrix_tile t = matrix_tile_of(descriptor, trans);
    t.absolute = descriptor >> ABSOLUTE_BIT & 1 && !matrix_tensor_tile_is_bad(descriptor, trans);
    return t;
}

// Pieces of 16 bytes change places within 32, 64 or 128 bytes, by the number of the 128 bytes.
static uint32_t swizzle(const struct matrix_tile *t, uint32_t address) {
    uint32_t line = (address >> 7) - t->base;
    if (t->pairs)
        return address ^ (line & 3) << 5;
    return address ^ (line & (t->width / 16 - 1)) << 4;
}

uint32_t matrix_tile_address(const struct matrix_tile *t, unsigned mn, unsigned k, unsigned per) {
    bool plain = t->width == 16;
    uint32_t at, past = (t->start >> 4 & 7) + k / per;
    if (t->absolute && past >= 8) // behind the end of the 128 bytes
        return swizzle(t, t->leading + mn % 8 * t->width + mn / 8 * t->stride + (past - 8) * 16);
    if (!t->trans) {
        at = mn % 8 * t->width + mn / 8 * t->stride;
        at += k / per * (plain ? t->leading : 16);
    } else {
        unsigned pieces = t->width / 16, piece = mn / per, rows = t->pairs ? 4 : 8;
        at = piece % pieces * 16 + piece / pieces * (plain ? t->stride : t->leading);
        at += k % rows * t->width + k / rows * (plain ? t->leading : t->stride);
    }
    return swizzle(t, t->start + at);
}
