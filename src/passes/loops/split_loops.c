// Compilers jump from the end of the outer loop straight to the inner one's header, when nothing
// stands between the two. Taken for one loop, with lanes that go on at different iterations, its
// lanes come to the outer part's warp operations one after the other.
#include "passes/loops/split_loops.h"

#include <string.h>

#include "ir/ssa.h"
#include "isa/ops/warp.h"
#include "passes/flow/cfg.h"

struct split {
    struct kir_func *func;
    const struct cfg *cfg;
    struct kir_block *header;
    const struct cfg_loop *loop;
    bool *inner; // by block id: of the inner loop
};

static bool in_loop(const struct split *s, const struct kir_block *b) {
    return s->cfg->pos[b->id] != UINT32_MAX && cfg_in_loop(s->loop, s->cfg->loop[b->id]);
}

// The blocks from which `latch` is reached without passing the header again.
static void mark_inner(struct split *s, struct arena *tmp, struct kir_block *latch) {
    struct kir_block **work = arena_array(tmp, struct kir_block *, s->func->blocks.len + 1);
    uint32_t n = 0;
    memset(s->inner, 0, s->func->blocks.len * sizeof *s->inner);
    s->inner[s->header->id] = true;
    if (latch != s->header)
        work[n++] = latch;
    s->inner[latch->id] = true;
    while (n) {
        const struct kir_block *b = work[--n];
        for (uint32_t p = 0; p < b->preds.len; p++) {
            struct kir_block *from = b->preds.data[p];
            if (in_loop(s, from) && !s->inner[from->id]) {
                s->inner[from->id] = true;
                work[n++] = from;
            }
        }
    }
}

static bool exchanges(const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i; i = i->next)
        if (isa_op_info[i->op].klass == ISA_CLASS_WARP && i->op != ISA_OP_ACTIVEMASK)
            return true;
    return false;
}

// Does the outer loop go on from elsewhere, with warp operations of its own?
static bool is_nest(const struct split *s) {
    bool outer = false, exchange = false;
    for (uint32_t p = 0; p < s->header->preds.len; p++) {
        const struct kir_block *from = s->header->preds.data[p];
        outer |= in_loop(s, from) && !s->inner[from->id];
        for (uint32_t q = 0; q < p; q++)
            if (from == s->header->preds.data[q])
                return false;
    }
    for (uint32_t b = 0; b < s->cfg->func_blocks && outer; b++)
        exchange |= in_loop(s, s->func->blocks.data[b]) && !s->inner[b] &&
                    exchanges(s->func->blocks.data[b]);
    return exchange;
}

static bool stays(const struct split *s, uint32_t p) {
    const struct kir_block *from = s->header->preds.data[p];
    return from->id < s->cfg->func_blocks && in_loop(s, from) && s->inner[from->id];
}

// The phi's operands that come from outside of the inner loop, as a phi of the outer header.
static void split_phi(const struct split *s, struct kir_inst *phi, struct kir_block *outer) {
    uint32_t n = 0, outside = 0, kept = 1;
    for (uint32_t p = 0; p < phi->nops; p++)
        outside += !stays(s, p);
    enum kir_type type = (enum kir_type)phi->res[0]->type;
    struct kir_inst *i =
        kir_inst_new(s->func, ISA_OP_PHI, kir_isa_type(type), outside, 1, &phi->res[0]->type, 0);
    i->line = phi->line;
    i->file = phi->file;
    struct kir_value **ops =
        arena_array(&s->func->module->arena, struct kir_value *, phi->nops + 1);
    for (uint32_t p = 0; p < phi->nops; p++)
        if (stays(s, p))
            ops[kept++] = phi->ops[p];
        else
            i->ops[n++] = phi->ops[p];
    ops[0] = i->res[0];
    phi->ops = ops;
    phi->nops = kept;
    kir_append(outer, i);
}

static void make_header(const struct split *s) {
    struct kir_func *f = s->func;
    struct kir_block *h = s->header, *outer = kir_block_new(f, NULL);
    for (struct kir_inst *i = h->first; i && i->op == ISA_OP_PHI; i = i->next)
        split_phi(s, i, outer);
    struct kir_inst *go = kir_inst_new(f, ISA_OP_BRA, ISA_VOID, 0, 0, NULL, 1);
    go->targets[0] = h;
    go->line = h->last->line;
    go->file = h->last->file;
    kir_append(outer, go);
    uint32_t kept = 1;
    struct kir_block **preds = arena_array(&f->module->arena, struct kir_block *, h->preds.len + 1);
    for (uint32_t p = 0; p < h->preds.len; p++) {
        struct kir_block *from = h->preds.data[p];
        if (stays(s, p)) {
            preds[kept++] = from;
            continue;
        }
        vec_push(&f->module->arena, &outer->preds, from);
        for (uint32_t k = 0; k < from->last->ntargets; k++)
            if (from->last->targets[k] == h)
                from->last->targets[k] = outer;
    }
    preds[0] = outer;
    h->preds.len = 0;
    for (uint32_t p = 0; p < kept; p++)
        vec_push(&f->module->arena, &h->preds, preds[p]);
}

static bool split_one(struct kir_func *f, struct arena *tmp) {
    struct split s = {.func = f, .cfg = cfg_build(tmp, f)};
    if (!s.cfg)
        return false;
    s.inner = arena_array(tmp, bool, f->blocks.len + 1);
    for (uint32_t l = 0; l < s.cfg->loops.len; l++) {
        s.loop = s.cfg->loops.data[l];
        s.header = s.loop->header;
        if (s.loop->irreducible || s.header == f->blocks.data[0])
            continue;
        for (uint32_t p = 0; p < s.header->preds.len; p++) {
            if (!in_loop(&s, s.header->preds.data[p]))
                continue;
            mark_inner(&s, tmp, s.header->preds.data[p]);
            if (is_nest(&s)) {
                make_header(&s);
                return true;
            }
        }
    }
    return false;
}

void split_loops(struct kir_func *f) {
    enum { MOST = 64 };
    struct arena tmp = {0};
    bool any = false;
    for (uint32_t b = 0; b < f->blocks.len && !any; b++)
        any = exchanges(f->blocks.data[b]);
    for (unsigned n = 0; n < MOST && any; n++)
        any = split_one(f, &tmp);
    arena_free(&tmp);
}
