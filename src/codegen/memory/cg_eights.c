// Two accesses of four words a thread that lie side by side, as where each thread takes eight
// elements that follow each other: neighbouring threads lie 32 bytes apart, and each access by
// itself would be one of 16 bytes a lane. Together they are whole vectors, which 24 shuffles a
// vector of threads take apart or put together. What is loaded is loaded where the first of the two
// stands, and what is stored is stored where the second one stands.
#include "codegen/memory/cg_eights.h"
#include "codegen/access/cg_gather.h"
#include "codegen/ahead/cg_prefetch.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_append.h"
#include "codegen/update/cg_ticket.h"
#include "codegen/value/cg_align.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_lines.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_source.h"
#include "codegen/value/cg_value.h"
#include "plan/plan.h"

enum { LANES = 16, WORDS = 8, BYTES = 32, VECTOR_BYTES = 64 };

struct eights {
    struct kir_inst *lo, *hi;
    LLVMValueRef base, pointers; // of the lower one
    LLVMValueRef x[WORDS];
};

// ---- shuffles -----------------------------------------------------------------------------------

static LLVMValueRef pick(struct cg *c, LLVMValueRef x, LLVMValueRef y, const unsigned *from) {
    LLVMValueRef idx[LANES];
    for (unsigned k = 0; k < LANES; k++)
        idx[k] = cg_i32(c, from[k]);
    return LLVMBuildShuffleVector(c->b, x, y, LLVMConstVector(idx, LANES), "");
}

// Of two lanes' eight words each, z, and two more: four lanes' words, half of them.
static LLVMValueRef half_of_words(struct cg *c, LLVMValueRef *z, unsigned half) {
    unsigned from[LANES];
    for (unsigned e = 0; e < LANES; e++)
        from[e] = e % 4 / 2 * LANES + e % 2 * WORDS + half * 4 + e / 4;
    return pick(c, z[0], z[1], from);
}

// Of four words of four lanes, and of four more lanes: two words of eight lanes.
static LLVMValueRef two_words(struct cg *c, LLVMValueRef x, LLVMValueRef y, unsigned pair) {
    unsigned from[LANES];
    for (unsigned e = 0; e < LANES; e++)
        from[e] = e % 8 / 4 * LANES + (pair * 2 + e / 8) * 4 + e % 4;
    return pick(c, x, y, from);
}

static LLVMValueRef join_halves(struct cg *c, LLVMValueRef x, LLVMValueRef y, unsigned half) {
    unsigned from[LANES];
    for (unsigned e = 0; e < LANES; e++)
        from[e] = e / 8 * LANES + half * 8 + e % 8;
    return pick(c, x, y, from);
}

// 16 lanes' words as they lie in memory, z, become a vector a word.
static void take_apart(struct cg *c, LLVMValueRef *z, LLVMValueRef *out) {
    LLVMValueRef four[4], two[2];
    for (unsigned half = 0; half < 2; half++) {
        for (unsigned k = 0; k < 4; k++)
            four[k] = half_of_words(c, z + 2 * k, half);
        for (unsigned pair = 0; pair < 2; pair++) {
            for (unsigned k = 0; k < 2; k++)
                two[k] = two_words(c, four[2 * k], four[2 * k + 1], pair);
            for (unsigned k = 0; k < 2; k++)
                out[half * 4 + pair * 2 + k] = join_halves(c, two[0], two[1], k);
        }
    }
}

// Four words of four lanes (of eight, the lower or the upper ones) from two pairs of words.
static LLVMValueRef four_words(struct cg *c, LLVMValueRef x, LLVMValueRef y, unsigned upper) {
    unsigned from[LANES];
    for (unsigned e = 0; e < LANES; e++)
        from[e] = e / 8 * LANES + e / 4 % 2 * 8 + upper * 4 + e % 4;
    return pick(c, x, y, from);
}

// Two lanes' eight words from both halves of four lanes' words.
static LLVMValueRef two_lanes(struct cg *c, LLVMValueRef x, LLVMValueRef y, unsigned upper) {
    unsigned from[LANES];
    for (unsigned e = 0; e < LANES; e++)
        from[e] = e % 8 / 4 * LANES + e % 4 * 4 + upper * 2 + e / 8;
    return pick(c, x, y, from);
}

