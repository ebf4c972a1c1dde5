#include "passes/analysis/alike.h"

#include "isa/ops/block.h"
#include "isa/ops/memory.h"

struct search {
    const struct flow *fl;
    uint8_t *differs; // by value id
    uint8_t *apart;   // by block id: not shared
    bool changed;
};

// ---- what rules out all of it ---------------------------------------------------------------

static bool is_plain(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_LD:
    case ISA_OP_LDU:
    case ISA_OP_ST:
        return i->mods.sem == ISA_SEM_WEAK;
    case ISA_OP_PREFETCH:
    case ISA_OP_PREFETCHU:
        return true;
    case ISA_OP_ATOM:
    case ISA_OP_RED:
        return i->mods.space == ISA_SPACE_GLOBAL &&
               (i->mods.sem == ISA_SEM_WEAK || i->mods.sem == ISA_SEM_RELAXED);
    default:
        return false;
    }
}

// Is a barrier the only thing by which threads of several groups can order their accesses?
static bool is_ordered_by_barriers(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
    case ISA_CLASS_SOURCE:
    case ISA_CLASS_WARP:
        return true;
    case ISA_CLASS_BLOCK:
        return i->op == ISA_OP_BAR_SYNC || i->op == ISA_OP_BAR_RED;
    case ISA_CLASS_CONTROL:
        return i->op != ISA_OP_CALL;
    case ISA_CLASS_MEMORY:
        return is_plain(i);
    default:
        return false;
    }
}

static bool is_eligible(const struct flow *fl) {
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (!is_ordered_by_barriers(i))
                return false;
    return true;
}

// ---- values and blocks ------------------------------------------------------------------------

static bool source_differs(const struct flow *fl, const struct kir_inst *i) {
    if (i->op == ISA_OP_SYMADDR)
        return i->sym->space == ISA_SPACE_LOCAL;
    if (i->op != ISA_OP_SREG)
        return i->op != ISA_OP_PHI;
    if (i->sreg >= ISA_SREG_TID_X && i->sreg <= ISA_SREG_TID_Z) {
        const struct tid_form *t = &fl->tid[i->sreg - ISA_SREG_TID_X];
        bool row = !t->div && t->mod > 0 && fl->width % t->mod == 0; // each group begins one
        return t->varying || !(t->zero || row);
    }
    if (i->sreg == ISA_SREG_LANEID)
        return fl->width != 32;
    return !((i->sreg >= ISA_SREG_NTID_X && i->sreg <= ISA_SREG_NCTAID_Z) ||
             i->sreg == ISA_SREG_NWARPID);
}

// Is what each lane has a constant?
static bool is_known(const struct shape *s) {
    return (s->kind == SHAPE_UNIFORM || s->kind == SHAPE_OFFSETS) && !s->guard && s->lo == s->hi;
}

static bool inst_differs(const struct search *s, const struct kir_inst *i) {
    if (isa_op_info[i->op].klass == ISA_CLASS_POINTWISE && i->nres == 1 &&
        is_known(&s->fl->shape[i->res[0]->id]))
        return false;
    if (s->apart[i->block->id])
        return true;
    for (uint32_t k = 0; k < i->nops; k++)
        if (i->ops[k]->kind == KIR_VALUE_UNDEF || s->differs[i->ops[k]->id])
            return true;
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_SOURCE:
        return source_differs(s->fl, i);
    case ISA_CLASS_POINTWISE:
        return i->op == ISA_OP_CVTA && i->mods.space == ISA_SPACE_LOCAL;
    case ISA_CLASS_MEMORY:
        return i->op != ISA_OP_LD || i->mods.space != ISA_SPACE_PARAM;
    default:
        return true;
    }
}

static void value_differs(struct search *s, const struct kir_value *v) {
    s->changed |= !s->differs[v->id];
    s->differs[v->id] = 1;
}

// Groups part where b ends: blocks up to the place where all of them meet again are not shared, and
// what comes together there depends on the way.
static void part(struct search *s, const struct kir_block *b) {
    uint32_t meet = s->fl->cfg->ipdom[b->id];
    uint8_t *seen = arena_array(s->fl->arena, uint8_t, s->fl->func->blocks.len + 1);
    VEC(const struct kir_block *) todo = {0};
    vec_push(s->fl->arena, &todo, b);
    while (todo.len) {
        const struct kir_block *from = todo.data[--todo.len];
        for (uint32_t t = 0; t < from->last->ntargets; t++) {
            const struct kir_block *to = from->last->targets[t];
            if (to->id == meet) {
                for (const struct kir_inst *i = to->first; i && i->op == ISA_OP_PHI; i = i->next)
                    value_differs(s, i->res[0]);
            } else if (!seen[to->id]) {
                s->changed |= !s->apart[to->id];
                s->apart[to->id] = seen[to->id] = 1;
                vec_push(s->fl->arena, &todo, to);
            }
        }
    }
}

static bool ways_differ(const struct search *s, const struct kir_inst *last) {
    for (uint32_t k = 0; k < last->nops && last->ntargets > 1; k++)
        if (last->ops[k]->kind == KIR_VALUE_UNDEF || s->differs[last->ops[k]->id])
            return true;
    return false;
}

static void look_at(struct search *s, const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i; i = i->next)
        for (uint32_t k = 0; k < i->nres; k++)
            if (!s->differs[i->res[k]->id] && inst_differs(s, i))
                value_differs(s, i->res[k]);
    if (ways_differ(s, b->last))
        part(s, b);
}

static bool has_barrier_apart(const struct search *s) {
    for (uint32_t p = 0; p < s->fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = s->fl->cfg->order[p]->first; i; i = i->next)
            if (isa_op_info[i->op].klass == ISA_CLASS_BLOCK && s->apart[i->block->id])
                return true;
    return false;
}

static uint8_t *inverse(struct arena *a, const uint8_t *of, uint32_t n) {
    uint8_t *r = arena_array(a, uint8_t, n + 1);
    for (uint32_t k = 0; k < n; k++)
        r[k] = !of[k];
    return r;
}

bool find_alike(struct arena *a, const struct flow *fl, struct alike *out) {
    uint32_t nv = fl->func->value_count, nb = fl->func->blocks.len;
    struct search s = {.fl = fl,
                       .differs = arena_array(a, uint8_t, nv + 1),
                       .apart = arena_array(a, uint8_t, nb + 1)};
    if (!is_eligible(fl))
        return false;
    do {
        s.changed = false;
        for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
            look_at(&s, fl->cfg->order[p]);
    } while (s.changed);
    out->values = inverse(a, s.differs, nv);
    out->blocks = inverse(a, s.apart, nb);
    return !has_barrier_apart(&s);
}
