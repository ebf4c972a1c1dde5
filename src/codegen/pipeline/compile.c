// kj_compile: one kernel, one specialisation -> one object. Decides which functions belong to
// it, how wide its vectors are and how its blocks are run.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/control/cg_func.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"
#include "codegen/emit/cg_stack.h"
#include "codegen/large_stack.h"
#include "codegen/llvm_failure.h"
#include "codegen/llvm_memory.h"
#include "codegen/memory/cg_transpose.h"
#include "codegen/pipeline/explain.h"
#include "codegen/pipeline/jit_module.h"
#include "codegen/pipeline/optimize.h"
#include "codegen/pipeline/promote.h"
#include "codegen/update/cg_reds.h"
#include "ir/async.h"
#include "ir/clean/copy.h"
#include "isa/device_functions.h"
#include "passes/analysis/lane_cost.h"
#include "passes/analysis/private_frame.h"
#include "passes/analysis/skew.h"
#include "passes/analysis/thread_rows.h"
#include "passes/flow/call_shapes.h"
#include "passes/flow/meeting_waits.h"
#include "passes/flow/park_points.h"
#include "passes/flow/waiting.h"
#include "passes/loops/group_rows.h"
#include "passes/loops/known_size.h"
#include "passes/loops/rest_loop.h"
#include "passes/loops/roll.h"
#include "passes/loops/stride_loop.h"
#include "passes/loops/unroll.h"
#include "passes/loops/whole_blocks.h"
#include "support/debug.h"
#include "support/memory.h"
#include "support/stages.h"
#include "support/work.h"

// ---- the functions of a kernel --------------------------------------------------------------

struct calls {
    struct cg *c;
    bool indirect;               // an indirect call is reachable
    VEC(struct kir_func *) list; // those that are needed
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

static uint32_t frame_of(const struct kir_func *f) {
    return (f->frame_bytes + 15) / 16 * 16;
}

static bool any_allocates(const struct cg *c) {
    for (uint32_t n = 0; n < c->ir->funcs.len; n++)
        if (c->needed[n] && cg_allocates(c->ir->funcs.data[n]))
            return true;
    return false;
}

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

// ---- mode and width -------------------------------------------------------------------------

struct traits {
    bool allocates, warp_ops, volatile_shared, volatile_load, volatile_store, block_in_function,
        odd_barrier, barrier, mbarrier_wait, device_runtime, block_index, describes, asserts,
        cancels, meets, triggers, grid_waits;
    const struct kir_inst *barrier_at, *mbarrier_at;
    unsigned f64, f32;
};

static void look_at(struct traits *t, const struct kir_func *f, const struct kir_inst *i) {
    uint64_t c;
    enum isa_class k = isa_op_info[i->op].klass;
    t->warp_ops |= k == ISA_CLASS_WARP;
    t->warp_ops |=
        i->op == ISA_OP_SREG && i->sreg >= ISA_SREG_LANEMASK_EQ && i->sreg <= ISA_SREG_LANEMASK_GT;
    t->block_index |= i->op == ISA_OP_SREG &&
                      ((i->sreg >= ISA_SREG_CTAID_X && i->sreg <= ISA_SREG_CTAID_Z) ||
                       (i->sreg >= ISA_SREG_CLUSTERID_X && i->sreg <= ISA_SREG_CLUSTERID_Z));
    t->cancels |= i->op == ISA_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL;
    t->triggers |= i->op == ISA_OP_GRIDDEPCONTROL && i->mods.sem == ISA_SEM_RELEASE;
    t->grid_waits |= i->op == ISA_OP_GRIDDEPCONTROL && i->mods.sem == ISA_SEM_ACQUIRE;
    bool is_volatile = i->mods.sem == ISA_SEM_VOLATILE;
    t->volatile_load |= is_volatile && i->op == ISA_OP_LD;
    t->volatile_store |= is_volatile && i->op == ISA_OP_ST;
    t->volatile_shared |= is_volatile && i->mods.space != ISA_SPACE_GLOBAL &&
                          (i->op == ISA_OP_LD || i->op == ISA_OP_ST);
    t->device_runtime |= i->op == ISA_OP_CALL && i->callee && i->callee->is_extern &&
                         device_function_find(i->callee->name);
    t->asserts |= i->op == ISA_OP_CALL && i->callee && i->callee->is_extern &&
                  !strcmp(i->callee->name, "__assertfail");
    t->describes |=
        i->op == ISA_OP_WGMMA_MMA || i->op == ISA_OP_TCGEN05_MMA || i->op == ISA_OP_TCGEN05_CP;
    t->f64 += i->ty == ISA_F64;
    t->f32 += i->ty == ISA_F32;
    t->meets |= kir_async_waits(i) && i->mods.aligned;
    if ((kir_async_waits(i) && !i->mods.aligned) || kir_async_tries(i)) {
        t->mbarrier_wait = true;
        t->mbarrier_at = i;
    }
    if (k != ISA_CLASS_BLOCK)
        return;
    t->barrier = true;
    t->block_in_function |= !f->is_kernel;
    t->barrier_at = i;
    if (i->op == ISA_OP_BARRIER_CLUSTER_ARRIVE || i->op == ISA_OP_BARRIER_CLUSTER_WAIT) {
        t->odd_barrier = true;
        return;
    }
    bool counted = i->op == ISA_OP_BAR_RED ? i->flag : i->nops > 1;
    // What is no barrier's number faults where it is looked up, with stacks.
    t->odd_barrier |=
        counted || i->op == ISA_OP_BAR_ARRIVE || !flow_const(i->ops[0], &c) || c >= KD_BARRIERS;
}

static struct traits traits_of(const struct cg *c) {
    struct traits t = {0};
    t.allocates = any_allocates(c);
    for (uint32_t n = 0; n < c->ir->funcs.len; n++) {
        struct kir_func *f = c->ir->funcs.data[n];
        for (uint32_t b = 0; b < f->blocks.len && c->needed[n]; b++)
            for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
                look_at(&t, f, i);
    }
    // What is allocated is not saved with a group; on stacks of their own warps keep it.
    t.odd_barrier |= t.allocates && t.barrier;
    return t;
}

// Lanes that pass values to each other through volatile memory, as the last steps of a reduction do
// that go without a barrier: all load before any stores. In global memory a flag that others wait
// for is volatile, too, but then most kernels have only its loads or only its stores.
static bool by_volatile(const struct traits *t) {
    return t->volatile_shared || (t->volatile_load && t->volatile_store);
}

static bool one_thread(const struct cg *c) {
    return c->spec.ntid[0] == 1 && c->spec.ntid[1] == 1 && c->spec.ntid[2] == 1;
}

static unsigned choose_width(const struct cg *c, const struct traits *t) {
    unsigned natural = c->target.lanes;
    unsigned w = c->spec.width;
    // A block of one thread has no use for lanes, which only make the code larger.
    if (!w && !t->warp_ops && one_thread(c))
        return 1;
    if (w != 1 && w != 8 && w != 16 && w != 32)
        w = t->f64 > t->f32 ? 8 : natural;
    // Lanes that exchange values, or rely on being together, must be in one vector: so must those
    // of which one launches what reads the others' stores. All of a warp whose assertions fail say
    // so.
    bool together = t->warp_ops || by_volatile(t) || t->device_runtime || t->asserts;
    return w > 1 && together ? 32 : w;
}

static bool calls_die(struct cg *c, struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_CALL &&
                (i->callee ? c->can_exit[i->callee->index] : c->pointers_exit))
                return true;
    return false;
}

static struct flow *analyse(struct cg *c, struct kir_func *f) {
    bool parks = c->parks && f == c->kernel;
    struct flow *fl =
        flow_analyse(c->arena, f, c->width, c->team, &c->spec, parks || calls_die(c, f), c->calls);
    fl->parks = parks;
    return fl;
}

