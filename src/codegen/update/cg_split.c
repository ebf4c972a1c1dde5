// Elements that go to two places, by a predicate, each place counting up from thread to thread:
// the split of a radix sort by one bit, a partition,
//
//     for (i = 0; i < n; i++)
//         s[p(x[i]) ? one++ : zero++] = x[i];
//
// where `one` and `zero` come from a prefix sum of what the threads before have counted. All
// elements of a vector of threads for which p holds then lie side by side, in the threads' order,
// and so do the others. Whether they do is looked at when it runs: where a thread's counters have
// come to is where those of the next one begin. Then the elements are put into their order,
// compressed, and stored as parts of vectors, two stores for sixteen of them. (A scatter is a store
// an element on its way to the cache, one a cycle, and nothing can be loaded back before.)
#include "codegen/update/cg_split.h"
#include "codegen/access/cg_gather.h"
#include "codegen/access/cg_places.h"
#include "codegen/access/cg_words.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_count.h"
#include "codegen/value/cg_align.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_lines.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/arith.h"

enum { LANES = 16, BYTES = 4, MOST = 8, MOST_LANES = 32, WORD_BITS = 64, LINE_LANES = 4 };

struct split {
    unsigned n; // stores
    struct kir_inst *store[MOST];
    struct kir_value *pred[MOST];
    bool flipped[MOST];            // the first counter is taken where pred does not hold
    struct kir_value *at[MOST][2]; // the counters
};

// ---- finding them -------------------------------------------------------------------------------

static bool is_candidate(struct cg_func *g, const struct kir_inst *i) {
    if (i->op != ISA_OP_ST || i->mods.vec || i->mods.sem != ISA_SEM_WEAK ||
        (i->mods.space != ISA_SPACE_SHARED && i->mods.space != ISA_SPACE_GLOBAL) ||
        isa_type_bits(i->ty) != 8 * BYTES || kir_type_bits(i->ops[1]->type) != 8 * BYTES)
        return false;
    struct kir_value *base;
    const struct kir_value *index = cg_index_of(g, i, BYTES, &base);
    return index && index->kind == KIR_VALUE_INST && index->def->op == ISA_OP_SELP &&
           cg_shape(g, index).kind == SHAPE_VARYING;
}

static bool is_between(const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return k == ISA_CLASS_POINTWISE || k == ISA_CLASS_SOURCE;
}

static bool go_together(struct cg_func *g, const struct kir_inst *i, const struct kir_inst *j) {
    struct kir_value *x, *y;
    return is_candidate(g, j) && j->mods.space == i->mods.space && j->offset == i->offset &&
           cg_index_of(g, i, BYTES, &x) && cg_index_of(g, j, BYTES, &y) && x == y;
}

static struct kir_inst *next_access(struct kir_inst *i, bool back) {
    do
        i = back ? i->prev : i->next;
    while (i && is_between(i));
    return i;
}

// Does q hold where p does (1), where p does not (-1), or is neither known (0)?
static int agree(const struct kir_value *p, const struct kir_value *q) {
    if (p == q)
        return 1;
    if (p->kind != KIR_VALUE_INST || q->kind != KIR_VALUE_INST)
        return 0;
    const struct kir_inst *i = p->def, *j = q->def;
    if ((i->op == ISA_OP_NOT && i->ops[0] == q) || (j->op == ISA_OP_NOT && j->ops[0] == p))
        return -1;
    bool alike = i->op == ISA_OP_SETP && j->op == ISA_OP_SETP && i->nops == 2 && j->nops == 2 &&
                 i->nres == 1 && j->nres == 1 && i->ty == j->ty && !isa_type_is_float(i->ty) &&
                 !i->mods.boolop && !j->mods.boolop && i->ops[0] == j->ops[0];
    uint64_t x, y;
    if (!alike || (i->ops[1] != j->ops[1] &&
                   !(flow_const(i->ops[1], &x) && flow_const(j->ops[1], &y) && x == y)))
        return 0;
    return i->mods.cmp == j->mods.cmp                                   ? 1
           : isa_cmp_opposite((enum isa_cmp)i->mods.cmp) == j->mods.cmp ? -1
                                                                        : 0;
}

