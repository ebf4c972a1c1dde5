// Threads that run one after the other (a width of 1) wait for each miss of a chain of loads: which
// node is mine, where does its row begin, and what stands there. The processor does not look past a
// loop whose end it cannot foresee. So each thread first goes along the chain of one that comes
// some threads later, and asks for the memory that its loop will begin with.
//
// Threads without loops that lie apart in memory by a step that only the launch knows ask for what
// one far behind them will touch, once in as many threads as a line has places for words two apart.
//
// So does a group of lanes whose atomics, in a loop that lanes leave by what they find, go to
// places that follow from what was loaded, as when keys are put into a hash table: behind locked
// instructions no processor sees the misses of the next group. There the lines are asked for to be
// written, when all lanes of that group take the way to the loop.
//
// Threads of a block may run in any order, so what stands before all that orders memory may be
// loaded early; a load is made only where the later thread will make it.
#include "codegen/control/cg_ahead.h"
#include "codegen/ahead/cg_prefetch_at.h"
#include "codegen/control/cg_inst.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"

enum { AHEAD = 8, MOST_DEPTH = 24, MOST_BLOCKS = 8, CHAIN = 2 };

struct ahead {
    struct cg_func *g;
    struct kir_block *path[MOST_BLOCKS]; // from the entry on, each with no other way to it
    unsigned n;
};

static bool is_plain_load(const struct kir_inst *i) {
    return i->op == ISA_OP_LD && i->mods.sem == ISA_SEM_WEAK &&
           (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC);
}

static bool is_pure(const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return k == ISA_CLASS_POINTWISE || (k == ISA_CLASS_SOURCE && i->op != ISA_OP_PHI) ||
           (i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM);
}

// ---- the way to the loop ------------------------------------------------------------------

static bool may_come_early(const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i; i = i->next)
        if (!kir_is_terminator((isa_op)i->op) && !is_pure(i) && !is_plain_load(i))
            return false;
    return b->last->op == ISA_OP_BRA || b->last->op == ISA_OP_CBR;
}

static void find_path(struct ahead *a) {
    const struct cfg *cfg = a->g->fl->cfg;
    struct kir_block *b = a->g->f->blocks.data[0], *next = NULL;
    for (; b && a->n < MOST_BLOCKS && may_come_early(b) && !cfg->loop[b->id]; b = next) {
        a->path[a->n++] = b;
        next = NULL;
        for (uint32_t k = 0; k < b->last->ntargets; k++) {
            struct kir_block *t = b->last->targets[k];
            // Of two ways that only lead on from here the first one is taken.
            if (t->preds.len == 1 && !next)
                next = t;
        }
    }
}

static bool is_on_path(const struct ahead *a, const struct kir_block *b) {
    for (unsigned k = 0; k < a->n; k++)
        if (a->path[k] == b)
            return true;
    return false;
}

// What a phi at a loop's head begins with; NULL: not known.
static struct kir_value *first_value(const struct ahead *a, const struct kir_inst *phi) {
    const struct cfg *cfg = a->g->fl->cfg;
    const struct cfg_loop *l = cfg->loop[phi->block->id];
    struct kir_value *first = NULL;
    if (!l || l->header != phi->block || l->irreducible)
        return NULL;
    for (uint32_t k = 0; k < phi->nops; k++) {
        if (cfg_in_loop(l, cfg->loop[phi->block->preds.data[k]->id]))
            continue;
        if (first)
            return NULL;
        first = phi->ops[k];
    }
    return first;
}

// How many loads follow each other up to v, in a loop's first iteration; -1: v cannot be made
// early.
static int loads_before(const struct ahead *a, const struct kir_value *v, unsigned depth) {
    if (v->kind != KIR_VALUE_INST)
        return v->kind == KIR_VALUE_CONST ? 0 : -1;
    const struct kir_inst *i = v->def;
    if (!depth)
        return -1;
    if (i->op == ISA_OP_PHI) {
        const struct kir_value *first = first_value(a, i);
        return first ? loads_before(a, first, depth - 1) : -1;
    }
    bool load = is_plain_load(i);
    if ((!load && !is_pure(i)) || (load && !is_on_path(a, i->block)))
        return -1;
    int most = 0;
    for (uint32_t k = 0; k < i->nops; k++) {
        int n = loads_before(a, i->ops[k], depth - 1);
        if (n < 0)
            return -1;
        most = n > most ? n : most;
    }
    return most + load;
}

