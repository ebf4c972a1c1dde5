// Shapes and fragments of the matrix instructions.
#include "isa/ops/matrix.h"
#include "isa/matrix_internal.h"
#include "isa/ops/tensor.h"
#include "isa/tensor_memory.h"

static const uint16_t sizes[ISA_SHAPE_COUNT][3] = {
    [ISA_SHAPE_M8N8K4] = {8, 8, 4},       [ISA_SHAPE_M8N8K16] = {8, 8, 16},
    [ISA_SHAPE_M8N8K32] = {8, 8, 32},     [ISA_SHAPE_M8N8K128] = {8, 8, 128},
    [ISA_SHAPE_M16N8K4] = {16, 8, 4},     [ISA_SHAPE_M16N8K8] = {16, 8, 8},
    [ISA_SHAPE_M16N8K16] = {16, 8, 16},   [ISA_SHAPE_M16N8K32] = {16, 8, 32},
    [ISA_SHAPE_M16N8K64] = {16, 8, 64},   [ISA_SHAPE_M16N8K128] = {16, 8, 128},
    [ISA_SHAPE_M16N8K256] = {16, 8, 256}, [ISA_SHAPE_M16N16K8] = {16, 16, 8},
    [ISA_SHAPE_M16N16K16] = {16, 16, 16}, [ISA_SHAPE_M8N32K16] = {8, 32, 16},
    [ISA_SHAPE_M32N8K16] = {32, 8, 16},
};
static const uint8_t type_bits[ISA_MAT_COUNT] = {
    [ISA_MAT_F16] = 16, [ISA_MAT_BF16] = 16,       [ISA_MAT_TF32] = 32, [ISA_MAT_F32] = 32,
    [ISA_MAT_F64] = 64, [ISA_MAT_E4M3] = 8,        [ISA_MAT_E5M2] = 8,  [ISA_MAT_S8] = 8,
    [ISA_MAT_U8] = 8,   [ISA_MAT_S4] = 4,          [ISA_MAT_U4] = 4,    [ISA_MAT_B1] = 1,
    [ISA_MAT_S32] = 32, [ISA_MAT_B16] = 16,        [ISA_MAT_E2M3] = 8,  [ISA_MAT_E3M2] = 8,
    [ISA_MAT_E2M1] = 8, [ISA_MAT_E2M1_PACKED] = 4, [ISA_MAT_B8] = 8,    [ISA_MAT_B6] = 8,
    [ISA_MAT_B4] = 8,
};

bool isa_is_matrix(isa_op op) {
    switch (op) {
    case ISA_OP_LDMATRIX:
    case ISA_OP_STMATRIX:
    case ISA_OP_MOVMATRIX:
    case ISA_OP_MMA:
    case ISA_OP_WMMA_LOAD:
    case ISA_OP_WMMA_STORE:
    case ISA_OP_WMMA_MMA:
    case ISA_OP_WGMMA_MMA:
        return true;
    default:
        return false;
    }
}

static bool is_tensor_op(isa_op op) {
    return op == ISA_OP_TCGEN05_LD || op == ISA_OP_TCGEN05_ST || op == ISA_OP_TCGEN05_MMA;
}

// Registers of the vector that a tcgen05 instruction has: of mma the lanes that are not written.
static uint8_t tensor_registers(isa_op op, const struct isa_mods *m) {
    if (op == ISA_OP_TCGEN05_MMA)
        return m->po ? 8 : 4;
    return (uint8_t)isa_tensor_registers(m);
}

struct isa_matrix isa_matrix_of(isa_op op, const struct isa_mods *m) {
    bool in_place = op == ISA_OP_WGMMA_MMA; // d is c
    return (struct isa_matrix){
        .op = (uint16_t)op,
        .shape = m->shape,
        .frag = m->frag,
        .type = {m->mat_d, m->mat_a, m->mat_b, in_place ? m->mat_d : m->mat_c},
        .sparse = m->sparse,
        .bitop = m->boolop,
        .count = is_tensor_op(op) ? tensor_registers(op, m) : m->vec,
        .rnd = m->rnd,
        .col_a = m->col_a,
        .col_b = m->col_b,
        .trans = m->trans,
        .a_shared = m->a_shared,
        .satfinite = m->satfinite,
        .scales = op == ISA_OP_MMA ? m->scale : 0,
        .scales_ue4m3 = op == ISA_OP_MMA && m->mask};
}

