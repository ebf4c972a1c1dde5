// Puts the bodies of device functions in the place of calls, where that is worth more than a call
// saved: a function that gets addresses of its caller's local variables (which can then become
// values), one with a barrier in it (a kernel with barriers of its own alone needs no stacks; for
// those of a count of threads it does in any case) or with a loop that may wait, one that is called
// once, and small ones.
// Functions that call themselves stay, and so do those that allocate on the stack: what they
// allocate is given back when they return.
//
// Of a chain of functions that are called once each body would hold all below it, which takes the
// square of their number. So such a function waits for its caller with a part of the chain: one of
// height h, which is 8 n + 4 say, holds the three below it. Whoever is no part of a chain puts the
// pieces together, in as many rounds as the height has digits.
#include "ir/async.h"
#include "ir/clean/simplify.h"
#include "ir/ssa.h"
#include "isa/ops/block.h"
#include "isa/ops/control.h"
#include "isa/ops/memory.h"

enum {
    SMALL = 40,           // instructions of a function that is always put in place
    MODERATE = 400,       // the most where it is worth little
    LARGE = 6000,         // the most that is put in place where it is worth something
    CALLER_LIMIT = 20000, // the caller grows no further
    // Instructions that are put in place in a module, as often as it has instructions itself, and
    // in any case: of calls in a chain each body holds those of all below it.
    MOST_TIMES = 16,
    LEAST_ROOM = 1 << 20,
    MAX_DEPTH = 200 // of calls that are looked through
};

struct inliner {
    struct kir_module *m;
    struct arena tmp;
    uint32_t *size;           // by function: instructions
    uint32_t *callers;        // by function: calls of it
    uint8_t *state;           // by function: enum visit
    uint32_t *height;         // by function that waits: of the chain below, with itself; else 0
    uint32_t *whole;          // by function: instructions with those of the chain below
    uint8_t *placed;          // by function: some call of it was replaced
    uint32_t floor;           // of those that wait what is not higher stays where it is called
    uint8_t *recursive;       // by function
    uint8_t *has_barrier;     // one for all threads of the block, or a wait for something
    uint8_t *has_odd_barrier; // one for a count of threads
    bool (*is_finite)(struct kir_func *f); // do all its loops end by themselves?
    uint64_t room;                         // instructions that may still be put in place
    bool changed;
};
enum visit { NEW, ON_PATH, DONE };

// ---- which calls ------------------------------------------------------------------------------

static bool is_local_address(const struct kir_value *v, int depth) {
    if (v->kind != KIR_VALUE_INST || depth > 8)
        return false;
    const struct kir_inst *d = v->def;
    switch (d->op) {
    case ISA_OP_SYMADDR:
        return d->sym->space == ISA_SPACE_LOCAL;
    case ISA_OP_CVTA:
    case ISA_OP_MOV:
    case ISA_OP_ADD:
    case ISA_OP_OR:
        return d->nops && is_local_address(d->ops[0], depth + 1);
    default:
        return false;
    }
}

static bool gets_local_address(const struct kir_inst *call) {
    for (uint32_t k = 0; k < call->nops; k++)
        if (is_local_address(call->ops[k], 0))
            return true;
    return false;
}

static bool can_stand_in_place(const struct kir_func *f) {
    if (f->is_kernel || f->is_extern || !f->blocks.len)
        return false;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_ALLOCA || i->op == ISA_OP_STACKSAVE || i->op == ISA_OP_STACKRESTORE)
                return false;
    return true;
}

static bool worth_it(const struct inliner *n, const struct kir_func *caller,
                     const struct kir_inst *call) {
    const struct kir_func *f = call->callee;
    if (!f || n->state[f->index] != DONE || n->recursive[f->index] || !can_stand_in_place(f))
        return false;
    uint32_t size = n->whole[f->index];
    if (size > LARGE || size > n->room || n->size[caller->index] + size > CALLER_LIMIT)
        return false;
    if (n->height[f->index])
        return n->height[f->index] > n->floor;
    return size <= SMALL || n->has_barrier[f->index] || n->callers[f->index] == 1 ||
           (n->has_odd_barrier[f->index] && size <= MODERATE) || gets_local_address(call);
}

// ---- one call ---------------------------------------------------------------------------------

struct copy {
    struct arena *tmp;
    struct kir_func *to;
    struct kir_inst *call;
    uint32_t at;                // which block it stood in
    struct kir_block **blocks;  // by id of the function's blocks
    struct kir_value **values;  // by id of its values; NULL: not copied yet
    struct kir_symbol **locals; // by position among its locals
    struct kir_block *rest;     // what follows the call
    struct kir_inst **results;  // phis in `rest`, by result
};

