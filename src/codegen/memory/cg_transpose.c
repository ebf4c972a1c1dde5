// Accesses of a team at an address a lane, where the groups lie side by side: lane l of group g
// reads or writes word g behind that of lane l of the first group. Each lane's words then lie in a
// line, and a transposition in registers makes whole vectors of them:
//
//   group 0:  a0 b0 c0 d0  ...        lane a's place:  a0 a1 a2 a3 ...
//   group 1:  a1 b1 c1 d1  ...        lane b's place:  b0 b1 b2 b3 ...
//
// Whether the distances hold, and no sum wraps, is tested when it runs, and so is that all lanes
// act and, for stores, that the lines of lanes do not overlap: else each group has accesses of its
// own. In shared memory lanes lie at constant distances of a place that the groups share but for a
// constant, and only masks are asked.
#include "codegen/memory/cg_transpose.h"
#include "codegen/access/cg_gather.h"
#include "codegen/access/cg_places.h"
#include "codegen/access/cg_words.h"
#include "codegen/ahead/cg_stream.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_transposition.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_align.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_value.h"
#include "plan/plan.h"

enum { WORD = 4, LINE = 64 };

// ---- the access ---------------------------------------------------------------------------------

struct transposed {
    struct kir_inst *i;
    LLVMTypeRef words, places;      // <W x i32>, <W x i64>
    LLVMValueRef at[CG_MAX_TEAM];   // of each group
    LLVMValueRef mask[CG_MAX_TEAM]; // NULL: all lanes
    LLVMValueRef x[CG_MAX_TEAM];    // what is stored, or was loaded
    bool past;                      // whole lines are stored past the caches
    struct cg_places fixed;         // base: of the first group, where distances are constants
};

static void look_at_groups(struct cg_func *g, struct transposed *t) {
    struct cg *c = g->cg;
    for (unsigned n = 0; n < c->team; n++) {
        cg_turn_to(g, n);
        cg_check_alignment(g, t->i);
        t->mask[n] = g->now.mask;
        if (t->i->mods.space == ISA_SPACE_GLOBAL) {
            struct cg_places p = cg_places_of(g, t->i);
            t->at[n] = LLVMBuildPtrToInt(c->b, cg_pointers(g, &p), t->places, "");
        } else if (!n) {
            t->fixed = cg_places_of(g, t->i);
        }
        if (t->i->op == ISA_OP_ST)
            t->x[n] = LLVMBuildBitCast(c->b, cg_operand_bits(g, t->i, 1, cg_vec(g, t->i->ops[1])),
                                       t->words, "");
    }
}

static LLVMValueRef both(struct cg *c, LLVMValueRef x, LLVMValueRef y) {
    return !x ? y : !y ? x : LLVMBuildAnd(c->b, x, y, "");
}

// Each lane's line ends before the next lane's begins.
static LLVMValueRef lines_follow(struct cg *c, LLVMValueRef at) {
    LLVMValueRef least[32];
    unsigned from[32];
    for (unsigned k = 0; k < c->width; k++) {
        from[k] = k ? k - 1 : 0;
        least[k] = cg_i64(c, k ? (uint64_t)c->team * WORD : 0);
    }
    LLVMValueRef step = LLVMBuildSub(c->b, at, cg_pick(c, at, at, from, c->width), "");
    return LLVMBuildICmp(c->b, LLVMIntSGE, step, LLVMConstVector(least, c->width), "");
}

// An i1: do groups lie side by side, and do all lanes act? NULL: they do.
static LLVMValueRef lie_in_lines(struct cg *c, const struct transposed *t) {
    LLVMValueRef ok = t->i->op == ISA_OP_ST && t->at[0] ? lines_follow(c, t->at[0]) : NULL;
    for (unsigned n = 0; n < c->team; n++) {
        ok = both(c, ok, t->mask[n]);
        if (!n || !t->at[0])
            continue;
        LLVMValueRef by = cg_splat(c, cg_i64(c, (uint64_t)n * WORD));
        LLVMValueRef want = LLVMBuildAdd(c->b, t->at[0], by, "");
        ok = both(c, ok, LLVMBuildICmp(c->b, LLVMIntEQ, t->at[n], want, ""));
    }
    LLVMTypeRef m = cg_mask_type(c);
    return ok ? cg_call_intrinsic(c, "llvm.vector.reduce.and", &m, 1, &ok, 1) : NULL;
}