// Is v one where p holds (or does not, as `holds` says), and else zero?
static bool tells(struct cg_func *g, struct kir_value *v, const struct kir_value *p, bool holds) {
    uint64_t yes, no;
    struct cg_test x, y;
    bool below = false;
    if (v->kind == KIR_VALUE_INST && v->def->op == ISA_OP_SELP &&
        flow_const(v->def->ops[0], &yes) && flow_const(v->def->ops[1], &no) && yes + no == 1) {
        int same = agree(v->def->ops[2], p);
        if (same)
            return (same > 0) == ((yes == 1) == holds);
    }
    return cg_find_term(g, v, &x) && cg_find_test(g, p, &y) && x.x == y.x &&
           cg_tests_agree(&x, &y, &below) == (holds ? 1 : -1) && !below;
}

// v == from + (p holds, or does not, as `holds` says)?
static bool counts(struct cg_func *g, const struct kir_value *v, const struct kir_value *from,
                   const struct kir_value *p, bool holds) {
    if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_ADD || v->def->nops != 2 ||
        isa_type_bits(v->def->ty) != 32 || v->def->mods.sat)
        return false;
    for (int k = 0; k < 2; k++)
        if (v->def->ops[1 - k] == from && tells(g, v->def->ops[k], p, holds))
            return true;
    return false;
}

static bool add_store(struct cg_func *g, struct split *s, struct kir_inst *i) {
    unsigned n = s->n;
    struct kir_value *base;
    const struct kir_inst *choice = cg_index_of(g, i, BYTES, &base)->def;
    struct kir_value *x = choice->ops[0], *y = choice->ops[1];
    s->store[n] = i;
    s->pred[n] = choice->ops[2];
    for (int flip = 0; flip < (n ? 2 : 1); flip++) {
        s->flipped[n] = flip;
        s->at[n][0] = flip ? y : x;
        s->at[n][1] = flip ? x : y;
        bool fits =
            !n || (counts(g, s->at[n][0], s->at[n - 1][0], s->pred[n - 1], !s->flipped[n - 1]) &&
                   counts(g, s->at[n][1], s->at[n - 1][1], s->pred[n - 1], s->flipped[n - 1]));
        if (fits) {
            s->n++;
            return true;
        }
    }
    return false;
}

static bool follows(const struct kir_inst *from, const struct kir_inst *i,
                    const struct kir_inst *to) {
    while (from != to && from != i)
        from = from->next;
    return from == i;
}

// Is all that store k is made from at hand at the last one? What is made between them is.
static bool is_at_hand(struct cg_func *g, const struct split *s, unsigned k) {
    struct kir_value *base, *index = cg_index_of(g, s->store[k], BYTES, &base);
    if (!cg_at_hand(g, base))
        return false;
    return follows(s->store[0], index->def, s->store[k]) ||
           (cg_at_hand(g, index) && cg_at_hand(g, s->pred[k]) && cg_at_hand(g, s->at[k][0]) &&
            cg_at_hand(g, s->at[k][1]));
}

// The stores that i is one of.
static bool find(struct cg_func *g, struct kir_inst *i, struct split *s) {
    for (struct kir_inst *k = next_access(i, true); k && go_together(g, i, k);
         k = next_access(k, true))
        i = k;
    s->n = 0;
    for (struct kir_inst *k = i; k && go_together(g, i, k); k = next_access(k, false))
        if (s->n == MOST || !add_store(g, s, k) || !is_at_hand(g, s, s->n - 1))
            return false;
    return (s->n & (s->n - 1)) == 0 && cg_shape(g, s->at[0][0]).kind == SHAPE_VARYING &&
           cg_shape(g, s->at[0][1]).kind == SHAPE_VARYING;
}

// ---- vectors ------------------------------------------------------------------------------------

