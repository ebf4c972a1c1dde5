// A tensor map (CUtensorMap): 128 bytes that the driver's cuTensorMapEncode* fill, and that
// programs copy about without looking inside. What hardware keeps in them is not documented; this
// is the project's own layout.
#ifndef KUDZU_DEVICE_TENSOR_MAP_H
#define KUDZU_DEVICE_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_MAX_DIMS = 5, TENSOR_MAP_MAGIC = 0x6b7a746d };

// Numbers are those of CUtensorMapDataType and its siblings. The dimensions of an interleaved
// layout are pixels of a row, rows (and layers), slices of channels, images; others begin with
// channels. The second word means nothing: of maps of small tensors CUTLASS and Triton clear its
// bit 21, which works around an error in NVIDIA's drivers of up to CUDA 13.1.
struct tensor_map {
    uint32_t magic;
    uint8_t rank, type, interleave, swizzle;
    uint64_t unused;
    uint64_t address;
    uint64_t
        strides[TENSOR_MAX_DIMS];   // bytes; [0] is not used: elements or slices lie side by side
    uint32_t last[TENSOR_MAX_DIMS]; // size of a dimension, less one
    uint16_t box[TENSOR_MAX_DIMS];  // tiled
    uint8_t step[TENSOR_MAX_DIMS];
    uint8_t fill_nan;           // what lies outside the tensor reads as NaN, else as zero
    uint8_t im2col;             // 0: tiled, TENSOR_IM2COL, TENSOR_IM2COL_WIDE
    int16_t lower[3], upper[3]; // im2col: corners of the bounding box, innermost first
    uint16_t channels, pixels;
    uint8_t atom; // of the swizzle: enum tensor_atom
    uint8_t reserved[9];
};
_Static_assert(sizeof(struct tensor_map) == 128, "the size of CUtensorMap");

// What changes places within a swizzle of 128 bytes; only 16 bytes do within narrower ones. In
// TENSOR_ATOM_32_FLIPPED the halves of 16 bytes change places in every other 128 bytes, too.
enum tensor_atom { TENSOR_ATOM_16, TENSOR_ATOM_32, TENSOR_ATOM_32_FLIPPED, TENSOR_ATOM_64 };
enum {
    TENSOR_SWIZZLE_64 = 2,
    TENSOR_SWIZZLE_128 = 3, // CUtensorMapSwizzle goes on with its other atoms
    TENSOR_SWIZZLE_96 = 4   // by tensormap.replace alone: no map of the driver's has it
};

// Which pixels a load by such a map has, in the place of a reduction's operation
// (KD_ASYNC_ATOM_SHIFT): of rows, layers and images; or of one row of each image as many as the map
// says, or 128.
enum tensor_pixels { TENSOR_PIXELS_ALL, TENSOR_PIXELS_ROW, TENSOR_PIXELS_128 };

// Kinds of maps for im2col: of cuTensorMapEncodeIm2col and of cuTensorMapEncodeIm2colWide.
enum { TENSOR_IM2COL = 1, TENSOR_IM2COL_WIDE = 2 };

enum {
    TENSOR_FLOAT32 = 7,
    TENSOR_TFLOAT32 = 11,
    TENSOR_TFLOAT32_FTZ = 12,
    TENSOR_U4 = 13,        // side by side
    TENSOR_U4_PADDED = 14, // in shared memory 8 bytes follow each 16 elements
    TENSOR_U6_PADDED = 15  // 4 bytes
};

// Whether reductions flush subnormal numbers of f32.
static inline bool tensor_type_flushes(uint32_t type) {
    return type != TENSOR_FLOAT32 && type != TENSOR_TFLOAT32;
}

// Bytes of a pixel's slice of channels in an interleaved layout (1: NC/8HWC8, 2: NC/16HWC16 for
// elements of two bytes); 0: channels lie side by side.
static inline uint32_t tensor_slice_bytes(uint32_t interleave) {
    return interleave ? 8u << interleave : 0;
}

// Elements of CUtensorMapDataType that are moved together; 0: no such type.
static inline uint32_t tensor_type_group(uint32_t type) {
    return type < TENSOR_U4 ? 1 : type == TENSOR_U4 ? 2 : type <= TENSOR_U6_PADDED ? 16 : 0;
}

// Bytes of such a group in shared memory, and in global memory; 0: no such type.
static inline uint32_t tensor_type_bytes(uint32_t type) {
    static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 1, 16, 16};
    return type < sizeof bytes ? bytes[type] : 0;
}
static inline uint32_t tensor_type_global_bytes(uint32_t type) {
    return type == TENSOR_U4_PADDED ? 8 : type == TENSOR_U6_PADDED ? 12 : tensor_type_bytes(type);
}

#endif
