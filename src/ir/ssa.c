// SSA construction: Cytron et al. with phis pruned by liveness. Variables are taken one by one,
// so that memory is proportional to the text, and time to live ranges: dominance frontiers are
// found for each variable among the blocks that it is live into (Sreedhar and Gao: A Linear Time
// Algorithm for Placing Phi-Nodes). What is live into many more blocks than mention it (the
// counters of loops inside each other) has phis in the frontiers of all blocks, and those that
// nothing reads are removed at the end: the same phis. Nothing recurses.
#include "ir/ssa.h"

#include "ir/frontiers.h"
#include "ir/order.h"

enum isa_type kir_isa_type(enum kir_type t) {
    static const uint8_t types[] = {
        [KIR_VOID] = ISA_VOID, [KIR_PRED] = ISA_PRED, [KIR_B16] = ISA_B16, [KIR_B32] = ISA_B32,
        [KIR_B64] = ISA_B64,   [KIR_B128] = ISA_B128, [KIR_F32] = ISA_F32, [KIR_F64] = ISA_F64};
    return (enum isa_type)types[t];
}

enum kir_type kir_type_of(enum isa_type t) {
    if (t == ISA_PRED || t == ISA_VOID)
        return t == ISA_PRED ? KIR_PRED : KIR_VOID;
    if (t == ISA_F32 || t == ISA_F64)
        return t == ISA_F32 ? KIR_F32 : KIR_F64;
    unsigned bits = isa_type_bits(t);
    return bits <= 16 ? KIR_B16 : bits == 32 ? KIR_B32 : bits == 64 ? KIR_B64 : KIR_B128;
}

uint32_t kir_var_new(struct kir_func *f, struct kir_vars *vars, enum kir_type t) {
    struct arena *a = &f->module->arena;
    struct kir_value *v = arena_new(a, struct kir_value);
    v->kind = KIR_VALUE_READ;
    v->type = (uint8_t)t;
    v->id = vars->reads.len;
    vec_push(a, &vars->reads, v);
    return v->id;
}

struct kir_inst *kir_var_assign(struct kir_func *f, uint32_t var, struct kir_value *value) {
    struct kir_inst *i = kir_inst_new(f, ISA_OP_NONE, ISA_VOID, 1, 0, NULL, 0);
    i->index = var;
    i->ops[0] = value;
    return i;
}

struct block_list {
    struct block_list *next;
    uint32_t block;
};

struct ssa {
    struct kir_func *f;
    struct arena tmp;
    struct kir_order order;
    uint32_t nvars;
    struct kir_value *const *reads;
    struct block_list **defs, **uses; // by variable: blocks that assign; that read before that
    uint32_t *level;                  // by block: how deep in the tree of dominators
    uint32_t *child, *sibling;        // by block, in that tree: 1 + block; 0: none
    // By block: 1 + the variable that the mark is for.
    uint32_t *live, *defined, *has_phi, *seen;
    uint32_t *work, *heap; // of blocks
    uint32_t nheap;
    struct frontiers frontiers; // found when a variable needs them
    bool any_unread;            // phis may be there that nothing reads
    // renaming
    struct kir_value **current, **undef; // by variable
    VEC(struct undo {
        uint32_t var;
        struct kir_value *old;
    })
    log;
    // By block b: the operands of phis for edges from it, out[first_out[b]] to first_out[b + 1].
    uint32_t *first_out;
    struct operand_of {
        uint32_t block, pred;
    } * out;
};

static void add_block(struct ssa *s, struct block_list **list, uint32_t block) {
    struct block_list *l = arena_new(&s->tmp, struct block_list);
    l->next = *list;
    l->block = block;
    *list = l;
}

// One walk over each block: who assigns, and who reads what comes from before the block.
static void collect(struct ssa *s) {
    uint32_t *assigned = arena_array(&s->tmp, uint32_t, s->nvars);
    uint32_t *exposed = arena_array(&s->tmp, uint32_t, s->nvars);
    for (uint32_t b = 0; b < s->f->blocks.len; b++)
        for (struct kir_inst *i = s->f->blocks.data[b]->first; i; i = i->next) {
            for (uint32_t k = 0; i->op != ISA_OP_PHI && k < i->nops; k++) {
                uint32_t var = i->ops[k]->id;
                if (i->ops[k]->kind != KIR_VALUE_READ || assigned[var] == b + 1 ||
                    exposed[var] == b + 1)
                    continue;
                exposed[var] = b + 1;
                add_block(s, &s->uses[var], b);
            }
            if (i->op == ISA_OP_NONE && assigned[i->index] != b + 1) {
                assigned[i->index] = b + 1;
                add_block(s, &s->defs[i->index], b);
            }
        }
}