// What follows the call becomes a block of its own.
static struct kir_block *split_after(struct kir_func *f, struct kir_inst *call) {
    struct kir_block *b = call->block, *rest = kir_block_new(f, NULL);
    rest->first = call->next;
    rest->last = b->last;
    call->next->prev = NULL;
    call->next = NULL;
    b->last = call;
    for (struct kir_inst *i = rest->first; i; i = i->next)
        i->block = rest;
    for (uint32_t t = 0; t < rest->last->ntargets; t++) {
        struct kir_block *to = rest->last->targets[t];
        for (uint32_t p = 0; p < to->preds.len; p++)
            if (to->preds.data[p] == b)
                to->preds.data[p] = rest;
    }
    return rest;
}

static void copy_locals(struct copy *c, const struct kir_func *f) {
    struct arena *a = &c->to->module->arena;
    c->locals = arena_array(c->tmp, struct kir_symbol *, f->locals.len + 1);
    for (uint32_t k = 0; k < f->locals.len; k++) {
        c->locals[k] = arena_memdup(a, f->locals.data[k], sizeof *f->locals.data[k]);
        vec_push(a, &c->to->locals, c->locals[k]);
    }
}

static struct kir_symbol *symbol_of(const struct copy *c, const struct kir_func *f,
                                    struct kir_symbol *s) {
    for (uint32_t k = 0; k < f->locals.len; k++)
        if (f->locals.data[k] == s)
            return c->locals[k];
    return s;
}

static struct kir_value *value_of(struct copy *c, const struct kir_value *v) {
    struct kir_value **to = &c->values[v->id];
    if (*to)
        return *to;
    *to = v->kind == KIR_VALUE_CONST ? kir_const(c->to, (enum kir_type)v->type, 0)
                                     : kir_undef(c->to, (enum kir_type)v->type);
    (*to)->bits = v->bits;
    return *to;
}

// A copy without operands and targets: they may not be there yet. NULL: nothing stands for it.
static struct kir_inst *copy_shell(struct copy *c, const struct kir_func *f,
                                   const struct kir_inst *i) {
    uint8_t *types = arena_array(c->tmp, uint8_t, i->nres + 1);
    if (i->op == ISA_OP_PARAM) {
        c->values[i->res[0]->id] = c->call->ops[i->index];
        return NULL;
    }
    bool ret = i->op == ISA_OP_RET;
    for (uint32_t k = 0; k < i->nres; k++)
        types[k] = i->res[k]->type;
    struct kir_inst *to =
        kir_inst_new(c->to, ret ? ISA_OP_BRA : (isa_op)i->op, (enum isa_type)i->ty,
                     ret ? 0 : i->nops, i->nres, types, ret ? 1 : i->ntargets);
    to->ty2 = i->ty2;
    to->mods = i->mods;
    to->sreg = i->sreg;
    to->flag = i->flag;
    to->index = i->index;
    to->offset = i->offset;
    to->sym = i->sym ? symbol_of(c, f, i->sym) : NULL;
    to->callee = i->callee;
    to->proto = i->proto;
    to->file = i->file;
    to->line = i->line;
    for (uint32_t k = 0; k < i->nres; k++)
        c->values[i->res[k]->id] = to->res[k];
    return to;
}

static void fill(struct copy *c, const struct kir_inst *i, struct kir_inst *to) {
    struct arena *a = &c->to->module->arena;
    if (i->op == ISA_OP_RET) {
        to->targets[0] = c->rest;
        vec_push(a, &c->rest->preds, to->block);
        for (uint32_t k = 0; k < i->nops; k++)
            c->results[k]->ops[c->rest->preds.len - 1] = value_of(c, i->ops[k]);
        return;
    }
    for (uint32_t k = 0; k < i->nops; k++)
        to->ops[k] = value_of(c, i->ops[k]);
    for (uint32_t k = 0; k < i->ntargets; k++)
        to->targets[k] = c->blocks[i->targets[k]->id];
}

static void copy_block(struct copy *c, const struct kir_func *f, const struct kir_block *b) {
    struct kir_block *to = c->blocks[b->id];
    for (uint32_t p = 0; p < b->preds.len; p++)
        vec_push(&c->to->module->arena, &to->preds, c->blocks[b->preds.data[p]->id]);
    for (const struct kir_inst *i = b->first; i; i = i->next) {
        struct kir_inst *n = copy_shell(c, f, i);
        if (n)
            kir_append(to, n);
    }
}