// Every needed function at c->width, until what is taken to be uniform in calls is so.
static void analyse_needed(struct cg *c, struct flow **fl) {
    struct call_shapes *s = call_shapes_new(c->arena, c->ir, c->needed, c->address_taken);
    c->calls = s;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t n = 0; n < c->ir->funcs.len; n++) {
            struct kir_func *f = c->ir->funcs.data[n];
            if (!c->needed[n] || f->is_extern || !s->stale[n])
                continue;
            s->stale[n] = 0;
            fl[n] = analyse(c, f);
            call_shapes_narrow(s, fl[n]);
            again = true;
        }
    }
}

// For notes: why threads or warps need stacks of their own.
static void because(struct cg *c, const char *why, const struct kir_inst *at) {
    c->why_stacks = why;
    c->stacks_at = at;
}

// Analyses every needed function at c->width; says what that width and one mask a warp allow.
static bool analyse_all(struct cg *c, struct flow **fl, bool *waits) {
    bool independent = true;
    // Whoever asks about a phase does so until it has ended, here or in a caller.
    *waits = traits_of(c).mbarrier_wait;
    analyse_needed(c, fl);
    for (uint32_t n = 0; n < c->ir->funcs.len; n++) {
        if (!c->needed[n] || c->ir->funcs.data[n]->is_extern)
            continue;
        waiting_find(fl[n]);
        *waits |= waiting_any(fl[n]);
        // A function may be called with some lanes; then a barrier in it meets pending ones.
        const struct kir_inst *dependent = c->width > 1 ? waiting_dependent(fl[n]) : NULL;
        if (dependent && independent)
            because(c, "threads of one warp may have to wait for each other", dependent);
        independent &= !dependent;
    }
    return independent;
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
static bool blocks_under_mask(struct cg *c, struct flow **fl) {
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

// Does the kernel walk over memory in steps that depend on the grid (a grid-stride loop)? Each
// group then touches a small piece at each step, far from the last one: wider groups use more of
// every cache line and page.
static bool has_grid_stride_loop(const struct flow *fl) {
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++) {
        const struct cfg_loop *l = fl->cfg->loops.data[k];
        for (const struct kir_inst *i = l->header->first; i && i->op == ISA_OP_PHI; i = i->next) {
            if (fl->shape[i->res[0]->id].kind != SHAPE_OFFSETS)
                continue;
            for (uint32_t n = 0; n < i->nops; n++) {
                const struct kir_value *v = i->ops[n];
                uint64_t bits;
                if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_ADD)
                    continue;
                const struct kir_value *x = v->def->ops[0], *y = v->def->ops[1];
                if ((x == i->res[0] && !flow_const(y, &bits)) ||
                    (y == i->res[0] && !flow_const(x, &bits)))
                    return true;
            }
        }
    }
    return false;
}

// ---- teams ----------------------------------------------------------------------------------

// What can stand in a block in which some groups of a team have no active lane, and needs
// nothing of one group alone.
static bool works_in_team(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
    case ISA_CLASS_SOURCE:
    case ISA_CLASS_FENCE:
    case ISA_CLASS_ASYNC:
        return true;
    default:
        break;
    }
    switch (i->op) {
    case ISA_OP_LD:
    case ISA_OP_LDU:
    case ISA_OP_ST:
    case ISA_OP_ATOM:
    case ISA_OP_RED:
    case ISA_OP_PREFETCH:
    case ISA_OP_PREFETCHU:
    case ISA_OP_SHFL:
    case ISA_OP_VOTE:
    case ISA_OP_MATCH:
    case ISA_OP_REDUX:
    case ISA_OP_ACTIVEMASK:
    case ISA_OP_ELECT:
    case ISA_OP_BAR_WARP_SYNC:
    case ISA_OP_BAR_SYNC:
    case ISA_OP_BAR_RED:
    case ISA_OP_BRA:
    case ISA_OP_CBR:
    case ISA_OP_BRX_IDX:
    case ISA_OP_RET:
    case ISA_OP_EXIT:
        return true;
    default:
        return false;
    }
}

// The first instruction that forbids teams; NULL: none.
static const struct kir_inst *team_forbidden(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (!works_in_team(i))
                return i;
    return NULL;
}

// For notes: where the first loop ends an iteration; NULL: there is no loop.
static const struct kir_inst *first_loop(const struct flow *fl) {
    return fl->cfg->loops.len ? fl->cfg->loops.data[0]->header->last : NULL;
}

// For notes: why groups do not run together.
static unsigned no_team(struct cg *c, const char *why, const struct kir_inst *at) {
    c->why_no_team = why;
    c->no_team_at = at;
    return 1;
}

static bool varies(const struct flow *fl, const struct kir_value *v) {
    return fl->shape[v->id].kind == SHAPE_VARYING;
}

// Do lanes leave the loop by what they have computed, not by counting? Then groups iterate
// different numbers of times, and a team would iterate as often as the slowest.
static bool leaves_by_data(const struct flow *fl, const struct cfg_loop *l) {
    for (uint32_t p = l->first; p <= l->last; p++) {
        const struct kir_block *b = fl->cfg->order[p];
        bool leaves = false;
        for (uint32_t t = 0; t < b->last->ntargets; t++)
            leaves |= !cfg_in_loop(l, fl->cfg->loop[b->last->targets[t]->id]);
        if (!leaves || !b->last->nops || !varies(fl, b->last->ops[0]))
            continue;
        const struct kir_value *v = b->last->ops[0];
        if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_SETP)
            return true;
        for (uint32_t k = 0; k < v->def->nops; k++)
            if (varies(fl, v->def->ops[k]))
                return true;
    }
    return false;
}

// Does v follow from what was loaded in the loop, in a few steps?
static bool was_loaded_in(const struct flow *fl, const struct cfg_loop *l,
                          const struct kir_value *v, unsigned steps) {
    if (v->kind != KIR_VALUE_INST || !cfg_in_loop(l, fl->cfg->loop[v->def->block->id]))
        return false;
    if (v->def->op == ISA_OP_LD)
        return true;
    for (uint32_t k = 0; steps && k < v->def->nops; k++)
        if (was_loaded_in(fl, l, v->def->ops[k], steps - 1))
            return true;
    return false;
}

static bool belongs_to_search(const struct flow *fl, const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
        return !isa_type_is_float(i->ty) || i->op == ISA_OP_SETP;
    case ISA_CLASS_MEMORY:
        return i->op == ISA_OP_LD && !varies(fl, i->ops[0]);
    case ISA_CLASS_SOURCE:
        return true;
    default:
        return i->op == ISA_OP_BRA || i->op == ISA_OP_CBR;
    }
}

// A short loop that compares what lies side by side and leaves at a difference. It iterates few
// times, each iteration waits for a load, a comparison and a branch, and nobody can tell which
// iteration is the last: several groups wait at the same time.
static bool is_search(const struct flow *fl, const struct cfg_loop *l) {
    enum { MOST = 20, STEPS = 4 };
    unsigned n = 0, ends = 0;
    for (uint32_t p = l->first; p <= l->last; p++) {
        const struct kir_block *b = fl->cfg->order[p];
        for (const struct kir_inst *i = b->first; i; i = i->next)
            if (++n > MOST || !belongs_to_search(fl, i))
                return false;
        const struct kir_value *v = b->last->nops ? b->last->ops[0] : NULL;
        if (!v || !varies(fl, v))
            continue;
        if (!was_loaded_in(fl, l, v, STEPS))
            return false;
        ends++;
    }
    return ends > 0;
}

// A phi behind a branch whose value goes into the loop's next iteration (a sum that some iterations
// add to) has the register of the phi that it goes to.
static bool goes_to_next_turn(const struct flow *fl, const struct kir_value *phi) {
    const struct cfg_loop *l = fl->cfg->loop[phi->def->block->id];
    if (!l || l->header == phi->def->block)
        return false;
    for (const struct kir_inst *i = l->header->first; i && i->op == ISA_OP_PHI; i = i->next)
        for (uint32_t k = 0; k < i->nops; k++)
            if (i->ops[k] == phi)
                return true;
    return false;
}

