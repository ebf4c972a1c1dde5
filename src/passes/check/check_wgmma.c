// Which elements of a wgmma's sums are undecided: those whose row of a or column of b has something
// that is. Of matrices in shared memory the device tells which (KD_CHECK_LINES); of a in registers
// a row is that of four lanes. A lane has two columns of each eight, in rows l / 4 and l / 4 + 8 of
// a warp's sixteen.
#include "abi/check_shadow.h"
#include "isa/matrix.h"
#include "isa/ops/arith.h"
#include "isa/ops/check.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "passes/check/check_products.h"

struct products {
    struct init *s;
    struct kir_inst *of;
    struct isa_matrix x;
    uint32_t a, b; // where operands stand
    struct kir_value *lane;
    struct kir_value *row[2];     // 1 where the lane's rows are undecided; NULL: they are not
    struct kir_value *columns[4]; // B64, a bit for each of 64 columns, from the lane's first on
};

static struct kir_value *bits_of(struct products *p, const struct kir_value *v) {
    return init_has(p->s, v) ? init_shadow(p->s, v) : NULL;
}

static uint32_t registers_of(const struct isa_matrix *x, enum isa_frag frag) {
    return isa_fragment_of(x, frag).registers;
}

bool check_wgmma_is(const struct kir_inst *i) {
    if (i->op != ISA_OP_WGMMA_MMA)
        return false;
    struct isa_matrix x = isa_matrix_of((isa_op)i->op, &i->mods);
    struct isa_wgmma_operands o = isa_wgmma_operands_of(&x, i->nops);
    return !x.sparse && (!o.trans_a || i->ops[o.trans_a]->kind == KIR_VALUE_CONST) &&
           (!o.trans_b || i->ops[o.trans_b]->kind == KIR_VALUE_CONST);
}

static struct kir_value *two(struct products *p, isa_op op, enum isa_type ty, struct kir_value *a,
                             struct kir_value *b) {
    return init_two(p->s, op, ty, a, b, (enum kir_type)a->type);
}

static struct kir_value *either(struct products *p, struct kir_value *a, struct kir_value *b) {
    return !a ? b : !b ? a : two(p, ISA_OP_OR, ISA_B32, a, b);
}

// 1 where v is not 0.
static struct kir_value *any(struct products *p, struct kir_value *v) {
    struct kir_inst *t = init_make(p->s, ISA_OP_SETP, ISA_U32, 2, KIR_PRED);
    t->mods.cmp = ISA_CMP_NE;
    t->ops[0] = v;
    t->ops[1] = init_word(p->s, 0);
    struct kir_inst *i = init_make(p->s, ISA_OP_SELP, ISA_B32, 3, KIR_B32);
    i->ops[0] = init_word(p->s, 1);
    i->ops[1] = init_word(p->s, 0);
    i->ops[2] = t->res[0];
    return i->res[0];
}

// ---- rows and columns -----------------------------------------------------------------------

// What any of the four lanes has.
static struct kir_value *of_four(struct products *p, struct kir_value *v) {
    for (uint32_t by = 1; v && by < 4; by *= 2)
        v = two(p, ISA_OP_OR, ISA_B32, v,
                init_shuffled(p->s, ISA_SHFL_BFLY, v, init_word(p->s, by)));
    return v ? any(p, v) : NULL;
}

// Of registers first, first + step, ...
static struct kir_value *of_registers(struct products *p, uint32_t first, uint32_t end,
                                      uint32_t step) {
    struct kir_value *v = NULL;
    for (uint32_t k = first; k < end; k += step)
        v = either(p, v, bits_of(p, p->of->ops[k]));
    return of_four(p, v);
}

static struct kir_value *lines(struct products *p, uint32_t at, enum isa_frag frag, bool trans,
                               uint32_t eights, uint32_t first) {
    uint32_t bits = isa_fragment_of(&p->x, frag).bits, bytes = bits < 8 ? 1 : bits / 8;
    struct kir_inst *i = init_make(p->s, ISA_OP_CHECK_ORIGIN, ISA_B64, 1, KIR_B64);
    i->ops[0] = p->of->ops[at];
    i->index = KD_CHECK_LINES | (trans ? KD_CHECK_LINES_TRANS : 0) |
               (uint32_t)__builtin_ctz(bytes) << KD_CHECK_LINES_ELEMENT |
               first / 64 << KD_CHECK_LINES_FIRST | (eights - 1);
    i->mods.space = ISA_SPACE_SHARED;
    return i->res[0];
}

static struct kir_value *shifted(struct products *p, struct kir_value *v, struct kir_value *by) {
    return two(p, ISA_OP_SHR, ISA_U64, v, by);
}

