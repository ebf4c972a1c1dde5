#include "passes/loops/group_version.h"

#include "ir/ssa.h"
#include "isa/ops/control.h"

enum { MOST_BLOCKS = 60 };

struct kir_value *group_version_put(const struct group_version *s, struct kir_inst *i) {
    i->file = s->at->file;
    i->line = s->at->line;
    kir_insert_before(s->at, i);
    return i->res[0];
}

struct kir_value *group_version_unary(const struct group_version *s, isa_op op, uint8_t ty,
                                      struct kir_value *x) {
    struct kir_inst *i = kir_inst_new(s->f, op, (enum isa_type)ty, 1, 1, &x->type, 0);
    i->ops[0] = x;
    return group_version_put(s, i);
}

struct kir_value *group_version_binary(const struct group_version *s, isa_op op, uint8_t ty,
                                       struct kir_value *x, struct kir_value *y) {
    struct kir_inst *i = kir_inst_new(s->f, op, (enum isa_type)ty, 2, 1, &x->type, 0);
    i->ops[0] = x;
    i->ops[1] = y;
    if (op == ISA_OP_MUL)
        i->mods.half = ISA_LO;
    return group_version_put(s, i);
}

struct kir_value *group_version_compare(const struct group_version *s, enum isa_cmp cmp, uint8_t ty,
                                        struct kir_value *x, struct kir_value *y) {
    uint8_t pred = KIR_PRED;
    struct kir_inst *p = kir_inst_new(s->f, ISA_OP_SETP, (enum isa_type)ty, 2, 1, &pred, 0);
    p->mods.cmp = (uint8_t)cmp;
    p->ops[0] = x;
    p->ops[1] = y;
    p->flag = true; // not one of the kernel's own
    return group_version_put(s, p);
}

// ---- what is there twice -----------------------------------------------------------------------

static bool may_be_copied(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
    case ISA_CLASS_SOURCE:
    case ISA_CLASS_MEMORY:
        return true;
    case ISA_CLASS_CONTROL:
        return i->op == ISA_OP_BRA || i->op == ISA_OP_CBR || i->op == ISA_OP_RET ||
               i->op == ISA_OP_EXIT || i->op == ISA_OP_BRX_IDX || i->op == ISA_OP_PHI;
    default:
        return false;
    }
}

// Moves what stands from i on to a new block, which the old one does not lead to yet.
static struct kir_block *split_before(struct kir_func *f, struct kir_inst *i) {
    struct kir_block *from = i->block, *to = kir_block_new(f, NULL);
    const struct kir_inst *end = from->last;
    for (uint32_t t = 0; t < end->ntargets; t++)
        for (uint32_t p = 0; p < end->targets[t]->preds.len; p++)
            if (end->targets[t]->preds.data[p] == from)
                end->targets[t]->preds.data[p] = to;
    while (i) {
        struct kir_inst *next = i->next;
        kir_remove(i);
        kir_append(to, i);
        i = next;
    }
    return to;
}

static struct kir_inst *jump(struct kir_func *f, struct kir_block *from, struct kir_block *to) {
    struct kir_inst *j = kir_inst_new(f, ISA_OP_BRA, ISA_VOID, 0, 0, NULL, 1);
    j->targets[0] = to;
    kir_append(from, j);
    vec_push(&f->module->arena, &to->preds, from);
    return j;
}

// The only block of the loop that leads to its header.
static struct kir_block *latch_of(const struct group_version *s, const struct cfg_loop *l) {
    struct kir_block *latch = NULL;
    for (uint32_t p = 0; p < l->header->preds.len; p++) {
        struct kir_block *b = l->header->preds.data[p];
        if (!cfg_in_loop(l, s->fl->cfg->loop[b->id]))
            continue;
        if (latch)
            return NULL;
        latch = b;
    }
    return latch;
}

