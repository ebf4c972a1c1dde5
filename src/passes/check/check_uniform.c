#include "passes/check/check_uniform.h"

#include "ir/dominators.h"
#include "isa/ops/block.h"

struct finder {
    struct arena *a;
    const struct kir_func *f;
    struct check_uniform *u;
    uint32_t *idom; // by node of find_joins
    bool *joins;    // by block: threads come together here that have gone different ways
};

bool check_is_barrier(const struct kir_inst *i) {
    bool counted = i->op == ISA_OP_BAR_RED ? i->flag : i->nops > 1;
    return (i->op == ISA_OP_BAR_SYNC || i->op == ISA_OP_BAR_RED) && !counted &&
           i->ops[0]->kind == KIR_VALUE_CONST;
}

static bool has_barrier(const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i; i = i->next)
        if (check_is_barrier(i))
            return true;
    return false;
}

static void find_meets(struct finder *x) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = x->u->order.n; k-- > 0;) {
            const struct kir_block *b = x->f->blocks.data[x->u->order.blocks[k]];
            bool meets = has_barrier(b);
            for (uint32_t t = 0; t < b->last->ntargets; t++)
                meets |= x->u->meets[b->last->targets[t]->id];
            again |= meets != x->u->meets[b->id];
            x->u->meets[b->id] = meets;
        }
    }
}

// ---- which way threads go ---------------------------------------------------------------------

static uint32_t meeting_targets(const struct finder *x, const struct kir_block *b) {
    uint32_t n = 0;
    for (uint32_t t = 0; x->u->meets[b->id] && t < b->last->ntargets; t++)
        n += x->u->meets[b->last->targets[t]->id];
    return n;
}

// Nodes: block b, as threads enter it; n + b, as they leave it behind a barrier; 2 n, where they
// are at a barrier.
static uint32_t node_behind(const struct finder *x, const struct kir_block *b) {
    return b->id + (has_barrier(b) ? x->f->blocks.len : 0);
}

// Where threads that have gone different ways to their next barriers all come: dominators of the
// graph of blocks that meet, from the barriers.
static void find_joins(struct finder *x) {
    uint32_t n = x->f->blocks.len, edges = 0, at = 0, end = 2 * n;
    for (uint32_t b = 0; b < n; b++)
        edges += meeting_targets(x, x->f->blocks.data[b]) + 1;
    uint32_t *first_pred = arena_array(x->a, uint32_t, end + 2);
    uint32_t *first_succ = arena_array(x->a, uint32_t, end + 2);
    uint32_t *preds = arena_array(x->a, uint32_t, edges + 1);
    uint32_t *succs = arena_array(x->a, uint32_t, edges + 1);
    uint32_t *count = arena_array(x->a, uint32_t, end + 2);
    // Turned round: a node's successors are those that it comes from.
    for (uint32_t v = 0; v < end; v++) {
        const struct kir_block *b = x->f->blocks.data[v % n];
        first_pred[v] = at;
        for (uint32_t t = 0; node_behind(x, b) == v && x->u->meets[b->id] && t < b->last->ntargets;
             t++)
            if (x->u->meets[b->last->targets[t]->id])
                preds[at++] = b->last->targets[t]->id;
        if (v < n && has_barrier(b))
            preds[at++] = end;
        for (uint32_t e = first_pred[v]; e < at; e++)
            count[preds[e] + 1]++;
    }
    first_pred[end] = first_pred[end + 1] = at;
    for (uint32_t v = 0; v <= end; v++)
        first_succ[v + 1] = first_succ[v] + count[v + 1];
    uint32_t *next = arena_memdup(x->a, first_succ, (end + 2) * sizeof *next);
    for (uint32_t v = 0; v < end; v++)
        for (uint32_t e = first_pred[v]; e < first_pred[v + 1]; e++)
            succs[next[preds[e]]++] = v;
    struct dominator_graph g = {end + 1, end, first_succ, succs, first_pred, preds};
    x->idom = arena_array(x->a, uint32_t, end + 1);
    dominators_find(x->a, &g, x->idom, arena_array(x->a, uint32_t, end + 1));
}

// All blocks on ways from b to where they join, or to barriers.
static void diverge(struct finder *x, const struct kir_block *b) {
    uint32_t end = x->idom[node_behind(x, b)], depth = 0, n = x->f->blocks.len;
    uint32_t *stack = arena_array(x->a, uint32_t, n + 1);
    bool *seen = arena_array(x->a, bool, n + 1);
    stack[depth++] = b->id;
    if (end < n)
        x->joins[end] = true;
    while (depth) {
        const struct kir_block *k = x->f->blocks.data[stack[--depth]];
        for (uint32_t t = 0; t < k->last->ntargets; t++) {
            uint32_t to = k->last->targets[t]->id;
            if (seen[to] || to == end || !x->u->meets[to])
                continue;
            seen[to] = true;
            x->u->divergent[to] = true;
            if (!has_barrier(x->f->blocks.data[to]))
                stack[depth++] = to;
        }
    }
}