// ---- going along it -----------------------------------------------------------------------

static void make(struct ahead *a, struct kir_value *v) {
    struct cg_func *g = a->g;
    if (v->kind != KIR_VALUE_INST || cg_at_hand(g, v))
        return;
    struct kir_inst *i = v->def;
    if (i->op == ISA_OP_PHI) {
        struct kir_value *first = first_value(a, i);
        make(a, first);
        if (cg_shape(g, v).kind == SHAPE_VARYING)
            cg_set_vec(g, v, cg_vec(g, first));
        else
            cg_set_scalar(g, v, cg_scalar(g, first));
        return;
    }
    for (uint32_t k = 0; k < i->nops; k++)
        make(a, i->ops[k]);
    g->block = i->block;
    cg_emit_inst(g, i);
}

// Goes on from block k of the path to the next one, where the later thread does.
static void go_on(struct ahead *a, unsigned k, LLVMBasicBlockRef leave) {
    struct cg_func *g = a->g;
    struct cg *c = g->cg;
    struct kir_inst *last = a->path[k]->last;
    if (last->op != ISA_OP_CBR)
        return;
    LLVMBasicBlockRef on = cg_new_block(g, "ahead");
    make(a, last->ops[0]);
    bool first = last->targets[0] == a->path[k + 1];
    if (c->width == 1 || cg_shape(g, last->ops[0]).kind == SHAPE_UNIFORM) {
        LLVMValueRef cond = cg_scalar(g, last->ops[0]);
        LLVMBuildCondBr(c->b, cond, first ? on : leave, first ? leave : on);
    } else {
        LLVMValueRef cond = cg_vec(g, last->ops[0]);
        cond = cg_any(g, first ? LLVMBuildNot(c->b, cond, "") : cond);
        LLVMBuildCondBr(c->b, cond, leave, on);
    }
    LLVMPositionBuilderAtEnd(c->b, on);
}

static bool depends_on(const struct ahead *a, const struct kir_value *v,
                       const struct kir_inst *load, unsigned depth) {
    if (v->kind != KIR_VALUE_INST || !depth)
        return false;
    const struct kir_inst *i = v->def;
    if (i == load)
        return true;
    if (i->op == ISA_OP_PHI)
        return depends_on(a, first_value(a, i), load, depth - 1);
    for (uint32_t k = 0; k < i->nops; k++)
        if (depends_on(a, i->ops[k], load, depth - 1))
            return true;
    return false;
}

// The last block of the path with a load that v needs, plus one.
static unsigned blocks_for(const struct ahead *a, const struct kir_value *v) {
    for (unsigned k = a->n; k > 0; k--)
        for (const struct kir_inst *i = a->path[k - 1]->first; i; i = i->next)
            if (is_plain_load(i) && depends_on(a, v, i, MOST_DEPTH))
                return k;
    return 0;
}

// Can the branches before block n be foretold?
static bool reaches(const struct ahead *a, unsigned n) {
    for (unsigned k = 0; k + 1 < n; k++)
        if (a->path[k]->last->op == ISA_OP_CBR &&
            loads_before(a, a->path[k]->last->ops[0], MOST_DEPTH) < 0)
            return false;
    return true;
}

