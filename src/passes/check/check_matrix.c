// What a warp's loads and stores of matrices access. Of ldmatrix and stmatrix each lane names a row
// of 16 bytes. Of wmma all name one matrix, and which lane accesses which of its elements is left
// open (guide 10.24): here each lane takes an equal part of the matrix' lines, in their order. So
// an access is found where some lane has one, but not always which lanes a GPU would have.
#include "passes/check/check_matrix.h"

#include "isa/matrix.h"
#include "isa/ops/arith.h"
#include "isa/ops/bits.h"
#include "isa/ops/convert.h"
#include "isa/ops/integer.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "isa/ops/move.h"

enum { ROW = 16 }; // bytes of ldmatrix, and the most of one access

static struct kir_value *put(struct kir_inst *before, struct kir_inst *i) {
    kir_insert_before(before, i);
    return i->res[0];
}

static struct kir_value *lane_of(struct kir_func *f, struct kir_inst *before) {
    struct kir_inst *i = kir_inst_new(f, ISA_OP_SREG, ISA_B32, 0, 1, &(uint8_t){KIR_B32}, 0);
    i->sreg = ISA_SREG_LANEID;
    return put(before, i);
}

static struct kir_value *two(struct kir_func *f, struct kir_inst *before, isa_op op, uint8_t type,
                             struct kir_value *a, struct kir_value *b) {
    struct kir_inst *i = kir_inst_new(f, op, type, 2, 1, &a->type, 0);
    if (op == ISA_OP_MUL)
        i->mods.half = ISA_LO;
    i->ops[0] = a;
    i->ops[1] = b;
    return put(before, i);
}

static struct kir_value *wide(struct kir_func *f, struct kir_inst *before, struct kir_value *v) {
    struct kir_inst *i = kir_inst_new(f, ISA_OP_CVT, ISA_U64, 1, 1, &(uint8_t){KIR_B64}, 0);
    i->ty2 = ISA_U32;
    i->ops[0] = v;
    return put(before, i);
}

static struct kir_value *word(struct kir_func *f, uint32_t x) {
    return kir_const(f, KIR_B32, x);
}

// Rows of 16 bytes, which as many lanes name.
static uint32_t rows(struct kir_func *f, struct kir_inst *i, const struct isa_matrix *x,
                     struct check_matrix_part *out) {
    uint32_t lanes = (x->shape == ISA_SHAPE_M16N16 ? 16u : 8u) * x->count;
    *out = (struct check_matrix_part){.address = i->ops[0], .bytes = ROW};
    if (lanes < ISA_LANES) {
        struct kir_value *below = two(f, i, ISA_OP_SUB, ISA_S32, lane_of(f, i), word(f, lanes));
        below = two(f, i, ISA_OP_SHR, ISA_S32, below, word(f, 31));
        out->more = two(f, i, ISA_OP_AND, ISA_B32, below, word(f, ROW));
    }
    return 1;
}

// Parts of lines, which are `stride` elements apart.
static uint32_t lines(struct kir_func *f, struct kir_inst *i, const struct isa_matrix *x,
                      struct check_matrix_part *out) {
    bool stores = i->op == ISA_OP_WMMA_STORE;
    enum isa_frag frag = stores ? ISA_FRAG_D : (enum isa_frag)x->frag;
    struct isa_fragment of = isa_fragment_of(x, frag);
    uint32_t given = stores ? 1u + of.registers : 1, n = 0;
    unsigned nrows, ncolumns;
    isa_matrix_size(x, frag, &nrows, &ncolumns);
    uint32_t length = x->col_a ? nrows : ncolumns, line = length * of.bits / 8;
    uint32_t own = nrows * ncolumns * of.bits / 8 / ISA_LANES, bytes = own < ROW ? own : ROW;
    uint32_t parts = bytes ? line / bytes : 0; // of a line
    if (!parts || parts & (parts - 1) || parts * bytes != line)
        return 0;
    struct kir_value *stride = i->nops > given ? i->ops[given] : word(f, length);
    stride = two(f, i, ISA_OP_MUL, ISA_U64, wide(f, i, stride), kir_const(f, KIR_B64, of.bits));
    stride = two(f, i, ISA_OP_SHR, ISA_U64, stride, word(f, 3));
    struct kir_value *lane = lane_of(f, i);
    for (; n * bytes < own && n < CHECK_MATRIX_PARTS; n++) {
        struct kir_value *k = two(f, i, ISA_OP_ADD, ISA_U32, lane, word(f, n * ISA_LANES));
        struct kir_value *at =
            two(f, i, ISA_OP_SHR, ISA_U32, k, word(f, (uint32_t)__builtin_ctz(parts)));
        at = two(f, i, ISA_OP_MUL, ISA_U64, wide(f, i, at), stride);
        k = two(f, i, ISA_OP_AND, ISA_B32, k, word(f, parts - 1));
        k = two(f, i, ISA_OP_MUL, ISA_U32, k, word(f, bytes));
        at = two(f, i, ISA_OP_ADD, ISA_U64, at, wide(f, i, k));
        out[n] = (struct check_matrix_part){
            .address = two(f, i, ISA_OP_ADD, ISA_U64, i->ops[0], at), .bytes = bytes};
    }
    return n;
}

uint32_t check_matrix_parts(struct kir_func *f, struct kir_inst *i,
                            struct check_matrix_part out[CHECK_MATRIX_PARTS]) {
    struct isa_matrix x = isa_matrix_of((isa_op)i->op, &i->mods);
    bool moves = i->op == ISA_OP_LDMATRIX || i->op == ISA_OP_STMATRIX;
    return moves ? rows(f, i, &x, out) : lines(f, i, &x, out);
}