// Lane k of the result is lane k + 1 of x; the last one is any.
static LLVMValueRef next_lanes(struct cg *c, LLVMValueRef x) {
    unsigned from[MOST_LANES];
    for (unsigned k = 0; k < c->width; k++)
        from[k] = (k + 1) % c->width;
    return cg_lanes_from(c, x, NULL, from, c->width);
}

static LLVMValueRef i16_of(struct cg *c, LLVMValueRef m) {
    return cg_bits_of_lanes(c, m);
}

// ---- emitting them ------------------------------------------------------------------------------

// What is known of a group's elements: for which of them the first counter counts, where both
// begin, and where they have come to.
struct elements {
    LLVMValueRef x[MOST], holds[MOST]; // holds: <W x i1>
    LLVMValueRef first[2], last[2];
    LLVMValueRef base;
};

// Those of sixteen elements x that `bits` (<16 x i1>) names go to base[at] and behind it. The
// instruction that compresses into memory is quick where gathers are, and takes 100 cycles
// elsewhere.
static void store_compressed(struct cg *c, LLVMValueRef base, LLVMValueRef x, LLVMValueRef bits,
                             LLVMValueRef at) {
    LLVMTypeRef vt = LLVMTypeOf(x), ov[2] = {vt, c->ptr};
    LLVMValueRef p = LLVMBuildGEP2(c->b, c->i32, base, &at, 1, "");
    LLVMValueRef args[4] = {x, p, bits};
    if (c->target.fast_gathers) {
        cg_call_intrinsic(c, "llvm.masked.compressstore", &vt, 1, args, 3);
        return;
    }
    LLVMValueRef n = i16_of(c, bits), one = cg_i32(c, 1);
    n = cg_call_intrinsic(c, "llvm.ctpop", &c->i16, 1, &n, 1);
    n = LLVMBuildShl(c->b, one, LLVMBuildZExt(c->b, n, c->i32, ""), "");
    n = LLVMBuildTrunc(c->b, LLVMBuildSub(c->b, n, one, ""), c->i16, "");
    args[1] = LLVMConstNull(vt);
    args[0] = cg_call_intrinsic(c, "llvm.x86.avx512.mask.compress", &vt, 1, args, 3);
    args[1] = p;
    args[2] = cg_i32(c, BYTES);
    args[3] = LLVMBuildBitCast(c->b, n, LLVMTypeOf(bits), "");
    cg_call_intrinsic(c, "llvm.masked.store", ov, 2, args, 4);
}

// ---- counters that are known to go on from lane to lane -----------------------------------------

// The same of elements that lie in lines, a vector for four lanes, when the counters follow from
// how many of them the test holds for.
struct counted {
    LLVMValueRef line[MOST_LANES / LINE_LANES];
    struct cg_counter at[2];
    LLVMValueRef ok; // i1
};

static bool one_test(struct cg_func *g, const struct split *s, struct kir_value **word,
                     struct cg_test *test) {
    struct cg_test t;
    for (unsigned k = 0; k < s->n; k++) {
        word[k] = s->store[k]->ops[1];
        if (!cg_find_test(g, s->pred[k], &t) || t.x != word[k])
            return false;
        t.outside ^= s->flipped[k];
        if (k && !cg_same_test(test, &t))
            return false;
        *test = t;
    }
    return true;
}

static LLVMValueRef both(struct cg *c, LLVMValueRef x, LLVMValueRef y) {
    return !x ? y : !y ? x : LLVMBuildAnd(c->b, x, y, "");
}

