// Operations on global memory whose old values nobody reads (histograms, counters, maxima, flags):
// a locked instruction costs as much as twenty others, and more when other workers go to the same
// words. A run of blocks keeps what it would do to a word, and does it at its end, or before an
// access that touches the word. Where lanes go to words of their own, it is kept for windows of
// memory (cg_bins.c); where all go to one word, in a vector (cg_cells.c).
//
// Only in kernels that wait for nothing and order nothing with other blocks: there nobody can tell
// when a relaxed operation takes place. No order is kept between operations of one kind on
// integers, whose results it does not change. Windows and cells of different kinds have no word in
// common.
#include <stddef.h>

#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_reds.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/memory.h"
#include "passes/flow/sole_lane.h"

enum {
    GROUPS = 8, // of a block's lanes, or iterations of a loop, for each single one
    // So many accesses are worth it, each of which is compared with what is kept: an operation a
    // lane takes longer than one for all lanes.
    FOR_LANES = 16,
    FOR_ALL = 4,
    MOST_CHECKS = 64 // in the code
};

// ---- which operations ---------------------------------------------------------------------

const uint8_t *cg_read_values(struct arena *arena, const struct kir_func *f) {
    uint8_t *read = arena_array(arena, uint8_t, f->value_count + 1);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                read[i->ops[k]->id] = 1;
    return read;
}

static bool is_elsewhere(const struct kir_inst *i) {
    return i->mods.space == ISA_SPACE_SHARED || i->mods.space == ISA_SPACE_LOCAL ||
           i->mods.space == ISA_SPACE_PARAM || i->mods.space == ISA_SPACE_CONST;
}

// What is read past coherent caches nobody writes while the kernel runs.
static bool is_apart(const struct kir_inst *i) {
    return is_elsewhere(i) || (i->op == ISA_OP_LD && i->mods.nc) || i->op == ISA_OP_PREFETCH;
}

// Is i something before which what is kept can be told apart from memory, by its address?
static bool allows(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_MEMORY:
        return is_apart(i) || cg_is_relaxed_red(i) ||
               ((i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK &&
                (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC));
    case ISA_CLASS_FENCE:
    case ISA_CLASS_ASYNC:
        return false;
    case ISA_CLASS_CONTROL:
        return i->op != ISA_OP_CALL;
    default:
        return true;
    }
}

// May a generic address lie in memory of the block's own, accesses to which are not compared?
static bool has_own_memory(const struct flow *fl) {
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (i->op == ISA_OP_SYMADDR &&
                (i->sym->space == ISA_SPACE_SHARED || i->sym->space == ISA_SPACE_LOCAL))
                return true;
    return false;
}

// Lanes that lie side by side, or at constant distances, seldom meet.
static bool is_put_off(const struct flow *fl, const struct kir_inst *i, const uint8_t *read,
                       bool own_memory) {
    if (!cg_is_red(i, read) || (i->mods.space == ISA_SPACE_GENERIC && own_memory))
        return false;
    enum shape_kind s = fl->shape[i->ops[0]->id].kind;
    return s == SHAPE_VARYING || s == SHAPE_UNIFORM;
}

// How often a block runs, in eighths of a group's times.
static unsigned times(const struct flow *fl, const struct kir_block *b) {
    enum { MOST_DEPTH = 3 };
    const struct cfg_loop *loop = fl->cfg->loop[b->id];
    unsigned n = sole_lane(fl, b) >= 0 ? 1 : GROUPS, depth = loop ? loop->depth : 0;
    for (unsigned k = 0; k < depth && k < MOST_DEPTH; k++)
        n *= GROUPS;
    return n;
}

bool cg_puts_off(struct cg *c, const struct flow *fl) {
    unsigned worth = 0, others = 0;
    bool own_memory = has_own_memory(fl);
    if (c->mode != KD_MODE_BLOCK || c->splits || c->width == 1)
        return false;
    const uint8_t *read = cg_read_values(c->arena, fl->cfg->func);
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next) {
            if (!allows(i))
                return false;
            if (is_put_off(fl, i, read, own_memory)) {
                bool lanes = fl->shape[i->ops[0]->id].kind == SHAPE_VARYING;
                worth += times(fl, i->block) * (lanes ? FOR_LANES : FOR_ALL);
            } else if (isa_op_info[i->op].klass == ISA_CLASS_MEMORY && !is_apart(i)) {
                others += times(fl, i->block);
            }
        }
    return worth && others <= worth;
}

