// Prefetching what a kernel stores to behind its barriers.
#include <stdlib.h>

#include "codegen/ahead/cg_prefetch.h"
#include "codegen/ahead/cg_prefetch_at.h"
#include "codegen/ahead/cg_stream.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/emit/cg_prefetch_stores.h"
#include "codegen/emit/cg_pure.h"
#include "codegen/value/cg_again.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_source.h"
#include "codegen/value/cg_value.h"

enum { MOST_STRIDE = 64, MAX_STORED_LINES = 16, MOST_ROWS = 24, MAX_DEPTH = 12, LINE = 64 };

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
                            enum cg_cache where) {
    struct cg *c = g->cg;
    const struct shape *s = &g->fl->shape[i->ops[0]->id];
    unsigned vec = i->mods.vec ? i->mods.vec : 1;
    int64_t first = s->offs[0], end = s->offs[c->width - 1] + vec * isa_type_bits(i->ty) / 8;
    LLVMValueRef line = cg_unless_stream(g, i, cg_pointer(g, i->mods.space, base, false));
    for (int64_t k = first; k < end && (k - first) / LINE < MAX_STORED_LINES; k += LINE) {
        LLVMValueRef by = cg_i64(c, (uint64_t)(i->offset + k));
        cg_prefetch_line(c, LLVMBuildGEP2(c->b, c->i8, line, &by, 1, ""), where == CG_FIRST_CACHE,
                         where);
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
            if (!writes_same(i, before) && !is_loaded(g, i) && !cg_asks_for_next(g, i))
                all[n++] = i;
            before = i;
        }
    }
    for (unsigned k = 0; k < n; k++)
        prefetch_stored(g, all[k], cg_scalar(g, all[k]->ops[0]),
                        n < MOST_ROWS ? CG_FIRST_CACHE : CG_SECOND_CACHE);
}

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
    cg_emit_pure(g, i);
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
            prefetch_stored(g, i, base, CG_FIRST_CACHE);
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
            if (!writes_same(i, before) && !is_loaded(g, i) && !cg_asks_for_next(g, i))
                prefetch_told(g, b, i);
            before = i;
        }
}
