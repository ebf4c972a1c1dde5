// Tensor maps (guide 10.29, 10.30): descriptions of tensors that kernels copy boxes of.
#include <string.h>

#include "abi/tensor_map.h"
#include "driver/driver.h"
#include "support/capability.h"

_Static_assert(sizeof(CUtensorMap) == sizeof(struct tensor_map), "one is copied to the other");

enum { MAX_BOX = 256, MAX_STEP = 8, MAX_PIXELS = 1024 };

struct shape {
    CUtensorMapDataType type;
    uint32_t rank;
    const void *address;
    const cuuint64_t *dims, *strides;
    const cuuint32_t *steps;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;
};

// What an H100 answers to the types and swizzles that compute capability 10.0 brought.
static CUresult check_capability(const struct shape *s) {
    struct drv_device *d;
    bool later = (int)s->type >= TENSOR_U4 || (int)s->swizzle > TENSOR_SWIZZLE_128;
    if (!later)
        return CUDA_SUCCESS;
    TRY(drv_device_find(0, &d));
    bool has = d->properties->capability->number >= 100;
    REQUIRE(has || (int)s->type < TENSOR_U4, CUDA_ERROR_NOT_SUPPORTED,
            "%d is no type of tensors that the device's compute capability has", (int)s->type);
    REQUIRE(has || (int)s->swizzle <= TENSOR_SWIZZLE_128, CUDA_ERROR_INVALID_VALUE,
            "%d is no swizzle that the device's compute capability has", (int)s->swizzle);
    return CUDA_SUCCESS;
}

static CUresult check_modes(const struct shape *s) {
    REQUIRE(tensor_type_bytes(s->type), CUDA_ERROR_INVALID_VALUE, "%d is no type of tensors",
            (int)s->type);
    TRY(check_capability(s));
    REQUIRE((unsigned)s->interleave <= CU_TENSOR_MAP_INTERLEAVE_32B, CUDA_ERROR_INVALID_VALUE,
            "%d is no interleaved layout", (int)s->interleave);
    REQUIRE(s->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE || s->rank >= 3,
            CUDA_ERROR_INVALID_VALUE, "an interleaved layout has 3 to 5 dimensions, not %u",
            s->rank);
    REQUIRE((unsigned)s->swizzle <= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B, CUDA_ERROR_INVALID_VALUE,
            "%d is no swizzle", (int)s->swizzle);
    REQUIRE((unsigned)s->promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CUDA_ERROR_INVALID_VALUE,
            "%d is no L2 promotion", (int)s->promotion);
    bool is_float = s->type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && (int)s->type < TENSOR_U4;
    REQUIRE(s->fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ||
                (s->fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA && is_float),
            CUDA_ERROR_INVALID_VALUE, "elements outside the tensor cannot be filled in that way");
    return CUDA_SUCCESS;
}