// Are both ranges below what could wrap, and apart? What the first counter does not count the
// second one does.
static LLVMValueRef are_apart(struct cg *c, const struct counted *n) {
    LLVMValueRef x = NULL, most = cg_i32(c, INT32_MAX - c->width * MOST), end[2];
    LLVMValueRef counted = cg_i32(c, 0), all = cg_i32(c, c->width * LINE_LANES);
    for (unsigned l = 0; l < c->width / LINE_LANES; l++)
        counted = LLVMBuildAdd(c->b, counted, n->at[0].count[l], "");
    end[0] = LLVMBuildAdd(c->b, n->at[0].first, counted, "");
    end[1] = LLVMBuildAdd(c->b, n->at[1].first, LLVMBuildSub(c->b, all, counted, ""), "");
    for (unsigned k = 0; k < 2; k++)
        x = both(c, x, LLVMBuildICmp(c->b, LLVMIntULE, n->at[k].first, most, ""));
    LLVMValueRef up = LLVMBuildICmp(c->b, LLVMIntULE, end[0], n->at[1].first, ""),
                 down = LLVMBuildICmp(c->b, LLVMIntULE, end[1], n->at[0].first, "");
    return both(c, x, LLVMBuildOr(c->b, up, down, ""));
}

static bool is_counted(struct cg_func *g, const struct split *s, struct counted *n) {
    struct cg *c = g->cg;
    struct kir_value *word[MOST];
    struct cg_test t;
    if (s->n != LINE_LANES || !one_test(g, s, word, &t) ||
        !cg_counts_on(g, s->at[0][0], word, &t, true, &n->at[0]) ||
        !cg_counts_on(g, s->at[0][1], word, &t, false, &n->at[1]) || !cg_lines_of(g, word, n->line))
        return false;
    n->ok = both(c, are_apart(c, n), both(c, n->at[0].if_below, n->at[1].if_below));
    if (g->now.mask) {
        LLVMTypeRef mt = cg_mask_type(c);
        n->ok =
            both(c, n->ok, cg_call_intrinsic(c, "llvm.vector.reduce.and", &mt, 1, &g->now.mask, 1));
    }
    return true;
}

static void store_line(struct cg *c, LLVMValueRef base, const struct counted *n, unsigned k,
                       unsigned l, LLVMValueRef at) {
    LLVMValueRef bits = LLVMBuildTrunc(c->b, n->at[k].bits[l], c->i16, "");
    bits = LLVMBuildBitCast(c->b, bits, LLVMVectorType(c->i1, LANES), "");
    store_compressed(c, base, n->line[l], bits, at);
}

// The second counter follows from the first one, as both together have counted all.
static void store_counted(struct cg_func *g, LLVMValueRef base, const struct counted *n) {
    struct cg *c = g->cg;
    LLVMValueRef at[2];
    for (unsigned k = 0; k < 2; k++)
        at[k] = LLVMBuildZExt(c->b, n->at[k].first, c->i64, "");
    LLVMValueRef sum = LLVMBuildAdd(c->b, at[0], at[1], "");
    for (unsigned l = 0; l < c->width / LINE_LANES; l++) {
        LLVMValueRef both = LLVMBuildAdd(c->b, sum, cg_i64(c, l * LANES), "");
        store_line(c, base, n, 0, l, at[0]);
        store_line(c, base, n, 1, l, LLVMBuildSub(c->b, both, at[0], ""));
        LLVMValueRef count = LLVMBuildZExt(c->b, n->at[0].count[l], c->i64, "");
        at[0] = LLVMBuildAdd(c->b, at[0], count, "");
    }
}

// ---- counters that are compared when it runs ----------------------------------------------------

static void look_up(struct cg_func *g, const struct split *s, struct elements *e) {
    struct cg *c = g->cg;
    LLVMTypeRef words = cg_vec_of(c, c->i32);
    for (unsigned k = 0; k < s->n; k++) {
        LLVMValueRef x = cg_operand_bits(g, s->store[k], 1, cg_vec(g, s->store[k]->ops[1]));
        e->x[k] = LLVMBuildBitCast(c->b, x, words, "");
        e->holds[k] = cg_vec(g, s->pred[k]);
        if (s->flipped[k])
            e->holds[k] = LLVMBuildNot(c->b, e->holds[k], "");
    }
    for (unsigned k = 0; k < 2; k++)
        e->first[k] = cg_vec(g, s->at[0][k]);
    e->last[0] = e->first[0];
    for (unsigned k = 0; k < s->n; k++)
        e->last[0] =
            LLVMBuildAdd(c->b, e->last[0], LLVMBuildZExt(c->b, e->holds[k], words, ""), "");
    // Both together have counted to n.
    LLVMValueRef sum = LLVMBuildAdd(c->b, e->first[0], e->first[1], "");
    sum = LLVMBuildAdd(c->b, sum, cg_splat(c, cg_i32(c, s->n)), "");
    e->last[1] = LLVMBuildSub(c->b, sum, e->last[0], "");
}

