// SSA construction: Cytron et al. with phis pruned by liveness. Variables are taken one by one,
// so that memory is proportional to live ranges. Nothing recurses.
#include "ir/ssa.h"

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
    struct block_list **defs, **uses;   // by variable: blocks that assign; that read before that
    struct block_list **frontier;       // by block
    uint32_t *live, *defined, *has_phi; // by block: 1 + the variable that the mark is for
    uint32_t *work;                     // of blocks
    // renaming
    struct kir_value **current, **undef; // by variable
    VEC(struct undo {
        uint32_t var;
        struct kir_value *old;
    })
    log;
    uint32_t *filled; // by block: 1 + the predecessor whose phi operands were set last
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

static void compute_frontiers(struct ssa *s) {
    uint32_t *last = arena_array(&s->tmp, uint32_t, s->f->blocks.len);
    for (uint32_t b = 0; b < s->f->blocks.len; b++) {
        const struct kir_block *block = s->f->blocks.data[b];
        for (uint32_t k = 0; block->preds.len > 1 && k < block->preds.len; k++)
            for (uint32_t r = block->preds.data[k]->id; r != s->order.idom[b];
                 r = s->order.idom[r]) {
                if (last[r] == b + 1)
                    break; // an earlier predecessor has been here, and further up
                last[r] = b + 1;
                add_block(s, &s->frontier[r], b);
            }
    }
}

// Marks the blocks that a variable is live into.
static void mark_live(struct ssa *s, uint32_t var) {
    uint32_t n = 0, mark = var + 1;
    for (struct block_list *d = s->defs[var]; d; d = d->next)
        s->defined[d->block] = mark;
    for (struct block_list *u = s->uses[var]; u; u = u->next) {
        s->live[u->block] = mark;
        s->work[n++] = u->block;
    }
    while (n) {
        const struct kir_block *b = s->f->blocks.data[s->work[--n]];
        for (uint32_t k = 0; k < b->preds.len; k++) {
            uint32_t p = b->preds.data[k]->id;
            if (s->live[p] == mark || s->defined[p] == mark)
                continue;
            s->live[p] = mark;
            s->work[n++] = p;
        }
    }
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

static void place_phis(struct ssa *s, uint32_t var) {
    uint32_t n = 0, mark = var + 1;
    if (!s->uses[var])
        return;
    mark_live(s, var);
    for (struct block_list *d = s->defs[var]; d; d = d->next)
        s->work[n++] = d->block;
    while (n)
        for (struct block_list *d = s->frontier[s->work[--n]]; d; d = d->next) {
            if (s->has_phi[d->block] == mark || s->live[d->block] != mark)
                continue;
            s->has_phi[d->block] = mark;
            insert_phi(s, var, s->f->blocks.data[d->block]);
            if (s->defined[d->block] != mark)
                s->work[n++] = d->block;
        }
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

static void fill_phis(struct ssa *s, struct kir_block *from, struct kir_block *to) {
    if (s->filled[to->id] == from->id + 1)
        return;
    s->filled[to->id] = from->id + 1;
    for (struct kir_inst *phi = to->first; phi && phi->op == ISA_OP_PHI; phi = phi->next) {
        struct kir_value *value = phi->index ? resolve(s, s->reads[phi->index - 1]) : NULL;
        for (uint32_t k = 0; k < to->preds.len; k++)
            if (to->preds.data[k] == from)
                phi->ops[k] = value ? value : resolve(s, phi->ops[k]);
    }
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
    for (uint32_t t = 0; t < b->last->ntargets; t++)
        fill_phis(s, b, b->last->targets[t]);
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

void kir_ssa_construct(struct kir_func *f, const struct kir_vars *vars) {
    struct ssa s = {.f = f, .nvars = vars->reads.len, .reads = vars->reads.data};
    uint32_t nblocks = f->blocks.len;
    kir_order_dominators(f, &s.tmp, &s.order);
    s.defs = arena_array(&s.tmp, struct block_list *, s.nvars);
    s.uses = arena_array(&s.tmp, struct block_list *, s.nvars);
    s.frontier = arena_array(&s.tmp, struct block_list *, nblocks);
    s.live = arena_array(&s.tmp, uint32_t, nblocks);
    s.defined = arena_array(&s.tmp, uint32_t, nblocks);
    s.has_phi = arena_array(&s.tmp, uint32_t, nblocks);
    s.filled = arena_array(&s.tmp, uint32_t, nblocks);
    s.work = arena_array(&s.tmp, uint32_t, 2 * (size_t)nblocks + 1);
    s.current = arena_array(&s.tmp, struct kir_value *, s.nvars);
    s.undef = arena_array(&s.tmp, struct kir_value *, s.nvars);
    collect(&s);
    compute_frontiers(&s);
    for (uint32_t var = 0; var < s.nvars; var++)
        place_phis(&s, var);
    rename_all(&s);
    forget_variables(f);
    arena_free(&s.tmp);
}