static void find_tree(struct ssa *s) {
    for (uint32_t k = s->order.n; k-- > 1;) {
        uint32_t b = s->order.blocks[k], above = s->order.idom[b];
        s->sibling[b] = s->child[above];
        s->child[above] = b + 1;
    }
    for (uint32_t k = 1; k < s->order.n; k++)
        s->level[s->order.blocks[k]] = s->level[s->order.idom[s->order.blocks[k]]] + 1;
}

// A heap of blocks, the deepest first.
static void heap_push(struct ssa *s, uint32_t b) {
    uint32_t at = s->nheap++;
    for (; at && s->level[s->heap[(at - 1) / 2]] < s->level[b]; at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = b;
}

static uint32_t heap_pop(struct ssa *s) {
    uint32_t top = s->heap[0], b = s->heap[--s->nheap], at = 0;
    for (;;) {
        uint32_t k = 2 * at + 1;
        if (k + 1 < s->nheap && s->level[s->heap[k + 1]] > s->level[s->heap[k]])
            k++;
        if (k >= s->nheap || s->level[s->heap[k]] <= s->level[b])
            break;
        s->heap[at] = s->heap[k];
        at = k;
    }
    s->heap[at] = b;
    return top;
}

// Marks the blocks that assign a variable, and those that it is live into. False: these are many.
static bool mark_live(struct ssa *s, uint32_t var) {
    enum { FEW = 256, TIMES = 8 };
    uint32_t n = 0, mark = var + 1;
    uint64_t left = FEW;
    for (struct block_list *d = s->defs[var]; d; d = d->next) {
        s->defined[d->block] = mark;
        left += TIMES;
    }
    for (struct block_list *u = s->uses[var]; u; u = u->next) {
        s->live[u->block] = mark;
        s->work[n++] = u->block;
        left += TIMES;
    }
    while (n) {
        if (!left--)
            return false;
        const struct kir_block *b = s->f->blocks.data[s->work[--n]];
        for (uint32_t k = 0; k < b->preds.len; k++) {
            uint32_t p = b->preds.data[k]->id;
            if (s->live[p] == mark || s->defined[p] == mark)
                continue;
            s->live[p] = mark;
            s->work[n++] = p;
        }
    }
    return true;
}

static void insert_phi(struct ssa *s, uint32_t var, struct kir_block *b) {
    uint8_t type = s->reads[var]->type;
    struct kir_inst *phi =
        kir_inst_new(s->f, ISA_OP_PHI, kir_isa_type(type), b->preds.len, 1, &type, 0);
    phi->index = var + 1; // until renaming is done: the variable
    if (b->first)
        kir_insert_before(b->first, phi);
    else
        kir_append(b, phi);
}

// A phi where the edge leads, if that leaves what `root` dominates.
static void cross_edge(struct ssa *s, uint32_t var, uint32_t root, uint32_t to) {
    uint32_t mark = var + 1;
    if (s->level[to] > s->level[root] || s->live[to] != mark || s->has_phi[to] == mark)
        return;
    s->has_phi[to] = mark;
    insert_phi(s, var, s->f->blocks.data[to]);
    if (s->defined[to] != mark)
        heap_push(s, to);
}

// What a definition in `root` reaches: the blocks that it dominates and the variable is live into.
// Those that a deeper definition dominates have been seen with it, and all edges that leave what
// `root` dominates leave what that dominates too.
static void follow(struct ssa *s, uint32_t var, uint32_t root) {
    uint32_t n = 0, mark = var + 1;
    s->work[n++] = root;
    while (n) {
        uint32_t b = s->work[--n];
        const struct kir_inst *last = s->f->blocks.data[b]->last;
        for (uint32_t t = 0; t < last->ntargets; t++)
            cross_edge(s, var, root, last->targets[t]->id);
        for (uint32_t c = s->child[b]; c; c = s->sibling[c - 1]) {
            if (s->live[c - 1] != mark || s->seen[c - 1] == mark)
                continue;
            s->seen[c - 1] = mark;
            s->work[n++] = c - 1;
        }
    }
}

static bool is_reached(const struct ssa *s, uint32_t b) {
    return s->order.number[b] != KIR_UNREACHABLE;
}

// The last block that assigns and dominates all that read before they assign; KIR_UNREACHABLE:
// none. Where it does not dominate a block, what the variable holds there is not read.
static uint32_t find_kept(const struct ssa *s, uint32_t var) {
    uint32_t kept = KIR_UNREACHABLE, least = UINT32_MAX, most = 0;
    for (struct block_list *u = s->uses[var]; u; u = u->next)
        if (is_reached(s, u->block)) {
            uint32_t in = s->order.in[u->block];
            least = in < least ? in : least;
            most = in > most ? in : most;
        }
    for (struct block_list *d = s->defs[var]; d; d = d->next)
        if (is_reached(s, d->block) && s->order.in[d->block] < least &&
            most < s->order.out[d->block] &&
            (kept == KIR_UNREACHABLE || s->order.in[kept] < s->order.in[d->block]))
            kept = d->block;
    return kept;
}

static void find_frontiers(struct ssa *s) {
    struct kir_edges e = kir_edges_of(s->f, &s->tmp);
    s->frontiers = (struct frontiers){.a = &s->tmp,
                                      .nblocks = s->f->blocks.len,
                                      .nreached = s->order.n,
                                      .order = s->order.blocks,
                                      .idom = s->order.idom,
                                      .first_pred = e.first_pred,
                                      .preds = e.preds};
    frontiers_find(&s->frontiers);
}

// Phis in the frontiers of what assigns, and of those with phis, as far as `kept` dominates.
static void place_in_frontiers(struct ssa *s, uint32_t var, uint32_t kept) {
    const struct kir_order *o = &s->order;
    uint32_t n = 0, mark = var + 1;
    if (!s->frontiers.first)
        find_frontiers(s);
    for (struct block_list *d = s->defs[var]; d; d = d->next)
        if (is_reached(s, d->block))
            s->work[n++] = d->block;
    while (n)
        for (const struct frontier *at = frontier_first(&s->frontiers, s->work[--n]); at;
             at = frontier_next(&s->frontiers, at)) {
            uint32_t b = at->block;
            if (kept != KIR_UNREACHABLE && o->number[b] < o->number[kept])
                break; // nothing that follows lies below it
            if (s->has_phi[b] == mark ||
                (kept != KIR_UNREACHABLE && (b == kept || !kir_dominates(o, kept, b))))
                continue;
            s->has_phi[b] = mark;
            insert_phi(s, var, s->f->blocks.data[b]);
            if (s->defined[b] != mark)
                s->work[n++] = b;
        }
    s->any_unread = true;
}

static void place_phis(struct ssa *s, uint32_t var) {
    if (!s->uses[var])
        return;
    uint32_t kept = find_kept(s, var);
    if (kept != KIR_UNREACHABLE && !s->defs[var]->next)
        return;
    if (!mark_live(s, var)) {
        place_in_frontiers(s, var, kept);
        return;
    }
    for (struct block_list *d = s->defs[var]; d; d = d->next)
        if (is_reached(s, d->block))
            heap_push(s, d->block);
    while (s->nheap)
        follow(s, var, heap_pop(s));
}

static void set_current(struct ssa *s, uint32_t var, struct kir_value *value) {
    vec_push(&s->tmp, &s->log, (struct undo){var, s->current[var]});
    s->current[var] = value;
}

static struct kir_value *resolve(struct ssa *s, struct kir_value *v) {
    if (v->kind != KIR_VALUE_READ)
        return v;
    if (s->current[v->id])
        return s->current[v->id];
    if (!s->undef[v->id])
        s->undef[v->id] = kir_undef(s->f, v->type);
    return s->undef[v->id];
}

// The phis that have an operand for an edge from the block.
static void fill_phis(struct ssa *s, uint32_t from) {
    for (uint32_t e = s->first_out[from]; e < s->first_out[from + 1]; e++) {
        const struct operand_of *o = &s->out[e];
        for (struct kir_inst *phi = s->f->blocks.data[o->block]->first;
             phi && phi->op == ISA_OP_PHI; phi = phi->next)
            phi->ops[o->pred] =
                resolve(s, phi->index ? s->reads[phi->index - 1] : phi->ops[o->pred]);
    }
}

static void find_operands(struct ssa *s) {
    uint32_t n = s->f->blocks.len;
    s->first_out = arena_array(&s->tmp, uint32_t, n + 2);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t k = 0; k < s->f->blocks.data[b]->preds.len; k++)
            s->first_out[s->f->blocks.data[b]->preds.data[k]->id + 2]++;
    for (uint32_t b = 1; b < n + 2; b++)
        s->first_out[b] += s->first_out[b - 1];
    s->out = arena_array(&s->tmp, struct operand_of, s->first_out[n + 1] + 1);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t k = 0; k < s->f->blocks.data[b]->preds.len; k++)
            s->out[s->first_out[s->f->blocks.data[b]->preds.data[k]->id + 1]++] =
                (struct operand_of){b, k};
}