// Vector registers that one group needs all through the loop.
static unsigned registers_in(const struct cg *c, const struct flow *fl, const struct cfg_loop *l,
                             unsigned vector_bits) {
    uint8_t *seen = arena_array(c->arena, uint8_t, fl->func->value_count + 1);
    unsigned bits = 0;
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++) {
                const struct kir_value *v = i->ops[k];
                bool carried = v->kind == KIR_VALUE_INST && varies(fl, v) && !seen[v->id] &&
                               ((v->def->op == ISA_OP_PHI && !goes_to_next_turn(fl, v)) ||
                                !cfg_in_loop(l, fl->cfg->loop[v->def->block->id]));
                if (carried && v->type != KIR_PRED)
                    bits += kir_type_bits(v->type) * c->width;
                if (v->kind == KIR_VALUE_INST)
                    seen[v->id] = 1;
            }
    return (bits + vector_bits - 1) / vector_bits;
}

enum {
    TEMPORARIES = 6,
    SEARCH_TEAM = 4,
    SMALL_SEARCH_TEAM = 2, // where masks are not kept in registers
    MAX_TEAM_INSTRUCTIONS = 3000,
    MAX_WHOLE_INSTRUCTIONS = 6000, // of a block with barriers in loops
    MAX_BLOCK_INSTRUCTIONS = 26000,
    MAX_WARP_INSTRUCTIONS = 4000, // of a block that is one vector
    MAX_TEAM_ATOMICS = 64
};

static bool has_barrier_in(const struct flow *fl, const struct cfg_loop *l) {
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK)
                return true;
    return false;
}

// Do what so many groups need in each loop, and some temporary values, fit the registers? With
// `whole`, where these groups are the block: loops with barriers do not count, whatever waits at a
// barrier is in memory anyway.
static bool fit_registers(const struct cg *c, const struct flow *fl, unsigned groups, bool whole) {
    unsigned registers = c->target.vector_registers, bits = c->target.vector_bits, most = 1;
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++) {
        const struct cfg_loop *l = fl->cfg->loops.data[k];
        unsigned r = whole && has_barrier_in(fl, l) ? 0 : registers_in(c, fl, l, bits);
        most = r > most ? r : most;
    }
    return groups * most + TEMPORARIES <= registers;
}

// Lanes of one group that act one after the other.
static unsigned lanes_of_atomics(const struct cg *c, const struct flow *fl) {
    unsigned n = 0;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if ((i->op == ISA_OP_ATOM || i->op == ISA_OP_RED) && varies(fl, i->ops[0]))
                n += c->width;
    return n;
}

static unsigned instructions(const struct kir_func *f) {
    unsigned n = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            n++;
    return n;
}

static bool has_barrier(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK)
                return true;
    return false;
}

// Barriers of a block that is one team cost nothing.
static bool one_team_fits(const struct cg *c, unsigned groups) {
    // Without fused instructions each product is many: such code would take LLVM minutes.
    return c->target.fused && groups <= CG_MAX_TEAM &&
           groups * instructions(c->kernel) <= MAX_BLOCK_INSTRUCTIONS && !team_forbidden(c->kernel);
}

// A loop with barriers in it: as one team the block passes them without saving and restoring what
// its groups need, which is more than what does not fit the registers costs.
static bool is_best_whole(const struct cg *c, const struct flow *fl, unsigned groups) {
    bool any = false;
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++)
        any |= has_barrier_in(fl, fl->cfg->loops.data[k]);
    return any && c->target.fused && groups <= CG_MAX_TEAM &&
           groups * instructions(c->kernel) <= MAX_WHOLE_INSTRUCTIONS &&
           fit_registers(c, fl, groups, true);
}

// Does v follow from which row of the block, or which warp, a thread is in?
static bool is_of_row(const struct kir_value *v, unsigned depth, unsigned *steps) {
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    if (!i || !depth || !*steps)
        return false;
    --*steps;
    if (i->op == ISA_OP_SREG)
        return i->sreg == ISA_SREG_TID_Y || i->sreg == ISA_SREG_TID_Z;
    if (i->op == ISA_OP_SHR || i->op == ISA_OP_DIV)
        return true;
    bool of_row = false;
    for (uint32_t k = 0;
         k < i->nops && (i->op == ISA_OP_PHI || isa_op_info[i->op].klass == ISA_CLASS_POINTWISE);
         k++)
        of_row |= is_of_row(i->ops[k], depth - 1, steps);
    return of_row;
}

// Rows of memory that a warp walks along in the loop: how many at a time.
static unsigned rows_walked(const struct cg *c, const struct flow *fl, const struct cfg_loop *l) {
    enum { DEPTH = 8, STEPS = 1000 };
    uint8_t *seen = arena_array(c->arena, uint8_t, fl->func->value_count + 1);
    unsigned n = 0;
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next) {
            bool accesses =
                (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.space == ISA_SPACE_GLOBAL;
            unsigned steps = STEPS;
            if (!accesses || seen[i->ops[0]->id] ||
                fl->shape[i->ops[0]->id].kind != SHAPE_OFFSETS ||
                !is_of_row(i->ops[0], DEPTH, &steps))
                continue;
            seen[i->ops[0]->id] = 1;
            n++;
        }
    return n;
}

// Where each warp has rows of its own, to which it comes back after it has reduced them, they
// should all stay in the first cache. They mostly lie a power of two apart, in few of its sets, and
// no more of them than half of the places that a set has: what all rows use is there, too. (A layer
// norm of rows of 4 KB: two warps at a time take 0.93 of what four take.)
static unsigned most_rows(const struct cg *c, const struct flow *fl, const struct cfg_loop *l,
                          unsigned most) {
    enum { PLACES = 4 };
    unsigned rows = traits_of(c).warp_ops && !has_barrier_in(fl, l) ? rows_walked(c, fl, l) : 0;
    while (most > 2 && rows * most > PLACES)
        most /= 2;
    return most;
}

// How many groups run together: as many as registers allow, where there is a loop in which all
// iterate alike. They share what they load alike, walk through memory side by side, and fill the
// latency of each other's chains of operations.
static unsigned choose_team(struct cg *c, const struct flow *fl) {
    const uint32_t *n = c->spec.ntid;
    unsigned threads = n[0] * n[1] * n[2], groups = threads / c->width, most = CG_MAX_TEAM;
    const struct kir_inst *forbidden = team_forbidden(c->kernel);
    if (c->width == 1 || !threads || threads % c->width)
        return 1;
    if (!fl->cfg->loops.len)
        return has_barrier(c->kernel) && one_team_fits(c, groups) ? groups : 1;
    if (forbidden)
        return no_team(c, "an instruction works on one vector alone", forbidden);
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++) {
        const struct cfg_loop *l = fl->cfg->loops.data[k];
        bool by_data = leaves_by_data(fl, l);
        if (l->irreducible || (by_data && !is_search(fl, l)))
            return no_team(c, "threads leave a loop in different iterations", l->header->last);
        most = !by_data ? most : c->target.fused ? SEARCH_TEAM : SMALL_SEARCH_TEAM;
        most = most_rows(c, fl, l, most);
    }
    unsigned team = 1, atomics = lanes_of_atomics(c, fl);
    if (groups <= most && is_best_whole(c, fl, groups) && groups * atomics <= MAX_TEAM_ATOMICS)
        return groups;
    while (team * 2 <= most && team * 2 * atomics <= MAX_TEAM_ATOMICS && groups % (team * 2) == 0 &&
           fit_registers(c, fl, team * 2, false) &&
           team * 2 * instructions(c->kernel) <= MAX_TEAM_INSTRUCTIONS)
        team *= 2;
    if (team == 1)
        return no_team(c, "the values that loops keep fill the registers, or the code is long",
                       first_loop(fl));
    return team;
}

static bool calls_any(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_CALL)
                return true;
    return false;
}

// What a run of blocks puts off in vectors would be locked instructions in scalars.
static bool counts_in_vectors(struct cg *c, const struct flow *fl) {
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++)
        if (leaves_by_data(fl, fl->cfg->loops.data[k]))
            return false;
    return cg_puts_off(c, fl);
}

