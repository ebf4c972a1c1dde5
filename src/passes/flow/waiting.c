#include "passes/flow/waiting.h"

#include "ir/async.h"
#include "isa/matrix.h"
#include "isa/ops/async.h"
#include "isa/ops/block.h"
#include "isa/ops/fence.h"
#include "isa/ops/matrix.h"
#include "isa/ops/warp.h"
#include "passes/flow/finite.h"
#include "passes/flow/sole_lane.h"
#include "support/work.h"

static bool in_loop(const struct flow *fl, const struct cfg_loop *l, const struct kir_block *b) {
    return cfg_in_loop(l, fl->cfg->loop[b->id]);
}

// A place in the function's frame, as unoptimised code keeps its variables.
struct place {
    const struct kir_symbol *sym;
    int64_t offset;
};

static bool place_of(const struct kir_inst *access, struct place *out) {
    const struct kir_value *v = access->ops[0];
    out->offset = access->offset;
    for (int depth = 0; depth < 4 && v->kind == KIR_VALUE_INST; depth++) {
        const struct kir_inst *d = v->def;
        if (d->op == ISA_OP_SYMADDR && d->sym->space == ISA_SPACE_LOCAL) {
            out->sym = d->sym;
            out->offset += d->offset;
            return true;
        }
        if (d->op != ISA_OP_CVTA && d->op != ISA_OP_MOV)
            return false;
        v = d->ops[0];
    }
    return false;
}

// The next store in l, from i on in block `*at` of the layout, to where a load reads its variable.
static const struct kir_inst *next_store(const struct flow *fl, const struct cfg_loop *l,
                                         const struct place *p, uint32_t *at,
                                         const struct kir_inst *i) {
    for (;; i = fl->cfg->order[*at]->first) {
        work_spend(1);
        for (; i; i = i->next) {
            struct place q;
            if (i->op == ISA_OP_ST && place_of(i, &q) && q.sym == p->sym && q.offset == p->offset)
                return i;
        }
        if (++*at > l->last)
            return NULL;
    }
}

static bool is_variable(const struct kir_inst *i, struct place *p) {
    return i->op == ISA_OP_LD && i->mods.sem == ISA_SEM_WEAK && place_of(i, p);
}

// A variable that the loop does not write.
static bool kept_variable(const struct flow *fl, const struct cfg_loop *l,
                          const struct kir_inst *i) {
    struct place p;
    uint32_t at = l->first;
    return is_variable(i, &p) && !next_store(fl, l, &p, &at, fl->cfg->order[at]->first);
}

// Is v the same in each iteration of l? Looks through pure instructions inside it.
static bool invariant(const struct flow *fl, const struct cfg_loop *l, const struct kir_value *v,
                      int depth) {
    if (v->kind != KIR_VALUE_INST || !in_loop(fl, l, v->def->block))
        return true;
    const struct kir_inst *d = v->def;
    bool param = d->op == ISA_OP_LD && d->mods.space == ISA_SPACE_PARAM;
    if (kept_variable(fl, l, d))
        return true;
    enum isa_class k = isa_op_info[d->op].klass;
    if (depth > 16 || d->op == ISA_OP_PHI || d->op == ISA_OP_PARAM ||
        (!param && k != ISA_CLASS_POINTWISE && k != ISA_CLASS_SOURCE))
        return false;
    for (uint32_t n = 0; n < d->nops; n++)
        if (!invariant(fl, l, d->ops[n], depth + 1))
            return false;
    return true;
}

// Does the atomic leave memory as it finds it?
static bool identity(const struct kir_inst *i) {
    uint64_t c;
    if (i->nops < 2 || !flow_const(i->ops[1], &c))
        return false;
    switch (i->mods.atom) {
    case ISA_ATOM_ADD:
    case ISA_ATOM_OR:
    case ISA_ATOM_XOR:
        return c == 0;
    default:
        return false;
    }
}

// A loop that does nothing but look, with a fence in each iteration: as programs wait that are
// older than PTX's memory model (`while (__ldcg(flag) == 0) __threadfence_block();`).
static bool looks_and_fences(const struct flow *fl, const struct cfg_loop *l) {
    bool fences = false;
    for (uint32_t p = l->first; p <= l->last; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next) {
            enum isa_class k = isa_op_info[i->op].klass;
            fences |= k == ISA_CLASS_FENCE;
            if ((k == ISA_CLASS_MEMORY && i->op != ISA_OP_LD) || k == ISA_CLASS_BLOCK ||
                i->op == ISA_OP_CALL)
                return false;
        }
    return fences;
}

