// Which functions belong to a kernel, and what holds of one for all that can call it.
#include <string.h>

#include "codegen/pipeline/analyse.h"
#include "codegen/pipeline/passes.h"
#include "codegen/pipeline/traits.h"
#include "ir/async.h"
#include "isa/ops/control.h"
#include "passes/flow/waiting.h"

// Calls between needed functions, from the callee's side. An indirect call is one of the number
// behind the functions', which calls all whose address is taken.
struct call_edge {
    uint32_t caller, next; // the callee's next edge + 1
};

struct call_graph {
    VEC(struct call_edge) edges;
    uint32_t *first;   // by callee: its first edge + 1
    uint32_t *callees; // by caller: calls whose depth is not known yet
};

static void take_address(struct calls *k, const struct kir_symbol *s) {
    if (s && s->func)
        k->c->address_taken[s->func->index] = 1;
}

static void find_addresses(struct calls *k) {
    struct kir_module *m = k->c->ir;
    for (uint32_t v = 0; v < m->vars.len; v++)
        for (uint32_t r = 0; r < m->vars.data[v]->relocs.len; r++)
            take_address(k, m->vars.data[v]->relocs.data[r].sym);
    for (uint32_t f = 0; f < m->funcs.len; f++)
        for (uint32_t b = 0; b < m->funcs.data[f]->blocks.len; b++)
            for (struct kir_inst *i = m->funcs.data[f]->blocks.data[b]->first; i; i = i->next)
                if (i->op == ISA_OP_SYMADDR)
                    take_address(k, i->sym);
}

// Going through all functions of a large module takes longer than many a kernel: only where an
// address may be called.
static void need_addresses(struct calls *k) {
    if (!k->indirect)
        find_addresses(k);
    k->indirect = true;
}

static void need_one(struct calls *k, struct kir_func *f) {
    if (k->c->needed[f->index])
        return;
    k->c->needed[f->index] = 1;
    vec_push(k->c->arena, &k->list, f);
}

static void need(struct calls *k, struct kir_func *kernel) {
    struct kir_module *m = k->c->ir;
    bool all = false;
    need_one(k, kernel);
    for (uint32_t n = 0; n < k->list.len; n++) {
        struct kir_func *f = k->list.data[n];
        for (uint32_t b = 0; b < f->blocks.len; b++)
            for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
                if (i->op == ISA_OP_CALL && i->callee)
                    need_one(k, i->callee);
                else if (i->op == ISA_OP_CALL)
                    need_addresses(k);
            }
        for (uint32_t x = 0; k->indirect && !all && x < m->funcs.len; x++)
            if (k->c->address_taken[x] && !m->funcs.data[x]->is_kernel)
                need_one(k, m->funcs.data[x]);
        all |= k->indirect;
    }
}

static size_t needed_instructions(const struct calls *k) {
    size_t n = 0;
    for (uint32_t f = 0; f < k->list.len; f++)
        n += func_instructions(k->list.data[f]);
    return n;
}

static void add_call(struct calls *k, struct call_graph *g, uint32_t caller, uint32_t callee) {
    vec_push(k->c->arena, &g->edges, (struct call_edge){caller, g->first[callee]});
    g->first[callee] = g->edges.len;
    g->callees[caller]++;
}

static void find_calls(struct calls *k, struct call_graph *g) {
    struct kir_module *m = k->c->ir;
    uint32_t any = m->funcs.len;
    g->first = arena_array(k->c->arena, uint32_t, any + 1);
    g->callees = arena_array(k->c->arena, uint32_t, any + 1);
    for (uint32_t n = 0; n < k->list.len; n++) {
        const struct kir_func *f = k->list.data[n];
        for (uint32_t b = 0; b < f->blocks.len; b++)
            for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
                if (i->op == ISA_OP_CALL)
                    add_call(k, g, f->index, i->callee ? i->callee->index : any);
        if (k->indirect && k->c->address_taken[f->index] && !f->is_kernel)
            add_call(k, g, any, f->index);
    }
}

// Bytes of local memory that each function and what it calls need, plus one; UINT32_MAX: it can
// call itself, or what can.
static void find_depths(struct calls *k) {
    struct call_graph g = {0};
    struct kir_module *m = k->c->ir;
    uint32_t any = m->funcs.len, n = 0;
    find_calls(k, &g);
    uint32_t *below = arena_array(k->c->arena, uint32_t, any + 1);
    uint32_t *known = arena_array(k->c->arena, uint32_t, any + 1);
    for (uint32_t f = 0; f < k->list.len; f++)
        if (!g.callees[k->list.data[f]->index])
            known[n++] = k->list.data[f]->index;
    if (!g.callees[any])
        known[n++] = any;
    for (uint32_t f = 0; f < k->list.len; f++)
        k->c->frame_depth[k->list.data[f]->index] = UINT32_MAX;
    while (n) {
        uint32_t f = known[--n], depth = below[f];
        if (f != any) {
            depth += frame_of(m->funcs.data[f]);
            k->c->frame_depth[f] = depth + 1;
        }
        for (uint32_t e = g.first[f]; e; e = g.edges.data[e - 1].next) {
            uint32_t caller = g.edges.data[e - 1].caller;
            below[caller] = depth > below[caller] ? depth : below[caller];
            if (!--g.callees[caller])
                known[n++] = caller;
        }
    }
}