// One thread after the other, where vectors would be taken apart for most of what they do, or a
// thread's own words are vectors.
static bool wants_scalars(struct cg *c, const struct traits *t, const struct flow *fl) {
    if (c->spec.width || c->width == 1 || t->barrier || t->warp_ops || calls_any(c->kernel))
        return false;
    c->thread_rows = c->target.half_vectors && thread_rows_are_vectors(fl);
    if (c->thread_rows)
        c->why_scalars = "each takes rows of four words, which are vectors by themselves";
    else if (!counts_in_vectors(c, fl) && scalars_are_faster(fl, &c->target, c->private_frame))
        c->why_scalars = "most of the time goes to addresses of single threads, in loops "
                         "that they leave in different iterations";
    if (c->why_scalars)
        c->scalars_at = first_loop(fl);
    return c->why_scalars;
}

static void debug_masks(struct cg *c, const struct flow *fl) {
    if (!debug_on("mask"))
        return;
    static const char *const modes[] = {"block", "warp stacks", "thread stacks", "interpreter"};
    fprintf(stderr, "kudzu: %s: mode %s, width %u, team of %u\n", c->kernel->name, modes[c->mode],
            c->width, c->team);
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        struct kir_block *b = fl->cfg->order[p];
        fprintf(stderr, "  block %u%s%s%s ->", b->id, fl->full[b->id] ? " full" : "",
                fl->join[b->id] ? " join" : "", fl->divergent[b->id] ? " divergent" : "");
        for (uint32_t k = 0; k < b->last->ntargets; k++)
            fprintf(stderr, " %u%s", b->last->targets[k]->id,
                    fl->deferred[b->id][k] ? " (deferred)" : "");
        fputc('\n', stderr);
    }
}

// Do lanes leave the loop by counting up to a number that each group has of its own, a row's
// length? Then a team would iterate as often as the longest row wants.
static bool counts_to_own(const struct flow *fl, const struct cfg_loop *l) {
    for (uint32_t p = l->first; p <= l->last && fl->loop_divergent[l->index]; p++) {
        const struct kir_inst *t = fl->cfg->order[p]->last;
        const struct kir_value *v = t->nops ? t->ops[0] : NULL;
        bool leaves = false;
        for (uint32_t k = 0; k < t->ntargets; k++)
            leaves |= !cfg_in_loop(l, fl->cfg->loop[t->targets[k]->id]);
        if (!leaves || !v || v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_SETP)
            continue;
        for (uint32_t k = 0; k < v->def->nops; k++) {
            const struct kir_value *x = v->def->ops[k];
            if (fl->shape[x->id].kind == SHAPE_UNIFORM && !fl->shared[x->id] && !fl->affine[x->id])
                return true;
        }
    }
    return false;
}

// How many instructions a team runs that share what they load: see skew.h.
static unsigned skewed_instructions(const struct flow *fl) {
    unsigned n = 0;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        struct kir_block *b = fl->cfg->order[p];
        for (struct kir_inst *i = b->first; i != b->last;) {
            struct skew s = skew_from(fl, i);
            n += s.by ? s.length : 0;
            i = s.end == i ? i->next : s.end;
        }
    }
    return n;
}

static unsigned loop_instructions(const struct flow *fl) {
    unsigned n = 0;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            n += fl->cfg->loop[fl->cfg->order[p]->id] != NULL;
    return n;
}

// A loop that each group leaves as one, but not all groups together, would run under masks in a
// team, and what it counts would differ from lane to lane: then groups run one by one. Unless most
// of the kernel gains by it: a tile with borders is loaded by such loops.
static void try_team(struct cg *c, struct flow **fl, bool *waits) {
    const struct flow *alone = fl[c->kernel->index];
    analyse_all(c, fl, waits);
    const struct flow *team = fl[c->kernel->index];
    bool gains = skewed_instructions(team) > loop_instructions(team);
    for (uint32_t k = 0; k < alone->cfg->loops.len; k++)
        if ((team->loop_divergent[k] && !alone->loop_divergent[k] && !gains) ||
            counts_to_own(team, alone->cfg->loops.data[k])) {
            c->team = no_team(c, "vectors leave a loop in different iterations",
                              alone->cfg->loops.data[k]->header->last);
            analyse_all(c, fl, waits);
            return;
        }
}

// Rows of blocks are 32 lanes wide, and a team of narrower groups would hold halves of rows, which
// have nothing at a constant distance: whole rows do.
static bool rows_want_32(const struct cg *c) {
    const uint32_t *n = c->spec.ntid;
    return c->width < 32 && n[0] == 32 && n[1] * n[2] > 1 && c->team > 2;
}

// With KD_SPEC_QUICK code has to be there soon. It has the same mode, so that a launch can change
// from it to better code between two blocks, but no teams, vectors no wider than registers where
// the kernel does not ask for them, hardly any of LLVM's passes, and the fast instruction selection
// and register allocation: it takes a third to a twentieth of the time.
static bool is_surely_quick(const struct cg *c) {
    enum { SMALL = 24 }; // may turn out to be small: see is_large
    return (c->spec.flags & KD_SPEC_QUICK) &&
           ((c->spec.flags & KD_SPEC_ALWAYS_QUICK) || instructions(c->kernel) > SMALL);
}

// What is known before there is code: see make_values.
static enum cg_effort first_effort(const struct calls *k) {
    enum { MANY_LOOPS = 64, MOST_LOOPS = 128, LARGE = 1500, LONG_BLOCK = 30000 };
    uint32_t blocks = 0, loops = 0, longest = 0;
    for (uint32_t n = 0; n < k->list.len; n++) {
        const struct kir_func *f = k->list.data[n];
        blocks += f->blocks.len;
        for (uint32_t b = 0; b < f->blocks.len; b++) {
            uint32_t length = 0;
            for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
                length++;
            longest = length > longest ? length : longest;
            for (uint32_t t = 0; t < f->blocks.data[b]->last->ntargets; t++)
                loops += f->blocks.data[b]->last->targets[t]->id <= b;
        }
    }
    // LLVM selects the instructions of a block all at once, in more than linear time, and follows
    // values through loops one behind the other in the square of their number.
    return blocks > LARGE || longest > LONG_BLOCK || loops > MOST_LOOPS ? CG_EFFORT_LITTLE
           : loops > MANY_LOOPS                                         ? CG_EFFORT_NO_COUNTING
                                                                        : CG_EFFORT_ALL;
}

// Does one pass through the kernel run the whole block?
static bool is_one_team(const struct cg *c) {
    const uint32_t *n = c->spec.ntid;
    uint32_t threads = n[0] * n[1] * n[2];
    return c->mode == KD_MODE_BLOCK && !c->splits && !c->parks && threads &&
           threads <= c->width * c->team;
}

static bool any_transposed(const struct flow *fl) {
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (cg_is_transposed(fl, i))
                return true;
    return false;
}

static bool any_varying_access(const struct flow *fl) {
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if ((i->op == ISA_OP_LD || i->op == ISA_OP_ST) && varies(fl, i->ops[0]))
                return true;
    return false;
}

// As many rows of a block as a line has words make a team where its threads' accesses lie in
// columns: see cg_transpose.c. The kernel has no loops, and no team for other reasons.
static void try_transposed(struct cg *c, struct flow **fl, bool *waits, bool may_widen) {
    enum { MOST_ROWS = 16, LEAST_ROWS = 4 };
    const uint32_t *n = c->spec.ntid;
    const struct flow *alone = fl[c->kernel->index];
    unsigned width = may_widen && n[0] == 32 ? 32 : c->width, rows = n[1], team = MOST_ROWS;
    while (team >= LEAST_ROWS && rows % team)
        team /= 2;
    if (team < LEAST_ROWS || n[0] != width || alone->cfg->loops.len || c->width == 1 ||
        !any_varying_access(alone) || has_barrier(c->kernel) || lanes_of_atomics(c, alone) ||
        team_forbidden(c->kernel) || team * instructions(c->kernel) > MAX_TEAM_INSTRUCTIONS)
        return;
    unsigned old = c->width;
    c->width = width;
    c->team = team;
    analyse_all(c, fl, waits);
    bool found = any_transposed(fl[c->kernel->index]);
    if (found && !(c->spec.flags & KD_SPEC_QUICK))
        return;
    c->quick |= found; // of the same width
    c->width = found ? width : old;
    c->team = 1;
    analyse_all(c, fl, waits);
}