// Kinds in the packed form: they outlive changes of the instruction table in cached code.
static const uint16_t kinds[] = {ISA_OP_NONE,       ISA_OP_LDMATRIX, ISA_OP_STMATRIX,
                                 ISA_OP_MOVMATRIX,  ISA_OP_MMA,      ISA_OP_WMMA_LOAD,
                                 ISA_OP_WMMA_STORE, ISA_OP_WMMA_MMA, ISA_OP_WGMMA_MMA};
enum { KINDS = sizeof kinds / sizeof *kinds };

static uint64_t put(uint64_t *code, unsigned *at, uint64_t value, unsigned bits) {
    *code |= (value & ((UINT64_C(1) << bits) - 1)) << *at;
    *at += bits;
    return *code;
}

static uint8_t take(uint64_t *code, unsigned bits) {
    uint64_t v = *code & ((UINT64_C(1) << bits) - 1);
    *code >>= bits;
    return (uint8_t)v;
}

uint64_t isa_matrix_pack(const struct isa_matrix *x) {
    uint64_t code = 0;
    unsigned at = 0, kind = 0;
    for (unsigned k = 1; k < KINDS; k++)
        if (kinds[k] == x->op)
            kind = k;
    put(&code, &at, kind, 4);
    put(&code, &at, x->shape, 8);
    put(&code, &at, x->frag, 2);
    for (unsigned k = 0; k < 4; k++)
        put(&code, &at, x->type[k], 5);
    put(&code, &at, x->sparse, 2);
    put(&code, &at, x->bitop, 3);
    put(&code, &at, x->count, 3);
    put(&code, &at, x->rnd, 4);
    put(&code, &at, x->col_a, 1);
    put(&code, &at, x->col_b, 1);
    put(&code, &at, x->trans, 1);
    put(&code, &at, x->a_shared, 1);
    put(&code, &at, x->satfinite, 1);
    put(&code, &at, x->scales, 3);
    return put(&code, &at, x->scales_ue4m3, 1);
}

struct isa_matrix isa_matrix_unpack(uint64_t code) {
    struct isa_matrix x = {0};
    unsigned kind = take(&code, 4);
    x.op = kind < KINDS ? kinds[kind] : ISA_OP_NONE;
    x.shape = take(&code, 8);
    x.frag = take(&code, 2);
    for (unsigned k = 0; k < 4; k++)
        x.type[k] = take(&code, 5);
    x.sparse = take(&code, 2);
    x.bitop = take(&code, 3);
    x.count = take(&code, 3);
    x.rnd = take(&code, 4);
    x.col_a = take(&code, 1);
    x.col_b = take(&code, 1);
    x.trans = take(&code, 1);
    x.a_shared = take(&code, 1);
    x.satfinite = take(&code, 1);
    x.scales = take(&code, 3);
    x.scales_ue4m3 = take(&code, 1);
    return x;
}

// ---- sizes -----------------------------------------------------------------------------------

static bool is_move(const struct isa_matrix *x) {
    return x->op == ISA_OP_LDMATRIX || x->op == ISA_OP_STMATRIX || x->op == ISA_OP_MOVMATRIX;
}

static void shape_size(const struct isa_matrix *x, unsigned *m, unsigned *n, unsigned *k) {
    static const uint16_t depth[] = {8, 16, 32, 64, 256};
    unsigned wide = x->shape - (unsigned)ISA_SHAPE_WGMMA;
    *m = *n = *k = 0;
    if (x->shape >= ISA_SHAPE_WGMMA && wide < 160) {
        *m = 16;
        *n = (wide % 32 + 1) * 8;
        *k = depth[wide / 32];
    } else if (x->shape < ISA_SHAPE_COUNT) {
        *m = sizes[x->shape][0];
        *n = sizes[x->shape][1];
        *k = sizes[x->shape][2];
    }
}

void isa_matrix_size(const struct isa_matrix *x, enum isa_frag frag, unsigned *rows,
                     unsigned *columns) {
    unsigned m, n, k;
    shape_size(x, &m, &n, &k);
    *rows = frag == ISA_FRAG_B ? k : m;
    *columns = frag != ISA_FRAG_A ? n : x->sparse ? k / 2 : k;
}