static void rename_block(struct ssa *s, struct kir_block *b) {
    struct kir_inst *next;
    for (struct kir_inst *i = b->first; i; i = next) {
        next = i->next;
        if (i->op == ISA_OP_PHI) {
            if (i->index)
                set_current(s, i->index - 1, i->res[0]);
            continue;
        }
        for (uint32_t k = 0; k < i->nops; k++)
            i->ops[k] = resolve(s, i->ops[k]);
        if (i->op == ISA_OP_NONE) {
            set_current(s, i->index, i->ops[0]);
            kir_remove(i);
        }
    }
    fill_phis(s, b->id);
}

// The dominator tree in preorder. Blocks sorted by their preorder number are that order; what
// was set in subtrees that are left is taken back from the log.
static void rename_all(struct ssa *s) {
    uint32_t n = s->order.n, depth = 0;
    uint32_t *preorder = arena_array(&s->tmp, uint32_t, n);
    uint32_t *stack = arena_array(&s->tmp, uint32_t, n), *mark = arena_array(&s->tmp, uint32_t, n);
    for (uint32_t k = 0; k < n; k++)
        preorder[s->order.in[s->order.blocks[k]]] = s->order.blocks[k];
    for (uint32_t k = 0; k < n; k++) {
        uint32_t b = preorder[k];
        while (depth && !kir_dominates(&s->order, stack[depth - 1], b))
            for (depth--; s->log.len > mark[depth]; s->log.len--)
                s->current[vec_last(&s->log).var] = vec_last(&s->log).old;
        stack[depth] = b;
        mark[depth++] = s->log.len;
        rename_block(s, s->f->blocks.data[b]);
    }
}

