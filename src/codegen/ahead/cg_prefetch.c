// Asking for memory before it is needed. Processors see streams of neighbouring lines by
// themselves; what they do not see are the steps of a grid-stride loop, which touches another page
// at each iteration, and the tiles of a matrix, each row of which lies on a page of its own.
#include <stdlib.h>

#include "codegen/ahead/cg_prefetch.h"
#include "codegen/ahead/cg_prefetch_at.h"
#include "codegen/ahead/cg_stream.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"
#include "plan/plan.h"

enum { FAR_STEP = 1024, LINE = 64 };
// How many bytes before they are used lines are asked for into the second cache, and then into the
// first one. The first one has few places for lines under way, not enough for a memory's latency
// times its speed.
enum { FAR_AHEAD = 6144, NEAR_AHEAD = 2048, LEAST_FAR = 3, LEAST_NEAR = 1 };
// Where the machine is asked in its second cache, what finds no place in the first one is dropped:
// then it is the far lines that count.
enum { SECOND_FAR_AHEAD = 24576 };
enum { MOST_FAR = 32, MOST_NEAR = 8 }; // iterations, lest they lie behind the loop's end
enum { MAX_LINES = 8, NEXT_GROUPS = 512 };

// How many bytes further the access lies when the loop's index grows by one, judged from how both
// grow from lane to lane; 0: not at all, or not known.
static int64_t bytes_per_index(const struct cg_func *g, const struct kir_inst *i) {
    const struct shape *x = &g->fl->shape[g->stepped->id], *a = &g->fl->shape[i->ops[0]->id];
    if (x->kind != SHAPE_OFFSETS || a->kind != SHAPE_OFFSETS)
        return 0;
    int64_t dx = x->offs[1] - x->offs[0], da = a->offs[1] - a->offs[0];
    return dx && da % dx == 0 ? da / dx : 0;
}

// All lines of an access of so many bytes, `by` (i64) bytes behind p.
static void prefetch_lines(struct cg *c, LLVMValueRef p, LLVMValueRef by, unsigned bytes,
                           bool is_store, unsigned where) {
    for (unsigned at = 0; at < bytes && at / LINE < MAX_LINES; at += LINE) {
        LLVMValueRef to = LLVMBuildAdd(c->b, by, cg_i64(c, at), "");
        cg_prefetch_to(c, LLVMBuildGEP2(c->b, c->i8, p, &to, 1, ""), is_store, where);
    }
}

// What lies behind the places of a block of one warp is another block's, which may not be near in
// time.
static bool is_one_warp(const struct cg *c) {
    return c->one_team && c->width * c->team <= KD_WARP;
}

// By how much v is larger in the next block of the row; false: that is not known.
static bool block_step(struct cg_func *g, const struct kir_value *v, int64_t *step) {
    if (!g->by_block)
        g->by_block = affine_by_block(g->cg->arena, g->plan->in.affine);
    return affine_moved(g->by_block, v, step);
}

// Groups of a team that is a whole block are there at once: what is next is the next block's.
// 0: nothing that this block does not touch.
static int64_t distance_ahead(struct cg_func *g, const struct kir_inst *i, unsigned bytes) {
    int64_t block = g->cg->one_team ? g->cg->team * (int64_t)bytes : 0, step;
    if (g->cg->one_team && block_step(g, i->ops[0], &step))
        return step;
    return block > NEXT_GROUPS ? block : NEXT_GROUPS;
}

// Has an access before i in its block asked for the same lines? In a stencil, for one, which loads
// its neighbours along a row.
static bool is_asked_for(const struct kir_inst *i) {
    // Backwards: a row of stores (plan/rows.c) stands in no list itself.
    for (const struct kir_inst *k = i->prev; k; k = k->prev) {
        int64_t by = k->offset - i->offset;
        if (k->op == i->op && k->ops[0] == i->ops[0] && k->ty == i->ty &&
            k->mods.vec == i->mods.vec && by > -LINE && by < LINE)
            return true;
    }
    return false;
}

// How much of memory a row of the block accesses through i's base.
static int64_t bytes_in_row(const struct cg_func *g, const struct kir_inst *i, unsigned bytes) {
    int64_t first = i->offset, last = i->offset;
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (const struct kir_inst *k = g->fl->cfg->order[p]->first; k; k = k->next)
            if (k->op == i->op && k->ops[0] == i->ops[0]) {
                first = k->offset < first ? k->offset : first;
                last = k->offset > last ? k->offset : last;
            }
    return last - first + g->cg->spec.ntid[0] / g->cg->width * (int64_t)bytes;
}