static bool waiting_load(const struct flow *fl, const struct cfg_loop *l,
                         const struct kir_inst *i) {
    struct place p;
    if (!invariant(fl, l, i->ops[0], 0))
        return false;
    if (i->mods.sem != ISA_SEM_WEAK)
        return true;
    bool shared = i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_SHARED ||
                  i->mods.space == ISA_SPACE_GENERIC;
    return shared && !is_variable(i, &p) && looks_and_fences(fl, l);
}

static bool waiting_read(const struct flow *fl, const struct cfg_loop *l,
                         const struct kir_inst *i) {
    if (kir_async_waits(i))
        return true;
    if (i->op == ISA_OP_LD)
        return waiting_load(fl, l, i);
    if (i->op != ISA_OP_ATOM || !invariant(fl, l, i->ops[0], 0))
        return false;
    if (i->mods.atom == ISA_ATOM_CAS)
        return invariant(fl, l, i->ops[1], 0);
    return i->mods.atom == ISA_ATOM_EXCH || identity(i);
}

static bool asks_memory(const struct kir_func *f, int depth) {
    if (!f || depth > 8)
        return true; // nobody knows
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            bool swap = i->op == ISA_OP_ATOM &&
                        (i->mods.atom == ISA_ATOM_CAS || i->mods.atom == ISA_ATOM_EXCH);
            if (swap || kir_async_waits(i) || (i->op == ISA_OP_ATOM && identity(i)) ||
                (i->op == ISA_OP_LD && i->mods.sem != ISA_SEM_WEAK) ||
                (i->op == ISA_OP_CALL && !(i->callee && i->callee->is_extern) &&
                 asks_memory(i->callee, depth + 1)))
                return true;
        }
    return false;
}

// A call of a function that looks at memory which others write, with the same arguments each time.
static bool waiting_call(const struct flow *fl, const struct cfg_loop *l,
                         const struct kir_inst *i) {
    if (i->op != ISA_OP_CALL || (i->callee && i->callee->is_extern) || !asks_memory(i->callee, 0))
        return false;
    for (uint32_t k = 0; k < i->nops; k++)
        if (!invariant(fl, l, i->ops[k], 0))
            return false;
    return true;
}

// Values still to be looked at.
typedef VEC(const struct kir_value *) value_list;

// A variable of the frame: what the loop stores there.
static void add_stored(const struct flow *fl, const struct cfg_loop *l, const struct kir_inst *load,
                       value_list *todo) {
    struct place p;
    uint32_t at = l->first;
    if (!is_variable(load, &p))
        return;
    const struct kir_inst *st = fl->cfg->order[at]->first;
    while ((st = next_store(fl, l, &p, &at, st))) {
        vec_push(fl->arena, todo, st->ops[1]);
        st = st->next;
    }
}

// `if (flag) done = true;`: which constant a phi gets is decided by branches on the way to it.
static void add_deciding(const struct flow *fl, const struct cfg_loop *l,
                         const struct kir_inst *phi, value_list *todo) {
    const struct kir_block *b = phi->block;
    for (uint32_t k = 0; k < phi->nops; k++) {
        const struct kir_value *v = phi->ops[k];
        const struct kir_block *from = b->preds.data[k];
        if (v->kind != KIR_VALUE_CONST || !in_loop(fl, l, from))
            continue;
        for (uint32_t d = from->id; d != UINT32_MAX; d = fl->cfg->idom[d]) {
            const struct kir_block *x = fl->func->blocks.data[d];
            if (!in_loop(fl, l, x))
                break;
            if (x->last->nops)
                vec_push(fl->arena, todo, x->last->ops[0]);
            if (x == b || d == fl->cfg->idom[b->id])
                break;
        }
    }
}

// Values that have been looked at for one question about one loop: those with its mark.
struct seen {
    uint32_t *marks, mark;
};

static bool look_again(struct seen *s, const struct kir_value *v) {
    bool again = s->marks[v->id] == s->mark;
    work_spend(1);
    s->marks[v->id] = s->mark;
    return again;
}

