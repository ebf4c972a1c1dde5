// Stores of a product's sums, row by row. A kernel stores its sums as they lie in registers: eight
// rows of 32 bytes, then the next ones beside or below them. Rows of a matrix are often a power of
// two apart, in few of the first cache's sets: what half a line was written of has left when its
// other half comes. So stores of pairs that follow each other are put off up to the last of them,
// and made one row after the other, two pairs that are a line of a tile at once.
//
// Nobody sees their order as long as no two of them go to the same place, which is asked when it
// runs: every row begins behind the last one's end.
#include "codegen/memory/cg_sum_rows.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/memory/cg_mem.h"
#include "codegen/value/cg_align.h"
#include "codegen/value/cg_home.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_source.h"
#include "codegen/value/cg_value.h"

enum { MOST = 32, MOST_BASES = 4, ROWS = 8, LANES = 4, BYTES = 32 };

struct base {
    struct kir_value *address;
    struct kir_inst *stores[MOST]; // by their places
    unsigned n;
};

struct cg_sum_rows {
    struct kir_inst *stores[MOST]; // in the kernel's order
    unsigned n;
    struct base bases[MOST_BASES];
    unsigned nbases;
};

// ---- which stores ------------------------------------------------------------------------------

static bool uses_sums(struct cg_func *g, const struct kir_inst *i) {
    bool any = false;
    for (uint32_t k = 0; k < i->nops; k++)
        any |= cg_has_home(g, i->ops[k]);
    return any;
}

// Nothing that a store could be put off behind no more.
static bool may_pass(struct cg_func *g, const struct kir_inst *i) {
    return isa_op_info[i->op].klass == ISA_CLASS_POINTWISE && !uses_sums(g, i);
}

// False: no room, or the place is written already.
static bool add(struct cg_sum_rows *s, struct kir_inst *i) {
    unsigned b = 0, at = 0;
    while (b < s->nbases && s->bases[b].address != i->ops[0])
        b++;
    if (b == MOST_BASES || s->n == MOST)
        return false;
    struct base *base = &s->bases[b];
    while (at < base->n && base->stores[at]->offset < i->offset)
        at++;
    if ((at < base->n && base->stores[at]->offset < i->offset + BYTES) ||
        (at && base->stores[at - 1]->offset + BYTES > i->offset))
        return false;
    for (unsigned k = base->n++; k > at; k--)
        base->stores[k] = base->stores[k - 1];
    base->stores[at] = i;
    base->address = i->ops[0];
    s->nbases += b == s->nbases;
    s->stores[s->n++] = i;
    return true;
}

static struct cg_sum_rows *rows_from(struct cg_func *g, struct kir_inst *first) {
    struct cg_sum_rows *s = arena_new(g->cg->arena, struct cg_sum_rows);
    for (struct kir_inst *i = first; i; i = i->next) {
        if (i->op == ISA_OP_ST && cg_stores_pair(g, i) ? !add(s, i) : !may_pass(g, i))
            break;
    }
    return s;
}

// ---- rows --------------------------------------------------------------------------------------

// The address of each row: of every fourth lane. before: the rows before the first one's.
static LLVMValueRef rows_of(struct cg_func *g, const struct base *b, const struct base *before) {
    struct cg *c = g->cg;
    LLVMValueRef idx[ROWS], own = cg_vec(g, b->address);
    LLVMValueRef last = before ? cg_vec(g, before->address) : own;
    for (unsigned k = 0; k < ROWS; k++)
        idx[k] = cg_i32(c, k * LANES);
    if (before) {
        for (unsigned k = ROWS; k-- > 1;)
            idx[k] = cg_i32(c, KD_WARP + (k - 1) * LANES);
        idx[0] = cg_i32(c, (ROWS - 1) * LANES);
    }
    return LLVMBuildShuffleVector(c->b, last, own, LLVMConstVector(idx, ROWS), "");
}