// Rows of threads that pass through a kernel without loops, neighbours along memory (a stencil, a
// picture's filter): in vectors of a whole warp, a row's index and what is tested of it count once
// for more lanes.
static bool rows_without_loops(const struct cg *c, const struct flow *fl) {
    enum { MOST_INSTRUCTIONS = 150 };
    const uint32_t *n = c->spec.ntid;
    return n[0] && n[0] % KD_WARP == 0 && n[1] * n[2] > 1 && !fl->cfg->loops.len &&
           c->width * 2 == c->target.vector_bits / 16 && !has_barrier(c->kernel) &&
           !team_forbidden(c->kernel) && instructions(c->kernel) <= MOST_INSTRUCTIONS &&
           !any_varying_access(fl) && !lanes_of_atomics(c, fl);
}

// Where groups meet at barriers, vectors of two registers make half as many groups of a block: what
// each does to stop and to go on is done half as often, and more blocks are one team. Registers
// with masks pay for that by twice the lanes already.
static bool groups_want_two_registers(const struct cg *c) {
    const uint32_t *n = c->spec.ntid;
    uint32_t wide = c->width * 2;
    return !c->target.mask_registers && c->target.vector_bits == 256 && wide <= KD_WARP / 2 &&
           has_barrier(c->kernel) && n[0] && n[0] % wide == 0;
}

// A module of this compilation's own, with a copy of the kernel that passes may change.
static struct kir_module *own_module(struct cg *c) {
    struct kir_module *m = arena_memdup(c->arena, c->ir, sizeof *c->ir);
    struct kir_func *old = c->kernel;
    m->arena = c->own_ir ? c->own_ir->arena : (struct arena){0};
    m->funcs.data = arena_memdup(&m->arena, c->ir->funcs.data, sizeof old * c->ir->funcs.len);
    m->funcs.data[old->index] = kir_copy_func(m, old, c->arena);
    c->own_ir = m;
    return m;
}

static void use_module(struct cg *c, struct kir_module *m) {
    c->ir = m;
    c->kernel = m->funcs.data[c->kernel->index];
}

// One thread after the other, which leaves two loops worse than one.
static void run_threads(struct cg *c, struct flow **fl, bool *waits) {
    struct kir_module *m = own_module(c);
    if (join_rest_loops(m->funcs.data[c->kernel->index]))
        use_module(c, m);
    c->width = 1;
    analyse_all(c, fl, waits);
}

// Could lanes in lockstep (ir.h) tell whether the warp is one vector?
static bool could_tell(const struct traits *t, bool waits) {
    return t->warp_ops || by_volatile(t) || waits;
}

// Do device functions, which are called with lanes of one split, have nothing that lanes do
// together?
static bool only_kernel_meets(const struct cg *c) {
    for (uint32_t n = 0; n < c->ir->funcs.len; n++) {
        const struct kir_func *f = c->ir->funcs.data[n];
        for (uint32_t b = 0; b < f->blocks.len && c->needed[n] && f != c->kernel; b++)
            for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
                if (isa_op_info[i->op].klass == ISA_CLASS_WARP ||
                    isa_op_info[i->op].klass == ISA_CLASS_BLOCK)
                    return false;
    }
    return true;
}

// Could lanes in a device function wait for others that have not come to its call?
static bool functions_wait(const struct cg *c, struct flow **fl) {
    for (uint32_t n = 0; n < c->ir->funcs.len; n++)
        for (uint32_t k = 0; fl[n] && n != c->kernel->index && k < fl[n]->cfg->loops.len; k++)
            if (fl[n]->loop_waits[k] == WAITS_FOR_OTHERS || fl[n]->loop_waits[k] == WAITS_PERHAPS)
                return true;
    return false;
}

// Where lanes of a warp may have to wait for others at a barrier, a warp operation or in a loop
// that looks: code in which they can be parked there. False: that is not enough, and all is as
// before.
static bool try_parks(struct cg *c, struct flow **fl, const struct traits *t, bool *waits) {
    struct kir_module *ir = c->ir;
    struct kir_func *kernel = c->kernel;
    if (c->width == 1 || c->ir->lockstep || t->odd_barrier || t->block_in_function ||
        t->device_runtime || t->mbarrier_wait || !can_park(kernel) || !only_kernel_meets(c))
        return false;
    struct kir_module *m = own_module(c);
    make_park_points(m->funcs.data[kernel->index], fl[kernel->index]);
    use_module(c, m);
    c->parks = true;
    if (analyse_all(c, fl, waits) && !functions_wait(c, fl))
        return true;
    c->parks = false;
    c->ir = ir;
    c->kernel = kernel;
    analyse_all(c, fl, waits);
    return false;
}

// Do all loops that may wait stand in the kernel, with a barrier in each iteration? Then whoever
// gives way does so for the whole block.
static bool waits_together(const struct cg *c, struct flow **fl) {
    for (uint32_t n = 0; n < c->ir->funcs.len; n++)
        if (c->needed[n] && fl[n] && c->ir->funcs.data[n] != c->kernel && waiting_any(fl[n]))
            return false;
    return meeting_loops(fl[c->kernel->index]);
}

// Waits for phases at which all threads of the block meet are barriers: see meeting_waits.h. False:
// nothing has changed.
static bool try_meetings(struct cg *c, struct flow **fl, struct traits *t, bool *waits) {
    struct kir_module *ir = c->ir;
    struct kir_func *kernel = c->kernel;
    if (!t->mbarrier_wait || t->odd_barrier || t->block_in_function || t->device_runtime ||
        c->ir->lockstep || c->width == 1 || !waits_together(c, fl))
        return false;
    use_module(c, own_module(c));
    analyse_all(c, fl, waits);
    if (meeting_waits(c->kernel, fl[c->kernel->index])) {
        bool independent = analyse_all(c, fl, waits);
        *t = traits_of(c);
        if (independent && !t->mbarrier_wait)
            return true;
    }
    c->ir = ir;
    c->kernel = kernel;
    *t = traits_of(c);
    analyse_all(c, fl, waits);
    return false;
}

