// An element of a product follows from a row of a and a column of b, and from what it is added to.
// Rows and columns of which something is undecided make undecided what lies in them, and nothing
// else: tiles of which the last rows were never written are multiplied, too, and nobody looks at
// what comes of these. A lane has two columns of each eight, in rows l / 4 and l / 4 + 8 of a
// warp's sixteen. Of matrices in shared memory the device tells (KD_CHECK_LINES).
#include "passes/check/check_products.h"

#include "abi/check_shadow.h"
#include "isa/matrix.h"
#include "isa/ops/arith.h"
#include "isa/ops/bits.h"
#include "isa/ops/check.h"
#include "isa/ops/convert.h"
#include "isa/ops/integer.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "isa/ops/move.h"
#include "isa/ops/warp.h"

struct products {
    struct kir_func *f;
    struct kir_inst *at;
    struct kir_inst *of;
    struct isa_matrix x;
    struct kir_value *(*bits)(void *user, const struct kir_value *v);
    void *user;
    uint32_t a, b, nd; // where operands stand, and how many registers d has
    struct kir_value *lane;
    struct kir_value *row[2];     // 1 where the lane's rows are undecided; NULL: they are not
    struct kir_value *columns[4]; // B64, a bit for each of 64 columns, from the lane's first on
};

static uint32_t registers_of(const struct isa_matrix *x, enum isa_frag frag) {
    return isa_fragment_of(x, frag).registers;
}

bool check_products_are(const struct kir_inst *i) {
    if (i->op != ISA_OP_WGMMA_MMA && i->op != ISA_OP_MMA)
        return false;
    struct isa_matrix x = isa_matrix_of((isa_op)i->op, &i->mods);
    bool small = x.shape >= ISA_SHAPE_M16N8K4 && x.shape <= ISA_SHAPE_M16N8K256;
    unsigned bits = isa_fragment_of(&x, ISA_FRAG_D).bits;
    if (x.sparse || x.scales || (bits != 16 && bits != 32))
        return false;
    if (i->op == ISA_OP_MMA)
        return small && isa_fragment_of(&x, ISA_FRAG_A).bits <= 32;
    struct isa_wgmma_operands o = isa_wgmma_operands_of(&x, i->nops);
    return isa_fragment_of(&x, ISA_FRAG_B).bits >= 8 &&
           (!o.trans_a || i->ops[o.trans_a]->kind == KIR_VALUE_CONST) &&
           (!o.trans_b || i->ops[o.trans_b]->kind == KIR_VALUE_CONST);
}

// ---- making instructions --------------------------------------------------------------------

static struct kir_inst *make(struct products *p, isa_op op, enum isa_type ty, unsigned nops,
                             enum kir_type result) {
    uint8_t type = (uint8_t)result;
    struct kir_inst *i = kir_inst_new(p->f, op, ty, nops, 1, &type, 0);
    i->file = p->of->file;
    i->line = p->of->line;
    kir_insert_after(p->at, i);
    p->at = i;
    return i;
}

static struct kir_value *word(struct products *p, uint32_t x) {
    return kir_const(p->f, KIR_B32, x);
}

static struct kir_value *two(struct products *p, isa_op op, enum isa_type ty, struct kir_value *a,
                             struct kir_value *b) {
    struct kir_inst *i = make(p, op, ty, 2, (enum kir_type)a->type);
    i->ops[0] = a;
    i->ops[1] = b;
    return i->res[0];
}

static struct kir_value *either(struct products *p, struct kir_value *a, struct kir_value *b) {
    return !a ? b : !b ? a : two(p, ISA_OP_OR, ISA_B32, a, b);
}

static struct kir_value *narrow(struct products *p, struct kir_value *v) {
    struct kir_inst *i = make(p, ISA_OP_CVT, ISA_U32, 1, KIR_B32);
    i->ty2 = ISA_U64;
    i->ops[0] = v;
    return i->res[0];
}

static struct kir_value *special(struct products *p, enum isa_sreg r) {
    struct kir_inst *i = make(p, ISA_OP_SREG, ISA_U32, 0, KIR_B32);
    i->sreg = (uint8_t)r;
    return i->res[0];
}