// What tiled and im2col maps share. Alignment and limits are those of the documentation; strides
// may be in any order, and 0, as NVIDIA's driver has them.
static CUresult fill_shape(const struct shape *s, struct tensor_map *m) {
    bool interleaved = s->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE;
    uint32_t align = interleaved ? tensor_slice_bytes(s->interleave) : 16;
    // NULL is as good as any: kernels can replace the address of a template (10.30.3).
    REQUIRE((uintptr_t)s->address % align == 0, CUDA_ERROR_INVALID_VALUE,
            "globalAddress must be aligned to %u bytes", align);
    REQUIRE(s->dims && s->steps && (s->strides || s->rank == 1), CUDA_ERROR_INVALID_VALUE,
            "sizes, strides and steps cannot be NULL");
    int atom = (int)s->swizzle > TENSOR_SWIZZLE_128 ? (int)s->swizzle - TENSOR_SWIZZLE_128 : 0;
    *m = (struct tensor_map){.magic = TENSOR_MAP_MAGIC,
                             .rank = (uint8_t)s->rank,
                             .type = (uint8_t)s->type,
                             .interleave = (uint8_t)s->interleave,
                             .swizzle = (uint8_t)((int)s->swizzle - atom),
                             .atom = (uint8_t)atom,
                             .address = (uint64_t)(uintptr_t)s->address,
                             .fill_nan = s->fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE};
    for (uint32_t d = 0; d < s->rank; d++) {
        REQUIRE(s->dims[d] >= 1 && s->dims[d] <= (UINT64_C(1) << 32), CUDA_ERROR_INVALID_VALUE,
                "globalDim[%u] is %llu; 1 to 2^32 are possible", d, (unsigned long long)s->dims[d]);
        bool counts = d || interleaved; // the innermost step of other layouts does not
        REQUIRE(!counts || (s->steps[d] >= 1 && s->steps[d] <= MAX_STEP), CUDA_ERROR_INVALID_VALUE,
                "elementStrides[%u] is %u; 1 to 8 are possible", d, s->steps[d]);
        m->last[d] = (uint32_t)(s->dims[d] - 1);
        m->step[d] = counts ? (uint8_t)s->steps[d] : 1;
    }
    for (uint32_t d = 1; d < s->rank; d++) {
        uint64_t stride = s->strides[d - 1];
        REQUIRE(stride % align == 0 && stride < (UINT64_C(1) << 40), CUDA_ERROR_INVALID_VALUE,
                "globalStrides[%u] is %llu: no multiple of %u under 2^40", d - 1,
                (unsigned long long)stride, align);
        m->strides[d] = stride;
    }
    return CUDA_SUCCESS;
}

// Where padded elements lie, and the swizzles that they have.
static CUresult check_padded(const struct tensor_map *m) {
    enum { ALIGN = 32 };
    bool sixes = m->type == TENSOR_U6_PADDED;
    bool has =
        !m->swizzle || (m->swizzle == TENSOR_SWIZZLE_128 && m->atom != TENSOR_ATOM_32_FLIPPED &&
                        (sixes || m->atom != TENSOR_ATOM_64));
    REQUIRE(has, CUDA_ERROR_INVALID_VALUE, "a swizzle that padded elements do not have");
    REQUIRE(m->address % ALIGN == 0, CUDA_ERROR_INVALID_VALUE,
            "globalAddress of padded elements must be aligned to %d bytes", ALIGN);
    for (uint32_t d = 1; d < m->rank; d++)
        REQUIRE(m->strides[d] % ALIGN == 0, CUDA_ERROR_INVALID_VALUE,
                "globalStrides[%u] is %llu: of padded elements no multiple of %d", d - 1,
                (unsigned long long)m->strides[d], ALIGN);
    return CUDA_SUCCESS;
}

// Whole groups of elements of four or six bits, of which 16 fill 16 bytes where they are padded;
// then boxes are as wide as a swizzle.
static CUresult check_groups(const struct tensor_map *m, uint32_t elements) {
    enum { PADDED = 128 };
    uint32_t group = tensor_type_group(m->type);
    bool padded = m->type == TENSOR_U4_PADDED || m->type == TENSOR_U6_PADDED;
    REQUIRE(elements % group == 0 && (m->last[0] + 1) % group == 0, CUDA_ERROR_INVALID_VALUE,
            "%u elements of the innermost dimension, of %u, are no multiples of %u", elements,
            m->last[0] + 1, group);
    REQUIRE(!padded || elements == PADDED, CUDA_ERROR_INVALID_VALUE,
            "%u elements of the innermost dimension, not %d", elements, PADDED);
    REQUIRE(!padded || (m->last[0] + 1) % PADDED == 0, CUDA_ERROR_INVALID_VALUE,
            "globalDim[0] is %u, no multiple of %d", m->last[0] + 1, PADDED);
    REQUIRE(group == 1 || !m->interleave, CUDA_ERROR_INVALID_VALUE,
            "elements of four or six bits have no interleaved layouts");
    return padded ? check_padded(m) : CUDA_SUCCESS;
}