static void fill_block(struct copy *c, const struct kir_block *b) {
    struct kir_inst *to = c->blocks[b->id]->first;
    for (const struct kir_inst *i = b->first; i; i = i->next)
        if (i->op != ISA_OP_PARAM) {
            fill(c, i, to);
            to = to->next;
        }
}

// Phis at the head of `rest`, one a result of the call, with room for every return.
static void make_results(struct copy *c, const struct kir_func *f) {
    const struct kir_inst *call = c->call;
    uint32_t returns = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        returns += f->blocks.data[b]->last->op == ISA_OP_RET;
    c->results = arena_array(c->tmp, struct kir_inst *, call->nres + 1);
    for (uint32_t k = call->nres; k-- > 0;) {
        enum kir_type t = (enum kir_type)call->res[k]->type;
        c->results[k] =
            kir_inst_new(c->to, ISA_OP_PHI, kir_isa_type(t), returns, 1, &call->res[k]->type, 0);
        kir_insert_before(c->rest->first, c->results[k]);
    }
}

// Its blocks stand behind the others until all calls of a round are in place: see order_blocks.
// The size counts already.
static void put_in_place(struct inliner *in, struct copy *c) {
    struct kir_func *caller = c->to;
    struct kir_inst *call = c->call;
    const struct kir_func *f = call->callee;
    struct kir_block *from = call->block;
    c->rest = split_after(caller, call);
    c->blocks = arena_array(&in->tmp, struct kir_block *, f->blocks.len);
    c->values = arena_array(&in->tmp, struct kir_value *, f->value_count + 1);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        c->blocks[b] = kir_block_new(caller, NULL);
    copy_locals(c, f);
    make_results(c, f);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        copy_block(c, f, f->blocks.data[b]);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        fill_block(c, f->blocks.data[b]);
    struct kir_inst *go = kir_inst_new(caller, ISA_OP_BRA, ISA_VOID, 0, 0, NULL, 1);
    go->targets[0] = c->blocks[0];
    go->file = call->file;
    go->line = call->line;
    kir_remove(call);
    kir_append(from, go);
    vec_push(&in->m->arena, &c->blocks[0]->preds, from);
}

// ---- one round of calls -----------------------------------------------------------------------

typedef VEC(struct copy) copy_list;

// The calls that are worth it, in the text's order.
static copy_list choose_calls(struct inliner *in, struct kir_func *f) {
    copy_list chosen = {0};
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            if (i->op != ISA_OP_CALL || !worth_it(in, f, i))
                continue;
            vec_push(&in->tmp, &chosen,
                     (struct copy){.tmp = &in->tmp, .to = f, .call = i, .at = b});
            in->size[f->index] += in->size[i->callee->index];
            in->room -= in->size[i->callee->index];
            in->placed[i->callee->index] = true;
        }
    return chosen;
}

// The new blocks stand behind the one that called, in the text's order. before: how many blocks
// there were.
static void order_blocks(struct inliner *in, const copy_list *all, struct kir_func *f,
                         uint32_t before) {
    struct kir_block **order = arena_array(&in->tmp, struct kir_block *, f->blocks.len);
    uint32_t n = 0, next = 0;
    for (uint32_t k = 0; k < before; k++) {
        order[n++] = f->blocks.data[k];
        for (; next < all->len && all->data[next].at == k; next++) {
            const struct copy *c = &all->data[next];
            for (uint32_t b = 0; b < c->call->callee->blocks.len; b++)
                order[n++] = c->blocks[b];
            order[n++] = c->rest;
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        f->blocks.data[k] = order[k];
        order[k]->id = k;
    }
}

static void use_results(struct inliner *in, const copy_list *all, struct kir_func *f) {
    struct kir_value **to = arena_array(&in->tmp, struct kir_value *, f->value_count + 1);
    for (uint32_t n = 0; n < all->len; n++)
        for (uint32_t k = 0; k < all->data[n].call->nres; k++)
            to[all->data[n].call->res[k]->id] = all->data[n].results[k]->res[0];
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                if (i->ops[k] && to[i->ops[k]->id])
                    i->ops[k] = to[i->ops[k]->id];
}

// From the last one on: what stands behind a call moves to another block once.
static bool put_all_in_place(struct inliner *in, struct kir_func *f) {
    copy_list all = choose_calls(in, f);
    uint32_t before = f->blocks.len;
    if (!all.len)
        return false;
    for (uint32_t n = all.len; n-- > 0;)
        put_in_place(in, &all.data[n]);
    order_blocks(in, &all, f, before);
    use_results(in, &all, f);
    return true;
}

// ---- all functions, callees first -------------------------------------------------------------

static bool is_odd_barrier(const struct kir_inst *i) {
    return i->op == ISA_OP_BAR_ARRIVE || (i->op == ISA_OP_BAR_SYNC && i->nops > 1) ||
           (i->op == ISA_OP_BAR_RED && i->flag);
}

static uint32_t count(struct inliner *n, struct kir_func *f) {
    uint32_t size = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            bool odd = is_odd_barrier(i);
            size++;
            n->has_odd_barrier[f->index] |= odd;
            n->has_barrier[f->index] |=
                (isa_op_info[i->op].klass == ISA_CLASS_BLOCK && !odd) || kir_async_waits(i);
        }
    if (n->callers[f->index]) // of others nobody asks, and it takes long where loops are many
        n->has_barrier[f->index] |= !n->is_finite(f);
    return size;
}