// ---- values -----------------------------------------------------------------------------------

static bool is_common_register(uint32_t s) {
    return (s >= ISA_SREG_NTID_X && s <= ISA_SREG_NCTAID_Z) || s == ISA_SREG_GRIDID ||
           s == ISA_SREG_DYNAMIC_SMEM_SIZE || s == ISA_SREG_TOTAL_SMEM_SIZE;
}

static bool is_varying(const struct finder *x, const struct kir_inst *i) {
    const struct check_uniform *u = x->u;
    bool param = i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM;
    bool pure = isa_op_info[i->op].klass == ISA_CLASS_POINTWISE || param || i->op == ISA_OP_PHI;
    if (i->op == ISA_OP_SREG)
        return !is_common_register(i->sreg);
    if (i->op == ISA_OP_SYMADDR)
        return i->sym->space == ISA_SPACE_LOCAL;
    if (i->op == ISA_OP_BAR_RED)
        return !check_is_barrier(i);
    if (!pure)
        return true;
    if (i->op == ISA_OP_PHI &&
        (!u->meets[i->block->id] || u->divergent[i->block->id] || x->joins[i->block->id]))
        return true;
    for (uint32_t k = 0; k < i->nops; k++)
        if (i->ops[k]->kind == KIR_VALUE_UNDEF ||
            (i->ops[k]->kind == KIR_VALUE_INST && u->varying[i->ops[k]->id]))
            return true;
    return false;
}

static bool find_varying(struct finder *x) {
    bool again = false;
    for (uint32_t k = 0; k < x->u->order.n; k++)
        for (const struct kir_inst *i = x->f->blocks.data[x->u->order.blocks[k]]->first; i;
             i = i->next)
            for (uint32_t r = 0; r < i->nres; r++) {
                bool *is = &x->u->varying[i->res[r]->id];
                if (!*is && is_varying(x, i))
                    again = *is = true;
            }
    return again;
}

static void find_divergent(struct finder *x) {
    const struct kir_func *f = x->f;
    bool *done = arena_array(x->a, bool, f->blocks.len);
    while (find_varying(x))
        for (uint32_t b = 0; b < f->blocks.len; b++) {
            const struct kir_inst *last = f->blocks.data[b]->last;
            if (done[b] || meeting_targets(x, f->blocks.data[b]) < 2 ||
                last->ops[0]->kind != KIR_VALUE_INST || !x->u->varying[last->ops[0]->id])
                continue;
            done[b] = true;
            diverge(x, f->blocks.data[b]);
        }
}

// ---- barriers ---------------------------------------------------------------------------------

uint64_t check_starts_behind(const struct kir_inst *i, uint64_t starts, uint32_t *number) {
    return check_is_barrier(i) ? UINT64_C(1) << ++*number : starts;
}

static bool find_starts(struct finder *x) {
    struct check_uniform *u = x->u;
    uint32_t nblocks = x->f->blocks.len, *first = arena_array(x->a, uint32_t, nblocks);
    for (uint32_t b = 0; b < nblocks; b++) {
        first[b] = u->n;
        for (const struct kir_inst *i = x->f->blocks.data[b]->first; i; i = i->next)
            u->n += check_is_barrier(i);
    }
    if (u->n >= CHECK_MOST_STARTS)
        return false;
    u->starts[0] = 1;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < u->order.n; k++) {
            const struct kir_block *b = x->f->blocks.data[u->order.blocks[k]];
            uint64_t starts = u->starts[b->id];
            uint32_t number = first[b->id];
            for (const struct kir_inst *i = b->first; i; i = i->next)
                starts = check_starts_behind(i, starts, &number);
            for (uint32_t t = 0; t < b->last->ntargets; t++) {
                uint64_t *to = &u->starts[b->last->targets[t]->id];
                again |= (*to | starts) != *to;
                *to |= starts;
            }
        }
    }
    return true;
}

bool check_uniform_find(struct arena *a, const struct kir_func *f, struct check_uniform *u) {
    uint32_t n = f->blocks.len;
    struct finder x = {.a = a, .f = f, .u = u};
    enum { MOST_BLOCKS = 4096 };
    if (n > MOST_BLOCKS)
        return false;
    *u = (struct check_uniform){.meets = arena_array(a, bool, n),
                                .divergent = arena_array(a, bool, n),
                                .varying = arena_array(a, bool, f->value_count + 1),
                                .starts = arena_array(a, uint64_t, n)};
    x.joins = arena_array(a, bool, n);
    kir_order_dominators(f, a, &u->order);
    find_meets(&x);
    find_joins(&x);
    find_divergent(&x);
    for (uint32_t b = 0; b < n; b++)
        if (u->divergent[b] && has_barrier(f->blocks.data[b]))
            return false;
    return find_starts(&x);
}