static struct kir_value *shuffled(struct products *p, uint8_t mode, struct kir_value *v,
                                  struct kir_value *by) {
    struct kir_inst *i = make(p, ISA_OP_SHFL, ISA_B32, 4, KIR_B32);
    i->mods.mode = mode;
    i->ops[0] = v;
    i->ops[1] = by;
    i->ops[2] = word(p, ISA_LANES - 1);
    i->ops[3] = word(p, UINT32_MAX);
    return i->res[0];
}

// 1 where v is not 0.
static struct kir_value *any(struct products *p, struct kir_value *v) {
    struct kir_inst *t = make(p, ISA_OP_SETP, ISA_U32, 2, KIR_PRED);
    t->mods.cmp = ISA_CMP_NE;
    t->ops[0] = v;
    t->ops[1] = word(p, 0);
    struct kir_inst *i = make(p, ISA_OP_SELP, ISA_B32, 3, KIR_B32);
    i->ops[0] = word(p, 1);
    i->ops[1] = word(p, 0);
    i->ops[2] = t->res[0];
    return i->res[0];
}

// ---- rows and columns -----------------------------------------------------------------------

// What any of the four lanes has.
static struct kir_value *of_four(struct products *p, struct kir_value *v) {
    for (uint32_t by = 1; v && by < 4; by *= 2)
        v = two(p, ISA_OP_OR, ISA_B32, v, shuffled(p, ISA_SHFL_BFLY, v, word(p, by)));
    return v ? any(p, v) : NULL;
}

// Of registers first, first + step, ...
static struct kir_value *of_registers(struct products *p, uint32_t first, uint32_t end,
                                      uint32_t step) {
    struct kir_value *v = NULL;
    for (uint32_t k = first; k < end; k += step)
        v = either(p, v, p->bits(p->user, p->of->ops[k]));
    return of_four(p, v);
}

static struct kir_value *lines(struct products *p, uint32_t at, enum isa_frag frag, bool trans,
                               uint32_t eights, uint32_t first) {
    uint32_t bits = isa_fragment_of(&p->x, frag).bits;
    struct kir_inst *i = make(p, ISA_OP_CHECK_ORIGIN, ISA_B64, 1, KIR_B64);
    i->ops[0] = p->of->ops[at];
    i->index = KD_CHECK_LINES | (trans ? KD_CHECK_LINES_TRANS : 0) |
               (uint32_t)__builtin_ctz(bits / 8) << KD_CHECK_LINES_ELEMENT |
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
        struct kir_value *own = special(p, ISA_SREG_WARPID);
        own = two(p, ISA_OP_AND, ISA_B32, own, word(p, 3));
        own = two(p, ISA_OP_SHL, ISA_B32, own, word(p, 4));
        own = either(p, own, two(p, ISA_OP_SHR, ISA_U32, p->lane, word(p, 2)));
        struct kir_value *mine = narrow(p, shifted(p, all, own));
        p->row[0] = two(p, ISA_OP_AND, ISA_B32, mine, word(p, 1));
        mine = two(p, ISA_OP_SHR, ISA_U32, mine, word(p, 8));
        p->row[1] = two(p, ISA_OP_AND, ISA_B32, mine, word(p, 1));
    }
    struct kir_value *first = two(p, ISA_OP_AND, ISA_B32, p->lane, word(p, 3));
    first = two(p, ISA_OP_SHL, ISA_B32, first, word(p, 1));
    for (uint32_t n = 0; n < columns; n += CHUNK)
        p->columns[n / CHUNK] = shifted(
            p, lines(p, p->b, ISA_FRAG_B, is_set(p->of, o->trans_b), columns / 8, n), first);
}