// Does what lies ahead come next? Where a block has rows that are shorter than the distance, and is
// finished before the next one, it is several blocks away: it would drive out what is in use, most
// of all where rows lie a power of two apart and share few sets of the cache.
static bool is_next(const struct cg_func *g, const struct kir_inst *i, unsigned bytes) {
    const uint32_t *n = g->cg->spec.ntid;
    return n[1] * n[2] < 2 || g->walks_rows || bytes_in_row(g, i, bytes) >= NEXT_GROUPS;
}

static bool looks_ahead(const struct cg_func *g, const struct kir_inst *i, unsigned bytes) {
    return g->cg->target.prefetches_groups && !g->cg->target.second_cache && !g->cg->quick &&
           bytes >= LINE && is_next(g, i, bytes) && i->mods.space == ISA_SPACE_GLOBAL &&
           !g->fl->cfg->loop[i->block->id] && !is_one_warp(g->cg) && !is_asked_for(i);
}

// Does the store ask for the next block's lines, so that they need not be asked for when that
// begins?
bool cg_asks_for_next(struct cg_func *g, const struct kir_inst *i) {
    int64_t step;
    return g->cg->one_team && looks_ahead(g, i, LINE) && block_step(g, i->ops[0], &step) && step;
}

void cg_prefetch_groups(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, unsigned bytes,
                        bool is_store) {
    int64_t by = looks_ahead(g, i, bytes) ? distance_ahead(g, i, bytes) : 0;
    if (by)
        prefetch_lines(g->cg, p, cg_i64(g->cg, (uint64_t)by), bytes, is_store, CG_FIRST_CACHE);
}

// All lines that the access, of so many bytes, will touch some iterations later, which move it on
// by step * scale bytes each.
static void prefetch_later(struct cg *c, LLVMValueRef p, LLVMValueRef step, int64_t scale,
                           unsigned bytes, bool is_store, unsigned where) {
    int64_t turn = llabs(scale) * c->width * c->team;
    int64_t far = c->target.second_cache ? SECOND_FAR_AHEAD : FAR_AHEAD;
    int64_t turns = (where == CG_FIRST_CACHE ? NEAR_AHEAD : far) / turn;
    int64_t least = where == CG_FIRST_CACHE ? LEAST_NEAR : LEAST_FAR;
    int64_t most = where == CG_FIRST_CACHE ? MOST_NEAR : MOST_FAR;
    turns = turns < least ? least : turns > most ? most : turns;
    LLVMValueRef by = LLVMBuildMul(c->b, step, cg_i64(c, (uint64_t)(scale * turns)), "");
    prefetch_lines(c, p, by, bytes ? bytes : 1, is_store && where == CG_FIRST_CACHE, where);
}

// Groups of a team whose accesses lie side by side, several of them in a line: does one before this
// one ask for the line?
static bool is_in_line(const struct cg_func *g, const struct kir_inst *i, unsigned bytes) {
    uint32_t v = i->ops[0]->id;
    return g->turn && bytes && LINE % bytes == 0 && g->fl->affine[v] && g->fl->lag[v] == bytes &&
           g->turn * bytes % LINE;
}

void cg_prefetch_turns(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, unsigned bytes,
                       bool is_store) {
    struct cg *c = g->cg;
    enum isa_space s = i->mods.space;
    uint64_t constant;
    if (!g->step || (s != ISA_SPACE_GLOBAL && s != ISA_SPACE_GENERIC) || !cg_at_hand(g, g->step) ||
        is_in_line(g, i, bytes))
        return;
    int64_t scale = bytes_per_index(g, i);
    if (!scale)
        return;
    bool near = flow_const(g->step, &constant) && (int64_t)(int32_t)constant * scale < FAR_STEP;
    if (near)
        return;
    LLVMValueRef step = cg_scalar(g, g->step);
    if (LLVMTypeOf(step) != c->i64)
        step = LLVMBuildSExt(c->b, step, c->i64, "");
    LLVMValueRef near_p = is_store ? cg_unless_stream(g, i, p) : p;
    if (near_p != p) { // the step as well
        LLVMValueRef past = LLVMBuildICmp(c->b, LLVMIntNE, near_p, p, "");
        step = LLVMBuildSelect(c->b, past, cg_i64(c, 0), step, "");
        p = near_p;
    }
    prefetch_later(c, p, step, scale, bytes, is_store, CG_SECOND_CACHE);
    prefetch_later(c, p, step, scale, bytes, is_store, CG_FIRST_CACHE);
}

// ---- Tiles ------------------------------------------------------------------------------------

// The innermost loop around b, when it has a barrier: what its iterations load into shared memory
// is worked on behind the barrier, long enough to fetch what the next iteration will load.
static const struct cfg_loop *tile_loop(struct cg_func *g, const struct kir_block *b) {
    const struct cfg *cfg = g->fl->cfg;
    const struct cfg_loop *l = cfg->loop[b->id];
    if (!l || l->irreducible)
        return NULL;
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = cfg->order[p]->first; i; i = i->next)
            if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK)
                return l;
    return NULL;
}

