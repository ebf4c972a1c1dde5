// A loop's first iteration is copied to a place before the loop, again and again, until constants
// alone show that it does not run once more. What each iteration computes of the iteration's number
// becomes constants: the halves of a block that a reduction adds, the diagonals of a table. Where a
// thread counts from its own number, the numbers of all threads tell which iterations all of them
// run, and which none; what some run keeps its test.
#include "passes/loops/unroll.h"

#include "ir/clean/copy.h"
#include "ir/eval.h"
#include "passes/analysis/thread_range.h"
#include "passes/loops/loop_exit.h"

// Iterations that thread numbers decide: each one costs a pass over the function, and a loop that
// is too long to be written out shows that only in the end.
enum { MAX_DEPTH = 16, MOST_DECIDED = 256, MOST_PARTIAL = 32 };

struct left {
    unsigned decided, partial;
};

static bool is_in(const struct cfg *c, const struct cfg_loop *l, const struct kir_block *b) {
    return cfg_in_loop(l, c->loop[b->id]);
}

// The value that v has in the first iteration of loop l, when constants decide it.
static bool first_value(const struct cfg *c, const struct cfg_loop *l, const struct kir_value *v,
                        int depth, union isa_bits *out) {
    union isa_bits src[8], dst[8] = {0};
    if (v->kind == KIR_VALUE_CONST) {
        *out = v->bits;
        return true;
    }
    if (v->kind != KIR_VALUE_INST || depth > MAX_DEPTH)
        return false;
    const struct kir_inst *i = v->def;
    if (i->op == ISA_OP_PHI && i->block == l->header) {
        const struct kir_value *in = NULL;
        for (uint32_t k = 0; k < i->nops; k++) {
            if (is_in(c, l, i->block->preds.data[k]))
                continue;
            if (in)
                return false;
            in = i->ops[k];
        }
        return in && in->kind == KIR_VALUE_CONST && first_value(c, l, in, depth + 1, out);
    }
    if (!kir_is_computable(i) || i->nops > 8 || i->nres > 8)
        return false;
    for (uint32_t k = 0; k < i->nops; k++)
        if (!first_value(c, l, i->ops[k], depth + 1, &src[k]))
            return false;
    if (!kir_eval(i, src, dst))
        return false;
    *out = dst[v->result];
    return true;
}

static bool wanted(const struct cfg *c, const struct cfg_loop *l) {
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = c->order[p]->first; i; i = i->next)
            if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK ||
                (isa_op_info[i->op].klass == ISA_CLASS_MEMORY && i->mods.space == ISA_SPACE_SHARED))
                return true;
    return false;
}

enum count { UNCOUNTED, BY_CONSTANTS, ALL_THREADS, SOME_THREADS };

// Which threads the first iteration's test lets leave, where constants and their numbers decide it.
static enum count first_leaves(struct thread_ranges *r, const struct cfg_loop *l) {
    union isa_bits unused;
    const struct kir_inst *exit = l->irreducible ? NULL : loop_only_exit(r->cfg, l);
    if (!exit)
        return UNCOUNTED;
    if (first_value(r->cfg, l, exit->ops[0], 0, &unused))
        return BY_CONSTANTS;
    thread_ranges_enter(r, l);
    struct thread_range x = thread_range(r, exit->ops[0]);
    return x.lo == x.hi ? ALL_THREADS : x.pure ? SOME_THREADS : UNCOUNTED;
}

// ---- one iteration -----------------------------------------------------------------------------

struct turn {
    struct kir_func *f;
    struct arena *tmp;
    const struct cfg *c;
    const struct cfg_loop *l;
    struct kir_block *exit; // behind the loop
};