// Of mma: a lane of column j's four has what is told of it.
static void find_columns(struct products *p, uint32_t end) {
    struct kir_value *any_bits = of_registers(p, p->b, end, 1);
    if (!any_bits)
        return;
    struct kir_value *from = two(p, ISA_OP_AND, ISA_B32, p->lane, word(p, 3));
    from = two(p, ISA_OP_SHL, ISA_B32, from, word(p, 3));
    struct kir_value *even = shuffled(p, ISA_SHFL_IDX, any_bits, from);
    from = either(p, from, word(p, 4));
    struct kir_value *odd = shuffled(p, ISA_SHFL_IDX, any_bits, from);
    odd = two(p, ISA_OP_SHL, ISA_B32, odd, word(p, 1));
    struct kir_value *both = either(p, even, odd);
    struct kir_inst *wide = make(p, ISA_OP_CVT, ISA_U64, 1, KIR_B64);
    wide->ty2 = ISA_U32;
    wide->ops[0] = both;
    p->columns[0] = wide->res[0];
}

// All bits of `mask` where column `column` of the lane's, or its row, is undecided. NULL: never.
static struct kir_value *element(struct products *p, uint32_t column, uint32_t half,
                                 uint32_t mask) {
    struct kir_value *v = NULL, *columns = p->columns[column / 64];
    if (columns) {
        v = narrow(p, shifted(p, columns, word(p, column % 64)));
        v = two(p, ISA_OP_AND, ISA_B32, v, word(p, 1));
    }
    v = either(p, v, p->row[half]);
    if (!v)
        return NULL;
    v = two(p, ISA_OP_SUB, ISA_S32, word(p, 0), v);
    return mask == UINT32_MAX ? v : two(p, ISA_OP_AND, ISA_B32, v, word(p, mask));
}

// What the result is added to. Of wgmma a predicate says whether it is.
static struct kir_value *added(struct products *p, uint32_t k, uint32_t c, uint32_t add) {
    struct kir_value *v = p->bits(p->user, p->of->ops[c + k]);
    if (!v || !add || p->of->ops[add]->kind == KIR_VALUE_CONST)
        return v && add && !(p->of->ops[add]->bits.u32[0] & 1) ? NULL : v;
    struct kir_inst *i = make(p, ISA_OP_SELP, ISA_B32, 3, KIR_B32);
    i->ops[0] = v;
    i->ops[1] = word(p, 0);
    i->ops[2] = p->of->ops[add];
    return i->res[0];
}

struct kir_inst *check_products_follow(struct kir_func *f, struct kir_inst *at, struct kir_inst *i,
                                       struct kir_value *(*bits)(void *user,
                                                                 const struct kir_value *v),
                                       void *user, struct kir_value **results) {
    struct products p = {.f = f, .at = at, .of = i, .bits = bits, .user = user};
    p.x = isa_matrix_of((isa_op)i->op, &i->mods);
    p.nd = registers_of(&p.x, ISA_FRAG_D);
    p.lane = special(&p, ISA_SREG_LANEID);
    bool group = i->op == ISA_OP_WGMMA_MMA, pairs = isa_fragment_of(&p.x, ISA_FRAG_D).bits == 16;
    uint32_t c = 0, add = 0, na = registers_of(&p.x, ISA_FRAG_A);
    p.a = group ? p.nd : 0;
    p.b = p.a + (group && p.x.a_shared ? 1 : na);
    if (!group || !p.x.a_shared) {
        for (uint32_t half = 0; half < 2; half++)
            p.row[half] = of_registers(&p, p.a + half, p.a + na, 2);
    }
    if (group) {
        struct isa_wgmma_operands o = isa_wgmma_operands_of(&p.x, i->nops);
        find_lines(&p, &o);
        add = p.b + 1;
    } else {
        c = p.b + registers_of(&p.x, ISA_FRAG_B);
        find_columns(&p, c);
    }
    for (uint32_t k = 0; k < i->nres; k++) {
        struct kir_value *v;
        if (pairs) {
            v = element(&p, k / 2 * 8, k % 2, 0xffff);
            v = either(&p, v, element(&p, k / 2 * 8 + 1, k % 2, 0xffff0000));
        } else {
            v = element(&p, k / 4 * 8 + k % 2, k / 2 % 2, UINT32_MAX);
        }
        v = either(&p, v, added(&p, k, c, add));
        results[k] = v ? v : word(&p, 0);
    }
    return p.at;
}

// ---- ldmatrix -------------------------------------------------------------------------------