// An invariant that the loop uses: it is kept at each of the loop's barriers.
static LLVMValueRef invariant(struct cg_func *g, const struct kir_value *v, bool by_zeros) {
    struct cg *c = g->cg;
    unsigned bits = kir_type_bits(v->type);
    if (v->kind == KIR_VALUE_UNDEF || (bits != 32 && bits != 64) ||
        cg_shape(g, v).kind != SHAPE_UNIFORM)
        return NULL;
    LLVMValueRef x =
        LLVMBuildBitCast(c->b, cg_scalar(g, (struct kir_value *)v), cg_int_type(c, bits), "");
    return by_zeros ? LLVMBuildZExtOrBitCast(c->b, x, c->i64, "")
                    : LLVMBuildSExtOrBitCast(c->b, x, c->i64, "");
}

// By how much v, a whole number, grows from one iteration of l to the next, as an i64; NULL: by no
// one number that is known before. Nothing depends on the answer.
static LLVMValueRef growth(struct cg_func *g, const struct cfg_loop *l, const struct kir_value *v) {
    struct cg *c = g->cg;
    struct affine_term term[AFFINE_TERMS];
    struct affine_form by;
    if (!affine_growth(g->plan->in.affine, l, v, term, &by))
        return NULL;
    LLVMValueRef sum = cg_i64(c, (uint64_t)by.constant);
    for (unsigned k = 0; k < by.n; k++) {
        LLVMValueRef x = cg_i64(c, (uint64_t)term[k].times);
        for (unsigned m = 0; m < AFFINE_FACTORS && term[k].factor[m]; m++) {
            LLVMValueRef y = invariant(g, term[k].factor[m], term[k].by_zeros[m]);
            if (!y)
                return NULL;
            x = LLVMBuildMul(c->b, x, y, "");
        }
        sum = LLVMBuildAdd(c->b, sum, x, "");
    }
    return sum;
}

LLVMValueRef cg_next_tile(struct cg_func *g, const struct kir_inst *i) {
    enum isa_space s = i->mods.space;
    if (g->cg->quick || (s != ISA_SPACE_GLOBAL && s != ISA_SPACE_GENERIC))
        return NULL;
    const struct cfg_loop *l = tile_loop(g, i->block);
    LLVMValueRef by = l ? growth(g, l, i->ops[0]) : NULL;
    if (by && LLVMIsAConstantInt(by) && llabs(LLVMConstIntGetSExtValue(by)) < LINE)
        return NULL;
    return by;
}

// A tile's rows mostly lie a power of two apart, in few of the first cache's sets. Where they are
// more than such sets hold, they would drive each other out before they are used.
static bool is_large_tile(struct cg_func *g, const struct kir_inst *i) {
    enum { FEW_LINES = 64 };
    const struct cfg_loop *l = tile_loop(g, i->block);
    const struct cfg *cfg = g->fl->cfg;
    const uint32_t *n = g->cg->spec.ntid;
    uint32_t bytes = 0, threads = n[0] * n[1] * n[2];
    for (uint32_t p = l ? l->first : 1; p <= (l ? l->last : 0); p++)
        for (const struct kir_inst *k = cfg->order[p]->first; k; k = k->next) {
            bool loads = k->op == ISA_OP_LD && k->mods.space == i->mods.space &&
                         g->fl->full[k->block->id] &&
                         g->fl->shape[k->ops[0]->id].kind != SHAPE_UNIFORM;
            bytes += loads ? (k->mods.vec ? k->mods.vec : 1) * isa_type_bits(k->ty) / 8 : 0;
        }
    return i->op == ISA_OP_LD && threads * bytes / LINE > FEW_LINES;
}

void cg_prefetch_tile(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, unsigned bytes,
                      LLVMValueRef by) {
    struct cg *c = g->cg;
    const struct shape *s = &g->fl->shape[i->ops[0]->id];
    if (s->kind != SHAPE_OFFSETS)
        return;
    int64_t first = INT64_MAX, end = INT64_MIN;
    for (unsigned k = 0; k < c->width; k++) {
        first = s->offs[k] < first ? s->offs[k] : first;
        end = s->offs[k] + bytes > end ? s->offs[k] + bytes : end;
    }
    unsigned where = is_large_tile(g, i) ? CG_SECOND_CACHE : CG_FIRST_CACHE;
    for (int64_t at = first; at < end && (at - first) / LINE < MAX_LINES; at += LINE) {
        LLVMValueRef to = LLVMBuildAdd(c->b, by, cg_i64(c, (uint64_t)at), "");
        cg_prefetch_line(c, LLVMBuildGEP2(c->b, c->i8, p, &to, 1, ""), i->op == ISA_OP_ST, where);
    }
}