static LLVMValueRef line_of(struct cg_func *g, const struct transposed *t, struct cg_spread *s,
                            unsigned lane, unsigned group) {
    struct cg *c = g->cg;
    if (t->fixed.base)
        return cg_byte_gep(c, t->fixed.base, t->fixed.offs[lane] + (int64_t)group * WORD);
    LLVMValueRef at = cg_spread_lane(g, s, lane);
    at = LLVMBuildAdd(c->b, at, cg_i64(c, (uint64_t)group * WORD), "");
    return LLVMBuildIntToPtr(c->b, at, c->ptr, "");
}

static unsigned lanes_of_register(const struct cg *c) {
    return c->target.vector_bits / 32;
}

// n lanes of n groups, from lane `lane` and group `group` on.
static void square(struct cg_func *g, struct transposed *t, struct cg_spread *s, unsigned lane,
                   unsigned group, unsigned n) {
    struct cg *c = g->cg;
    LLVMValueRef r[16];
    LLVMTypeRef row = LLVMVectorType(c->i32, n);
    bool store = t->i->op == ISA_OP_ST;
    unsigned from[16];
    for (unsigned k = 0; k < n; k++)
        from[k] = lane + k;
    for (unsigned k = 0; k < n && store; k++)
        r[k] = cg_pick(c, t->x[group + k], t->x[group + k], from, n);
    if (store)
        cg_transpose_words(c, r, n, n);
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef p = line_of(g, t, s, lane + k, group);
        if (t->past) {
            cg_store_past(c, r[k], p);
            continue;
        }
        LLVMValueRef access =
            store ? LLVMBuildStore(c->b, r[k], p) : LLVMBuildLoad2(c->b, row, p, "");
        LLVMSetAlignment(access, WORD);
        if (!store)
            r[k] = access;
    }
    if (store)
        return;
    cg_transpose_words(c, r, n, n);
    for (unsigned k = 0; k < n; k++) {
        unsigned into[32];
        for (unsigned l = 0; l < c->width; l++)
            into[l] = l;
        // Lanes of the others stay.
        LLVMValueRef wide = r[k];
        if (n < c->width) {
            unsigned all[32];
            for (unsigned l = 0; l < c->width; l++)
                all[l] = l >= lane && l < lane + n ? l - lane : 0;
            wide = cg_pick(c, r[k], r[k], all, c->width);
            for (unsigned l = lane; l < lane + n; l++)
                into[l] = c->width + l;
            wide = cg_pick(c, t->x[group + k], wide, into, c->width);
        }
        t->x[group + k] = wide;
    }
}

static void access_each_line(struct cg_func *g, struct transposed *t) {
    struct cg *c = g->cg;
    unsigned n = lanes_of_register(c);
    n = n < c->team ? n : c->team;
    n = n < c->width ? n : c->width;
    cg_turn_to(g, 0);
    struct cg_spread s = {0};
    if (t->at[0])
        s = cg_spread(g, t->at[0], 0);
    for (unsigned k = 0; k < c->team && t->i->op == ISA_OP_LD; k++)
        t->x[k] = LLVMGetPoison(t->words);
    for (unsigned lane = 0; lane < c->width; lane += n)
        for (unsigned group = 0; group < c->team; group += n)
            square(g, t, &s, lane, group, n);
}

// Stores of whole lines past the caches, where the launch and the places allow it.
static void access_lines(struct cg_func *g, struct transposed *t) {
    struct cg *c = g->cg;
    LLVMTypeRef v = t->places;
    LLVMValueRef ok = NULL;
    if (t->at[0] && lanes_of_register(c) * WORD == LINE && c->team % 16 == 0 &&
        c->width % 16 == 0) {
        LLVMValueRef bits = cg_call_intrinsic(c, "llvm.vector.reduce.or", &v, 1, &t->at[0], 1);
        ok = cg_streams_at(g, t->i, bits);
    }
    if (!ok) {
        access_each_line(g, t);
        return;
    }
    LLVMBasicBlockRef past = cg_new_block(g, "past"), cached = cg_new_block(g, "cached"),
                      done = cg_new_block(g, "stored");
    LLVMBuildCondBr(c->b, ok, past, cached);
    for (unsigned way = 0; way < 2; way++) {
        LLVMPositionBuilderAtEnd(c->b, way ? cached : past);
        t->past = !way;
        access_each_line(g, t);
        LLVMBuildBr(c->b, done);
    }
    LLVMPositionBuilderAtEnd(c->b, done);
}