// Does v, inside l, come from a waiting read?
static bool depends(const struct flow *fl, const struct cfg_loop *l, const struct kir_value *v,
                    struct seen *seen) {
    value_list todo = {0};
    vec_push(fl->arena, &todo, v);
    while (todo.len) {
        v = todo.data[--todo.len];
        if (v->kind != KIR_VALUE_INST || !in_loop(fl, l, v->def->block) || look_again(seen, v))
            continue;
        const struct kir_inst *d = v->def;
        if (waiting_read(fl, l, d) || waiting_call(fl, l, d))
            return true;
        add_stored(fl, l, d, &todo);
        if (d->op == ISA_OP_PHI)
            add_deciding(fl, l, d, &todo);
        if (d->op == ISA_OP_LD || d->op == ISA_OP_ATOM || d->op == ISA_OP_CALL ||
            isa_op_info[d->op].klass == ISA_CLASS_ASYNC)
            continue;
        for (uint32_t k = 0; k < d->nops; k++)
            vec_push(fl->arena, &todo, d->ops[k]);
    }
    return false;
}

typedef bool asks(const struct flow *fl, const struct cfg_loop *l, const struct kir_value *v,
                  struct seen *seen);

// Is `question` answered by yes for the condition of a branch that leaves the loop? What one of
// them comes from without a yes is not asked again for another.
static bool leaves_by(struct flow *fl, const struct cfg_loop *l, asks *question,
                      struct seen *seen) {
    seen->mark++;
    work_spend(l->last - l->first);
    for (uint32_t p = l->first; p <= l->last; p++) {
        const struct kir_block *b = fl->cfg->order[p];
        bool leaves = false;
        for (uint32_t k = 0; k < b->last->ntargets; k++)
            leaves |= !in_loop(fl, l, b->last->targets[k]);
        if (!leaves || !b->last->nops)
            continue;
        if (question(fl, l, b->last->ops[0], seen))
            return true;
    }
    return false;
}

static bool loop_waits(struct flow *fl, const struct cfg_loop *l, struct seen *seen) {
    return leaves_by(fl, l, depends, seen);
}

static bool reads_clock(const struct kir_inst *i) {
    return i->op == ISA_OP_SREG && i->sreg >= ISA_SREG_CLOCK && i->sreg <= ISA_SREG_GLOBALTIMER_HI;
}

// Does v, inside l, come from a clock, by arithmetic alone?
static bool from_clock(const struct flow *fl, const struct cfg_loop *l, const struct kir_value *v,
                       struct seen *seen) {
    value_list todo = {0};
    vec_push(fl->arena, &todo, v);
    while (todo.len) {
        v = todo.data[--todo.len];
        if (v->kind != KIR_VALUE_INST || !in_loop(fl, l, v->def->block) || look_again(seen, v))
            continue;
        const struct kir_inst *d = v->def;
        if (reads_clock(d))
            return true;
        bool through = d->op == ISA_OP_PHI || isa_op_info[d->op].klass == ISA_CLASS_POINTWISE;
        for (uint32_t k = 0; through && k < d->nops; k++)
            vec_push(fl->arena, &todo, d->ops[k]);
    }
    return false;
}

// A loop that passes the time, and is left by all lanes at once.
static bool loop_watches_clock(struct flow *fl, const struct cfg_loop *l, struct seen *seen) {
    return !fl->loop_divergent[l->index] && leaves_by(fl, l, from_clock, seen);
}

// What stands in a function in front of a block of the layout that a loop could wait by.
struct reads {
    uint32_t strong;        // waiting reads, or calls, perhaps
    uint32_t loads, fences; // which only together make one
    uint32_t clocks;
};

static void count_reads(const struct kir_inst *i, struct reads *n) {
    bool swap = i->mods.atom == ISA_ATOM_CAS || i->mods.atom == ISA_ATOM_EXCH;
    bool load = i->op == ISA_OP_LD;
    n->strong += kir_async_waits(i) || (load && i->mods.sem != ISA_SEM_WEAK) ||
                 (i->op == ISA_OP_ATOM && (swap || identity(i))) || i->op == ISA_OP_CALL;
    n->loads += load;
    n->fences += isa_op_info[i->op].klass == ISA_CLASS_FENCE;
    n->clocks += reads_clock(i);
}