static void put_together(struct cg *c, LLVMValueRef *x, LLVMValueRef *z) {
    for (unsigned eight = 0; eight < 2; eight++) {
        LLVMValueRef four[2][2]; // half of the words, half of the lanes
        for (unsigned half = 0; half < 2; half++) {
            LLVMValueRef *w = x + half * 4, lo = join_halves(c, w[0], w[1], eight),
                         hi = join_halves(c, w[2], w[3], eight);
            for (unsigned k = 0; k < 2; k++)
                four[half][k] = four_words(c, lo, hi, k);
        }
        for (unsigned k = 0; k < 4; k++)
            z[eight * 4 + k] = two_lanes(c, four[0][k / 2], four[1][k / 2], k % 2);
    }
}

// ---- accesses -----------------------------------------------------------------------------------

static LLVMValueRef vector_at(struct cg *c, LLVMValueRef base, unsigned k) {
    LLVMValueRef at = cg_i64(c, (uint64_t)k * VECTOR_BYTES);
    return LLVMBuildGEP2(c->b, c->i8, base, &at, 1, "");
}

static LLVMValueRef slice(struct cg *c, LLVMValueRef x, unsigned at) {
    LLVMValueRef idx[LANES];
    for (unsigned k = 0; k < LANES; k++)
        idx[k] = cg_i32(c, at + k);
    return LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(idx, LANES), "");
}

static void prefetch(struct cg_func *g, const struct eights *e) {
    bool is_store = e->lo->op == ISA_OP_ST;
    cg_prefetch_turns(g, e->lo, e->base, BYTES * g->cg->width, is_store);
    cg_prefetch_ticket(g, e->lo, e->base, BYTES * g->cg->width);
    LLVMValueRef ahead = cg_next_tile(g, e->lo);
    if (ahead)
        cg_prefetch_tile(g, e->lo, e->base, BYTES, ahead);
}

static void load_lines(struct cg_func *g, struct eights *e) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMVectorType(c->i32, LANES);
    prefetch(g, e);
    for (unsigned h = 0; h < c->width / LANES; h++) {
        LLVMValueRef z[WORDS], out[WORDS];
        for (unsigned k = 0; k < WORDS; k++) {
            z[k] = LLVMBuildLoad2(c->b, t, vector_at(c, e->base, h * WORDS + k), "");
            LLVMSetAlignment(z[k], 4);
        }
        take_apart(c, z, out);
        for (unsigned k = 0; k < WORDS; k++)
            e->x[k] = h ? cg_concat(c, e->x[k], out[k]) : out[k];
    }
}

static void store_lines(struct cg_func *g, const struct eights *e) {
    struct cg *c = g->cg;
    prefetch(g, e);
    for (unsigned h = 0; h < c->width / LANES; h++) {
        LLVMValueRef x[WORDS], z[WORDS];
        for (unsigned k = 0; k < WORDS; k++)
            x[k] = c->width == LANES ? e->x[k] : slice(c, e->x[k], h * LANES);
        put_together(c, x, z);
        for (unsigned k = 0; k < WORDS; k++)
            LLVMSetAlignment(LLVMBuildStore(c->b, z[k], vector_at(c, e->base, h * WORDS + k)), 4);
    }
}

static struct cg_lane_access each_lane(struct cg *c, const struct eights *e, bool rare) {
    return (struct cg_lane_access){
        .elem = c->i32, .count = WORDS, .bytes = 4, .at.pointers = e->pointers, .rare = rare};
}