static void choose_mode(struct cg *c, struct flow **fl, bool *waits) {
    struct traits t = traits_of(c);
    c->width = choose_width(c, &t);
    c->team = 1;
    bool independent = analyse_all(c, fl, waits);
    if (independent)
        try_meetings(c, fl, &t, waits);
    if (!independent || (c->width > 1 && waiting_apart(fl[c->kernel->index])))
        independent = try_parks(c, fl, &t, waits) || independent;
    bool together = independent && !t.mbarrier_wait && !t.odd_barrier && !t.block_in_function &&
                    !t.device_runtime && c->width > 1 && waits_together(c, fl);
    bool stacks = t.odd_barrier || t.block_in_function || (*waits && !together);
    // A thread that launches waits for the others of its warp, see cg_meet_lanes.
    c->lanes_meet = t.device_runtime && !one_thread(c);
    bool lockstep = c->ir->lockstep && !c->lanes_meet;
    bool threads = !lockstep && c->width == 1 && (t.warp_ops || stacks || c->lanes_meet);
    // A warp on a stack of its own is one group: what its lanes may do apart is another question
    // than for narrower groups.
    if ((c->width > 1 && c->width < 32 && independent && stacks) ||
        (lockstep && c->width < 32 && could_tell(&t, stacks || !independent))) {
        c->width = 32;
        independent = analyse_all(c, fl, waits);
    }
    stacks |= lockstep && !independent;
    if (!lockstep && c->width > 1 && !independent)
        threads = true;
    if (!lockstep && !c->parks && c->width > 1 && (t.block_in_function || *waits) &&
        blocks_under_mask(c, fl))
        threads = true;
    if (threads) {
        c->mode = KD_MODE_THREAD_STACKS;
        if (c->width != 1) {
            debug_masks(c, fl[c->kernel->index]);
            c->width = 1;
            analyse_all(c, fl, waits);
        }
    } else if (*waits && !together && independent && !t.odd_barrier && !t.block_in_function &&
               !t.mbarrier_wait && !t.device_runtime) {
        c->mode = KD_MODE_BLOCK;
        c->splits = true;
    } else if (stacks) {
        c->mode = KD_MODE_WARP_STACKS;
        if (t.block_in_function || t.odd_barrier)
            because(c,
                    t.block_in_function ? "a barrier stands in a function"
                    : t.allocates       ? "memory from alloca lives across a barrier"
                                        : "a barrier is for some of the warps",
                    t.barrier_at);
        else
            because(c, "the kernel waits for what others write", t.mbarrier_at);
    } else {
        c->mode = KD_MODE_BLOCK;
        if (c->spec.width == 1 && c->width == 1) {
            c->thread_rows = thread_rows_are_vectors(fl[c->kernel->index]);
            run_threads(c, fl, waits);
        }
        if (wants_scalars(c, &t, fl[c->kernel->index])) {
            run_threads(c, fl, waits);
            return;
        }
        if (c->quick || c->parks)
            return;
        bool may_widen = !c->spec.width && c->width > 1 && c->width < 32 && t.f64 <= t.f32;
        if (may_widen && groups_want_two_registers(c)) {
            c->width *= 2;
            analyse_all(c, fl, waits);
        }
        c->team = choose_team(c, fl[c->kernel->index]);
        if (may_widen && rows_want_32(c)) {
            c->width = 32;
            c->team = 1;
            analyse_all(c, fl, waits);
            c->team = choose_team(c, fl[c->kernel->index]);
        }
        if (c->team > 1 && (c->spec.flags & KD_SPEC_QUICK)) {
            c->quick = true; // of the same width
            c->team = 1;
        } else if (c->team > 1) {
            try_team(c, fl, waits);
        } else if (may_widen && c->width < 32 && fit_registers(c, fl[c->kernel->index], 2, false) &&
                   has_grid_stride_loop(fl[c->kernel->index])) {
            c->width = 32;
            analyse_all(c, fl, waits);
        } else if (may_widen && rows_without_loops(c, fl[c->kernel->index])) {
            c->width *= 2;
            analyse_all(c, fl, waits);
        } else {
            try_transposed(c, fl, waits, may_widen);
        }
    }
}

// ---- counted loops --------------------------------------------------------------------------

// The kernel with its counted loops written out; false: it has others too, or the code would be
// long.
static bool unroll_kernel(struct cg *c, unsigned most) {
    struct kir_module *m = own_module(c);
    if (!unroll_loops(m->funcs.data[c->kernel->index], c->spec.ntid, most))
        return false;
    use_module(c, m);
    return true;
}

// Barriers in loops; or several outside of them, between which other loops touch shared memory:
// without these the block would be one team as it is (choose_team).
static bool has_counted_barriers(const struct cg *c, const struct flow *fl) {
    bool touches = false;
    unsigned outside = 0;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next) {
            bool loops = fl->cfg->loop[i->block->id];
            if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK && loops)
                return !c->quick && !(c->spec.flags & KD_SPEC_QUICK);
            outside += isa_op_info[i->op].klass == ISA_CLASS_BLOCK;
            touches |= loops && isa_op_info[i->op].klass == ISA_CLASS_MEMORY &&
                       i->mods.space == ISA_SPACE_SHARED;
        }
    return touches && outside > 1 && !c->quick && !(c->spec.flags & KD_SPEC_QUICK);
}