// By position in the layout, and behind the last one: a loop's blocks lie together there, and most
// loops have nothing in them that has to be followed back from each of their exits.
static struct reads *sum_reads(struct flow *fl) {
    struct reads *sums = arena_array(fl->arena, struct reads, fl->cfg->nblocks + 1);
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        sums[p + 1] = sums[p];
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            count_reads(i, &sums[p + 1]);
    }
    return sums;
}

static bool may_wait(const struct reads *sums, const struct cfg_loop *l) {
    const struct reads *from = &sums[l->first], *to = &sums[l->last + 1];
    return to->strong > from->strong || (to->loads > from->loads && to->fences > from->fences);
}

static bool may_watch_clock(const struct reads *sums, const struct cfg_loop *l) {
    return sums[l->last + 1].clocks > sums[l->first].clocks;
}

void waiting_find(struct flow *fl) {
    fl->loop_waits = arena_array(fl->arena, uint8_t, fl->cfg->loops.len + 1);
    struct seen seen = {arena_array(fl->arena, uint32_t, fl->func->value_count + 1), 0};
    const struct reads *sums = sum_reads(fl);
    const uint8_t *known = finite_loops(fl->arena, fl->cfg);
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++) {
        const struct cfg_loop *l = fl->cfg->loops.data[k];
        bool waits = may_wait(sums, l) && loop_waits(fl, l, &seen);
        bool watches = !waits && may_watch_clock(sums, l) && loop_watches_clock(fl, l, &seen);
        fl->loop_waits[k] = waits                         ? WAITS_FOR_OTHERS
                            : watches                     ? WAITS_FOR_TIME
                            : known[k] == LOOP_MAY_WAIT   ? WAITS_PERHAPS
                            : known[k] == LOOP_READS_DATA ? WAITS_FOR_DATA
                                                          : WAITS_NOT;
    }
}

bool waiting_any(const struct flow *fl) {
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++)
        if (fl->loop_waits[k])
            return true;
    return false;
}

static bool others_pending(const struct flow *fl, const struct kir_block *b) {
    if (fl->full[b->id])
        return false;
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        const struct kir_block *x = fl->cfg->order[p];
        if (x != b && flow_waits(fl, x, b))
            return true;
    }
    return false;
}

// A barrier that nobody passes before every thread of the block has come.
static bool needs_all(const struct kir_inst *i) {
    bool counted = i->op == ISA_OP_BAR_RED ? i->flag : i->nops > 1;
    return (i->op == ISA_OP_BAR_SYNC || i->op == ISA_OP_BAR_RED) && !counted;
}

static bool is_warp_sync(const struct kir_inst *i) {
    return isa_op_info[i->op].klass == ISA_CLASS_WARP && i->op != ISA_OP_ACTIVEMASK;
}

static bool is_aligned(const struct kir_inst *i) {
    return isa_is_matrix((isa_op)i->op) || i->op == ISA_OP_WGMMA_FENCE ||
           i->op == ISA_OP_WGMMA_COMMIT_GROUP || i->op == ISA_OP_WGMMA_WAIT_GROUP;
}

// An instruction that no lane of a warp passes before all have come to it: those with all lanes as
// members, and what is `.sync.aligned`.
static bool needs_warp(const struct kir_inst *i) {
    uint64_t members;
    return is_warp_sync(i) &&
           (is_aligned(i) || (i->nops && flow_const(i->ops[i->nops - 1], &members) &&
                              (uint32_t)members == UINT32_MAX));
}

// Could another thread wait for what i does? An ordinary store ends no phase; what a loop in memory
// waits for it may be all the same.
static bool tells(const struct kir_inst *i, bool phase) {
    switch (i->op) {
    case ISA_OP_LD:
        return false;
    case ISA_OP_ST:
        return !phase || i->mods.sem != ISA_SEM_WEAK;
    case ISA_OP_MEMBAR:
    case ISA_OP_FENCE:
    case ISA_OP_NANOSLEEP:
        return false;
    default:
        return isa_op_info[i->op].side_effect && !kir_is_terminator((isa_op)i->op) &&
               !kir_async_waits(i);
    }
}