static void ask_for(struct ahead *a, struct kir_inst *load, LLVMBasicBlockRef leave) {
    struct cg_func *g = a->g;
    struct cg *c = g->cg;
    struct kir_value *v = load->ops[0];
    unsigned n = blocks_for(a, v);
    for (unsigned k = 0; k < n; k++) {
        for (struct kir_inst *i = a->path[k]->first; i; i = i->next)
            if (is_plain_load(i) && depends_on(a, v, i, MOST_DEPTH))
                make(a, i->res[0]);
        if (k + 1 < n)
            go_on(a, k, leave);
    }
    make(a, v);
    LLVMValueRef by = LLVMConstInt(c->i64, (unsigned long long)load->offset, 1);
    LLVMValueRef at = c->width == 1 ? cg_scalar(g, v) : cg_vec(g, v);
    for (unsigned l = 0; l < c->width; l++) {
        LLVMValueRef p = c->width == 1 ? at : LLVMBuildExtractElement(c->b, at, cg_i32(c, l), "");
        p = LLVMBuildIntToPtr(c->b, p, c->ptr, "");
        cg_prefetch_near(c, p, by, load->op == ISA_OP_ATOM);
    }
}

// The first load of a loop at the end of a chain; NULL: there is none that is worth it.
static struct kir_inst *find_load(const struct ahead *a) {
    const struct cfg *cfg = a->g->fl->cfg;
    for (uint32_t p = 0; p < cfg->nblocks; p++)
        for (struct kir_inst *i = cfg->order[p]->first; i; i = i->next)
            if (cfg->loop[i->block->id] && is_plain_load(i) &&
                kir_type_bits(i->ops[0]->type) == 64 &&
                loads_before(a, i->ops[0], MOST_DEPTH) >= CHAIN &&
                reaches(a, blocks_for(a, i->ops[0])))
                return i;
    return NULL;
}

// The first atomic of a loop at a place for each lane that follows from a load; NULL: none.
static struct kir_inst *find_atomic(const struct ahead *a) {
    const struct cg_func *g = a->g;
    const struct cfg *cfg = g->fl->cfg;
    for (uint32_t p = 0; p < cfg->nblocks; p++)
        for (struct kir_inst *i = cfg->order[p]->first; i; i = i->next)
            if (cfg->loop[i->block->id] && i->op == ISA_OP_ATOM &&
                (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC) &&
                kir_type_bits(i->ops[0]->type) == 64 &&
                g->fl->shape[i->ops[0]->id].kind == SHAPE_VARYING)
                return loads_before(a, i->ops[0], MOST_DEPTH) > 0 &&
                               reaches(a, blocks_for(a, i->ops[0]))
                           ? i
                           : NULL;
    return NULL;
}

