// Stores that may go past the caches, where a launch writes more than these keep: whole lines, as
// is tested when it runs.
//
// Not in kernels that order anything with other blocks: these stores keep no order with later ones
// until a fence, which stands at the end of a run of blocks. Not for memory that the kernel reads
// through the same parameter either, whose lines are in the cache already.
#include "plan/passes.h"
#include "plan/tables.h"

// What a kernel may contain that has such stores: nothing that others could wait for.
static bool keeps_order(const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
    case ISA_CLASS_SOURCE:
    case ISA_CLASS_WARP:
    case ISA_CLASS_BLOCK:
        return false;
    case ISA_CLASS_MEMORY:
        return (i->op != ISA_OP_LD && i->op != ISA_OP_ST) || i->mods.sem != ISA_SEM_WEAK;
    case ISA_CLASS_CONTROL:
        return i->op == ISA_OP_CALL;
    default:
        return true;
    }
}

static bool same_param(const struct kir_value *x, const struct kir_value *y) {
    const struct kir_inst *i = x->def, *j = y->def;
    if (x == y)
        return true;
    return i->offset == j->offset && x->result == y->result &&
           (i->ops[0] == j->ops[0] ||
            (i->ops[0]->kind == KIR_VALUE_INST && j->ops[0]->kind == KIR_VALUE_INST &&
             i->ops[0]->def->op == ISA_OP_SYMADDR && j->ops[0]->def->op == ISA_OP_SYMADDR &&
             i->ops[0]->def->sym == j->ops[0]->def->sym &&
             i->ops[0]->def->offset == j->ops[0]->def->offset));
}

static unsigned bytes_in_memory(const struct kir_inst *i, isa_op op) {
    bool memory = i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC;
    unsigned words = i->mods.vec ? i->mods.vec : 1;
    return memory && i->op == op ? words * isa_type_bits(i->ty) / 8 : 0;
}

// Stores past the caches hold the buffers that loads need on their way to the first cache. Where
// loads are more than they are, as in a stencil, they lose more than they gain.
static bool writes_most(const struct kir_func *f) {
    unsigned read = 0, written = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            read += bytes_in_memory(i, ISA_OP_LD);
            written += bytes_in_memory(i, ISA_OP_ST);
        }
    return written >= read;
}

unsigned plan_bytes_written(const struct plan *p, const struct cfg_loop *l) {
    const struct kir_func *f = p->in.fl->func;
    unsigned bytes = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            bytes += p->in.fl->cfg->loop[b] == l ? bytes_in_memory(i, ISA_OP_ST) : 0;
    return bytes;
}

static bool may_stream(const struct plan_inputs *in) {
    const struct kir_func *f = in->fl->func;
    if (!in->has_runs || in->quick || !in->machine->holds_line)
        return false;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (keeps_order(i))
                return false;
    return writes_most(f);
}

// Parameters through which something is read.
struct params {
    VEC(const struct kir_value *) list;
};

static bool has(const struct params *s, const struct kir_value *param) {
    for (uint32_t k = 0; k < s->list.len; k++)
        if (same_param(s->list.data[k], param))
            return true;
    return false;
}

static void find_read(struct arena *a, const struct affine *x, struct params *s) {
    const struct kir_func *f = x->cfg->func;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            bool loads = i->op == ISA_OP_LD && i->mods.space != ISA_SPACE_PARAM;
            const struct kir_value *p = loads ? affine_base(x, i->ops[0]) : NULL;
            if (p && !has(s, p))
                vec_push(a, &s->list, p);
        }
}

void plan_find_streams(struct arena *a, struct plan *p) {
    struct params read = {0};
    p->streams = may_stream(&p->in);
    if (!p->streams)
        return;
    find_read(a, p->in.affine, &read);
    for (uint32_t k = 0; k < p->accesses.len; k++) {
        struct plan_access *x = p->accesses.data[k];
        const struct kir_value *param =
            bytes_in_memory(x->inst, ISA_OP_ST) ? affine_base(p->in.affine, x->inst->ops[0]) : NULL;
        x->past = param && !has(&read, param);
        if (x->row)
            plan_find(p, x->row->inst)->past = x->past;
    }
}