static void forget_variables(struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i && i->op == ISA_OP_PHI; i = i->next)
            i->index = 0;
}

static void mark_read(const struct kir_inst *i, struct kir_inst **todo, uint32_t *n) {
    for (uint32_t k = 0; k < i->nops; k++) {
        struct kir_value *v = i->ops[k];
        if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_PHI || v->def->index)
            continue;
        v->def->index = 1;
        todo[(*n)++] = v->def;
    }
}

// Removes phis that only such phis read.
static void remove_unread(struct ssa *s) {
    struct kir_func *f = s->f;
    uint32_t n = 0, phis = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i && i->op == ISA_OP_PHI; i = i->next)
            phis++;
    struct kir_inst **todo = arena_array(&s->tmp, struct kir_inst *, phis + 1);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op != ISA_OP_PHI)
                mark_read(i, todo, &n);
    while (n) {
        const struct kir_inst *phi = todo[--n];
        mark_read(phi, todo, &n);
    }
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first, *next; i && i->op == ISA_OP_PHI;
             i = next) {
            next = i->next;
            if (!i->index)
                kir_remove(i);
        }
    forget_variables(f);
}

void kir_ssa_construct(struct kir_func *f, const struct kir_vars *vars) {
    struct ssa s = {.f = f, .nvars = vars->reads.len, .reads = vars->reads.data};
    uint32_t nblocks = f->blocks.len;
    kir_order_dominators(f, &s.tmp, &s.order);
    s.defs = arena_array(&s.tmp, struct block_list *, s.nvars);
    s.uses = arena_array(&s.tmp, struct block_list *, s.nvars);
    s.level = arena_array(&s.tmp, uint32_t, nblocks);
    s.child = arena_array(&s.tmp, uint32_t, nblocks);
    s.sibling = arena_array(&s.tmp, uint32_t, nblocks);
    s.live = arena_array(&s.tmp, uint32_t, nblocks);
    s.defined = arena_array(&s.tmp, uint32_t, nblocks);
    s.has_phi = arena_array(&s.tmp, uint32_t, nblocks);
    s.seen = arena_array(&s.tmp, uint32_t, nblocks);
    s.work = arena_array(&s.tmp, uint32_t, 2 * (size_t)nblocks + 1);
    s.heap = arena_array(&s.tmp, uint32_t, 2 * (size_t)nblocks + 1);
    s.current = arena_array(&s.tmp, struct kir_value *, s.nvars);
    s.undef = arena_array(&s.tmp, struct kir_value *, s.nvars);
    collect(&s);
    find_tree(&s);
    find_operands(&s);
    for (uint32_t var = 0; var < s.nvars; var++)
        place_phis(&s, var);
    rename_all(&s);
    forget_variables(f);
    if (s.any_unread)
        remove_unread(&s);
    arena_free(&s.tmp);
}