// Four products of 8x8x4, each on two quads of lanes.
bool matrix_on_quads(const struct isa_matrix *x) {
    return x->op == ISA_OP_MMA && x->shape == ISA_SHAPE_M8N8K4 &&
           x->type[ISA_FRAG_A] == ISA_MAT_F16;
}

static enum isa_type register_type(enum isa_matrix_type t) {
    switch (t) {
    case ISA_MAT_F64:
        return ISA_F64;
    case ISA_MAT_F32:
        return ISA_F32;
    case ISA_MAT_S32:
        return ISA_S32;
    default:
        return ISA_B32;
    }
}

// wmma holds f16 multiplicands in eight registers, however few elements there are.
static bool is_repeated(const struct isa_matrix *x, enum isa_frag frag) {
    bool wmma = x->op == ISA_OP_WMMA_LOAD || x->op == ISA_OP_WMMA_STORE || x->op == ISA_OP_WMMA_MMA;
    return wmma && (frag == ISA_FRAG_A || frag == ISA_FRAG_B) && x->type[frag] == ISA_MAT_F16;
}

struct isa_fragment isa_fragment_of(const struct isa_matrix *x, enum isa_frag frag) {
    enum isa_matrix_type t = (enum isa_matrix_type)x->type[frag];
    struct isa_fragment f = {.type = (uint8_t)register_type(t), .bits = type_bits[t], .per = 1};
    unsigned rows, columns;
    if (f.bits < 32 && f.bits)
        f.per = (uint8_t)(32 / f.bits);
    isa_matrix_size(x, frag, &rows, &columns);
    if (is_tensor_op((isa_op)x->op))
        return (struct isa_fragment){.type = ISA_B32, .registers = x->count, .per = 1, .bits = 32};
    if (is_move(x))
        f.registers = x->op == ISA_OP_MOVMATRIX      ? 1
                      : x->shape == ISA_SHAPE_M16N16 ? (uint8_t)(2 * x->count)
                                                     : x->count;
    else if (is_repeated(x, frag))
        f.registers = 8;
    else
        f.registers = (uint8_t)(rows * columns / (matrix_on_quads(x) ? 8 : ISA_LANES) / f.per);
    return f;
}

enum isa_frag isa_frag_by_name(const char *name) {
    return *name == 'a'   ? ISA_FRAG_A
           : *name == 'b' ? ISA_FRAG_B
           : *name == 'c' ? ISA_FRAG_C
                          : ISA_FRAG_D;
}

unsigned isa_matrix_results(const struct isa_matrix *x) {
    if (x->op == ISA_OP_STMATRIX || x->op == ISA_OP_WMMA_STORE)
        return 0;
    return isa_fragment_of(x, x->op == ISA_OP_WMMA_LOAD ? (enum isa_frag)x->frag : ISA_FRAG_D)
        .registers;
}

// ---- places ----------------------------------------------------------------------------------

static struct isa_place place_on_quads(const struct isa_matrix *x, enum isa_frag frag,
                                       unsigned lane, unsigned i) {
    unsigned in_quad = lane % 4, high = lane >= 16 ? 4 : 0;
    struct isa_place p = {.tile = (uint16_t)(lane % 16 / 4)};
    switch (frag) {
    case ISA_FRAG_A:
        p.row = (uint16_t)((x->col_a ? i : in_quad) + high);
        p.column = (uint16_t)(x->col_a ? in_quad : i);
        break;
    case ISA_FRAG_B:
        p.row = (uint16_t)(x->col_b ? i : in_quad);
        p.column = (uint16_t)((x->col_b ? in_quad : i) + high);
        break;
    default:
        if (x->type[frag] == ISA_MAT_F16) {
            p.row = (uint16_t)(in_quad + high);
            p.column = (uint16_t)i;
        } else {
            p.row = (uint16_t)((lane & 1) + (i & 2) + high);
            p.column = (uint16_t)((i & 4) + (lane & 2) + (i & 1));
        }
    }
    return p;
}