// Where the iteration's last block does nothing more but count.
static struct kir_inst *counting_part(struct group_version *s, struct kir_block *latch) {
    struct kir_inst *i = latch->last;
    const struct kir_inst *stop = latch == s->head ? s->at : NULL;
    while (i->prev && i != stop && i->prev->op != ISA_OP_PHI &&
           isa_op_info[i->prev->op].klass == ISA_CLASS_POINTWISE && i->prev != stop)
        i = i->prev;
    return i;
}

// The blocks that all come behind the test, without the one that it stands in; in a loop, those of
// its iteration.
static bool find_region(struct group_version *s, const struct cfg_loop *l) {
    const struct cfg *c = s->fl->cfg;
    unsigned n = 0;
    for (const struct kir_inst *i = s->at; i; i = i->next, n++)
        if (!may_be_copied(i))
            return false;
    for (uint32_t p = 0; p < c->nblocks; p++) {
        struct kir_block *b = c->order[p];
        if (b == s->head || !cfg_dominates(c, s->head, b) || (l && !cfg_in_loop(l, c->loop[b->id])))
            continue;
        for (const struct kir_inst *i = b->first; i; i = i->next, n++)
            if (!may_be_copied(i))
                return false;
        vec_push(s->tmp, &s->region, b);
    }
    return n <= s->most && s->region.len <= MOST_BLOCKS;
}

static bool is_in_region(const struct group_version *s, const struct kir_block *b) {
    for (uint32_t k = 0; k < s->region.len; k++)
        if (s->region.data[k] == b)
            return true;
    return false;
}

// Do all ways out of the iteration, but for those that others come to by other ways, begin in its
// last block?
static bool ends_with(const struct group_version *s, const struct kir_block *latch) {
    const struct cfg *c = s->fl->cfg;
    for (uint32_t k = 0; k <= s->region.len; k++) {
        const struct kir_block *b = k < s->region.len ? s->region.data[k] : s->head;
        for (uint32_t t = 0; t < b->last->ntargets && b != latch; t++) {
            const struct kir_block *to = b->last->targets[t];
            if (!is_in_region(s, to) && cfg_dominates(c, s->head, to))
                return false;
        }
    }
    return true;
}

// Blocks that are dominated have no other ways to them.
static bool is_closed(const struct group_version *s) {
    for (uint32_t k = 0; k < s->region.len; k++) {
        const struct kir_block *b = s->region.data[k];
        for (uint32_t p = 0; p < b->preds.len; p++)
            if (b->preds.data[p] != s->head && !is_in_region(s, b->preds.data[p]))
                return false;
    }
    return true;
}

// ---- the version ---------------------------------------------------------------------

static struct kir_value *of_copy(const struct kir_copy *c, struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && c->values[v->id] ? c->values[v->id] : v;
}

static void add_operand(struct kir_func *f, struct kir_inst *phi, struct kir_value *v) {
    struct kir_value **ops = arena_array(&f->module->arena, struct kir_value *, phi->nops + 1);
    for (uint32_t o = 0; o < phi->nops; o++)
        ops[o] = phi->ops[o];
    ops[phi->nops++] = v;
    phi->ops = ops;
}

// Edges from the region's blocks to x are there from their copies, too.
static void lead_to(struct group_version *s, const struct kir_copy *c, struct kir_block *x) {
    uint32_t n = x->preds.len;
    for (uint32_t p = 0; p < n; p++) {
        struct kir_block *from = x->preds.data[p];
        if (!s->inside[from->id])
            continue;
        vec_push(&s->f->module->arena, &x->preds, c->blocks[from->id]);
        for (struct kir_inst *i = x->first; i && i->op == ISA_OP_PHI; i = i->next)
            add_operand(s->f, i, of_copy(c, i->ops[p]));
    }
}