// ---- what they go to ----------------------------------------------------------------------

static bool are_one_array(const struct kir_value *x, const struct kir_value *y) {
    if (x == y)
        return true;
    if (!x || !y || x->kind != KIR_VALUE_INST || y->kind != KIR_VALUE_INST ||
        x->def->op != y->def->op)
        return false;
    if (x->def->op == ISA_OP_SYMADDR)
        return x->def->sym == y->def->sym;
    if (x->def->op != ISA_OP_LD || x->def->mods.space != ISA_SPACE_PARAM)
        return false;
    const struct kir_value *p = x->def->ops[0], *q = y->def->ops[0];
    return x->def->offset == y->def->offset && p->kind == KIR_VALUE_INST &&
           q->kind == KIR_VALUE_INST && p->def->op == ISA_OP_SYMADDR &&
           q->def->op == ISA_OP_SYMADDR && p->def->sym == q->def->sym;
}

static struct cg_window *window_for(const struct cg_func *g, const struct kir_inst *i) {
    struct cg_reds *r = g->reds;
    const struct kir_value *base = cg_red_base(g->fl, i);
    struct cg_red_kind kind = cg_red_kind_of(i);
    for (unsigned n = 0; n < r->nsites; n++) {
        struct cg_window *w = r->sites[n].window;
        if (w && cg_is_kind(&w->kind, &kind) && are_one_array(w->base, base))
            return w;
    }
    if (r->nwindows == CG_MOST_WINDOWS)
        return NULL;
    r->windows[r->nwindows] = (struct cg_window){.base = base, .kind = kind};
    return &r->windows[r->nwindows++];
}

// The cell for i, which may stand in several versions of the code.
static struct cg_cell *cell_for(const struct cg_func *g, const struct kir_inst *i) {
    struct cg_reds *r = g->reds;
    struct cg_red_kind kind = cg_red_kind_of(i);
    for (unsigned n = 0; n < r->ncells; n++) {
        struct cg_cell *cell = &r->cells[n];
        if (cg_is_kind(&cell->kind, &kind) && cell->i->offset == i->offset &&
            are_one_array(cg_behind_conversions(cell->i->ops[0]), cg_behind_conversions(i->ops[0])))
            return cell;
    }
    if (r->ncells == CG_MOST_CELLS)
        return NULL;
    r->cells[r->ncells] = (struct cg_cell){.i = i, .kind = kind};
    return &r->cells[r->ncells++];
}

static void add_site(struct cg_func *g, const struct kir_inst *i) {
    struct cg_reds *r = g->reds;
    struct cg_red_site s = {.i = i};
    if (r->nsites == CG_MOST_REDS)
        return;
    if (g->fl->shape[i->ops[0]->id].kind == SHAPE_VARYING)
        s.window = window_for(g, i);
    else
        s.cell = cell_for(g, i);
    if (!s.window && !s.cell)
        return;
    struct cg_red_kind kind = cg_red_kind_of(i), first = kind;
    if (r->nsites)
        first = cg_red_kind_of(r->sites[0].i);
    r->mixed |= !cg_is_kind(&kind, &first);
    r->sites[r->nsites++] = s;
}

static void make_state(struct cg_func *g) {
    struct cg *c = g->cg;
    struct cg_reds *r = g->reds;
    r->state = LLVMBuildAlloca(c->b, LLVMArrayType2(c->i8, sizeof(struct kd_reds)), "reds");
    LLVMSetAlignment(r->state, 8);
    cg_set_field(c, r->state, offsetof(struct kd_reds, windows), cg_make_windows(g));
    cg_set_field(c, r->state, offsetof(struct kd_reds, cells), cg_make_cells(g));
    cg_set_field(c, r->state, offsetof(struct kd_reds, nwindows), cg_i32(c, r->nwindows));
    cg_set_field(c, r->state, offsetof(struct kd_reds, ncells),
                 cg_i32(c, r->mixed ? r->ncells : 0));
}

