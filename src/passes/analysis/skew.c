#include "passes/analysis/skew.h"

#include "isa/ops/move.h"

enum { MAX_LOADS = 256, LEAST_SHARED = 12, MAX_BY = 256 };

// Without a store, and without a test that would part the code around it.
static bool is_free(const struct flow *fl, const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    enum isa_space s = i->mods.space;
    if (i->op == ISA_OP_LD)
        return i->mods.sem == ISA_SEM_WEAK && !fl->shape[i->ops[0]->id].guard &&
               (s == ISA_SPACE_SHARED || s == ISA_SPACE_CONST || s == ISA_SPACE_PARAM ||
                fl->shared[i->ops[0]->id]);
    return (k == ISA_CLASS_POINTWISE && i->op != ISA_OP_GROUP_ALL) || k == ISA_CLASS_SOURCE;
}

struct load {
    const struct kir_inst *i;
    unsigned at;
};

// At a constant distance from group to group, in shared memory.
static bool is_regular(const struct flow *fl, const struct kir_inst *i) {
    const struct kir_value *v = i->nops ? i->ops[0] : NULL;
    return i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_SHARED && !i->mods.vec &&
           v->kind == KIR_VALUE_INST && fl->shape[v->id].kind == SHAPE_OFFSETS && fl->affine[v->id];
}

// How many instructions after x the group before x's loads the same place; 0: not at y.
static unsigned distance(const struct flow *fl, const struct load *x, const struct load *y) {
    bool same = x->i->ops[0] == y->i->ops[0] && x->i->ty == y->i->ty &&
                y->i->offset - x->i->offset == fl->lag[x->i->ops[0]->id];
    return same && y->at - x->at <= MAX_BY ? y->at - x->at : 0;
}

struct skew skew_from(const struct flow *fl, struct kir_inst *from) {
    struct load loads[MAX_LOADS];
    unsigned votes[MAX_BY + 1] = {0}, n = 0;
    struct skew s = {.end = from};
    for (; s.end != from->block->last && is_free(fl, s.end); s.end = s.end->next, s.length++)
        if (is_regular(fl, s.end) && n < MAX_LOADS)
            loads[n++] = (struct load){s.end, s.length};
    for (unsigned x = 0; x < n && fl->team > 1; x++)
        for (unsigned y = x + 1; y < n; y++)
            votes[distance(fl, &loads[x], &loads[y])]++;
    votes[0] = 0;
    for (unsigned d = 1; d <= MAX_BY; d++)
        if (votes[d] >= LEAST_SHARED && votes[d] * 2 >= n && votes[d] > votes[s.by])
            s.by = d;
    return s;
}
