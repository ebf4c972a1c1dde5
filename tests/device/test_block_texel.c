// Block-compressed texels: all formats and modes on random blocks, against decoders of others.
#include "device/helpers/block_texel.h"

#include <stdio.h>
#include <string.h>

#include "device/expect.h"

// Blocks are splitmix64's numbers, two for each; its seed is the format's number.
static uint64_t state;

static uint64_t next(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void make_block(unsigned format, unsigned n, uint8_t block[16]) {
    uint64_t words[2] = {next(), 0};
    words[1] = next();
    memcpy(block, words, 16);
    unsigned mode = n % 9;
    if (format == KD_BLOCK_BC7) // each mode, and the reserved one
        block[0] = mode < 8 ? (uint8_t)((block[0] & ~((1u << mode) - 1)) | 1u << mode) : 0;
    else if (format == KD_BLOCK_BC6_UNSIGNED || format == KD_BLOCK_BC6_SIGNED)
        block[0] = (uint8_t)((block[0] & ~31u) | n % 32);
}

// FNV-1a of the values' bits as floats.
static uint64_t hash_of(unsigned format, unsigned blocks, unsigned channels) {
    uint64_t h = 0xcbf29ce484222325;
    state = format;
    for (unsigned n = 0; n < blocks; n++) {
        uint8_t block[16], bytes[4];
        double out[4];
        make_block(format, n, block);
        for (unsigned t = 0; t < 16; t++) {
            kd_block_texel(format, block, t % 4, t / 4, out);
            for (unsigned k = 0; k < channels; k++) {
                float f = (float)out[k];
                memcpy(bytes, &f, 4);
                for (unsigned i = 0; i < 4; i++)
                    h = (h ^ bytes[i]) * 0x100000001b3;
            }
        }
    }
    return h;
}

static void test_formats(void) {
    // BC1 to BC5: by rational numbers in Python, from the formats' descriptions. BC6 and BC7: what
    // bcdec (github.com/iOrange/bcdec) makes of them; Pillow 13's decoder agrees on BC7, but gives
    // the reserved mode an alpha of 1.
    static const struct {
        unsigned blocks, channels;
        uint64_t hash;
    } wanted[] = {
        [KD_BLOCK_BC1] = {512, 4, 0x37572afc3af1924d},
        [KD_BLOCK_BC2] = {512, 4, 0x5ed2b54778e141a6},
        [KD_BLOCK_BC3] = {512, 4, 0x23884930a23212e5},
        [KD_BLOCK_BC4_UNSIGNED] = {512, 1, 0xe6c0314cf2f0efac},
        [KD_BLOCK_BC4_SIGNED] = {512, 1, 0xa54504084c6cc833},
        [KD_BLOCK_BC5_UNSIGNED] = {512, 2, 0x2120bcffec5cb9de},
        [KD_BLOCK_BC5_SIGNED] = {512, 2, 0xcca284986506c1c2},
        [KD_BLOCK_BC6_UNSIGNED] = {4096, 3, 0x2f6f92f7e299c0ff},
        [KD_BLOCK_BC6_SIGNED] = {4096, 3, 0x7579152bb1e0418d},
        [KD_BLOCK_BC7] = {4096, 4, 0x652950e2fb5d670b},
    };
    for (unsigned f = KD_BLOCK_BC1; f <= KD_BLOCK_BC7; f++) {
        uint64_t hash = hash_of(f, wanted[f].blocks, wanted[f].channels);
        if (hash != wanted[f].hash)
            fprintf(stderr, "format %u: %#llx\n", f, (unsigned long long)hash);
        EXPECT(hash == wanted[f].hash);
    }
}

int main(void) {
    test_formats();
    return expect_done();
}
