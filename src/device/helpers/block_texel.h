// Images whose texels' components are no numbers of 1, 2 or 4 bytes: block-compressed ones (BC1 to
// BC7), in blocks of 4 by 4 texels, and packed ones, each texel of which is a block.
#ifndef KUDZU_DEVICE_BLOCK_TEXEL_H
#define KUDZU_DEVICE_BLOCK_TEXEL_H

#include <stdint.h>

enum kd_block_format {
    KD_BLOCK_NONE, // texels lie one by one
    KD_BLOCK_BC1,
    KD_BLOCK_BC2,
    KD_BLOCK_BC3,
    KD_BLOCK_BC4_UNSIGNED,
    KD_BLOCK_BC4_SIGNED,
    KD_BLOCK_BC5_UNSIGNED,
    KD_BLOCK_BC5_SIGNED,
    KD_BLOCK_BC6_UNSIGNED,
    KD_BLOCK_BC6_SIGNED,
    KD_BLOCK_BC7,
    KD_BLOCK_PACKED_1010102, // from the lowest bit on
};

// Texels along each edge of a block.
static inline unsigned kd_block_side(unsigned format) {
    return format == KD_BLOCK_PACKED_1010102 ? 1 : 4;
}

// Bytes of a block: 4, 8 or 16.
static inline unsigned kd_block_bytes(unsigned format) {
    if (format == KD_BLOCK_PACKED_1010102)
        return 4;
    return format == KD_BLOCK_BC1 || format == KD_BLOCK_BC4_UNSIGNED ||
                   format == KD_BLOCK_BC4_SIGNED
               ? 8
               : 16;
}

// The components that the format has, of the texel in column x and row y of a block, as
// numbers: normalized ones in [0, 1] or [-1, 1], interpolated without rounding but for those of
// BC7, which are whole 255ths. Of BC6 the values are halves in `out`, as numbers. Any bytes are a
// block.
void kd_block_texel(unsigned format, const uint8_t *block, unsigned x, unsigned y, double out[4]);

#endif