// Could other lanes of the warp wait for lanes at x? They do not when all that these tell others
// they do after a barrier that all threads of the block have to come to, or an instruction that all
// lanes of the warp have to come to: the waiting lanes would have to go on first.
// seen: by block, what has been looked through for others without finding any.
static bool awaited(const struct flow *fl, const struct kir_block *x, bool phase, uint8_t *seen,
                    struct arena *tmp) {
    VEC(const struct kir_block *) todo = {0};
    vec_push(tmp, &todo, x);
    while (todo.len) {
        x = todo.data[--todo.len];
        if (seen[x->id])
            continue;
        seen[x->id] = 1;
        if (!fl->func->is_kernel)
            return true;
        bool all = false;
        for (const struct kir_inst *i = x->first; i && !all; i = i->next) {
            all = needs_all(i) || needs_warp(i);
            if (!all && tells(i, phase))
                return true;
        }
        for (uint32_t k = 0; !all && k < x->last->ntargets; k++)
            vec_push(tmp, &todo, x->last->targets[k]);
    }
    return false;
}

// Are lanes kept from going on, while others wait at b, that the others may be waiting for? phase:
// what these wait for is the end of a phase.
static bool awaited_pending(const struct flow *fl, const struct kir_block *b, bool phase) {
    struct arena tmp = {0};
    bool found = false;
    if (fl->full[b->id])
        return false;
    uint8_t *seen = arena_array(&tmp, uint8_t, fl->func->blocks.len + 1);
    for (uint32_t p = 0; p < fl->cfg->nblocks && !found; p++) {
        const struct kir_block *x = fl->cfg->order[p];
        found = x != b && flow_waits(fl, x, b) && awaited(fl, x, phase, seen, &tmp);
    }
    arena_free(&tmp);
    return found;
}

// Can lanes that wait at x come to a warp synchronisation before they meet those of b again?
// seen: as for awaited.
static bool sync_before_meeting(const struct flow *fl, const struct kir_block *x,
                                const struct kir_block *b, uint8_t *seen, struct arena *tmp) {
    VEC(const struct kir_block *) todo = {0};
    vec_push(tmp, &todo, x);
    while (todo.len) {
        x = todo.data[--todo.len];
        if (seen[x->id] || (b && cfg_postdominates(fl->cfg, x, b)))
            continue;
        seen[x->id] = 1;
        for (const struct kir_inst *i = x->first; i; i = i->next)
            if (is_warp_sync(i))
                return true;
        for (uint32_t k = 0; k < x->last->ntargets; k++)
            vec_push(tmp, &todo, x->last->targets[k]);
    }
    return false;
}

static bool syncs_in_both_arms(const struct flow *fl, const struct kir_block *b) {
    bool syncs = false;
    for (const struct kir_inst *i = b->first; i; i = i->next)
        syncs |= needs_warp(i);
    struct arena tmp = {0};
    bool found = false;
    if (!syncs || fl->full[b->id])
        return false;
    uint8_t *seen = arena_array(&tmp, uint8_t, fl->func->blocks.len + 1);
    for (uint32_t p = 0; p < fl->cfg->nblocks && !found; p++) {
        const struct kir_block *x = fl->cfg->order[p];
        found = x != b && flow_waits(fl, x, b) && sync_before_meeting(fl, x, b, seen, &tmp);
    }
    arena_free(&tmp);
    return found;
}

// Could i name lanes that are elsewhere?
static bool may_miss_lanes(const struct kir_inst *i) {
    const struct kir_value *members = is_warp_sync(i) && i->nops ? i->ops[i->nops - 1] : NULL;
    return members && !is_aligned(i) &&
           !(members->kind == KIR_VALUE_INST && members->def->op == ISA_OP_ACTIVEMASK);
}

// Do lanes that go on from x come to a warp synchronisation?
static bool comes_to_sync(const struct flow *fl, const struct kir_block *x, uint8_t *seen,
                          struct arena *tmp) {
    return sync_before_meeting(fl, x, NULL, seen, tmp);
}

bool waiting_apart(const struct flow *fl) {
    struct arena tmp = {0};
    uint8_t *seen = arena_array(&tmp, uint8_t, fl->func->blocks.len + 1);
    bool found = false;
    for (uint32_t p = 0; p < fl->cfg->nblocks && !found; p++) {
        const struct kir_block *b = fl->cfg->order[p];
        bool syncs = false;
        for (const struct kir_inst *i = b->first; i; i = i->next)
            syncs |= may_miss_lanes(i);
        for (uint32_t q = 0; q < fl->cfg->nblocks && syncs && !found && !fl->full[b->id]; q++) {
            const struct kir_block *x = fl->cfg->order[q];
            found = x != b && flow_waits(fl, x, b) && comes_to_sync(fl, x, seen, &tmp);
        }
    }
    arena_free(&tmp);
    return found;
}