static LLVMValueRef lane_of(struct cg *c, LLVMValueRef x, unsigned lane) {
    return LLVMBuildExtractElement(c->b, x, cg_i32(c, lane), "");
}

// Do the counters go on from lane to lane, without wrapping, and are the two ranges apart?
static LLVMValueRef lie_side_by_side(struct cg_func *g, const struct split *s,
                                     const struct elements *e) {
    struct cg *c = g->cg;
    LLVMValueRef other = NULL, range = NULL, begin[2], end[2];
    unsigned last = c->width - 1;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef x = LLVMBuildXor(c->b, next_lanes(c, e->first[k]), e->last[k], "");
        other = other ? LLVMBuildOr(c->b, other, x, "") : x;
        begin[k] = lane_of(c, e->first[k], 0);
        end[k] = lane_of(c, e->last[k], last);
        x = LLVMBuildICmp(c->b, LLVMIntULE, begin[k], cg_i32(c, INT32_MAX - c->width * s->n), "");
        range = range ? LLVMBuildAnd(c->b, range, x, "") : x;
    }
    LLVMValueRef lanes[MOST_LANES];
    for (unsigned k = 0; k < c->width; k++)
        lanes[k] = cg_i32(c, k < last ? UINT32_MAX : 0);
    other = LLVMBuildAnd(c->b, other, LLVMConstVector(lanes, c->width), "");
    other = LLVMBuildICmp(c->b, LLVMIntNE, other, LLVMConstNull(LLVMTypeOf(other)), "");
    LLVMValueRef ok = LLVMBuildNot(c->b, cg_any(g, other), "");
    LLVMValueRef apart = LLVMBuildOr(c->b, LLVMBuildICmp(c->b, LLVMIntULE, end[0], begin[1], ""),
                                     LLVMBuildICmp(c->b, LLVMIntULE, end[1], begin[0], ""), "");
    ok = LLVMBuildAnd(c->b, LLVMBuildAnd(c->b, ok, range, ""), apart, "");
    if (!g->now.mask)
        return ok;
    LLVMTypeRef t = cg_mask_type(c);
    return LLVMBuildAnd(c->b, ok,
                        cg_call_intrinsic(c, "llvm.vector.reduce.and", &t, 1, &g->now.mask, 1), "");
}

// For `lanes` lanes from `first` on: a bit an element, in order.
static LLVMValueRef bits_in_order(struct cg *c, const struct split *s, const struct elements *e,
                                  unsigned first, unsigned lanes) {
    LLVMValueRef all = cg_i64(c, 0);
    for (unsigned k = 0; k < s->n; k++) {
        uint64_t places = 0;
        for (unsigned l = 0; l < lanes; l++)
            places |= 1ULL << (l * s->n + k);
        LLVMValueRef x = i16_of(c, cg_sixteen_of(c, e->holds[k], first / LANES * LANES));
        x = LLVMBuildZExt(c->b, x, c->i64, "");
        x = LLVMBuildLShr(c->b, x, cg_i64(c, first % LANES), "");
        LLVMValueRef args[2] = {x, cg_i64(c, places)};
        if (s->n > 1)
            x = cg_call_intrinsic(c, "llvm.x86.bmi.pdep.64", NULL, 0, args, 2);
        all = LLVMBuildOr(c->b, all, x, "");
    }
    return all;
}