// a in tiles of 16 (or 8) rows; in a tile the two halves of 8 rows alternate.
static struct isa_place place_in_a(unsigned rows, unsigned columns, unsigned per, unsigned lane,
                                   unsigned i) {
    unsigned registers = rows * columns / ISA_LANES / per, r = i / per % registers;
    unsigned halves = rows >= 16 ? 2 : 1, tile_registers = registers / (rows / (8 * halves));
    unsigned tile = r / tile_registers, in_tile = r % tile_registers;
    return (struct isa_place){.row = (uint16_t)(tile * 16 + in_tile % halves * 8 + lane / 4),
                              .column =
                                  (uint16_t)((in_tile / halves * 4 + lane % 4) * per + i % per)};
}

// b in tiles of 8 columns.
static struct isa_place place_in_b(unsigned rows, unsigned columns, unsigned per, unsigned lane,
                                   unsigned i) {
    unsigned registers = rows * columns / ISA_LANES / per, r = i / per % registers;
    unsigned tile_registers = rows / 4 / per;
    return (struct isa_place){.row =
                                  (uint16_t)((r % tile_registers * 4 + lane % 4) * per + i % per),
                              .column = (uint16_t)(r / tile_registers * 8 + lane / 4)};
}

// c and d in tiles of 16 (or 8) rows and 8 columns, two neighbours at a time.
static struct isa_place place_in_c(unsigned rows, unsigned columns, unsigned lane, unsigned i) {
    unsigned halves = rows >= 16 ? 2 : 1, in_tile = i % (2 * halves), tile = i / (2 * halves);
    unsigned across = columns / 8;
    return (struct isa_place){.row = (uint16_t)(tile / across * 16 + in_tile / 2 * 8 + lane / 4),
                              .column = (uint16_t)(tile % across * 8 + lane % 4 * 2 + in_tile % 2)};
}

struct isa_place isa_place_of(const struct isa_matrix *x, enum isa_frag frag, unsigned lane,
                              unsigned i) {
    unsigned rows, columns, per = isa_fragment_of(x, frag).per;
    isa_matrix_size(x, frag, &rows, &columns);
    if (matrix_on_quads(x))
        return place_on_quads(x, frag, lane, i);
    switch (frag) {
    case ISA_FRAG_A:
        return place_in_a(rows, columns, per, lane, i);
    case ISA_FRAG_B:
        return place_in_b(rows, columns, per, lane, i);
    default:
        return place_in_c(rows, columns, lane, i);
    }
}

struct isa_matrix_steps isa_matrix_steps_of(const struct isa_matrix *x, enum isa_frag frag,
                                            unsigned reg, int64_t row_step, int64_t column_step) {
    unsigned i = reg * isa_fragment_of(x, frag).per;
    struct isa_place first = isa_place_of(x, frag, 0, i), lane = isa_place_of(x, frag, 1, i);
    struct isa_place group = isa_place_of(x, frag, 4, i), next = isa_place_of(x, frag, 0, i + 1);
    struct isa_matrix_steps s = {.base = first.row * row_step + first.column * column_step};
    s.lane = lane.row * row_step + lane.column * column_step - s.base;
    s.group = group.row * row_step + group.column * column_step - s.base;
    s.element = next.row * row_step + next.column * column_step - s.base;
    return s;
}

struct isa_place isa_row_place_of(const struct isa_matrix *x, unsigned lane, unsigned i) {
    unsigned per = isa_fragment_of(x, ISA_FRAG_D).per, r = i / per, e = i % per;
    unsigned own = lane / 4, next = lane % 4 * per + e;
    switch (x->shape) {
    case ISA_SHAPE_M16N16: // always transposed, in two registers
        return (struct isa_place){.row = (uint16_t)(r / 2 * 16 + next),
                                  .column = (uint16_t)(r % 2 * 8 + own)};
    case ISA_SHAPE_M16N8: // the same, as that of an mma's sums
        return (struct isa_place){.row = (uint16_t)(r * 8 + lane % 4 * 2 + e % 2),
                                  .column = (uint16_t)(e / 2 * 8 + own)};
    default:
        return (struct isa_place){.row = (uint16_t)(r * 8 + (x->trans ? next : own)),
                                  .column = (uint16_t)(x->trans ? own : next)};
    }
}
