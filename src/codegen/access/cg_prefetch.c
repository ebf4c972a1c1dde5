// Asking for memory before it is needed. Processors see streams of neighbouring lines by
// themselves; what they do not see are the steps of a grid-stride loop, which touches another page
// at each iteration, and the tiles of a matrix, each row of which lies on a page of its own.
#include <stdlib.h>

#include "codegen/emit/cg.h"

enum { FAR_STEP = 1024, LINE = 64 };
// How many bytes before they are used lines are asked for into the second cache, and then into the
// first one. The first one has few places for lines under way, not enough for a memory's latency
// times its speed.
enum { FAR_AHEAD = 6144, NEAR_AHEAD = 2048, LEAST_FAR = 3, LEAST_NEAR = 1 };
// Where the machine is asked in its second cache, what finds no place in the first one is dropped:
// then it is the far lines that count.
enum { SECOND_FAR_AHEAD = 24576 };
enum { MOST_FAR = 32, MOST_NEAR = 8 }; // iterations, lest they lie behind the loop's end
enum { MAX_DEPTH = 12, STEP_DEPTH = 8, MAX_LINES = 8, NEXT_GROUPS = 512 };

enum { NEAR = 3, SECOND_CACHE = 2 };

static void prefetch_to(struct cg *c, LLVMValueRef p, bool is_store, unsigned where) {
    LLVMValueRef args[4] = {p, cg_i32(c, is_store), cg_i32(c, where), cg_i32(c, 1)};
    cg_call_intrinsic(c, "llvm.prefetch", &c->ptr, 1, args, 4);
}

// Where the first cache has few places for lines under way, what is asked for takes them from loads
// until it is there; what the second cache is asked for does so only while there are some.
static void ask(struct cg *c, LLVMValueRef p, bool is_store, unsigned where) {
    bool second = where == NEAR && c->target.second_cache;
    prefetch_to(c, p, is_store && !second, second ? SECOND_CACHE : where);
}

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
        prefetch_to(c, LLVMBuildGEP2(c->b, c->i8, p, &to, 1, ""), is_store, where);
    }
}

// What lies behind the places of a block of one warp is another block's, which may not be near in
// time.
static bool is_one_warp(const struct cg *c) {
    return c->one_team && c->width * c->team <= KD_WARP;
}

// A factor that is known when the code is made.
static bool factor(const struct cg_func *g, const struct kir_value *v, int64_t *by) {
    uint64_t c;
    if (flow_const(v, &c)) {
        *by = (int32_t)c;
        return true;
    }
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    if (!i || i->op != ISA_OP_SREG || i->sreg < ISA_SREG_NTID_X || i->sreg > ISA_SREG_NTID_Z)
        return false;
    *by = g->cg->spec.ntid[i->sreg - ISA_SREG_NTID_X];
    return *by != 0;
}

static bool block_step(const struct cg_func *g, const struct kir_value *v, unsigned depth,
                       int64_t *step);

static bool product_step(const struct cg_func *g, const struct kir_inst *i, unsigned depth,
                         int64_t *step) {
    int64_t x, y, by;
    if (!block_step(g, i->ops[0], depth, &x) || !block_step(g, i->ops[1], depth, &y) ||
        (x && !factor(g, i->ops[1], &by)) || (y && !factor(g, i->ops[0], &by)) || (x && y))
        return false;
    *step = x || y ? (x + y) * by : 0;
    return true;
}

// By how much v is larger in the next block of the row; false: that is not known.
static bool block_step(const struct cg_func *g, const struct kir_value *v, unsigned depth,
                       int64_t *step) {
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    int64_t x, y;
    uint64_t c;
    *step = 0;
    if (!i || i->op == ISA_OP_SYMADDR || (i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM))
        return true;
    if (i->op == ISA_OP_SREG) {
        *step = i->sreg == ISA_SREG_CTAID_X;
        return i->sreg >= ISA_SREG_TID_X && i->sreg <= ISA_SREG_NCTAID_Z;
    }
    if (isa_op_info[i->op].klass != ISA_CLASS_POINTWISE || !depth--)
        return false;
    switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        *step = block_step(g, i->ops[0], depth, &x) && block_step(g, i->ops[1], depth, &y)
                    ? x + (i->op == ISA_OP_ADD ? y : -y)
                    : INT64_MIN;
        return *step != INT64_MIN;
    case ISA_OP_MUL:
        return product_step(g, i, depth, step);
    case ISA_OP_MAD:
        if (!product_step(g, i, depth, &x) || !block_step(g, i->ops[2], depth, &y))
            return false;
        *step = x + y;
        return true;
    case ISA_OP_SHL:
        if (!block_step(g, i->ops[0], depth, &x) || !flow_const(i->ops[1], &c) || c > 31)
            return false;
        *step = x * (INT64_C(1) << c);
        return true;
    case ISA_OP_CVT:
    case ISA_OP_CVTA:
    case ISA_OP_MOV:
        return !isa_type_is_float(i->ty) && block_step(g, i->ops[0], depth, step);
    default:
        for (uint32_t k = 0; k < i->nops; k++)
            if (!block_step(g, i->ops[k], depth, &x) || x)
                return false;
        return true;
    }
}

