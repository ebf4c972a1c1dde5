#include "passes/flow/call_shapes.h"

#include <string.h>

#include "isa/ops/control.h"

struct call_shapes *call_shapes_new(struct arena *a, const struct kir_module *m,
                                    const uint8_t *needed, const uint8_t *address_taken) {
    struct call_shapes *s = arena_new(a, struct call_shapes);
    uint32_t n = m->funcs.len;
    *s = (struct call_shapes){.m = m, .needed = needed, .address_taken = address_taken};
    s->params = arena_array(a, uint8_t *, n + 1);
    s->results = arena_array(a, uint8_t *, n + 1);
    s->stale = arena_array(a, uint8_t, n + 1);
    memset(s->stale, 1, n);
    for (uint32_t k = 0; k < n; k++) {
        const struct kir_proto *p = &m->funcs.data[k]->proto;
        s->params[k] = arena_array(a, uint8_t, p->nparams + 1);
        s->results[k] = arena_array(a, uint8_t, p->nrets + 1);
        memset(s->params[k], 1, p->nparams);
        memset(s->results[k], 1, p->nrets);
    }
    return s;
}

static bool same_types(const uint8_t *x, const uint8_t *y, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (kir_type_bits((enum kir_type)x[k]) != kir_type_bits((enum kir_type)y[k]))
            return false;
    return true;
}

bool call_may_be_of(const struct call_shapes *s, const struct kir_inst *call,
                    const struct kir_func *f) {
    const struct kir_proto *x = call->proto, *y = &f->proto;
    return x && s->needed[f->index] && s->address_taken[f->index] && !f->is_kernel &&
           !f->is_extern && x->nparams == y->nparams && x->nrets == y->nrets &&
           same_types(x->params, y->params, x->nparams) && same_types(x->rets, y->rets, x->nrets);
}

// What is not reached is as good as uniform.
static bool uniform(const struct flow *fl, const struct kir_value *v, const struct kir_block *b) {
    uint8_t kind = flow_use(fl, v, b).kind;
    return kind == SHAPE_UNIFORM || kind == SHAPE_UNKNOWN;
}

bool call_result_uniform(const struct flow *fl, const struct kir_inst *call, uint32_t result) {
    const struct call_shapes *s = fl->calls;
    if (call->callee)
        return !call->callee->is_extern && s->results[call->callee->index][result];
    if (!uniform(fl, call->ops[0], call->block))
        return false;
    for (uint32_t k = 0; k < s->m->funcs.len; k++)
        if (call_may_be_of(s, call, s->m->funcs.data[k]) && !s->results[k][result])
            return false;
    return true;
}

static void narrow_params(struct call_shapes *s, const struct flow *fl, const struct kir_inst *call,
                          const struct kir_func *f) {
    uint32_t first = call->callee ? 0 : 1; // behind the handle
    for (uint32_t k = 0; k < f->proto.nparams && first + k < call->nops; k++)
        if (s->params[f->index][k] && !uniform(fl, call->ops[first + k], call->block))
            s->params[f->index][k] = 0, s->stale[f->index] = 1;
}

static void narrow_call(struct call_shapes *s, const struct flow *fl, const struct kir_inst *call) {
    if (call->callee) {
        if (!call->callee->is_extern)
            narrow_params(s, fl, call, call->callee);
        return;
    }
    for (uint32_t k = 0; k < s->m->funcs.len; k++)
        if (call_may_be_of(s, call, s->m->funcs.data[k]))
            narrow_params(s, fl, call, s->m->funcs.data[k]);
}

static bool one_return(const struct kir_func *f) {
    uint32_t n = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        n += f->blocks.data[b]->last->op == ISA_OP_RET;
    return n == 1;
}

// Lanes that return at different places return different values, though each be uniform. Who calls
// the function is not known here: all others are looked at again.
static void narrow_results(struct call_shapes *s, const struct flow *fl,
                           const struct kir_inst *ret) {
    const struct kir_func *f = fl->func;
    bool together = fl->full[ret->block->id] || one_return(f);
    for (uint32_t k = 0; k < f->proto.nrets && k < ret->nops; k++)
        if (s->results[f->index][k] && !(together && uniform(fl, ret->ops[k], ret->block))) {
            s->results[f->index][k] = 0;
            memset(s->stale, 1, s->m->funcs.len);
        }
}

void call_shapes_narrow(struct call_shapes *s, const struct flow *fl) {
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next) {
            if (i->op == ISA_OP_CALL)
                narrow_call(s, fl, i);
            else if (i->op == ISA_OP_RET && !fl->func->is_kernel)
                narrow_results(s, fl, i);
        }
}