static CUresult check_row(const struct tensor_map *m, uint32_t elements) {
    TRY(check_groups(m, elements));
    uint32_t row = elements / tensor_type_group(m->type) * tensor_type_bytes(m->type);
    REQUIRE(row % 16 == 0, CUDA_ERROR_INVALID_VALUE,
            "%u elements of the innermost dimension are no multiple of 16 bytes", elements);
    REQUIRE(!m->swizzle || m->interleave || row <= 16u << m->swizzle, CUDA_ERROR_INVALID_VALUE,
            "a box of %u bytes in the innermost dimension is wider than the swizzle", row);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
                                cuuint32_t tensorRank, void *globalAddress,
                                const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
                                const cuuint32_t *boxDim, const cuuint32_t *elementStrides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2Promotion,
                                CUtensorMapFloatOOBfill oobFill) {
    ENTER();
    struct shape s = {tensorDataType, tensorRank, globalAddress, globalDim,   globalStrides,
                      elementStrides, interleave, swizzle,       l2Promotion, oobFill};
    struct tensor_map m;
    REQUIRE_POINTER(tensorMap);
    REQUIRE_POINTER(boxDim);
    REQUIRE(tensorRank >= 1 && tensorRank <= TENSOR_MAX_DIMS, CUDA_ERROR_INVALID_VALUE,
            "a tensor has 1 to 5 dimensions, not %u", tensorRank);
    TRY(check_modes(&s));
    TRY(fill_shape(&s, &m));
    for (uint32_t d = 0; d < tensorRank; d++) {
        REQUIRE(boxDim[d] >= 1 && boxDim[d] <= MAX_BOX, CUDA_ERROR_INVALID_VALUE,
                "boxDim[%u] is %u; 1 to 256 are possible", d, boxDim[d]);
        m.box[d] = (uint16_t)boxDim[d];
    }
    TRY(check_row(&m, boxDim[0]));
    memcpy(tensorMap, &m, sizeof m);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
                                 cuuint32_t tensorRank, void *globalAddress,
                                 const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
                                 const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner,
                                 cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                                 const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                                 CUtensorMapFloatOOBfill oobFill) {
    ENTER();
    struct shape s = {tensorDataType, tensorRank, globalAddress, globalDim,   globalStrides,
                      elementStrides, interleave, swizzle,       l2Promotion, oobFill};
    struct tensor_map m;
    REQUIRE_POINTER(tensorMap);
    REQUIRE(pixelBoxLowerCorner && pixelBoxUpperCorner, CUDA_ERROR_INVALID_VALUE,
            "the corners of the pixels' box cannot be NULL");
    REQUIRE(tensorRank >= 3 && tensorRank <= TENSOR_MAX_DIMS, CUDA_ERROR_INVALID_VALUE,
            "im2col has 3 to 5 dimensions, not %u", tensorRank);
    REQUIRE(channelsPerPixel >= 1 && channelsPerPixel <= MAX_BOX && pixelsPerColumn >= 1 &&
                pixelsPerColumn <= MAX_PIXELS,
            CUDA_ERROR_INVALID_VALUE, "%u channels, %u pixels; 1 to 256, 1 to 1024 are possible",
            channelsPerPixel, pixelsPerColumn);
    TRY(check_modes(&s));
    TRY(fill_shape(&s, &m));
    // Offsets have 16, 8 or 5 bits in 3, 4 or 5 dimensions.
    static const int limits[] = {1 << 15, 1 << 7, 1 << 4};
    int limit = limits[tensorRank - 3];
    for (uint32_t d = 0; d + 2 < tensorRank; d++) {
        int lower = pixelBoxLowerCorner[d], upper = pixelBoxUpperCorner[d];
        REQUIRE(lower >= -limit && lower < limit && upper >= -limit && upper < limit,
                CUDA_ERROR_INVALID_VALUE, "corners %d and %d of the pixels' box are out of range",
                lower, upper);
        m.lower[d] = (int16_t)lower;
        m.upper[d] = (int16_t)upper;
    }
    m.im2col = TENSOR_IM2COL;
    m.channels = (uint16_t)channelsPerPixel;
    m.pixels = (uint16_t)pixelsPerColumn;
    TRY(check_row(&m, channelsPerPixel));
    memcpy(tensorMap, &m, sizeof m);
    return CUDA_SUCCESS;
}