// Groups of a team that is a whole block are there at once: what is next is the next block's.
// 0: nothing that this block does not touch.
static int64_t distance_ahead(const struct cg_func *g, const struct kir_inst *i, unsigned bytes) {
    int64_t block = g->cg->one_team ? g->cg->team * (int64_t)bytes : 0, step;
    if (g->cg->one_team && block_step(g, i->ops[0], STEP_DEPTH, &step))
        return step;
    return block > NEXT_GROUPS ? block : NEXT_GROUPS;
}

// Has an access before i in its block asked for the same lines? In a stencil, for one, which loads
// its neighbours along a row.
static bool is_asked_for(const struct kir_inst *i) {
    // Backwards: a row of stores (cg_store_row) stands in no list itself.
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
static bool asks_for_next(const struct cg_func *g, const struct kir_inst *i) {
    int64_t step;
    return g->cg->one_team && looks_ahead(g, i, LINE) &&
           block_step(g, i->ops[0], STEP_DEPTH, &step) && step;
}

void cg_prefetch_groups(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, unsigned bytes,
                        bool is_store) {
    int64_t by = looks_ahead(g, i, bytes) ? distance_ahead(g, i, bytes) : 0;
    if (by)
        prefetch_lines(g->cg, p, cg_i64(g->cg, (uint64_t)by), bytes, is_store, NEAR);
}

// All lines that the access, of so many bytes, will touch some iterations later, which move it on
// by step * scale bytes each.
static void prefetch_later(struct cg *c, LLVMValueRef p, LLVMValueRef step, int64_t scale,
                           unsigned bytes, bool is_store, unsigned where) {
    int64_t turn = llabs(scale) * c->width * c->team;
    int64_t far = c->target.second_cache ? SECOND_FAR_AHEAD : FAR_AHEAD;
    int64_t turns = (where == NEAR ? NEAR_AHEAD : far) / turn;
    int64_t least = where == NEAR ? LEAST_NEAR : LEAST_FAR;
    int64_t most = where == NEAR ? MOST_NEAR : MOST_FAR;
    turns = turns < least ? least : turns > most ? most : turns;
    LLVMValueRef by = LLVMBuildMul(c->b, step, cg_i64(c, (uint64_t)(scale * turns)), "");
    prefetch_lines(c, p, by, bytes ? bytes : 1, is_store && where == NEAR, where);
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
    prefetch_later(c, p, step, scale, bytes, is_store, SECOND_CACHE);
    prefetch_later(c, p, step, scale, bytes, is_store, NEAR);
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

static bool is_invariant(const struct cg_func *g, const struct cfg_loop *l,
                         const struct kir_value *v) {
    return v->kind != KIR_VALUE_INST || !cfg_in_loop(l, g->fl->cfg->loop[v->def->block->id]);
}

// An invariant that the loop uses: it is kept at each of the loop's barriers.
static LLVMValueRef invariant(struct cg_func *g, struct kir_value *v) {
    struct cg *c = g->cg;
    unsigned bits = kir_type_bits(v->type);
    if (v->kind == KIR_VALUE_UNDEF || (bits != 32 && bits != 64) ||
        cg_shape(g, v).kind != SHAPE_UNIFORM)
        return NULL;
    LLVMValueRef x = LLVMBuildBitCast(c->b, cg_scalar(g, v), cg_int_type(c, bits), "");
    return LLVMBuildSExtOrBitCast(c->b, x, c->i64, "");
}

// The difference between v and the phi that it is made from by additions; NULL: not known.
static LLVMValueRef from_phi(struct cg_func *g, const struct cfg_loop *l, struct kir_value *v,
                             const struct kir_value *phi, unsigned depth) {
    struct cg *c = g->cg;
    if (v == phi)
        return cg_i64(c, 0);
    if (!depth || is_invariant(g, l, v) || v->def->op != ISA_OP_ADD)
        return NULL;
    for (int k = 0; k < 2; k++) {
        struct kir_value *by = v->def->ops[1 - k];
        LLVMValueRef x, d;
        if (is_invariant(g, l, by) && (x = from_phi(g, l, v->def->ops[k], phi, depth - 1)) &&
            (d = invariant(g, by)))
            return LLVMBuildAdd(c->b, x, d, "");
    }
    return NULL;
}

static LLVMValueRef growth(struct cg_func *g, const struct cfg_loop *l, struct kir_value *v,
                           unsigned depth);

static LLVMValueRef growth_of_phi(struct cg_func *g, const struct cfg_loop *l,
                                  const struct kir_inst *phi, unsigned depth) {
    struct kir_value *next = NULL;
    if (phi->block != l->header)
        return NULL;
    for (uint32_t k = 0; k < phi->nops; k++)
        if (cfg_in_loop(l, g->fl->cfg->loop[phi->block->preds.data[k]->id])) {
            if (next)
                return NULL;
            next = phi->ops[k];
        }
    return next ? from_phi(g, l, next, phi->res[0], depth) : NULL;
}

static LLVMValueRef growth_of_product(struct cg_func *g, const struct cfg_loop *l,
                                      const struct kir_inst *i, unsigned depth) {
    for (int k = 0; k < 2; k++) {
        LLVMValueRef x, by;
        if (is_invariant(g, l, i->ops[1 - k]) && (x = growth(g, l, i->ops[k], depth)) &&
            (by = invariant(g, i->ops[1 - k])))
            return LLVMBuildMul(g->cg->b, x, by, "");
    }
    return NULL;
}

static LLVMValueRef growth_of_sum(struct cg_func *g, const struct cfg_loop *l, LLVMValueRef x,
                                  struct kir_value *v, unsigned depth) {
    LLVMValueRef y = x ? growth(g, l, v, depth) : NULL;
    return y ? LLVMBuildAdd(g->cg->b, x, y, "") : NULL;
}

// By how much v, a whole number, grows from one iteration of l to the next, as an i64; NULL: by no
// one number that is known before. Sums that wrap are not looked for: nothing depends on the
// answer.
static LLVMValueRef growth(struct cg_func *g, const struct cfg_loop *l, struct kir_value *v,
                           unsigned depth) {
    struct cg *c = g->cg;
    uint64_t by;
    if (is_invariant(g, l, v))
        return cg_i64(c, 0);
    const struct kir_inst *i = v->def;
    if (!depth-- || isa_type_is_float(i->ty))
        return NULL;
    switch (i->op) {
    case ISA_OP_PHI:
        return growth_of_phi(g, l, i, depth);
    case ISA_OP_ADD:
        return growth_of_sum(g, l, growth(g, l, i->ops[0], depth), i->ops[1], depth);
    case ISA_OP_MUL:
        return i->mods.half == ISA_HI ? NULL : growth_of_product(g, l, i, depth);
    case ISA_OP_MAD:
        return i->mods.half == ISA_HI
                   ? NULL
                   : growth_of_sum(g, l, growth_of_product(g, l, i, depth), i->ops[2], depth);
    case ISA_OP_SHL: {
        LLVMValueRef x =
            flow_const(i->ops[1], &by) && by < 64 ? growth(g, l, i->ops[0], depth) : NULL;
        return x ? LLVMBuildShl(c->b, x, cg_i64(c, by), "") : NULL;
    }
    case ISA_OP_CVT:
        return isa_type_is_float(i->ty2) ? NULL : growth(g, l, i->ops[0], depth);
    case ISA_OP_CVTA:
    case ISA_OP_MOV:
        return i->nops == 1 ? growth(g, l, i->ops[0], depth) : NULL;
    default:
        return NULL;
    }
}

LLVMValueRef cg_next_tile(struct cg_func *g, const struct kir_inst *i) {
    enum isa_space s = i->mods.space;
    if (g->cg->quick || (s != ISA_SPACE_GLOBAL && s != ISA_SPACE_GENERIC))
        return NULL;
    const struct cfg_loop *l = tile_loop(g, i->block);
    LLVMValueRef by = l ? growth(g, l, i->ops[0], MAX_DEPTH) : NULL;
    if (by && LLVMIsAConstantInt(by) && llabs(LLVMConstIntGetSExtValue(by)) < LINE)
        return NULL;
    return by;
}

void cg_prefetch_at(struct cg *c, LLVMValueRef p, LLVMValueRef by, bool is_store) {
    ask(c, LLVMBuildGEP2(c->b, c->i8, p, &by, 1, ""), is_store, NEAR);
}

void cg_prefetch_near(struct cg *c, LLVMValueRef p, LLVMValueRef by, bool is_store) {
    prefetch_to(c, LLVMBuildGEP2(c->b, c->i8, p, &by, 1, ""), is_store, NEAR);
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
    unsigned where = is_large_tile(g, i) ? SECOND_CACHE : NEAR;
    for (int64_t at = first; at < end && (at - first) / LINE < MAX_LINES; at += LINE) {
        LLVMValueRef to = LLVMBuildAdd(c->b, by, cg_i64(c, (uint64_t)at), "");
        ask(c, LLVMBuildGEP2(c->b, c->i8, p, &to, 1, ""), i->op == ISA_OP_ST, where);
    }
}

// ---- Stores behind barriers -------------------------------------------------------------------

enum { MOST_STRIDE = 64, MAX_STORED_LINES = 16, MOST_ROWS = 24 };

static bool is_line(struct cg_func *g, const struct kir_inst *i) {
    enum isa_space space = i->mods.space;
    if (i->op != ISA_OP_ST || (space != ISA_SPACE_GLOBAL && space != ISA_SPACE_GENERIC))
        return false;
    const struct shape *s = &g->fl->shape[i->ops[0]->id];
    if (s->kind != SHAPE_OFFSETS || s->offs[1] - s->offs[0] > MOST_STRIDE)
        return false;
    for (unsigned k = 1; k < g->cg->width; k++)
        if (s->offs[k] < s->offs[k - 1])
            return false;
    return true;
}

// Before which instruction the stores behind barriers are asked for: the first barrier, if all
// threads of the team come to it, once. What is loaded before that is waited for, and should not
// stand behind lines for which there is time. NULL: at the head of the block of threads.
const struct kir_inst *cg_asks_for_stores(const struct cg_func *g) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks && g->cg->one_team; p++) {
        const struct kir_block *b = g->fl->cfg->order[p];
        for (const struct kir_inst *i = b->first; i; i = i->next)
            if (cg_is_meeting(g, i))
                return g->fl->full[b->id] && !g->fl->cfg->loop[b->id] ? i : NULL;
    }
    return NULL;
}

