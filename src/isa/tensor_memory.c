// Tensor memory: where registers lie, what operands of products say, copies.
#include "isa/tensor_memory.h"

#include <string.h>

#include "isa/matrix_internal.h"

// ---- ld and st ---------------------------------------------------------------------------------

unsigned isa_tensor_registers(const struct isa_mods *m) {
    unsigned n = m->mask;
    if (m->shape == ISA_TENSOR_16X128B)
        n *= 2;
    else if (m->shape == ISA_TENSOR_16X256B)
        n *= 4;
    return n <= 128 ? n : 0;
}

unsigned isa_tensor_lanes(const struct isa_mods *m) {
    return m->shape == ISA_TENSOR_32X32B ? 32 : 16;
}

unsigned isa_tensor_columns(const struct isa_mods *m, uint32_t split) {
    unsigned n = m->mask, bits = m->trans ? 2 : 1;
    switch (m->shape) {
    case ISA_TENSOR_16X64B:
        return 2 * n * bits;
    case ISA_TENSOR_16X128B:
        return 4 * n * bits;
    case ISA_TENSOR_16X256B:
        return 8 * n * bits;
    case ISA_TENSOR_16X32BX2:
        return n * bits + (split < TENSOR_COLUMNS ? split : TENSOR_COLUMNS);
    default:
        return n * bits;
    }
}

struct isa_tensor_place isa_tensor_place_of(const struct isa_mods *m, uint32_t split,
                                            uint32_t thread, uint32_t reg) {
    struct isa_tensor_place p = {.lane = thread / 4};
    uint32_t beside = 0;
    switch (m->shape) {
    case ISA_TENSOR_16X64B:
        p.lane += thread % 2 * 8;
        p.column = thread / 2 % 2 + 2 * reg;
        break;
    case ISA_TENSOR_16X128B:
        p.lane += reg % 2 * 8;
        p.column = thread % 4 + reg / 2 * 4;
        break;
    case ISA_TENSOR_16X256B:
        p.lane += reg / 2 % 2 * 8;
        p.column = thread % 4 * 2 + reg % 2 + reg / 4 * 8;
        break;
    case ISA_TENSOR_16X32BX2:
        p.lane = thread % 16;
        p.column = reg;
        beside = thread / 16 * split;
        break;
    default:
        p.lane = thread;
        p.column = reg;
    }
    p.column = p.column * (m->trans ? 2 : 1) + beside;
    return p;
}

// ---- products ----------------------------------------------------------------------------------

enum {
    KIND_BITS = 4,
    FLAGS_SHIFT = KIND_BITS, // 3 bits
    PAIR = 1 << 7,
    SCALES_SHIFT = 8, // 3 bits
    SPARSE = 1 << 11,
    OPERANDS_SHIFT = 12, // 4 bits
    SHIFTS_A = 1 << 16,
    LONG_DEPTH = 96
};

uint32_t isa_tensor_code(const struct isa_mods *m, uint32_t nops) {
    return m->shape | (uint32_t)m->mask << FLAGS_SHIFT | (m->po ? PAIR : 0) |
           (uint32_t)m->scale << SCALES_SHIFT | (m->sparse ? SPARSE : 0) | nops << OPERANDS_SHIFT |
           (m->oob ? SHIFTS_A : 0);
}

static bool is_scaled(uint32_t kind) {
    return kind >= ISA_TENSOR_MXF8F6F4;
}

static bool is_packed(uint32_t kind) {
    return kind == ISA_TENSOR_MXF4 || kind == ISA_TENSOR_MXF4NVF4;
}

static uint8_t factor_type(uint32_t kind, unsigned code) {
    static const uint8_t small[8] = {ISA_MAT_E4M3, ISA_MAT_E5M2, 0,
                                     ISA_MAT_E2M3, ISA_MAT_E3M2, ISA_MAT_E2M1};
    switch (kind) {
    case ISA_TENSOR_F16:
        return code == 0 ? ISA_MAT_F16 : code == 1 ? ISA_MAT_BF16 : ISA_MAT_NONE;
    case ISA_TENSOR_TF32:
        return code == 2 ? ISA_MAT_TF32 : ISA_MAT_NONE;
    case ISA_TENSOR_I8:
        return code == 0 ? ISA_MAT_U8 : code == 1 ? ISA_MAT_S8 : ISA_MAT_NONE;
    case ISA_TENSOR_F8F6F4:
    case ISA_TENSOR_MXF8F6F4:
        return small[code];
    default:
        return code == 1 ? ISA_MAT_E2M1_PACKED : ISA_MAT_NONE;
    }
}