bool check_products_load_is(const struct kir_inst *i) {
    if (i->op != ISA_OP_LDMATRIX)
        return false;
    struct isa_matrix x = isa_matrix_of((isa_op)i->op, &i->mods);
    return x.shape == ISA_SHAPE_NONE && x.type[ISA_FRAG_D] == ISA_MAT_B16;
}

// The bits of as many bytes, `offset` behind the address that lane `from` has in two parts.
static struct kir_value *loaded(struct products *p, struct kir_value *const parts[2],
                                struct kir_value *from, struct kir_value *offset, uint32_t bytes) {
    struct kir_value *low = shuffled(p, ISA_SHFL_IDX, parts[0], from);
    struct kir_value *high = shuffled(p, ISA_SHFL_IDX, parts[1], from);
    struct kir_inst *whole = make(p, ISA_OP_MOV_PACK, ISA_B64, 2, KIR_B64);
    whole->mods.vec = 2;
    whole->ops[0] = low;
    whole->ops[1] = high;
    struct kir_inst *wide = make(p, ISA_OP_CVT, ISA_U64, 1, KIR_B64);
    wide->ty2 = ISA_U32;
    wide->ops[0] = offset;
    struct kir_value *at = two(p, ISA_OP_ADD, ISA_U64, whole->res[0], wide->res[0]);
    struct kir_inst *i = make(p, ISA_OP_CHECK_ORIGIN, ISA_B64, 1, KIR_B64);
    i->ops[0] = at;
    i->index = bytes;
    i->mods.space = p->of->mods.space;
    return narrow(p, i->res[0]);
}

static struct kir_value *scaled(struct products *p, struct kir_value *v, uint32_t shift,
                                uint32_t more) {
    v = two(p, ISA_OP_SHL, ISA_B32, v, word(p, shift));
    return more ? two(p, ISA_OP_ADD, ISA_U32, v, word(p, more)) : v;
}

// Lane 8 * r + k names row k of matrix r. A lane gets of each matrix the two elements of row l / 4
// from column l % 4 * 2 on; of a transposed one those of column l / 4.
struct kir_inst *check_products_load(struct kir_func *f, struct kir_inst *at, struct kir_inst *i,
                                     struct kir_value **results) {
    enum { ELEMENT = 2, ROWS = 8 };
    struct products p = {.f = f, .at = at, .of = i};
    struct kir_value *address = i->ops[0], *parts[2];
    if (i->mods.space == ISA_SPACE_SHARED) {
        struct kir_inst *generic = make(&p, ISA_OP_CVTA, ISA_U64, 1, KIR_B64);
        generic->mods.space = ISA_SPACE_SHARED;
        generic->ops[0] = address;
        address = generic->res[0];
    }
    if (i->offset)
        address = two(&p, ISA_OP_ADD, ISA_U64, address, kir_const(f, KIR_B64, (uint64_t)i->offset));
    parts[0] = narrow(&p, address);
    parts[1] = narrow(&p, two(&p, ISA_OP_SHR, ISA_U64, address, word(&p, 32)));
    struct kir_value *lane = special(&p, ISA_SREG_LANEID);
    struct kir_value *four = two(&p, ISA_OP_SHR, ISA_U32, lane, word(&p, 2));
    struct kir_value *of = two(&p, ISA_OP_AND, ISA_B32, lane, word(&p, 3));
    for (uint32_t r = 0; r < i->nres; r++) {
        if (!i->mods.trans) {
            results[r] =
                loaded(&p, parts, scaled(&p, four, 0, r * ROWS), scaled(&p, of, 2, 0), 2 * ELEMENT);
            continue;
        }
        struct kir_value *column = scaled(&p, four, 1, 0);
        struct kir_value *low = loaded(&p, parts, scaled(&p, of, 1, r * ROWS), column, ELEMENT);
        struct kir_value *high =
            loaded(&p, parts, scaled(&p, of, 1, r * ROWS + 1), column, ELEMENT);
        results[r] = either(&p, low, two(&p, ISA_OP_SHL, ISA_B32, high, word(&p, 16)));
    }
    return p.at;
}