static bool is_kept(struct cg_func *g, const struct kir_value *v) {
    return cg_is_again(g, v) || cg_val_of(g, v)->epoch == CG_PERMANENT;
}

// The lines that the store will write, `base` (i64) being the first lane's address.
static void prefetch_stored(struct cg_func *g, const struct kir_inst *i, LLVMValueRef base,
                            unsigned where) {
    struct cg *c = g->cg;
    const struct shape *s = &g->fl->shape[i->ops[0]->id];
    unsigned vec = i->mods.vec ? i->mods.vec : 1;
    int64_t first = s->offs[0], end = s->offs[c->width - 1] + vec * isa_type_bits(i->ty) / 8;
    LLVMValueRef line = cg_unless_stream(g, i, cg_pointer(g, i->mods.space, base, false));
    for (int64_t k = first; k < end && (k - first) / LINE < MAX_STORED_LINES; k += LINE) {
        LLVMValueRef by = cg_i64(c, (uint64_t)(i->offset + k));
        ask(c, LLVMBuildGEP2(c->b, c->i8, line, &by, 1, ""), where == NEAR, where);
    }
}

// Do two stores that follow each other write the same lines?
static bool writes_same(const struct kir_inst *i, const struct kir_inst *before) {
    return before && before->ops[0] == i->ops[0] && llabs(before->offset - i->offset) < LINE;
}