void cg_make_reds(struct cg_func *g) {
    // What is appended to lists is not compared with windows.
    if (!g->f->is_kernel || g->appends || !cg_puts_off(g->cg, g->fl))
        return;
    bool own_memory = has_own_memory(g->fl);
    unsigned others = 0;
    g->reds = arena_new(g->cg->arena, struct cg_reds);
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            if (is_put_off(g->fl, i, g->read, own_memory))
                add_site(g, i);
            else
                others += isa_op_info[i->op].klass == ISA_CLASS_MEMORY && !is_apart(i);
    if (others * (g->reds->nwindows + g->reds->ncells) * g->cg->team > MOST_CHECKS) {
        g->reds = NULL;
        return;
    }
    make_state(g);
}

void cg_close_reds(struct cg_func *g) {
    struct cg *c = g->cg;
    for (unsigned n = 0; g->reds && n < g->reds->nwindows; n++) {
        const struct cg_window *w = &g->reds->windows[n];
        LLVMValueRef size = cg_window_field(g, w, offsetof(struct kd_window, size), c->i64);
        cg_flush_window_if(g, w, LLVMBuildICmp(c->b, LLVMIntNE, size, cg_i64(c, 0), ""));
    }
    for (unsigned n = 0; g->reds && n < g->reds->ncells; n++)
        cg_flush_cell(g, &g->reds->cells[n]);
}

// ---- other accesses -----------------------------------------------------------------------

static void settle_window(struct cg_func *g, const struct cg_window *w, LLVMValueRef p,
                          uint64_t bytes) {
    LLVMTypeRef i64 = g->cg->i64;
    LLVMValueRef start = cg_window_field(g, w, offsetof(struct kd_window, start), i64);
    LLVMValueRef size = cg_window_field(g, w, offsetof(struct kd_window, size), i64);
    cg_flush_window_if(g, w, cg_touches(g, start, size, p, bytes));
}

static void settle_cell(struct cg_func *g, const struct cg_cell *cell, LLVMValueRef p,
                        uint64_t bytes) {
    struct cg *c = g->cg;
    LLVMValueRef address = LLVMBuildLoad2(c->b, c->i64, cell->address, "");
    LLVMBasicBlockRef yes = cg_new_block(g, "settle"), done = cg_new_block(g, "settled");
    LLVMValueRef hit = cg_touches(g, address, cg_i64(c, cell->kind.bytes), p, bytes);
    cg_rarely(c, LLVMBuildCondBr(c->b, hit, yes, done), 0);
    LLVMPositionBuilderAtEnd(c->b, yes);
    cg_flush_cell(g, cell);
    LLVMBuildBr(c->b, done);
    LLVMPositionBuilderAtEnd(c->b, done);
}

void cg_settle_reds(struct cg_func *g, struct kir_inst *i, unsigned bytes) {
    struct cg *c = g->cg;
    struct cg_reds *r = g->reds;
    if (!r || is_apart(i))
        return;
    bool red = cg_is_red(i, g->read);
    struct cg_red_kind kind = {0};
    if (red)
        kind = cg_red_kind_of(i);
    struct kir_value *v = i->ops[0];
    struct shape s = cg_shape(g, v);
    int64_t lo = 0, hi = 0;
    bool scalar = (s.kind == SHAPE_UNIFORM || s.kind == SHAPE_OFFSETS) && !cg_guard(g, v);
    for (unsigned l = 0; scalar && s.offs && l < c->width; l++) {
        lo = s.offs[l] < lo ? s.offs[l] : lo;
        hi = s.offs[l] > hi ? s.offs[l] : hi;
    }
    LLVMValueRef p = scalar ? cg_scalar(g, v) : cg_vec(g, v);
    LLVMValueRef off = LLVMConstInt(c->i64, (unsigned long long)(i->offset + lo), 1);
    p = LLVMBuildAdd(c->b, p, scalar ? off : cg_splat(c, off), "");
    uint64_t all = (uint64_t)(hi - lo) + bytes;
    for (unsigned n = 0; n < r->nwindows; n++)
        if (!red || !cg_is_kind(&kind, &r->windows[n].kind))
            settle_window(g, &r->windows[n], p, all);
    for (unsigned n = 0; n < r->ncells; n++)
        if (!red || !cg_is_kind(&kind, &r->cells[n].kind))
            settle_cell(g, &r->cells[n], p, all);
}