// Where the sum behind the addresses wraps or some lanes do not act, each lane goes by itself.
static void access_either_way(struct cg_func *g, struct eights *e, LLVMValueRef guard) {
    struct cg *c = g->cg;
    bool is_load = e->lo->op == ISA_OP_LD;
    LLVMBasicBlockRef lines = cg_new_block(g, "lines"), some = cg_new_block(g, "some"),
                      done = cg_new_block(g, "accessed"), from[2];
    LLVMValueRef mask = g->now.mask, ok = guard, x[2][WORDS];
    if (mask) {
        LLVMTypeRef t = cg_mask_type(c);
        LLVMValueRef all = cg_call_intrinsic(c, "llvm.vector.reduce.and", &t, 1, &mask, 1);
        ok = ok ? LLVMBuildAnd(c->b, ok, all, "") : all;
    }
    LLVMBuildCondBr(c->b, ok, lines, some);
    LLVMPositionBuilderAtEnd(c->b, lines);
    g->now.mask = NULL;
    if (is_load)
        load_lines(g, e);
    else
        store_lines(g, e);
    g->now.mask = mask;
    for (unsigned k = 0; k < WORDS; k++)
        x[0][k] = x[1][k] = e->x[k];
    from[0] = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, some);
    if (is_load)
        cg_gather(g, each_lane(c, e, !mask), x[1]);
    else
        cg_scatter(g, each_lane(c, e, !mask), x[1]);
    from[1] = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
    for (unsigned k = 0; k < WORDS && is_load; k++) {
        LLVMValueRef in[2] = {x[0][k], x[1][k]};
        e->x[k] = LLVMBuildPhi(c->b, LLVMTypeOf(in[0]), "");
        LLVMAddIncoming(e->x[k], in, from, 2);
    }
}

static void find_places(struct cg_func *g, struct eights *e) {
    struct cg *c = g->cg;
    struct kir_value *v = e->lo->ops[0];
    LLVMValueRef off = LLVMConstInt(c->i64, (unsigned long long)e->lo->offset, 1);
    LLVMValueRef at = cg_scalar(g, v), all = cg_vec(g, v);
    LLVMTypeRef v64 = cg_vec_of(c, c->i64);
    if (kir_type_bits(v->type) < 64) {
        at = LLVMBuildZExt(c->b, at, c->i64, "");
        all = LLVMBuildZExt(c->b, all, v64, "");
    }
    at = LLVMBuildAdd(c->b, at,
                      LLVMBuildAdd(c->b, off, cg_i64(c, (uint64_t)cg_shape(g, v).offs[0]), ""), "");
    e->base = cg_pointer(g, ISA_SPACE_GLOBAL, at, false);
    e->pointers =
        cg_pointer(g, ISA_SPACE_GLOBAL, LLVMBuildAdd(c->b, all, cg_splat(c, off), ""), true);
}

static void take_values(struct cg_func *g, struct eights *e) {
    struct cg *c = g->cg;
    for (unsigned k = 0; k < WORDS; k++) {
        struct kir_inst *i = k < 4 ? e->lo : e->hi;
        LLVMValueRef x = cg_operand_bits(g, i, 1 + k % 4, cg_vec(g, i->ops[1 + k % 4]));
        e->x[k] = LLVMBuildBitCast(c->b, x, cg_vec_of(c, c->i32), "");
    }
}

static void set_results(struct cg_func *g, const struct eights *e) {
    struct cg *c = g->cg;
    for (unsigned k = 0; k < WORDS; k++) {
        struct kir_value *r = (k < 4 ? e->lo : e->hi)->res[k % 4];
        cg_set_result(g, r, LLVMBuildBitCast(c->b, e->x[k], cg_vec_type(c, r->type), ""));
    }
    cg_keep_lines(g, e->lo);
    cg_keep_lines(g, e->hi);
}

bool cg_emit_eights(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    const struct plan_access *a = plan_access_of(g->plan, i);
    if (!a || !a->beside)
        return false;
    const struct plan_access *first = a->leads ? a : a->beside, *second = first->beside;
    LLVMValueRef guard = cg_guard(g, i->ops[0]);
    bool known = g->now.mask && LLVMIsConstant(g->now.mask), asks = guard || g->now.mask;
    if (known || (asks && c->team > 1))
        return false;
    bool is_load = i->op == ISA_OP_LD;
    cg_check_alignment(g, i);
    if (a == (is_load ? second : first))
        return true;
    struct eights e = {.lo = first->inst, .hi = second->inst};
    if (e.hi->offset < e.lo->offset)
        e = (struct eights){.lo = second->inst, .hi = first->inst};
    note_on(c->notes, i, false,
            "global %s: with the one beside it, neighbouring threads, neighbouring addresses",
            is_load ? "load" : "store");
    cg_settle(g, e.lo, BYTES);
    if (!is_load)
        take_values(g, &e);
    find_places(g, &e);
    if (asks)
        access_either_way(g, &e, guard);
    else if (is_load)
        load_lines(g, &e);
    else
        store_lines(g, &e);
    if (is_load)
        set_results(g, &e);
    return true;
}