static void connect(struct group_version *s, const struct kir_copy *c) {
    bool *seen = arena_array(s->tmp, bool, s->f->blocks.len + 1);
    for (uint32_t k = 0; k < s->region.len; k++) {
        const struct kir_block *b = s->region.data[k];
        struct kir_block *copy = c->blocks[b->id];
        for (uint32_t p = 0; p < b->preds.len; p++) {
            struct kir_block *from = b->preds.data[p];
            vec_push(&s->f->module->arena, &copy->preds,
                     s->inside[from->id] ? c->blocks[from->id] : from);
        }
        for (uint32_t t = 0; t < b->last->ntargets; t++) {
            struct kir_block *to = b->last->targets[t];
            if (!s->inside[to->id] && !seen[to->id]) {
                seen[to->id] = true;
                lead_to(s, c, to);
            }
        }
    }
}

// What the rest of the iteration, and what comes behind the loop, uses of the region comes from
// either version.
static void merge_values(struct group_version *s, const struct kir_copy *c, uint32_t nblocks,
                         uint32_t nvalues) {
    struct kir_func *f = s->f;
    struct kir_value **merged = arena_array(s->tmp, struct kir_value *, nvalues + 1);
    for (uint32_t b = 0; b < nblocks; b++) {
        struct kir_block *block = f->blocks.data[b];
        for (struct kir_inst *i = block->first; i && !s->inside[b]; i = i->next)
            for (uint32_t o = 0; o < i->nops; o++) {
                struct kir_value *v = i->ops[o];
                bool from_region = v->kind == KIR_VALUE_INST && v->id < nvalues && c->values[v->id];
                if (!from_region || (i->op == ISA_OP_PHI && (s->inside[block->preds.data[o]->id] ||
                                                             block->preds.data[o]->id >= nblocks)))
                    continue;
                if (!merged[v->id]) {
                    struct kir_inst *phi = kir_inst_new(
                        f, ISA_OP_PHI, kir_isa_type((enum kir_type)v->type), 2, 1, &v->type, 0);
                    phi->ops[0] = v;
                    phi->ops[1] = c->values[v->id];
                    kir_insert_before(s->tail->first, phi);
                    merged[v->id] = phi->res[0];
                }
                i->ops[o] = merged[v->id];
            }
    }
}

bool group_version_find(struct group_version *s) {
    const struct cfg_loop *l = s->fl->cfg->loop[s->head->id];
    s->latch = l ? latch_of(s, l) : NULL;
    if (!find_region(s, l) || !is_closed(s))
        return false;
    return !l || (!l->irreducible && s->latch && ends_with(s, s->latch));
}

void group_version_make(struct group_version *s, struct kir_value *all, struct kir_copy *c) {
    struct kir_func *f = s->f;
    if (s->latch && (s->latch == s->head || is_in_region(s, s->latch))) {
        s->tail = split_before(f, counting_part(s, s->latch));
        jump(f, s->latch, s->tail);
    }
    struct kir_block *slow = split_before(f, s->at);
    vec_push(&f->module->arena, &slow->preds, s->head);
    vec_push(s->tmp, &s->region, slow);
    // The first block of the region is where it begins.
    s->region.data[s->region.len - 1] = s->region.data[0];
    s->region.data[0] = slow;

    uint32_t nblocks = f->blocks.len, nvalues = f->value_count;
    *c = (struct kir_copy){.tmp = s->tmp, .to = f};
    s->inside = arena_array(s->tmp, bool, 2 * nblocks + 1);
    for (uint32_t k = 0; k < s->region.len; k++)
        s->inside[s->region.data[k]->id] = true;
    c->blocks = arena_array(s->tmp, struct kir_block *, 2 * nblocks + 1);
    c->values = arena_array(s->tmp, struct kir_value *, nvalues + 1);
    kir_copy_blocks(c, s->region.data, s->region.len);
    connect(s, c);
    if (s->tail)
        merge_values(s, c, nblocks, nvalues);
    struct kir_inst *choice = kir_inst_new(f, ISA_OP_CBR, ISA_VOID, 1, 0, NULL, 2);
    choice->ops[0] = all;
    choice->targets[0] = c->blocks[slow->id];
    choice->targets[1] = slow;
    choice->file = s->head->last ? s->head->last->file : 0;
    choice->line = s->head->last ? s->head->last->line : 0;
    kir_append(s->head, choice);
}