static void access_lanes(struct cg_func *g, struct transposed *t) {
    struct cg *c = g->cg;
    for (unsigned n = 0; n < c->team; n++) {
        cg_turn_to(g, n);
        struct cg_lane_access a = {.elem = c->i32, .count = 1, .bytes = WORD, .rare = true};
        if (t->at[0])
            a.at.pointers = LLVMBuildIntToPtr(c->b, t->at[n], cg_vec_of(c, c->ptr), "");
        else
            a.at = cg_places_of(g, t->i);
        if (t->i->op == ISA_OP_ST)
            cg_scatter(g, a, &t->x[n]);
        else
            cg_gather(g, a, &t->x[n]);
    }
}

static void set_loaded(struct cg_func *g, const struct transposed *t) {
    struct cg *c = g->cg;
    struct kir_value *r = t->i->res[0];
    for (unsigned n = 0; n < c->team; n++) {
        cg_turn_to(g, n);
        cg_set_result(g, r, LLVMBuildBitCast(c->b, t->x[n], cg_vec_type(c, r->type), ""));
    }
}

// Shuffles of what registers hold take less than to write it and to load it again.
static bool held_in_registers(struct cg_func *g, struct kir_inst *i) {
    bool held = i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_SHARED;
    for (unsigned n = 0; n < g->cg->team && held; n++) {
        cg_turn_to(g, n);
        held = cg_words_hold(g, i, 1, WORD);
    }
    cg_turn_to(g, 0);
    return held;
}

bool cg_emit_transposed(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    const struct plan_access *plan = plan_access_of(g->plan, i);
    if (!plan || !plan->transposed || held_in_registers(g, i))
        return false;
    struct transposed t = {.i = i, .words = cg_vec_of(c, c->i32), .places = cg_vec_of(c, c->i64)};
    note_on(c->notes, i, false, "%s %s: rows of threads lie side by side, transposed in registers",
            i->mods.space == ISA_SPACE_SHARED ? "shared" : "global",
            i->op == ISA_OP_ST ? "store" : "load");
    if (i->mods.space == ISA_SPACE_SHARED && i->op == ISA_OP_LD)
        cg_flush_words(g);
    else if (i->mods.space == ISA_SPACE_SHARED)
        cg_forget_words(g);
    look_at_groups(g, &t);
    LLVMValueRef in_lines = lie_in_lines(c, &t);
    if (!in_lines) {
        access_lines(g, &t);
        if (i->op == ISA_OP_LD)
            set_loaded(g, &t);
        cg_turn_to(g, 0);
        return true;
    }
    LLVMBasicBlockRef lines = cg_new_block(g, "lines"), lanes = cg_new_block(g, "lanes"),
                      done = cg_new_block(g, "transposed"), from[2];
    LLVMValueRef x[2][CG_MAX_TEAM];
    LLVMBuildCondBr(c->b, in_lines, lines, lanes);
    for (unsigned way = 0; way < 2; way++) {
        LLVMPositionBuilderAtEnd(c->b, way ? lanes : lines);
        if (way)
            access_lanes(g, &t);
        else
            access_lines(g, &t);
        for (unsigned n = 0; n < c->team; n++)
            x[way][n] = t.x[n];
        from[way] = LLVMGetInsertBlock(c->b);
        LLVMBuildBr(c->b, done);
    }
    LLVMPositionBuilderAtEnd(c->b, done);
    for (unsigned n = 0; n < c->team && i->op == ISA_OP_LD; n++) {
        LLVMValueRef in[2] = {x[0][n], x[1][n]};
        t.x[n] = LLVMBuildPhi(c->b, t.words, "");
        LLVMAddIncoming(t.x[n], in, from, 2);
    }
    if (i->op == ISA_OP_LD)
        set_loaded(g, &t);
    cg_turn_to(g, 0);
    return true;
}