static uint8_t sum_type(uint32_t kind, unsigned code) {
    if (kind == ISA_TENSOR_I8)
        return code == 2 ? ISA_MAT_S32 : ISA_MAT_NONE;
    if (code == 0 && (kind == ISA_TENSOR_F16 || kind == ISA_TENSOR_F8F6F4))
        return ISA_MAT_F16;
    return code == 1 ? ISA_MAT_F32 : ISA_MAT_NONE;
}

static uint32_t depth_of(uint32_t kind) {
    return kind == ISA_TENSOR_F16 ? 16 : kind == ISA_TENSOR_TF32 ? 8 : is_packed(kind) ? 64 : 32;
}

// The first of a row's scales stands at a multiple of so many bytes.
static unsigned scales_step(const struct isa_tensor_product *p) {
    return p->k != LONG_DEPTH ? p->scales : p->scales == 6 ? 2 : 1;
}

// Has a matrix of these elements a transposed form?
static bool may_be_transposed(uint8_t type) {
    return type != ISA_MAT_E2M3 && type != ISA_MAT_E3M2 && type != ISA_MAT_E2M1 &&
           type != ISA_MAT_E2M1_PACKED;
}

static bool has_rows(const struct isa_tensor_product *p) {
    if (p->ws)
        return p->m == 32 || p->m == 64 || p->m == 128;
    if (p->pair)
        return p->m == 256 || (p->m == 128 && !(p->scales && p->sparse));
    return p->m == 128 || (p->m == 64 && !p->scales);
}

static bool has_columns(const struct isa_tensor_product *p) {
    if (p->ws)
        return p->n == 64 || p->n == 128 || (p->n == 256 && !p->sparse);
    unsigned step = p->pair ? 16 : p->kind == ISA_TENSOR_I8 && p->n >= 32 ? 16 : 8;
    return p->n >= step && p->n <= 256 && p->n % step == 0;
}

static const char *take_shape(uint32_t idesc, struct isa_tensor_product *p) {
    p->n = (idesc >> 17 & 63) * 8;
    p->m = (idesc >> 24 & 31) * 16;
    p->rows = p->pair ? p->m / 2 : p->m;
    p->folded = p->ws || (p->pair && p->m == 128 && !p->sparse);
    p->selector = idesc & 3;
    if (!has_rows(p) || !has_columns(p))
        return "tcgen05.mma with a shape (M, N) that its kind does not have";
    if (p->shifts_a && p->m == 64)
        return "tcgen05.mma with .ashift of 64 rows";
    bool selects = p->kind == ISA_TENSOR_F16 || p->kind == ISA_TENSOR_TF32;
    if (p->sparse && p->selector > (selects ? 1 : 0))
        return "tcgen05.mma.sp with a sparsity selector that its kind does not have";
    return NULL;
}

static const char *take_descriptor(uint32_t idesc, struct isa_tensor_product *p) {
    bool scaled = is_scaled(p->kind);
    if ((idesc >> 2 & 1) != p->sparse)
        return p->sparse ? "tcgen05.mma.sp with an instruction descriptor of a dense product"
                         : "tcgen05.mma with an instruction descriptor of a sparse product";
    p->k = depth_of(p->kind);
    if (scaled && idesc >> 31) {
        if (!is_packed(p->kind) || p->sparse)
            return "tcgen05.mma with a K that its kind does not have";
        p->k = LONG_DEPTH;
        p->scales = p->scales / 2 * 3;
    }
    p->type[ISA_FRAG_D] = scaled ? ISA_MAT_F32 : sum_type(p->kind, idesc >> 4 & 3);
    p->type[ISA_FRAG_A] = factor_type(p->kind, idesc >> 7 & 7);
    p->type[ISA_FRAG_B] = factor_type(p->kind, idesc >> 10 & 7);
    if (!p->type[ISA_FRAG_D] || !p->type[ISA_FRAG_A] || !p->type[ISA_FRAG_B])
        return "tcgen05.mma with types that its kind does not have";
    p->satfinite = !scaled && idesc >> 3 & 1;
    p->negative_a = idesc >> 13 & 1;
    p->negative_b = idesc >> 14 & 1;
    p->trans_a = idesc >> 15 & 1;
    p->trans_b = idesc >> 16 & 1;
    p->byte_b = idesc >> 4 & 3;
    p->byte_a = idesc >> 29 & 3;
    p->scales_ue4m3 = scaled && !(idesc >> 23 & 1);
    if (p->kind == ISA_TENSOR_I8 && (p->negative_a || p->negative_b))
        return "tcgen05.mma of integers that are negated";
    if ((p->trans_a && !may_be_transposed(p->type[ISA_FRAG_A])) ||
        (p->trans_b && !may_be_transposed(p->type[ISA_FRAG_B])))
        return "tcgen05.mma with a transposed matrix of 4 or 6 bits";
    if (p->trans_a && p->a_inside)
        return "tcgen05.mma with a transposed matrix in tensor memory";
    if ((!p->a_inside && matrix_tensor_tile_is_bad(p->a, p->trans_a)) ||
        matrix_tensor_tile_is_bad(p->b, p->trans_b))
        return "tcgen05.mma with an absolute address in a descriptor that may not have one";
    if (scaled && p->scales_ue4m3 && p->scales != 4 && p->scales != 6)
        return "tcgen05.mma with scales of a type that it does not have";
    if (scaled && (p->byte_a % scales_step(p) || p->byte_b % scales_step(p)))
        return "tcgen05.mma with scales that do not begin where they may";
    return take_shape(idesc, p);
}