// Loads do not wait for each other: they bring the lines that are stored to afterwards, and in
// time.
static bool is_loaded(const struct cg_func *g, const struct kir_inst *store) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            if (i->op == ISA_OP_LD && i->ops[0] == store->ops[0] &&
                llabs(i->offset - store->offset) < LINE)
                return true;
    return false;
}

static unsigned count_stores(const struct cg_func *g) {
    unsigned n = 0;
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            n += i->op == ISA_OP_ST;
    return n;
}

// Stores wait in order for their lines: a tile's rows, each on a page of its own, would be fetched
// one after the other. While the tile is read there is time to fetch them all.
// Of many rows few would stay in the first cache until they are stored (depth_first.c asks again).
void cg_prefetch_stores(struct cg_func *g) {
    const struct kir_inst *before = NULL;
    const struct kir_inst **all =
        arena_array(g->cg->arena, const struct kir_inst *, count_stores(g) + 1);
    unsigned n = 0;
    bool behind = false;
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++) {
        const struct kir_block *b = g->fl->cfg->order[p];
        for (const struct kir_inst *i = b->first; i; i = i->next) {
            behind |= cg_is_meeting(g, i);
            if (!behind || !g->fl->full[b->id] || g->fl->cfg->loop[b->id] || !is_line(g, i) ||
                !is_kept(g, i->ops[0]))
                continue;
            if (!writes_same(i, before) && !is_loaded(g, i) && !asks_for_next(g, i))
                all[n++] = i;
            before = i;
        }
    }
    for (unsigned k = 0; k < n; k++)
        prefetch_stored(g, all[k], cg_scalar(g, all[k]->ops[0]),
                        n < MOST_ROWS ? NEAR : SECOND_CACHE);
}