// Sets what is set of a function for all that can call it, too, directly or through others; behind
// the functions' entries for those whose address is taken.
static void set_callers(const struct calls *k, const struct call_graph *g, uint8_t *set) {
    uint32_t any = k->c->ir->funcs.len, n = 0;
    uint32_t *todo = arena_array(k->c->arena, uint32_t, any + 1);
    for (uint32_t f = 0; f <= any; f++)
        if (set[f])
            todo[n++] = f;
    while (n)
        for (uint32_t e = g->first[todo[--n]]; e; e = g->edges.data[e - 1].next) {
            uint32_t caller = g->edges.data[e - 1].caller;
            if (set[caller])
                continue;
            set[caller] = 1;
            todo[n++] = caller;
        }
}

static bool has_exit(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        if (f->blocks.data[b]->last->op == ISA_OP_EXIT)
            return true;
    return false;
}

static void find_exits(struct calls *k) {
    struct kir_module *m = k->c->ir;
    struct call_graph g = {0};
    find_calls(k, &g);
    for (uint32_t n = 0; n < k->list.len; n++)
        k->c->can_exit[k->list.data[n]->index] =
            !k->list.data[n]->is_kernel && has_exit(k->list.data[n]);
    set_callers(k, &g, k->c->can_exit);
    k->c->pointers_exit = k->c->can_exit[m->funcs.len];
    k->c->can_exit[k->c->kernel->index] = 0;
}

uint32_t frame_of(const struct kir_func *f) {
    return (f->frame_bytes + 15) / 16 * 16;
}

static bool blocks_itself(const struct kir_func *f, const struct flow *fl) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK || kir_async_waits(i))
                return true;
    return waiting_any(fl);
}

// Which functions can block, or wait, in themselves or in what they call: by index; behind them
// whether one can whose address is taken.
static uint8_t *functions_that_block(struct cg *c, struct flow **fl) {
    uint32_t nfuncs = c->ir->funcs.len;
    uint8_t *blocks = arena_array(c->arena, uint8_t, nfuncs + 1);
    struct calls k = {.c = c, .indirect = true};
    struct call_graph g = {0};
    for (uint32_t n = 0; n < nfuncs; n++) {
        blocks[n] = fl[n] && blocks_itself(c->ir->funcs.data[n], fl[n]);
        if (fl[n])
            vec_push(c->arena, &k.list, c->ir->funcs.data[n]);
    }
    find_calls(&k, &g);
    set_callers(&k, &g, blocks);
    return blocks;
}

// A function that can block is called from divergent flow?
bool blocks_under_mask(struct cg *c, struct flow **fl) {
    const uint8_t *blocks = functions_that_block(c, fl);
    for (uint32_t n = 0; n < c->ir->funcs.len; n++) {
        struct kir_func *f = c->ir->funcs.data[n];
        for (uint32_t b = 0; fl[n] && b < f->blocks.len; b++)
            for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
                if (i->op == ISA_OP_CALL && !fl[n]->full[b] &&
                    blocks[i->callee ? i->callee->index : c->ir->funcs.len]) {
                    because(c, "a function that can wait is called by some threads only", i);
                    return true;
                }
    }
    return false;
}

// Each of the kernel's instructions is several of LLVM's.
enum { MOST_INSTRUCTIONS = 500000 };

void find_functions(struct pipeline *p) {
    struct cg *c = p->c;
    uint32_t n = c->ir->funcs.len;
    struct calls *k = &p->calls;
    *k = (struct calls){.c = c};
    c->can_exit = arena_array(c->arena, uint8_t, n + 1);
    c->needed = arena_array(c->arena, uint8_t, n + 1);
    c->frame_depth = arena_array(c->arena, uint32_t, n + 1);
    c->address_taken = arena_array(c->arena, uint8_t, n + 1);
    p->fl = arena_array(c->arena, struct flow *, n + 1);
    need(k, c->kernel);
    c->failed = is_too_long(c, needed_instructions(k), MOST_INSTRUCTIONS, "instructions");
    if (c->failed)
        return;
    find_exits(k);
    // With alloca no depth is known: every function looks where its frame ends.
    if (any_allocates(c))
        memset(c->frame_depth, 0xff, n * sizeof *c->frame_depth);
    else
        find_depths(k);
}