// A phi's operands of the edges that enter the loop, or of those that turn back.
static void keep_edges(const struct turn *t, struct kir_block *h, const struct kir_block *like,
                       bool entering) {
    uint32_t n = 0;
    for (uint32_t p = 0; p < like->preds.len; p++) {
        if (is_in(t->c, t->l, like->preds.data[p]) == entering)
            continue;
        for (struct kir_inst *i = h->first; i && i->op == ISA_OP_PHI; i = i->next)
            i->ops[n] = i->ops[p];
        n++;
    }
    for (struct kir_inst *i = h->first; i && i->op == ISA_OP_PHI; i = i->next)
        i->nops = n;
}

static struct kir_value *copy_of(const struct kir_copy *k, struct kir_value *v) {
    return k->values[v->id] ? k->values[v->id] : v;
}

// Edges from the copied iteration to a block that was not copied, or was (the header) and gets them
// all the same.
static void lead_to(const struct turn *t, const struct kir_copy *k, struct kir_block *to) {
    uint32_t n = to->preds.len;
    for (uint32_t p = 0; p < n; p++) {
        struct kir_block *from = to->preds.data[p];
        if (!is_in(t->c, t->l, from))
            continue;
        vec_push(&t->f->module->arena, &to->preds, k->blocks[from->id]);
        for (struct kir_inst *i = to->first; i && i->op == ISA_OP_PHI; i = i->next)
            phi_add_operand(t->f, i, copy_of(k, i->ops[p]));
    }
}

static void copy_preds(const struct turn *t, const struct kir_copy *k, const struct kir_block *b) {
    struct kir_block *to = k->blocks[b->id];
    bool header = b == t->l->header;
    for (uint32_t p = 0; p < b->preds.len; p++) {
        struct kir_block *from = b->preds.data[p];
        bool inside = is_in(t->c, t->l, from);
        if (header != inside)
            vec_push(&t->f->module->arena, &to->preds, inside ? k->blocks[from->id] : from);
    }
}

static void enter_copy(const struct turn *t, struct kir_block *h, struct kir_block *copy) {
    uint32_t kept = 0;
    for (uint32_t p = 0; p < h->preds.len; p++) {
        struct kir_block *from = h->preds.data[p];
        if (is_in(t->c, t->l, from)) {
            h->preds.data[kept++] = from;
            continue;
        }
        for (uint32_t k = 0; k < from->last->ntargets; k++)
            if (from->last->targets[k] == h)
                from->last->targets[k] = copy;
    }
    h->preds.len = kept;
}

static void peel(const struct turn *t) {
    uint32_t n = t->l->last - t->l->first + 1;
    struct kir_block *h = t->l->header, **from = &t->c->order[t->l->first];
    struct kir_copy k = {.tmp = t->tmp, .to = t->f};
    k.blocks = arena_array(t->tmp, struct kir_block *, t->f->blocks.len + n + 1);
    k.values = arena_array(t->tmp, struct kir_value *, t->f->value_count + 1);
    kir_copy_blocks(&k, from, n);
    struct kir_block *copy = k.blocks[h->id];
    for (uint32_t b = 0; b < n; b++) {
        struct kir_inst *last = k.blocks[from[b]->id]->last;
        for (uint32_t g = 0; g < last->ntargets; g++)
            if (last->targets[g] == copy)
                last->targets[g] = h;
        copy_preds(t, &k, from[b]);
    }
    // The copy's header sees the loop as it was before.
    struct kir_block before = *h;
    before.preds.data = arena_memdup(t->tmp, h->preds.data, sizeof *h->preds.data * h->preds.len);
    for (struct kir_inst *i = h->first, *j = copy->first; i && i->op == ISA_OP_PHI;
         i = i->next, j = j->next)
        for (uint32_t o = 0; o < i->nops; o++)
            j->ops[o] = i->ops[o]; // from outside the loop: not copied
    keep_edges(t, copy, &before, true);
    enter_copy(t, h, copy);
    keep_edges(t, h, &before, false);
    lead_to(t, &k, h);
    lead_to(t, &k, t->exit);
}

// ---- all iterations ----------------------------------------------------------------------------

static uint32_t size_of(const struct kir_func *f) {
    uint32_t n = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            n++;
    return n;
}