// Does each row begin behind the last one's end?
static LLVMValueRef are_apart(struct cg_func *g, const struct cg_sum_rows *s) {
    struct cg *c = g->cg;
    int64_t begin = INT64_MAX, end = INT64_MIN;
    LLVMValueRef all = NULL, bytes[ROWS], first[ROWS];
    for (unsigned k = 0; k < s->n; k++) {
        begin = s->stores[k]->offset < begin ? s->stores[k]->offset : begin;
        end = s->stores[k]->offset + BYTES > end ? s->stores[k]->offset + BYTES : end;
    }
    for (unsigned k = 0; k < ROWS; k++) {
        bytes[k] = cg_i64(c, (uint64_t)(end - begin));
        first[k] = LLVMConstInt(c->i1, !k, 0);
    }
    for (unsigned b = 0; b < s->nbases; b++) {
        const struct base *own = &s->bases[b];
        LLVMValueRef from = rows_of(g, own, b ? own - 1 : own), to = rows_of(g, own, NULL);
        LLVMValueRef apart = LLVMBuildICmp(c->b, LLVMIntSGE, LLVMBuildSub(c->b, to, from, ""),
                                           LLVMConstVector(bytes, ROWS), "");
        if (!b)
            apart = LLVMBuildOr(c->b, apart, LLVMConstVector(first, ROWS), "");
        all = all ? LLVMBuildAnd(c->b, all, apart, "") : apart;
    }
    LLVMTypeRef t = LLVMTypeOf(all);
    return cg_call_intrinsic(c, "llvm.vector.reduce.and", &t, 1, &all, 1);
}

// What stores k and k + 1 of a base store is a line of a tile's row.
static bool is_line(struct cg_func *g, const struct base *b, unsigned k) {
    if (k + 1 >= b->n || b->stores[k + 1]->offset != b->stores[k]->offset + BYTES)
        return false;
    const struct kir_inst *x = b->stores[k], *y = b->stores[k + 1];
    return cg_is_pair_line(g, x->ops[1], y->ops[1]) &&
           cg_wants_canonical(g, x, 1) == cg_wants_canonical(g, y, 1);
}

static LLVMValueRef in_order(struct cg *c, LLVMValueRef x) {
    static const uint8_t order[4 * LANES] = {0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15};
    LLVMValueRef idx[4 * LANES];
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x));
    for (unsigned k = 0; k < n; k++)
        idx[k] = cg_i32(c, order[k]);
    return LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(idx, n),
                                  "");
}

static void store_row(struct cg_func *g, const struct base *b, unsigned row) {
    struct cg *c = g->cg;
    LLVMValueRef at = cg_i32(c, row * LANES);
    LLVMValueRef p = LLVMBuildExtractElement(c->b, cg_vec(g, b->address), at, "");
    p = cg_pointer(g, ISA_SPACE_GLOBAL, p, false);
    for (unsigned k = 0, n; k < b->n; k += n) {
        struct kir_inst *i = b->stores[k];
        n = is_line(g, b, k) ? 2 : 1;
        LLVMValueRef x = cg_load_pair_row(g, i->ops[1], row, n == 2);
        LLVMValueRef offset = LLVMConstInt(c->i64, (unsigned long long)i->offset, 1);
        LLVMValueRef to = LLVMBuildGEP2(c->b, c->i8, p, &offset, 1, "");
        x = in_order(c, cg_operand_bits(g, i, 1, x));
        LLVMSetAlignment(LLVMBuildStore(c->b, x, to), 4);
    }
}

static void store_all(struct cg_func *g, const struct cg_sum_rows *s) {
    struct cg *c = g->cg;
    LLVMBasicBlockRef rows = cg_new_block(g, "rows"), any = cg_new_block(g, "any"),
                      done = cg_new_block(g, "stored");
    for (unsigned b = 0; b < s->nbases; b++)
        cg_vec(g, s->bases[b].address); // for both ways
    cg_rarely(c, LLVMBuildCondBr(c->b, are_apart(g, s), rows, any), 1);
    LLVMPositionBuilderAtEnd(c->b, rows);
    for (unsigned k = 0; k < s->n; k++)
        cg_check_alignment(g, s->stores[k]);
    for (unsigned b = 0; b < s->nbases; b++)
        for (unsigned row = 0; row < ROWS; row++)
            store_row(g, &s->bases[b], row);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, any);
    for (unsigned k = 0; k < s->n; k++)
        cg_store_pair(g, s->stores[k]);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

void cg_store_sums(struct cg_func *g, struct kir_inst *i) {
    struct cg_sum_rows *s = g->sum_rows;
    if (!s) {
        s = g->cg->quick ? NULL : rows_from(g, i);
        if (!s || s->n < 2) {
            cg_store_pair(g, i);
            return;
        }
        g->sum_rows = s;
    }
    if (i != s->stores[s->n - 1])
        return;
    g->sum_rows = NULL;
    store_all(g, s);
}