static uint32_t higher(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

// With what waits for f as it is.
static void add_chain(struct inliner *n, const struct kir_func *f) {
    n->whole[f->index] = n->size[f->index];
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_CALL && i->callee && n->height[i->callee->index])
                n->whole[f->index] += n->whole[i->callee->index];
}

static void put_in(struct inliner *n, struct kir_func *f, uint32_t floor) {
    bool changed = false;
    n->floor = floor;
    while (put_all_in_place(n, f)) // there may be calls in what was put in place
        changed = true;
    if (changed)
        kir_simplify_func(f);
    n->changed |= changed;
    n->size[f->index] = count(n, f);
    add_chain(n, f);
}

static void visit(struct inliner *n, struct kir_func *f, int depth) {
    uint32_t below = 0;
    n->state[f->index] = ON_PATH;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            if (i->op != ISA_OP_CALL || !i->callee)
                continue;
            if (n->state[i->callee->index] == ON_PATH)
                n->recursive[i->callee->index] = true;
            else if (n->state[i->callee->index] == NEW && depth < MAX_DEPTH)
                visit(n, i->callee, depth + 1);
            below = higher(below, n->height[i->callee->index]);
        }
    bool waits = n->callers[f->index] == 1 && !n->recursive[f->index] && can_stand_in_place(f);
    uint32_t height = waits ? below + 1 : 0;
    put_in(n, f, height & (height - 1));
    if (waits && n->whole[f->index] > LARGE) {
        put_in(n, f, 0);
        height = 0;
    }
    n->height[f->index] = height;
    n->state[f->index] = DONE;
}

bool kir_inline(struct kir_module *m, bool (*is_finite)(struct kir_func *f)) {
    struct inliner n = {.m = m, .is_finite = is_finite};
    uint32_t len = m->funcs.len;
    n.size = arena_array(&n.tmp, uint32_t, len + 1);
    n.callers = arena_array(&n.tmp, uint32_t, len + 1);
    n.state = arena_array(&n.tmp, uint8_t, len + 1);
    n.height = arena_array(&n.tmp, uint32_t, len + 1);
    n.whole = arena_array(&n.tmp, uint32_t, len + 1);
    n.placed = arena_array(&n.tmp, uint8_t, len + 1);
    n.recursive = arena_array(&n.tmp, uint8_t, len + 1);
    n.has_barrier = arena_array(&n.tmp, uint8_t, len + 1);
    n.has_odd_barrier = arena_array(&n.tmp, uint8_t, len + 1);
    n.room = LEAST_ROOM;
    for (uint32_t k = 0; k < len; k++)
        for (uint32_t b = 0; b < m->funcs.data[k]->blocks.len; b++)
            for (struct kir_inst *i = m->funcs.data[k]->blocks.data[b]->first; i; i = i->next) {
                n.room += MOST_TIMES;
                if (i->op == ISA_OP_CALL && i->callee)
                    n.callers[i->callee->index]++;
            }
    for (uint32_t k = 0; k < len; k++)
        if (n.state[k] == NEW)
            visit(&n, m->funcs.data[k], 0);
    for (uint32_t k = 0; k < len; k++) // those whose callers have no room for them
        if (n.height[k] && !n.placed[k])
            put_in(&n, m->funcs.data[k], 0);
    arena_free(&n.tmp);
    return n.changed;
}