static const char *take_columns(uint64_t descriptor, struct isa_tensor_product *p) {
    p->first_column = descriptor >> 56 & 63;
    if (descriptor >> 39 & 1)
        p->left_out = descriptor;
    return p->first_column > (p->m == 32 ? 16 : 32)
               ? "tcgen05.mma.ws with columns that are shifted too far"
               : NULL;
}

bool isa_tensor_left_out(const struct isa_tensor_product *p, unsigned n) {
    if (!p->left_out)
        return false;
    // Of each part of the columns that has its own lanes: the first span begins late.
    unsigned across = isa_tensor_columns_of_d(p), part = n / across;
    unsigned skip = (p->left_out >> 40 & 255) + 1, use = (p->left_out >> 48 & 255) + 1;
    unsigned at = n % across + (unsigned)(p->left_out >> 8 * part & 255);
    bool skips_first = p->left_out >> (32 + part) & 1;
    at = (at + (skips_first ? 0 : skip)) % (skip + use);
    return at < skip;
}

// What stands between the instruction descriptor and the end.
static const char *take_rest(uint32_t code, const uint64_t *rest, uint32_t n,
                             struct isa_tensor_product *p) {
    uint32_t flags = code >> FLAGS_SHIFT & 7, at = 0;
    if (is_scaled(p->kind)) {
        p->scales_a = (uint32_t)rest[at++];
        p->scales_b = (uint32_t)rest[at++];
    }
    for (unsigned k = 0; flags & ISA_TENSOR_LANES_OFF && k < (p->pair ? 8 : 4); k++)
        p->off[k] = (uint32_t)rest[at++];
    p->accumulate = rest[at++] & 1;
    if (at == n)
        return NULL;
    if (p->ws)
        return take_columns(rest[at], p);
    p->shift = (uint32_t)rest[at];
    return p->shift > 15 ? "tcgen05.mma with scale-input-d above 15" : NULL;
}

const char *isa_tensor_product_of(uint32_t code, const uint64_t *operands,
                                  struct isa_tensor_product *p) {
    uint32_t flags = code >> FLAGS_SHIFT & 7, nops = code >> OPERANDS_SHIFT & 15;
    *p = (struct isa_tensor_product){.kind = code & ((1u << KIND_BITS) - 1),
                                     .a_inside = flags & ISA_TENSOR_A_INSIDE,
                                     .ws = flags & ISA_TENSOR_WS,
                                     .pair = code & PAIR,
                                     .sparse = code & SPARSE,
                                     .shifts_a = code & SHIFTS_A,
                                     .scales = code >> SCALES_SHIFT & 7,
                                     .d = (uint32_t)operands[0],
                                     .a_at = (uint32_t)operands[1],
                                     .a = operands[1],
                                     .b = operands[2]};
    uint32_t lanes = !(flags & ISA_TENSOR_LANES_OFF) ? 0 : p->pair ? 8 : 4;
    uint32_t least = 5u + (is_scaled(p->kind) ? 2 : 0) + lanes + (p->sparse ? 1 : 0);
    if (p->kind >= ISA_TENSOR_KINDS || nops < least || nops > least + 1)
        return "an unknown form of tcgen05.mma";
    if (is_scaled(p->kind) && !p->scales)
        p->scales = p->kind == ISA_TENSOR_MXF8F6F4 ? 1 : 2;
    operands += 3;
    nops -= 3;
    if (p->sparse) {
        p->metadata = (uint32_t)*operands++;
        nops--;
    }
    const char *why = take_descriptor((uint32_t)operands[0], p);
    return why ? why : take_rest(code, operands + 1, nops - 1, p);
}

unsigned isa_tensor_columns_of_d(const struct isa_tensor_product *p) {
    return p->folded ? p->n * p->rows / TENSOR_LANES : p->n;
}

