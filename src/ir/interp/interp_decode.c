// A function of the IR in a form that is quick to run: instructions in one array, values in
// slots, phis as moves on edges. The IR itself is not changed: others may be reading it.
#include "ir/interp/interp_internal.h"
#include "isa/ops/control.h"
#include "support/memory.h"

struct decoder {
    struct interp *in;
    struct interp_func *f;
    uint32_t *block_pc; // by block id
};

static void give_slots(struct decoder *d) {
    const struct kir_func *f = d->f->ir;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++) {
                d->f->slots[i->res[k]->id] = d->f->nslots;
                d->f->nslots += i->res[k]->type == KIR_B128 ? 2 : 1;
            }
}

static struct interp_ref make_ref(struct decoder *d, const struct kir_value *v) {
    static const union isa_bits zero;
    struct interp_ref r = {.wide = v->type == KIR_B128};
    if (v->kind == KIR_VALUE_CONST)
        r.constant = &v->bits;
    else if (v->kind == KIR_VALUE_UNDEF)
        r.constant = &zero; // any value is right
    else
        r.slot = d->f->slots[v->id];
    return r;
}

// Which entry of to's preds the n-th edge from `from` is.
static uint32_t pred_index(const struct kir_block *to, const struct kir_block *from, uint32_t n) {
    for (uint32_t k = 0; k < to->preds.len; k++)
        if (to->preds.data[k] == from && n-- == 0)
            return k;
    return 0;
}

static void make_edge(struct decoder *d, const struct kir_inst *i, uint32_t target,
                      struct interp_edge *e) {
    const struct kir_block *to = i->targets[target];
    uint32_t n = 0, before = 0;
    for (const struct kir_inst *p = to->first; p && p->op == ISA_OP_PHI; p = p->next)
        n++;
    e->pc = d->block_pc[to->id];
    e->nmoves = n;
    if (!n)
        return;
    for (uint32_t k = 0; k < target; k++)
        before += i->targets[k] == to;
    uint32_t pred = pred_index(to, i->block, before);
    if (n > d->in->max_moves) {
        d->in->moved = arena_array(&d->in->code, union isa_bits, n);
        d->in->max_moves = n;
    }
    e->moves = arena_array(&d->in->code, struct interp_move, n);
    n = 0;
    for (const struct kir_inst *p = to->first; p && p->op == ISA_OP_PHI; p = p->next)
        e->moves[n++] = (struct interp_move){make_ref(d, p->ops[pred]), d->f->slots[p->res[0]->id],
                                             p->ops[pred]->kind == KIR_VALUE_UNDEF};
}

static void decode_inst(struct decoder *d, const struct kir_inst *i, struct interp_inst *to) {
    struct arena *a = &d->in->code;
    if ((i->op == ISA_OP_CALL || i->op == ISA_OP_RET) && i->nops > d->in->max_handed) {
        d->in->handed = arena_array(a, union isa_bits, i->nops);
        d->in->max_handed = i->nops;
    }
    to->ir = i;
    to->ops = arena_array(a, struct interp_ref, i->nops);
    to->res = arena_array(a, uint32_t, i->nres);
    to->edges = arena_array(a, struct interp_edge, i->ntargets);
    for (uint32_t k = 0; k < i->nops; k++)
        to->ops[k] = make_ref(d, i->ops[k]);
    for (uint32_t k = 0; k < i->nres; k++)
        to->res[k] = d->f->slots[i->res[k]->id];
    for (uint32_t k = 0; k < i->ntargets; k++)
        make_edge(d, i, k, &to->edges[k]);
}

static void number_code(struct decoder *d) {
    const struct kir_func *f = d->f->ir;
    for (uint32_t b = 0; b < f->blocks.len; b++) {
        d->block_pc[b] = d->f->ncode;
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            d->f->ncode += i->op != ISA_OP_PHI;
    }
}

struct decoding {
    struct interp *in;
    uint32_t index;
};

static void decode(void *arg) {
    struct interp *in = ((struct decoding *)arg)->in;
    uint32_t index = ((struct decoding *)arg)->index;
    const struct kir_func *ir = in->m->funcs.data[index];
    struct arena tmp = {0};
    struct interp_func *f = arena_new(&in->code, struct interp_func);
    struct decoder d = {.in = in, .f = f};
    f->ir = ir;
    f->nargs = ir->proto.nparams;
    f->slots = arena_array(&in->code, uint32_t, ir->value_count);
    d.block_pc = arena_array(&tmp, uint32_t, ir->blocks.len);
    give_slots(&d);
    number_code(&d);
    f->code = arena_array(&in->code, struct interp_inst, f->ncode);
    uint32_t n = 0;
    for (uint32_t b = 0; b < ir->blocks.len; b++)
        for (const struct kir_inst *i = ir->blocks.data[b]->first; i; i = i->next)
            if (i->op != ISA_OP_PHI)
                decode_inst(&d, i, &f->code[n++]);
    arena_free(&tmp);
    in->funcs[index] = f;
}

const struct interp_func *interp_decode(struct interp *in, uint32_t index) {
    if (!in->funcs[index])
        memory_scope_run(decode, NULL, &(struct decoding){in, index});
    return in->funcs[index];
}
