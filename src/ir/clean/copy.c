// Copies of functions and of some of their blocks.
#include "ir/clean/copy.h"

static struct kir_value *value_of(struct kir_copy *c, struct kir_value *v) {
    if (v->kind == KIR_VALUE_INST || !c->constants)
        return c->values[v->id] ? c->values[v->id] : v;
    struct kir_value **to = &c->values[v->id];
    if (!*to) {
        *to = v->kind == KIR_VALUE_CONST ? kir_const(c->to, (enum kir_type)v->type, 0)
                                         : kir_undef(c->to, (enum kir_type)v->type);
        (*to)->bits = v->bits;
    }
    return *to;
}

// A copy without operands and targets: they may not be there yet.
static void copy_shell(struct kir_copy *c, const struct kir_inst *i, struct kir_block *b) {
    uint8_t *types = arena_array(c->tmp, uint8_t, i->nres + 1);
    for (uint32_t k = 0; k < i->nres; k++)
        types[k] = i->res[k]->type;
    struct kir_inst *to = kir_inst_new(c->to, (isa_op)i->op, (enum isa_type)i->ty, i->nops, i->nres,
                                       types, i->ntargets);
    to->ty2 = i->ty2;
    to->mods = i->mods;
    to->sreg = i->sreg;
    to->flag = i->flag;
    to->index = i->index;
    to->offset = i->offset;
    to->sym = i->sym;
    to->callee = i->callee;
    to->proto = i->proto;
    to->file = i->file;
    to->line = i->line;
    for (uint32_t k = 0; k < i->nres; k++)
        c->values[i->res[k]->id] = to->res[k];
    kir_append(b, to);
}

void kir_copy_blocks(struct kir_copy *c, struct kir_block *const *from, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        c->blocks[from[k]->id] = kir_block_new(c->to, from[k]->label);
    for (uint32_t k = 0; k < n; k++)
        for (const struct kir_inst *i = from[k]->first; i; i = i->next)
            copy_shell(c, i, c->blocks[from[k]->id]);
    for (uint32_t k = 0; k < n; k++) {
        struct kir_inst *to = c->blocks[from[k]->id]->first;
        for (const struct kir_inst *i = from[k]->first; i; i = i->next, to = to->next) {
            for (uint32_t o = 0; o < i->nops; o++)
                to->ops[o] = value_of(c, i->ops[o]);
            for (uint32_t t = 0; t < i->ntargets; t++) {
                struct kir_block *in = c->blocks[i->targets[t]->id];
                to->targets[t] = in ? in : i->targets[t];
            }
        }
    }
}

struct kir_func *kir_copy_func(struct kir_module *m, const struct kir_func *f, struct arena *tmp) {
    struct kir_func *to = arena_memdup(&m->arena, f, sizeof *f);
    struct kir_copy c = {.tmp = tmp, .to = to, .constants = true};
    to->module = m;
    to->blocks.data = NULL;
    to->blocks.len = to->blocks.cap = 0;
    to->value_count = 0;
    c.blocks = arena_array(tmp, struct kir_block *, f->blocks.len + 1);
    c.values = arena_array(tmp, struct kir_value *, f->value_count + 1);
    kir_copy_blocks(&c, f->blocks.data, f->blocks.len);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (uint32_t p = 0; p < f->blocks.data[b]->preds.len; p++)
            vec_push(&m->arena, &to->blocks.data[b]->preds,
                     to->blocks.data[f->blocks.data[b]->preds.data[p]->id]);
    kir_renumber(to);
    return to;
}