unsigned isa_tensor_columns_of_a(const struct isa_tensor_product *p) {
    return p->k == LONG_DEPTH ? 12 : 8;
}

unsigned isa_tensor_scales_b_apart(const struct isa_tensor_product *p) {
    return (p->n > 128 ? 8 : 4) / (p->pair && p->folded ? 2 : 1);
}

unsigned isa_tensor_columns_of_scales_a(const struct isa_tensor_product *p) {
    unsigned last = p->byte_a + p->scales - 1;
    return (p->rows + 31) / 32 + last / 4 * ISA_TENSOR_SCALES_A_APART;
}

unsigned isa_tensor_columns_of_scales_b(const struct isa_tensor_product *p) {
    unsigned last = p->byte_b + p->scales - 1, across = p->pair && p->folded ? p->n / 2 : p->n;
    return (across + 31) / 32 + last / 4 * isa_tensor_scales_b_apart(p);
}

bool isa_tensor_half_lanes(const struct isa_tensor_product *p) {
    return p->rows == TENSOR_LANES / 2 && !p->folded;
}

// ---- cp ----------------------------------------------------------------------------------------

enum { COPY_SHAPE = 15, COPY_BITS_SHIFT = 4, COPY_APART = 1 << 8, COPY_PAIR = 1 << 9 };

uint32_t isa_tensor_copy_code(const struct isa_mods *m) {
    return m->shape | (uint32_t)m->mask << COPY_BITS_SHIFT | (m->trans ? COPY_APART : 0) |
           (m->po ? COPY_PAIR : 0);
}

bool isa_tensor_copies_to_pair(uint32_t code) {
    return code & COPY_PAIR;
}

unsigned isa_tensor_copy_columns(uint32_t code) {
    uint32_t shape = code & COPY_SHAPE;
    return shape == ISA_TENSOR_128X256B || shape == ISA_TENSOR_4X256B ? 8 : 4;
}

// A piece of 16 numbers, one a byte: of 4 bits in the middle of the lower six.
static void unpack_piece(unsigned bits, uint8_t piece[16]) {
    uint8_t from[17] = {0};
    memcpy(from, piece, 16);
    for (unsigned k = 0; k < 16; k++) {
        unsigned at = k * bits, v = from[at / 8] | (unsigned)from[at / 8 + 1] << 8;
        v = v >> at % 8 & ((1u << bits) - 1);
        piece[k] = (uint8_t)(bits == 4 ? v << 2 : v);
    }
}

// The lanes that row `row` goes to: the first, how many, and how far apart.
static void lanes_of(uint32_t code, unsigned row, unsigned *first, unsigned *count,
                     unsigned *step) {
    bool apart = code & COPY_APART; // warps 0 and 2 get the same
    *first = row;
    *count = 1;
    *step = 0;
    switch (code & COPY_SHAPE) {
    case ISA_TENSOR_4X256B:
        *first = row * 32;
        break;
    case ISA_TENSOR_64X128B:
        *first = apart ? row : row % 32 + row / 32 * 64;
        *count = 2;
        *step = apart ? 64 : 32;
        break;
    case ISA_TENSOR_32X128B:
        *count = 4;
        *step = 32;
        break;
    default:
        break;
    }
}

static unsigned copy_rows(uint32_t code) {
    switch (code & COPY_SHAPE) {
    case ISA_TENSOR_4X256B:
        return 4;
    case ISA_TENSOR_64X128B:
        return 64;
    case ISA_TENSOR_32X128B:
        return 32;
    default:
        return 128;
    }
}

bool isa_tensor_copy(uint32_t code, uint32_t place, uint64_t descriptor,
                     const struct isa_tensor_access *access) {
    struct matrix_tile t = matrix_tensor_tile_of(descriptor, false);
    unsigned bits = code >> COPY_BITS_SHIFT & 15, pieces = isa_tensor_copy_columns(code) / 4;
    unsigned column = place & 0xffff, lane = place >> 16;
    for (unsigned row = 0; row < copy_rows(code); row++)
        for (unsigned k = 0; k < pieces; k++) {
            uint8_t piece[16];
            uint32_t words[4];
            unsigned first, count, step;
            const void *from = access->shared(access->ctx, matrix_tile_address(&t, row, k, 1), 16);
            if (!from)
                return false;
            memcpy(piece, from, sizeof piece);
            if (bits)
                unpack_piece(bits, piece);
            memcpy(words, piece, sizeof words);
            lanes_of(code, row, &first, &count, &step);
            for (unsigned n = 0; n < count; n++)
                for (unsigned w = 0; w < 4; w++)
                    access->columns[column + 4 * k + w][(lane + first + n * step) % TENSOR_LANES] =
                        words[w];
        }
    return true;
}