static void clean_up(struct kir_func *f) {
    kir_fold(f);
    kir_remove_unreachable(f);
    kir_merge_blocks(f);
    kir_remove_dead(f);
    kir_renumber(f);
}

// What is one number for all threads of a block becomes a constant.
static bool fold_ranges(struct arena *tmp, struct kir_func *f, const struct thread_ranges *r) {
    bool any = false;
    uint32_t values = f->value_count;
    struct kir_value **to = arena_array(tmp, struct kir_value *, values + 1);
    for (uint32_t p = 0; p < r->cfg->nblocks; p++)
        for (struct kir_inst *i = r->cfg->order[p]->first; i; i = i->next) {
            bool pointwise = isa_op_info[i->op].klass == ISA_CLASS_POINTWISE;
            if ((!pointwise && i->op != ISA_OP_PHI) || (i->nres > 1 && i->op != ISA_OP_SETP))
                continue;
            for (uint32_t k = 0; k < i->nres; k++) {
                struct thread_range x = thread_range(r, i->res[k]);
                uint8_t type = i->res[k]->type;
                if (x.lo != x.hi)
                    continue;
                uint64_t bits = type == KIR_B32 ? (uint32_t)x.lo : (uint64_t)x.lo;
                to[i->res[k]->id] = kir_const(f, (enum kir_type)type, bits);
                any = true;
            }
        }
    if (any)
        kir_replace_all(f, to, values);
    return any;
}

enum step { NONE_LEFT, FOLDED, PEELED, STUCK };

// may_fold: not twice one after the other, so that each other step makes the function longer.
static enum step step_on(struct kir_func *f, const uint32_t *ntid, bool may_fold,
                         struct left *left) {
    struct arena tmp = {0};
    struct cfg *c = cfg_build(&tmp, f);
    enum step s = c ? NONE_LEFT : STUCK;
    struct thread_ranges r = c ? thread_ranges_of(&tmp, c, ntid) : (struct thread_ranges){0};
    if (c && may_fold && fold_ranges(&tmp, f, &r))
        s = FOLDED;
    for (uint32_t k = 0; c && k < c->loops.len && s != FOLDED && s != PEELED; k++) {
        struct cfg_loop *l = c->loops.data[k];
        if (!wanted(c, l))
            continue;
        s = STUCK;
        enum count leave = first_leaves(&r, l);
        if (leave == UNCOUNTED || (leave == SOME_THREADS && !left->partial) ||
            (leave != BY_CONSTANTS && !left->decided))
            continue;
        left->partial -= leave == SOME_THREADS;
        left->decided -= leave != BY_CONSTANTS;
        struct kir_inst *exit = loop_only_exit(c, l);
        uint32_t out = is_in(c, l, exit->targets[0]);
        struct turn t = {.f = f, .tmp = &tmp, .c = c, .l = l};
        t.exit = loop_exit_make(&tmp, c, l, exit, out).block;
        peel(&t);
        s = PEELED;
    }
    arena_free(&tmp);
    return s;
}

static void set_sizes(struct kir_func *f, const uint32_t ntid[3]) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_SREG && i->sreg >= ISA_SREG_NTID_X && i->sreg <= ISA_SREG_NTID_Z &&
                ntid[i->sreg - ISA_SREG_NTID_X])
                kir_replace_uses(f, i->res[0],
                                 kir_const(f, i->res[0]->type, ntid[i->sreg - ISA_SREG_NTID_X]));
}

bool unroll_loops(struct kir_func *f, const uint32_t ntid[3], uint32_t most) {
    enum step s = PEELED;
    struct left left = {MOST_DECIDED, MOST_PARTIAL};
    set_sizes(f, ntid);
    clean_up(f);
    while ((s == PEELED || s == FOLDED) && size_of(f) <= most) {
        s = step_on(f, ntid, s != FOLDED, &left);
        if (s == PEELED || s == FOLDED)
            clean_up(f);
    }
    return s == NONE_LEFT;
}
