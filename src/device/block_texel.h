// Block-compressed images (BC1 to BC7): texels of blocks of 4 by 4.
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
};
enum { KD_BLOCK_SIDE = 4 }; // texels

// Bytes of a block: 8 or 16.
static inline unsigned kd_block_bytes(unsigned format) {
    return format == KD_BLOCK_BC1 || format == KD_BLOCK_BC4_UNSIGNED ||
                   format == KD_BLOCK_BC4_SIGNED
               ? 8
               : 16;
}

// The components that the format has, of the texel in column x and row y (0 to 3) of a block, as
// numbers: normalized ones in [0, 1] or [-1, 1], interpolated without rounding but for those of
// BC7, which are whole 255ths. Of BC6 the values are halves in `out`, as numbers. Any bytes are a
// block.
void kd_block_texel(unsigned format, const uint8_t *block, unsigned x, unsigned y, double out[4]);

#endif