// Sixteen elements, which begin with a lane's first one: where that lane's counters stand.
static void store_sixteen(struct cg_func *g, const struct elements *e, struct cg_spread *at,
                          unsigned lane, LLVMValueRef x, LLVMValueRef bits) {
    struct cg *c = g->cg;
    bits = LLVMBuildTrunc(c->b, bits, c->i16, "");
    bits = LLVMBuildBitCast(c->b, bits, LLVMVectorType(c->i1, LANES), "");
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef from = LLVMBuildZExt(c->b, cg_spread_lane(g, &at[k], lane), c->i64, "");
        store_compressed(c, e->base, x, k ? LLVMBuildNot(c->b, bits, "") : bits, from);
    }
}

static void store_split(struct cg_func *g, const struct split *s, const struct elements *e) {
    struct cg *c = g->cg;
    unsigned lanes = WORD_BITS / s->n < LANES ? WORD_BITS / s->n : LANES;
    LLVMValueRef x[MOST], in_order[MOST], bits = NULL;
    struct cg_spread at[2] = {cg_spread(g, e->first[0], 0), cg_spread(g, e->first[1], 1)};
    for (unsigned first = 0; first < c->width; first += LANES) {
        for (unsigned k = 0; k < s->n; k++)
            x[k] = cg_sixteen_of(c, e->x[k], first);
        cg_put_in_order(c, x, s->n, 1, in_order);
        for (unsigned k = 0; k < s->n; k++) {
            unsigned lane = k * LANES / s->n, bit = (lane % lanes) * s->n;
            if (lane % lanes == 0)
                bits = bits_in_order(c, s, e, first + lane, lanes);
            store_sixteen(g, e, at, first + lane, in_order[k],
                          LLVMBuildLShr(c->b, bits, cg_i64(c, bit), ""));
        }
    }
}

static void store_each(struct cg_func *g, const struct split *s, struct elements *e) {
    for (unsigned k = 0; k < s->n; k++) {
        struct cg_lane_access a = {.elem = g->cg->i32, .count = 1, .bytes = BYTES};
        a.at = cg_places_of(g, s->store[k]);
        cg_scatter(g, a, &e->x[k]);
    }
}

// Words of shared memory that were in registers are made, and no longer known.
static void forget_words(struct cg_func *g, const struct split *s, struct elements *e) {
    for (unsigned k = 0; k < s->n; k++)
        cg_store_words(g, s->store[k], 1, BYTES, &e->x[k], &e->x[k]);
}

static void emit_all(struct cg_func *g, const struct split *s) {
    struct cg *c = g->cg;
    struct elements e;
    struct counted n;
    look_up(g, s, &e);
    forget_words(g, s, &e);
    e.base = cg_places_of(g, s->store[0]).base;
    bool counted = is_counted(g, s, &n);
    note_on(c->notes, s->store[s->n - 1], !counted,
            counted ? "%s store: in two rows of neighbours, whose lengths are counted"
                    : "%s store: in two rows of neighbours, where the counters behind its index go "
                      "on from thread to thread",
            s->store[0]->mods.space == ISA_SPACE_SHARED ? "shared" : "global");
    LLVMBasicBlockRef split = cg_new_block(g, "split"), each = cg_new_block(g, "scattered"),
                      done = cg_new_block(g, "split.done");
    LLVMValueRef ok = counted ? n.ok : lie_side_by_side(g, s, &e);
    LLVMValueRef branch = LLVMBuildCondBr(c->b, ok, split, each);
    if (counted)
        cg_rarely(c, branch, 1);
    LLVMPositionBuilderAtEnd(c->b, split);
    if (counted)
        store_counted(g, e.base, &n);
    else
        store_split(g, s, &e);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, each);
    store_each(g, s, &e);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

bool cg_emit_split(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    struct split s;
    bool known = g->now.mask && LLVMIsConstant(g->now.mask);
    if (!c->target.mask_registers || c->quick || c->width % LANES || c->width > MOST_LANES ||
        g->reds || g->appends || known || !is_candidate(g, i) || !find(g, i, &s))
        return false;
    cg_check_alignment(g, i);
    if (i == s.store[s.n - 1]) {
        emit_all(g, &s);
    }
    return true;
}