static void run_ahead(struct ahead *a, struct kir_inst *load, unsigned threads) {
    struct cg_func *g = a->g;
    struct cg *c = g->cg;
    LLVMBasicBlockRef some = cg_new_block(g, "ahead"), leave = cg_new_block(g, "here");
    LLVMValueRef t0 = g->now.t0, mask = g->now.mask;
    g->now.mask = NULL;
    g->now.t0 = LLVMBuildAdd(c->b, t0, cg_i32(c, threads), "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntULT, g->now.t0, g->nthreads, ""), some, leave);
    LLVMPositionBuilderAtEnd(c->b, some);
    ask_for(a, load, leave);
    LLVMBuildBr(c->b, leave);
    LLVMPositionBuilderAtEnd(c->b, leave);
    g->now.t0 = t0;
    g->now.mask = mask;
    g->epoch++;
}

// Blocks of threads in a row, whole groups of them, one after the other.
static void run_group_ahead(struct ahead *a) {
    struct cg *c = a->g->cg;
    const uint32_t *n = c->spec.ntid;
    if (!c->target.prefetches_groups || c->team > 1 || c->one_team || !n[0] || n[0] % c->width ||
        n[1] * n[2] != 1)
        return;
    find_path(a);
    struct kir_inst *atomic = find_atomic(a);
    if (atomic)
        run_ahead(a, atomic, c->width);
}

// ---- what a thread far behind touches ---------------------------------------------------------

enum { FAR = 512, EACH = 8, MOST_ACCESSES = 4 };

// Can v be made of what is known before, in a few steps? *of_thread: it differs from thread to
// thread.
static bool is_short(const struct kir_value *v, unsigned *steps, bool *of_thread) {
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    if (!i)
        return v->kind == KIR_VALUE_CONST;
    if (!*steps || !is_pure(i))
        return false;
    --*steps;
    *of_thread |= i->op == ISA_OP_SREG && i->sreg == ISA_SREG_TID_X;
    for (uint32_t k = 0; k < i->nops; k++)
        if (!is_short(i->ops[k], steps, of_thread))
            return false;
    return true;
}

static bool lies_apart(const struct kir_inst *i) {
    unsigned steps = MOST_DEPTH;
    bool of_thread = false;
    bool plain = is_plain_load(i) ||
                 (i->op == ISA_OP_ST && i->mods.sem == ISA_SEM_WEAK &&
                  (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC));
    return plain && kir_type_bits(i->ops[0]->type) == 64 &&
           is_short(i->ops[0], &steps, &of_thread) && of_thread;
}

static void ask_far_behind(struct ahead *a, struct kir_inst *const *access, unsigned n) {
    struct cg_func *g = a->g;
    struct cg *c = g->cg;
    LLVMBasicBlockRef some = cg_new_block(g, "ahead"), leave = cg_new_block(g, "here");
    LLVMValueRef t0 = g->now.t0, zero = cg_i32(c, 0);
    struct kir_block *here = g->block;
    LLVMValueRef low = LLVMBuildAnd(c->b, t0, cg_i32(c, EACH - 1), "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntEQ, low, zero, ""), some, leave);
    LLVMPositionBuilderAtEnd(c->b, some);
    g->now.t0 = LLVMBuildAdd(c->b, t0, cg_i32(c, FAR), "");
    for (unsigned k = 0; k < n; k++) {
        make(a, access[k]->ops[0]);
        LLVMValueRef p = LLVMBuildIntToPtr(c->b, cg_scalar(g, access[k]->ops[0]), c->ptr, "");
        LLVMValueRef by = LLVMConstInt(c->i64, (unsigned long long)access[k]->offset, 1);
        cg_prefetch_near(c, p, by, access[k]->op == ISA_OP_ST);
    }
    LLVMBuildBr(c->b, leave);
    LLVMPositionBuilderAtEnd(c->b, leave);
    g->now.t0 = t0;
    g->block = here;
    g->epoch++;
}

static void run_far_ahead(struct ahead *a) {
    const struct cg_func *g = a->g;
    const uint32_t *threads = g->cg->spec.ntid;
    struct kir_inst *access[MOST_ACCESSES];
    unsigned n = 0;
    if (threads[0] < EACH || threads[1] * threads[2] != 1)
        return;
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            if (lies_apart(i)) {
                if (n == MOST_ACCESSES)
                    return;
                access[n++] = i;
            }
    if (n)
        ask_far_behind(a, access, n);
}

void cg_run_ahead(struct cg_func *g) {
    struct cg *c = g->cg;
    if (c->quick || c->splits || c->mode != KD_MODE_BLOCK || !g->f->is_kernel)
        return;
    struct ahead a = {.g = g};
    if (c->width > 1) {
        run_group_ahead(&a);
        return;
    }
    if (!g->fl->cfg->loops.len) {
        run_far_ahead(&a);
        return;
    }
    find_path(&a);
    struct kir_inst *load = find_load(&a);
    if (!load)
        return;
    // The links of the chain are asked for by threads before, so that nobody waits for them.
    int links = loads_before(&a, load->ops[0], MOST_DEPTH);
    for (unsigned k = 0; k < a.n; k++)
        for (struct kir_inst *i = a.path[k]->first; i; i = i->next) {
            int n = is_plain_load(i) && depends_on(&a, load->ops[0], i, MOST_DEPTH)
                        ? loads_before(&a, i->ops[0], MOST_DEPTH)
                        : 0;
            if (n > 0)
                run_ahead(&a, i, AHEAD * (unsigned)(1 + links - n));
        }
    run_ahead(&a, load, AHEAD);
}