// ---- Stores behind later barriers -------------------------------------------------------------

// Is v there, or can it be made again?
static bool make_deep(struct cg_func *g, struct kir_value *v, unsigned depth) {
    uint64_t unused;
    if (v->kind != KIR_VALUE_INST || flow_const(v, &unused) || cg_val_of(g, v)->epoch == g->epoch ||
        cg_val_of(g, v)->epoch == CG_PERMANENT || (g->turn && cg_made_once(g, v)))
        return true;
    if (!depth || !cg_is_again(g, v))
        return false;
    struct kir_inst *i = v->def;
    for (uint32_t k = 0; k < i->nops; k++)
        if (!make_deep(g, i->ops[k], depth - 1))
            return false;
    struct kir_block *here = g->block;
    LLVMValueRef mask = g->now.mask;
    g->block = i->block;
    g->now.mask = NULL;
    cg_emit_inst(g, i);
    g->block = here;
    g->now.mask = mask;
    return true;
}

static bool make(struct cg_func *g, struct kir_value *v) {
    enum { MOST_STEPS = 64 };
    return make_deep(g, v, MOST_STEPS);
}

// Can v be told at the end of block b from what was made there and from what is kept?
static bool is_told(struct cg_func *g, const struct kir_block *b, const struct kir_value *v,
                    unsigned depth) {
    uint64_t unused;
    if (v->kind != KIR_VALUE_INST || flow_const(v, &unused) || is_kept(g, v))
        return true;
    const struct kir_inst *i = v->def;
    if (i->block == b)
        return cg_val_of(g, v)->epoch == g->epoch && cg_shape(g, i->res[0]).kind != SHAPE_VARYING;
    return depth && i->op == ISA_OP_ADD && v->type == KIR_B64 &&
           is_told(g, b, i->ops[0], depth - 1) && is_told(g, b, i->ops[1], depth - 1);
}

static LLVMValueRef tell(struct cg_func *g, const struct kir_block *b, struct kir_value *v) {
    struct cg *c = g->cg;
    uint64_t unused;
    bool here =
        v->kind != KIR_VALUE_INST || flow_const(v, &unused) || is_kept(g, v) || v->def->block == b;
    if (here)
        return make(g, v) ? cg_scalar(g, v) : NULL;
    LLVMValueRef x = tell(g, b, v->def->ops[0]), y = tell(g, b, v->def->ops[1]);
    return x && y ? LLVMBuildAdd(c->b, x, y, "") : NULL;
}

static void prefetch_told(struct cg_func *g, const struct kir_block *b, struct kir_inst *i) {
    for (unsigned t = 0; t < g->cg->team; t++) {
        cg_turn_to(g, t);
        LLVMValueRef base = tell(g, b, i->ops[0]);
        if (base)
            prefetch_stored(g, i, base, NEAR);
    }
    cg_turn_to(g, 0);
}

// The same for stores whose addresses follow from what block b has loaded, as the number of a tile
// that is taken from a counter.
void cg_prefetch_later_stores(struct cg_func *g, const struct kir_block *b) {
    const struct cfg *cfg = g->fl->cfg;
    const struct kir_inst *before = NULL;
    bool behind = false;
    if (g->cg->quick || !g->f->is_kernel || !g->fl->full[b->id] || cfg->loop[b->id])
        return;
    for (uint32_t p = cfg->pos[b->id] + 1; p < cfg->nblocks; p++)
        for (struct kir_inst *i = cfg->order[p]->first; i; i = i->next) {
            behind |= cg_is_meeting(g, i);
            if (!behind || !g->fl->full[i->block->id] || cfg->loop[i->block->id] ||
                !is_line(g, i) || is_kept(g, i->ops[0]) || !is_told(g, b, i->ops[0], MAX_DEPTH))
                continue;
            if (!writes_same(i, before) && !is_loaded(g, i) && !asks_for_next(g, i))
                prefetch_told(g, b, i);
            before = i;
        }
}