static bool is_set(const struct kir_inst *i, unsigned at) {
    return at && i->ops[at]->bits.u32[0] & 1;
}

static void find_lines(struct products *p, const struct isa_wgmma_operands *o) {
    enum { ROWS = 64, CHUNK = 64 };
    unsigned rows, columns;
    isa_matrix_size(&p->x, ISA_FRAG_D, &rows, &columns);
    if (p->x.a_shared) {
        struct kir_value *all = lines(p, p->a, ISA_FRAG_A, is_set(p->of, o->trans_a), ROWS / 8, 0);
        struct kir_value *own = init_special(p->s, ISA_SREG_WARPID);
        own = two(p, ISA_OP_AND, ISA_B32, own, init_word(p->s, 3));
        own = two(p, ISA_OP_SHL, ISA_B32, own, init_word(p->s, 4));
        own = either(p, own, two(p, ISA_OP_SHR, ISA_U32, p->lane, init_word(p->s, 2)));
        struct kir_value *mine = init_narrow(p->s, shifted(p, all, own));
        p->row[0] = two(p, ISA_OP_AND, ISA_B32, mine, init_word(p->s, 1));
        mine = two(p, ISA_OP_SHR, ISA_U32, mine, init_word(p->s, 8));
        p->row[1] = two(p, ISA_OP_AND, ISA_B32, mine, init_word(p->s, 1));
    }
    struct kir_value *first = two(p, ISA_OP_AND, ISA_B32, p->lane, init_word(p->s, 3));
    first = two(p, ISA_OP_SHL, ISA_B32, first, init_word(p->s, 1));
    for (uint32_t n = 0; n < columns; n += CHUNK)
        p->columns[n / CHUNK] = shifted(
            p, lines(p, p->b, ISA_FRAG_B, is_set(p->of, o->trans_b), columns / 8, n), first);
}

// All bits of `mask` where column `column` of the lane's, or its row, is undecided. NULL: never.
static struct kir_value *element(struct products *p, uint32_t column, uint32_t half,
                                 uint32_t mask) {
    struct kir_value *v = NULL, *columns = p->columns[column / 64];
    if (columns) {
        v = init_narrow(p->s, shifted(p, columns, init_word(p->s, column % 64)));
        v = two(p, ISA_OP_AND, ISA_B32, v, init_word(p->s, 1));
    }
    v = either(p, v, p->row[half]);
    if (!v)
        return NULL;
    v = two(p, ISA_OP_SUB, ISA_S32, init_word(p->s, 0), v);
    return mask == UINT32_MAX ? v : two(p, ISA_OP_AND, ISA_B32, v, init_word(p->s, mask));
}

// What the result is added to, if a predicate says that it is.
static struct kir_value *added(struct products *p, uint32_t k, uint32_t add) {
    struct kir_value *v = bits_of(p, p->of->ops[k]);
    if (!v || p->of->ops[add]->kind == KIR_VALUE_CONST)
        return v && !(p->of->ops[add]->bits.u32[0] & 1) ? NULL : v;
    return init_select(p->s, p->of->ops[add], v, init_word(p->s, 0));
}

void check_wgmma_follow(struct init *s, struct kir_inst *i) {
    struct products p = {.s = s, .of = i, .x = isa_matrix_of((isa_op)i->op, &i->mods)};
    bool pairs = isa_fragment_of(&p.x, ISA_FRAG_D).bits == 16;
    uint32_t na = registers_of(&p.x, ISA_FRAG_A);
    p.lane = init_special(s, ISA_SREG_LANEID);
    p.a = registers_of(&p.x, ISA_FRAG_D);
    p.b = p.a + (p.x.a_shared ? 1 : na);
    for (uint32_t half = 0; half < 2 && !p.x.a_shared; half++)
        p.row[half] = of_registers(&p, p.a + half, p.a + na, 2);
    struct isa_wgmma_operands o = isa_wgmma_operands_of(&p.x, i->nops);
    find_lines(&p, &o);
    for (uint32_t k = 0; k < i->nres; k++) {
        struct kir_value *v;
        if (pairs) {
            v = element(&p, k / 2 * 8, k % 2, 0xffff);
            v = either(&p, v, element(&p, k / 2 * 8 + 1, k % 2, 0xffff0000));
        } else {
            v = element(&p, k / 4 * 8 + k % 2, k / 2 % 2, UINT32_MAX);
        }
        v = either(&p, v, added(&p, k, p.b + 1));
        s->bits[i->res[k]->id] = v ? v : init_word(s, 0);
    }
}