// A block that is one vector needs no barriers: its threads exchange values through shared memory
// all the same, in loops that store there.
static bool has_counted_stores(const struct cg *c, const struct flow *fl, unsigned groups) {
    for (uint32_t p = 0; p < fl->cfg->nblocks && groups == 1; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (i->op == ISA_OP_ST && i->mods.space == ISA_SPACE_SHARED &&
                fl->cfg->loop[i->block->id] && fl->shape[i->ops[0]->id].kind != SHAPE_UNIFORM)
                return !c->quick && !(c->spec.flags & KD_SPEC_QUICK);
    return false;
}

// Where one team can hold the whole block, loops with barriers in them are written out: with the
// iteration's number each lane's address in shared memory is then known. Mode and width stay.
// False: the kernel is as it was.
static bool try_unrolled(struct cg *c, struct flow **fl, bool *waits) {
    const uint32_t *n = c->spec.ntid;
    unsigned threads = n[0] * n[1] * n[2], groups = threads / c->width, team = c->team;
    struct kir_module *ir = c->ir;
    struct kir_func *kernel = c->kernel;
    if (c->mode != KD_MODE_BLOCK || c->splits || c->parks || c->width == 1 || !threads ||
        threads % c->width)
        return false;
    unsigned most = has_counted_barriers(c, fl[kernel->index])         ? MAX_BLOCK_INSTRUCTIONS
                    : has_counted_stores(c, fl[kernel->index], groups) ? MAX_WARP_INSTRUCTIONS
                                                                       : 0;
    if (!most || !one_team_fits(c, groups) || !unroll_kernel(c, most / groups))
        return false;
    c->team = groups;
    analyse_all(c, fl, waits);
    if (one_team_fits(c, groups) && !*waits)
        return true;
    c->ir = ir;
    c->kernel = kernel;
    c->team = team;
    analyse_all(c, fl, waits);
    return false;
}

// Where masks cost, a kernel's code is there twice: for blocks in which all threads act, and
// others.
static void try_whole_blocks(struct cg *c) {
    if (c->target.mask_registers || !(c->spec.flags & KD_SPEC_SMALL_GRID) || c->quick)
        return;
    struct kir_module *m = own_module(c);
    bool full_rows = c->spec.ntid[0] && c->spec.ntid[0] % 8 == 0;
    if (whole_blocks(m->funcs.data[c->kernel->index], full_rows))
        use_module(c, m);
}

// What follows from the number of threads in a block alone.
static void try_known_size(struct cg *c) {
    if (!c->spec.ntid[0] || !known_size_any(c->kernel, c->spec.ntid))
        return;
    struct kir_module *m = own_module(c);
    known_size(m->funcs.data[c->kernel->index], c->spec.ntid);
    use_module(c, m);
}

static void try_private_frame(struct cg *c) {
    if (!c->kernel->locals.len || c->spec.width == 1)
        return;
    struct kir_module *m = own_module(c);
    c->private_frame = private_frame(m->funcs.data[c->kernel->index]);
    if (c->private_frame)
        use_module(c, m);
}

// A grid-stride loop's body alone: the code of a run of blocks goes on with the next iteration.
// Where the kernel gets another mode for that, it stays as it was.
static void try_strides(struct cg *c, struct flow **fl, bool *waits) {
    struct kir_module *ir = c->ir;
    struct kir_func *kernel = c->kernel;
    if (!(c->spec.flags & KD_SPEC_STRIDES) || c->quick)
        return;
    struct kir_module *m = own_module(c);
    c->stride_limit = stride_loop_open(m->funcs.data[kernel->index], c->spec.ntid);
    if (!c->stride_limit)
        return;
    use_module(c, m);
    try_whole_blocks(c);
    choose_mode(c, fl, waits);
    if (c->mode == KD_MODE_BLOCK && !c->splits && !c->parks)
        return;
    c->ir = ir;
    c->kernel = kernel;
    c->stride_limit = NULL;
}

// The same value in the copy of a function.
static struct kir_value *in_copy(const struct kir_func *copy, const struct kir_value *v) {
    const struct kir_block *b = v->def->block;
    struct kir_inst *there = copy->blocks.data[b->id]->first;
    for (const struct kir_inst *i = b->first; i != v->def; i = i->next)
        there = there->next;
    return there->res[v->result];
}

// Quotients and remainders of indices, for groups of threads that have one quotient and others.
// What one version leaves in loops of its own is looked at in another round.
static void try_group_rows(struct cg *c, struct flow **fl, bool *waits) {
    // Groups of a team take the version for rows when all of them can.
    enum { ROUNDS = 6, MOST_INSTRUCTIONS = 600, MOST_GROUPS = 4 };
    struct kir_module *ir = c->ir;
    struct kir_func *kernel = c->kernel;
    struct kir_value *limit = c->stride_limit;
    uint32_t nth = kernel->index;
    unsigned team = c->team;
    bool loops;
    if (c->mode != KD_MODE_BLOCK || c->splits || c->parks || c->width == 1 || c->quick ||
        (is_one_team(c) && has_barrier(c->kernel)) || !group_rows_any(fl[nth], &loops))
        return;
    if (c->spec.flags & KD_SPEC_QUICK) {
        c->quick = true; // of the same width
        return;
    }
    use_module(c, own_module(c));
    if (limit && limit->kind == KIR_VALUE_INST)
        c->stride_limit = in_copy(c->kernel, limit);
    c->team = !loops ? 1 : team > MOST_GROUPS ? MOST_GROUPS : team;
    analyse_all(c, fl, waits);
    bool made = false;
    for (unsigned r = 0; r < ROUNDS && instructions(c->kernel) <= MOST_INSTRUCTIONS &&
                         group_rows_any(fl[nth], &loops);
         r++) {
        made |= group_rows(c->kernel, fl[nth]);
        analyse_all(c, fl, waits);
    }
    if (made)
        return;
    c->ir = ir;
    c->kernel = kernel;
    c->stride_limit = limit;
    c->team = team;
    analyse_all(c, fl, waits);
}

// What compilers have written out, where teams and wide groups make long code of it, becomes loops
// again. One team looks into its shared memory and wants to see each place.
static void try_rolled(struct cg *c, struct flow **fl, bool *waits) {
    unsigned vectors = c->width > 16 ? c->width / 16 : 1, copies = c->team * vectors;
    if (c->mode != KD_MODE_BLOCK || c->splits || c->parks || c->width == 1 || is_one_team(c) ||
        !has_long_block(c->kernel, copies))
        return;
    struct kir_module *m = own_module(c);
    if (!roll_up(m->funcs.data[c->kernel->index], copies))
        return;
    use_module(c, m);
    analyse_all(c, fl, waits);
}

// ---- one compilation ------------------------------------------------------------------------

static void init_types(struct cg *c) {
    c->i1 = LLVMInt1TypeInContext(c->ctx);
    c->i8 = LLVMInt8TypeInContext(c->ctx);
    c->i16 = LLVMInt16TypeInContext(c->ctx);
    c->i32 = LLVMInt32TypeInContext(c->ctx);
    c->i64 = LLVMInt64TypeInContext(c->ctx);
    c->i128 = LLVMInt128TypeInContext(c->ctx);
    c->f32 = LLVMFloatTypeInContext(c->ctx);
    c->f64 = LLVMDoubleTypeInContext(c->ctx);
    c->ptr = LLVMPointerTypeInContext(c->ctx, 0);
    c->void_t = LLVMVoidTypeInContext(c->ctx);
}

// May code run blocks of a row one after the other without telling?
static bool by_rows(const struct traits *t) {
    return !t->device_runtime && !t->triggers;
}

static void fill_info(struct cg *c, bool waits, struct kd_code_info *info) {
    uint32_t depth = c->frame_depth[c->kernel->index];
    *info =
        (struct kd_code_info){.abi_version = KD_ABI_VERSION, .mode = c->mode, .width = c->width};
    if (c->uses_spill)
        info->spill_bytes = c->group_spill * (KD_WARP / c->width);
    info->recursive = depth == UINT32_MAX;
    info->local_bytes = info->recursive ? frame_of(c->kernel) : depth ? depth - 1 : 0;
    struct traits t = traits_of(c);
    // The device runtime has to know which block calls, and dependent grids which ones have
    // triggered.
    // Blocks that take the place of others are handed out one by one.
    info->flags = (t.barrier ? KD_CODE_USES_BARRIER : 0) |
                  (waits || t.cancels || t.meets ? KD_CODE_MAY_WAIT : 0) |
                  (t.block_index || t.cancels ? 0 : KD_CODE_ANY_ORDER) |
                  (t.describes ? KD_CODE_DESCRIBES : 0) | (c->stride_limit ? KD_CODE_STRIDES : 0) |
                  (t.triggers ? KD_CODE_TRIGGERS : 0) | (t.grid_waits ? KD_CODE_GRID_WAITS : 0) |
                  (c->splits                                 ? KD_CODE_SPLITS
                   : c->mode == KD_MODE_BLOCK && by_rows(&t) ? KD_CODE_RUNS_ROWS
                                                             : 0);
}

static void emit_all(struct cg *c, struct flow **fl) {
    cg_declare_functions(c);
    for (uint32_t n = 0; n < c->ir->funcs.len; n++)
        if (c->fn[n])
            cg_emit_function(c, c->ir->funcs.data[n], fl[n]);
    cg_emit_kernel(c, fl[c->kernel->index]);
}

// LLVM takes some microseconds and kilobytes for each of its instructions: a kernel with more than
// this is interpreted. Each of the kernel's own is several of them.
enum { MOST_INSTRUCTIONS = 500000, MOST_LLVM_INSTRUCTIONS = 1000000 };

static bool is_too_long(struct cg *c, size_t n, size_t most, const char *what) {
    if (n <= most)
        return false;
    strbuf_printf(c->err, "kernel %s: %zu %s are more than the %zu that can be compiled\n",
                  c->kernel->name, n, what, most);
    return true;
}

static size_t needed_instructions(const struct calls *k) {
    size_t n = 0;
    for (uint32_t f = 0; f < k->list.len; f++)
        n += instructions(k->list.data[f]);
    return n;
}

// As far as LLVM IR. fl: by kir_func index, of functions that are needed.
static void generate(struct cg *c, struct flow **fl, bool *waits) {
    uint32_t n = c->ir->funcs.len;
    struct calls calls = {.c = c};
    c->fn = arena_array(c->arena, LLVMValueRef, n + 1);
    c->can_exit = arena_array(c->arena, uint8_t, n + 1);
    c->needed = arena_array(c->arena, uint8_t, n + 1);
    c->frame_depth = arena_array(c->arena, uint32_t, n + 1);
    c->address_taken = arena_array(c->arena, uint8_t, n + 1);
    need(&calls, c->kernel);
    c->failed = is_too_long(c, needed_instructions(&calls), MOST_INSTRUCTIONS, "instructions");
    if (c->failed)
        return;
    find_exits(&calls);
    // With alloca no depth is known: every function looks where its frame ends.
    if (any_allocates(c))
        memset(c->frame_depth, 0xff, n * sizeof *c->frame_depth);
    else
        find_depths(&calls);
    stages_end("call graph");
    c->effort = first_effort(&calls);
    c->quick = is_surely_quick(c) || c->effort >= CG_EFFORT_LITTLE;
    try_known_size(c);
    try_private_frame(c);
    try_strides(c, fl, waits);
    if (!c->stride_limit) {
        try_whole_blocks(c);
        choose_mode(c, fl, waits);
    }
    stages_end("analyses");
    // What is written out divides by constants.
    if (!try_unrolled(c, fl, waits))
        try_group_rows(c, fl, waits);
    stages_end("unrolling");
    try_rolled(c, fl, waits);
    stages_end("rolling");
    c->one_team = is_one_team(c);
    debug_masks(c, fl[c->kernel->index]);
    emit_all(c, fl);
    stages_end("LLVM IR");
}

// ---- small kernels --------------------------------------------------------------------------

// A kernel so small that the better code is there in a few milliseconds gets that at once.
enum { SMALL_INSTRUCTIONS = 64 };

static bool is_large(LLVMModuleRef m) {
    unsigned n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (++n > SMALL_INSTRUCTIONS)
                    return true;
    return false;
}

// Variables times blocks, of each function: as many phis may come of them.
static uint64_t most_phis(LLVMModuleRef m) {
    uint64_t all = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        uint64_t variables = 0;
        if (LLVMIsDeclaration(f))
            continue;
        LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f);
        for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
            variables += LLVMIsAAllocaInst(i) != NULL;
        all += variables * LLVMCountBasicBlocks(f);
    }
    return all;
}

