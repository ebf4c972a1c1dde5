#include "codegen/pipeline/own_kernel.h"

#include "ir/clean/copy.h"

struct kir_module *own_module(struct cg *c) {
    struct kir_module *m = arena_memdup(c->arena, c->ir, sizeof *c->ir);
    struct kir_func *old = c->kernel;
    m->arena = c->own_ir ? c->own_ir->arena : (struct arena){0};
    m->funcs.data = arena_memdup(&m->arena, c->ir->funcs.data, sizeof old * c->ir->funcs.len);
    m->funcs.data[old->index] = kir_copy_func(m, old, c->arena);
    c->own_ir = m;
    return m;
}

void use_module(struct cg *c, struct kir_module *m) {
    c->ir = m;
    c->kernel = m->funcs.data[c->kernel->index];
}

struct kir_value *in_copy(const struct kir_func *copy, const struct kir_value *v) {
    const struct kir_block *b = v->def->block;
    struct kir_inst *there = copy->blocks.data[b->id]->first;
    for (const struct kir_inst *i = b->first; i != v->def; i = i->next)
        there = there->next;
    return there->res[v->result];
}
