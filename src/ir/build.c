// Making and changing kernel IR. Nothing here fails: memory is the module's arena.
#include <stdlib.h>

#include "abi/generated_code.h"
#include "ir/ir.h"
#include "isa/ops/control.h"

unsigned kir_type_bits(enum kir_type t) {
    switch (t) {
    case KIR_PRED:
        return 1;
    case KIR_B16:
        return 16;
    case KIR_B32:
    case KIR_F32:
        return 32;
    case KIR_B64:
    case KIR_F64:
        return 64;
    case KIR_B128:
        return 128;
    case KIR_VOID:
        break;
    }
    return 0;
}

uint64_t kir_module_serial(void) {
    static _Atomic uint64_t serial;
    return ++serial;
}

struct kir_module *kir_module_new(void) {
    struct arena arena = {0};
    struct kir_module *m = arena_new(&arena, struct kir_module);
    m->arena = arena;
    m->serial = kir_module_serial();
    return m;
}

void kir_module_free(struct kir_module *m) {
    if (!m)
        return;
    struct arena arena = m->arena; // the module itself lies in it
    arena_free(&arena);
}

struct kir_func *kir_func_new(struct kir_module *m, const char *name) {
    struct kir_func *f = arena_new(&m->arena, struct kir_func);
    f->module = m;
    f->name = arena_strdup(&m->arena, name);
    f->index = m->funcs.len;
    f->frame_align = 1;
    vec_push(&m->arena, &m->funcs, f);
    return f;
}

uint64_t kir_function_handle(const struct kir_func *f) {
    uint64_t kernels = 0;
    if (!f->is_kernel)
        return ((uint64_t)f->index + 1) * 16;
    for (uint32_t k = 0; k < f->index; k++)
        kernels += f->module->funcs.data[k]->is_kernel;
    return KD_KERNEL_HANDLE + kernels * 16;
}

struct kir_block *kir_block_new(struct kir_func *f, const char *label) {
    struct arena *a = &f->module->arena;
    struct kir_block *b = arena_new(a, struct kir_block);
    b->func = f;
    b->id = f->blocks.len;
    b->label = label ? arena_strdup(a, label) : NULL;
    vec_push(a, &f->blocks, b);
    return b;
}

static struct kir_value *value_new(struct kir_func *f, enum kir_value_kind kind, enum kir_type t) {
    struct kir_value *v = arena_new(&f->module->arena, struct kir_value);
    v->kind = (uint8_t)kind;
    v->type = (uint8_t)t;
    v->id = f->value_count++;
    return v;
}

struct kir_value *kir_const(struct kir_func *f, enum kir_type t, uint64_t bits) {
    struct kir_value *v = value_new(f, KIR_VALUE_CONST, t);
    unsigned width = kir_type_bits(t);
    v->bits.u64[0] = width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits;
    return v;
}

struct kir_value *kir_undef(struct kir_func *f, enum kir_type t) {
    return value_new(f, KIR_VALUE_UNDEF, t);
}

struct kir_inst *kir_inst_new(struct kir_func *f, isa_op op, enum isa_type ty, unsigned nops,
                              unsigned nres, const uint8_t *res_types, unsigned ntargets) {
    struct arena *a = &f->module->arena;
    struct kir_inst *i = arena_new(a, struct kir_inst);
    i->op = (uint16_t)op;
    i->ty = (uint8_t)ty;
    i->nops = nops;
    i->nres = nres;
    i->ntargets = ntargets;
    if (nops)
        i->ops = arena_array(a, struct kir_value *, nops);
    if (nres)
        i->res = arena_array(a, struct kir_value *, nres);
    if (ntargets)
        i->targets = arena_array(a, struct kir_block *, ntargets);
    for (unsigned k = 0; k < nres; k++) {
        i->res[k] = value_new(f, KIR_VALUE_INST, res_types[k]);
        i->res[k]->def = i;
        i->res[k]->result = (uint16_t)k;
    }
    return i;
}

void kir_append(struct kir_block *b, struct kir_inst *i) {
    i->block = b;
    i->prev = b->last;
    i->next = NULL;
    if (b->last)
        b->last->next = i;
    else
        b->first = i;
    b->last = i;
}

void kir_insert_before(struct kir_inst *pos, struct kir_inst *i) {
    i->block = pos->block;
    i->prev = pos->prev;
    i->next = pos;
    if (pos->prev)
        pos->prev->next = i;
    else
        pos->block->first = i;
    pos->prev = i;
}

void kir_insert_after(struct kir_inst *pos, struct kir_inst *i) {
    if (pos->next)
        kir_insert_before(pos->next, i);
    else
        kir_append(pos->block, i);
}

void kir_remove(struct kir_inst *i) {
    if (i->prev)
        i->prev->next = i->next;
    else
        i->block->first = i->next;
    if (i->next)
        i->next->prev = i->prev;
    else
        i->block->last = i->prev;
    i->prev = i->next = NULL;
    i->block = NULL;
}

void kir_replace_uses(struct kir_func *f, struct kir_value *from, struct kir_value *to) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                if (i->ops[k] == from)
                    i->ops[k] = to;
}

void kir_replace_all(struct kir_func *f, struct kir_value *const *to, uint32_t n) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                while (i->ops[k]->id < n && to[i->ops[k]->id])
                    i->ops[k] = to[i->ops[k]->id];
}

void kir_compute_preds(struct kir_func *f) {
    struct arena *a = &f->module->arena;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        f->blocks.data[b]->preds.len = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++) {
        struct kir_inst *last = f->blocks.data[b]->last;
        for (uint32_t t = 0; last && t < last->ntargets; t++)
            vec_push(a, &last->targets[t]->preds, f->blocks.data[b]);
    }
}

struct kir_func *kir_find_func(struct kir_module *m, const char *name) {
    for (uint32_t k = 0; k < m->funcs.len; k++)
        if (!strcmp(m->funcs.data[k]->name, name))
            return m->funcs.data[k];
    return NULL;
}

bool kir_is_terminator(isa_op op) {
    switch (op) {
    case ISA_OP_BRA:
    case ISA_OP_CBR:
    case ISA_OP_BRX_IDX:
    case ISA_OP_RET:
    case ISA_OP_EXIT:
    case ISA_OP_UNREACHABLE:
        return true;
    default:
        return false;
    }
}

bool kir_is_used(const struct kir_func *f, const struct kir_value *v) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                if (i->ops[k] == v)
                    return true;
    return false;
}