// Where LLVM's pass would take long for the kernel's variables they become values before. Measured:
// a kernel of any form that was tried is compiled within seconds.
static void make_values(struct cg *c) {
    enum { MANY = 100000, TOO_MANY = 1000000 };
    uint64_t phis = most_phis(c->mod);
    if (phis > TOO_MANY && c->effort < CG_EFFORT_LITTLE)
        c->effort = CG_EFFORT_LITTLE;
    if (phis > MANY || c->effort >= CG_EFFORT_LITTLE || c->quick)
        c->keeps_variables = !cg_promote(c);
    if (c->keeps_variables)
        c->effort = CG_EFFORT_LITTLE;
}

// A kernel whose code needs more is interpreted.
enum { MOST_STACK_BYTES = 256 << 20 };

static bool compile(struct cg *c, void **obj, size_t *size, struct kd_code_info *info) {
    struct flow **fl = arena_array(c->arena, struct flow *, c->ir->funcs.len + 1);
    bool waits;
    generate(c, fl, &waits);
    c->failed = c->failed || is_too_long(c, cg_count_instructions(c->mod), MOST_LLVM_INSTRUCTIONS,
                                         "instructions of LLVM's");
    if (c->failed)
        return false;
    fill_info(c, waits, info);
    make_values(c);
    stages_end("variables");
    if (c->effort >= CG_EFFORT_LITTLE || (c->spec.flags & KD_SPEC_ALWAYS_QUICK) ||
        ((c->spec.flags & KD_SPEC_QUICK) && (c->lane_calls || is_large(c->mod))))
        c->quick = true;
    if (c->quick && c->effort < CG_EFFORT_LITTLE) // otherwise nothing better comes
        info->flags |= KD_CODE_QUICK;
    if (!cg_make_object(c, obj, size, c->err))
        return false;
    if (c->large_frames > MOST_STACK_BYTES) {
        strbuf_printf(c->err, "kernel %s: its code needs %llu bytes of stack\n", c->kernel->name,
                      (unsigned long long)c->large_frames);
        free(*obj);
        return false;
    }
    info->stack_bytes = (uint32_t)c->large_frames;
    return true;
}

enum kd_level kj_host_level(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v4"))
        return KD_LEVEL_X86_64_V4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return KD_LEVEL_X86_64_V3;
    return KD_LEVEL_X86_64_V2;
#else
    return KD_LEVEL_AARCH64;
#endif
}

static void copy_log(const struct strbuf *err, char *log, size_t log_size) {
    if (log && log_size)
        snprintf(log, log_size, "%s", strbuf_str(err));
}

// For a module while it is made.
enum { LLVM_MODULE_BYTES = 16 << 20 };

// Everything that one compilation owns.
struct compilation {
    struct strbuf err;
    struct arena arena;
    struct cg cg;
};

static bool begin(struct compilation *t, struct kj_module *m, uint32_t kernel,
                  const struct kd_spec *spec) {
    uint32_t nth = 0;
    struct cg *c = &t->cg;
    *c = (struct cg){.arena = &t->arena, .ir = m->ir, .spec = *spec, .err = &t->err};
    c->target =
        machine_of(spec->level ? (enum kd_level)spec->level : kj_host_level(), kj_features());
    for (uint32_t f = 0; f < m->ir->funcs.len; f++)
        if (m->ir->funcs.data[f]->is_kernel && nth++ == kernel)
            c->kernel = m->ir->funcs.data[f];
    if (!c->kernel) {
        strbuf_printf(&t->err, "the module has no kernel %u\n", kernel);
        return false;
    }
    llvm_memory_reserve(LLVM_MODULE_BYTES);
    c->ctx = LLVMContextCreate();
    cg_heed_diagnostics(c);
    c->mod = LLVMModuleCreateWithNameInContext(c->kernel->name, c->ctx);
    c->b = LLVMCreateBuilderInContext(c->ctx);
    init_types(c);
    c->pw = (struct pw){.ctx = c->ctx, .mod = c->mod, .b = c->b, .target = &c->target};
    return true;
}

// What LLVM holds: all that is left when memory has run out. When LLVM itself failed it keeps it.
static void end_llvm(struct cg *c) {
    if (llvm_has_failed()) {
        llvm_memory_end();
        return;
    }
    if (c->machine)
        LLVMDisposeTargetMachine(c->machine);
    if (c->ctx) {
        LLVMDisposeBuilder(c->b);
        LLVMDisposeModule(c->mod);
        LLVMContextDispose(c->ctx);
    }
    llvm_failure_end();
    llvm_memory_end();
}

static void end(struct compilation *t, char *log, size_t log_size) {
    copy_log(&t->err, log, log_size);
    end_llvm(&t->cg);
    if (t->cg.own_ir)
        arena_free(&t->cg.own_ir->arena);
    arena_free(&t->arena);
    strbuf_free(&t->err);
}

// A call of kj_compile or kj_explain.
struct request {
    struct compilation t;
    struct kj_module *m;
    uint32_t kernel;
    const struct kd_spec *spec;
    void **obj;
    size_t *obj_size;
    struct kd_code_info *info;
    bool all;
    char *log;
    size_t log_size;
    bool ok;
    char *text;
    void (*work)(void *);
};

static void undo(void *arg) {
    llvm_failure_end(); // nothing to leave is left
    end_llvm(&((struct request *)arg)->t.cg);
}

// Measured: no more than ten seconds.
static const uint64_t MOST_WORK = 1000000000;

static void run_work(void *arg) {
    struct request *r = arg;
    llvm_failure_watch(r->log, r->log_size);
    work_begin(MOST_WORK);
    if (!kj_run(r->work, undo, r, r->log, r->log_size))
        r->ok = false;
}

static void no_room(void *arg) {
    memory_ran_out();
}

// A system that grants few addresses grants a smaller stack.
static void run_request(struct request *r, void (*work)(void *)) {
    enum { MOST_BYTES = 512 << 20, LEAST_BYTES = 8 << 20 };
    r->work = work;
    for (size_t bytes = MOST_BYTES; bytes >= LEAST_BYTES; bytes /= 4)
        if (large_stack_run(run_work, r, bytes, llvm_has_failed))
            return;
    kj_run(no_room, NULL, r, r->log, r->log_size);
}

static void compile_request(void *arg) {
    struct request *r = arg;
    struct compilation *t = &r->t;
    stages_begin();
    r->ok = begin(t, r->m, r->kernel, r->spec) && compile(&t->cg, r->obj, r->obj_size, r->info);
    if (t->cg.kernel)
        stages_print(t->cg.kernel->name);
    end(t, r->log, r->log_size);
}

bool kj_compile(struct kj_module *m, uint32_t kernel, const struct kd_spec *spec, void **obj,
                size_t *obj_size, struct kd_code_info *info, char *log, size_t log_size) {
    struct request r = {.m = m,
                        .kernel = kernel,
                        .spec = spec,
                        .obj = obj,
                        .obj_size = obj_size,
                        .info = info,
                        .log = log,
                        .log_size = log_size};
    run_request(&r, compile_request);
    return r.ok;
}

static void explain_request(void *arg) {
    struct request *r = arg;
    struct compilation *t = &r->t;
    struct notes notes = {0};
    struct strbuf text = {0};
    bool waits;
    if (begin(t, r->m, r->kernel, r->spec)) {
        struct flow **fl = arena_array(&t->arena, struct flow *, r->m->ir->funcs.len + 1);
        t->cg.notes = &notes;
        generate(&t->cg, fl, &waits);
        if (!t->cg.failed) {
            cg_report(&t->cg, fl, r->all, &text);
            r->text = memory_strdup(strbuf_str(&text));
        }
    }
    end(t, r->log, r->log_size);
    arena_free(&notes.arena);
    strbuf_free(&text);
}

void kj_provoke_failure(long n, int kind) {
    llvm_failure_provoke(n, (enum llvm_failure_kind)kind);
}

char *kj_explain(struct kj_module *m, uint32_t kernel, const struct kd_spec *spec, bool all,
                 char *log, size_t log_size) {
    struct request r = {
        .m = m, .kernel = kernel, .spec = spec, .all = all, .log = log, .log_size = log_size};
    run_request(&r, explain_request);
    return r.text;
}