static bool is_arrival(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_MBARRIER_ARRIVE:
    case ISA_OP_MBARRIER_ARRIVE_EXPECT_TX:
    case ISA_OP_MBARRIER_ARRIVE_DROP:
    case ISA_OP_MBARRIER_ARRIVE_DROP_EXPECT_TX:
        return true;
    default:
        return false;
    }
}

// Is v what arrivals gave, at one mbarrier object for all lanes?
static bool from_arrivals(const struct flow *fl, const struct kir_value *v, uint8_t *seen) {
    value_list todo = {0};
    vec_push(fl->arena, &todo, v);
    while (todo.len) {
        v = todo.data[--todo.len];
        if (v->kind == KIR_VALUE_CONST)
            return false;
        if (v->kind != KIR_VALUE_INST || seen[v->id])
            continue;
        seen[v->id] = 1;
        const struct kir_inst *d = v->def;
        if (is_arrival(d)) {
            if (flow_use(fl, d->ops[0], d->block).kind != SHAPE_UNIFORM)
                return false;
            continue;
        }
        if (d->op != ISA_OP_PHI && d->op != ISA_OP_MOV && d->op != ISA_OP_SELP)
            return false;
        for (uint32_t k = 0; k < (d->op == ISA_OP_SELP ? 2 : d->nops); k++)
            vec_push(fl->arena, &todo, d->ops[k]);
    }
    return true;
}

// Do all lanes that ask whether a phase has ended get one answer, at one time? One lane alone does,
// and all do about one object and one parity. States of arrivals at one object are of one phase,
// unless a phase ended between the arrivals of the lanes.
static bool one_answer(const struct flow *fl, const struct kir_inst *i) {
    if (sole_lane(fl, i->block) >= 0)
        return true;
    if (flow_use(fl, i->ops[0], i->block).kind != SHAPE_UNIFORM)
        return false;
    if (flow_use(fl, i->ops[1], i->block).kind == SHAPE_UNIFORM)
        return true;
    uint8_t *seen = arena_array(fl->arena, uint8_t, fl->func->value_count + 1);
    return i->flag && kir_async_waits_by_state(i) && from_arrivals(fl, i->ops[1], seen);
}

static const struct kir_inst *last_barrier(const struct kir_block *b) {
    const struct kir_inst *last = NULL;
    for (const struct kir_inst *i = b->first; i; i = i->next)
        if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK)
            last = i;
    return last;
}

static const struct kir_inst *dependent_in(const struct flow *fl, const struct kir_block *b) {
    const struct kir_inst *barrier = last_barrier(b);
    if (barrier && !fl->parks && others_pending(fl, b))
        return barrier;
    if (!fl->parks && syncs_in_both_arms(fl, b))
        return b->last;
    for (const struct kir_inst *i = b->first; i; i = i->next)
        if (kir_async_waits(i) && (!one_answer(fl, i) || awaited_pending(fl, b, true)))
            return i;
    return NULL;
}

bool waiting_for_lanes(const struct flow *fl, const struct cfg_loop *l) {
    uint8_t waits = fl->loop_waits[l->index];
    return (waits == WAITS_FOR_OTHERS || waits == WAITS_PERHAPS) &&
           awaited_pending(fl, l->header, false);
}

// Of the lanes that try to take a lock together one gets it, and the others try again when it has
// given it back: threads that run one after the other each get it at once.
static bool takes_lock(const struct flow *fl, const struct cfg_loop *l) {
    for (uint32_t p = l->first; p <= l->last && fl->loop_waits[l->index] == WAITS_FOR_OTHERS; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (i->op == ISA_OP_ATOM &&
                (i->mods.atom == ISA_ATOM_CAS || i->mods.atom == ISA_ATOM_EXCH))
                return true;
    return false;
}

const struct kir_inst *waiting_dependent(const struct flow *fl) {
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++) {
        const struct kir_inst *i = dependent_in(fl, fl->cfg->order[p]);
        if (i)
            return i;
    }
    for (uint32_t k = 0; k < fl->cfg->loops.len; k++) {
        const struct cfg_loop *l = fl->cfg->loops.data[k];
        if (waiting_for_lanes(fl, l) && (!fl->parks || takes_lock(fl, l)))
            return l->header->last;
    }
    return NULL;
}