// Maps of W128 are like those of W: the instruction says how many pixels it loads.
CUresult cuTensorMapEncodeIm2colWide(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
    void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
    int pixelBoxLowerCornerWidth, int pixelBoxUpperCornerWidth, cuuint32_t channelsPerPixel,
    cuuint32_t pixelsPerColumn, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill) {
    ENTER();
    struct shape s = {tensorDataType, tensorRank, globalAddress, globalDim,   globalStrides,
                      elementStrides, interleave, swizzle,       l2Promotion, oobFill};
    struct tensor_map m;
    enum { LIMIT = 1 << 15 };
    int lower = pixelBoxLowerCornerWidth, upper = pixelBoxUpperCornerWidth;
    bool all = mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128; // then pixelsPerColumn is not read
    REQUIRE_POINTER(tensorMap);
    REQUIRE(tensorRank >= 3 && tensorRank <= TENSOR_MAX_DIMS, CUDA_ERROR_INVALID_VALUE,
            "im2col has 3 to 5 dimensions, not %u", tensorRank);
    REQUIRE((unsigned)mode <= CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128, CUDA_ERROR_INVALID_VALUE,
            "%d is no mode of wide im2col", (int)mode);
    REQUIRE(channelsPerPixel >= 1 && channelsPerPixel <= MAX_BOX &&
                (all || (pixelsPerColumn >= 1 && pixelsPerColumn <= MAX_PIXELS)),
            CUDA_ERROR_INVALID_VALUE, "%u channels, %u pixels; 1 to 256, 1 to 1024 are possible",
            channelsPerPixel, pixelsPerColumn);
    REQUIRE(interleave == CU_TENSOR_MAP_INTERLEAVE_NONE, CUDA_ERROR_INVALID_VALUE,
            "wide im2col has no interleaved layouts");
    TRY(check_modes(&s));
    // NVIDIA's driver takes maps without a swizzle, which no instruction of sm_100 takes.
    REQUIRE(swizzle != CU_TENSOR_MAP_SWIZZLE_32B, CUDA_ERROR_INVALID_VALUE,
            "wide im2col has no swizzle of 32 bytes");
    TRY(fill_shape(&s, &m));
    REQUIRE(lower >= -LIMIT && lower < LIMIT && upper >= -LIMIT && upper < LIMIT,
            CUDA_ERROR_INVALID_VALUE, "corners %d and %d of the pixels' box are out of range",
            lower, upper);
    REQUIRE(lower <= (int64_t)m.last[1] + upper, CUDA_ERROR_INVALID_VALUE,
            "the pixels' box from %d to %d is empty", lower, upper);
    m.lower[0] = (int16_t)lower;
    m.upper[0] = (int16_t)upper;
    m.im2col = TENSOR_IM2COL_WIDE;
    m.channels = (uint16_t)channelsPerPixel;
    m.pixels = all ? 1 : (uint16_t)pixelsPerColumn;
    TRY(check_row(&m, channelsPerPixel));
    memcpy(tensorMap, &m, sizeof m);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *tensorMap, void *globalAddress) {
    ENTER();
    struct tensor_map m;
    REQUIRE_POINTER(tensorMap);
    memcpy(&m, tensorMap, sizeof m);
    REQUIRE(m.magic == TENSOR_MAP_MAGIC, CUDA_ERROR_INVALID_VALUE,
            "tensorMap has not been encoded");
    REQUIRE(globalAddress && (uintptr_t)globalAddress % 16 == 0, CUDA_ERROR_INVALID_VALUE,
            "globalAddress must be aligned to 16 bytes");
    m.address = (uint64_t)(uintptr_t)globalAddress;
    memcpy(tensorMap, &m, sizeof m);
    return CUDA_SUCCESS;
}
