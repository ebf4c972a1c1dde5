// Removes instructions whose results nobody needs. What has an effect is needed, and so is what
// a needed instruction reads; the rest goes, cycles of phis included.
#include "ir/clean/simplify.h"

// A local variable's are as good as registers, and parameters are never written.
static bool is_kept(const struct kir_module *m, const struct kir_inst *i) {
    return m->keeps_loads && i->mods.space != ISA_SPACE_LOCAL && i->mods.space != ISA_SPACE_PARAM;
}

static bool has_effect(const struct kir_module *m, const struct kir_inst *i) {
    if (isa_op_info[i->op].side_effect || kir_is_terminator(i->op))
        return true;
    return i->op == ISA_OP_LD && (i->mods.sem != ISA_SEM_WEAK || is_kept(m, i));
}

struct marks {
    struct arena tmp;
    VEC(struct kir_inst *) work;
};

enum { NEEDED = 1 };

static void need(struct marks *m, struct kir_inst *i) {
    if (i->id == NEEDED)
        return;
    i->id = NEEDED;
    vec_push(&m->tmp, &m->work, i);
}

static bool sweep(struct kir_func *f) {
    bool progress = false;
    struct kir_inst *next;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = next) {
            next = i->next;
            if (i->id == NEEDED)
                continue;
            kir_remove(i);
            progress = true;
        }
    return progress;
}

bool kir_remove_dead(struct kir_func *f) {
    struct marks m = {0};
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            i->id = 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (has_effect(f->module, i))
                need(&m, i);
    while (m.work.len) {
        struct kir_inst *i = m.work.data[--m.work.len];
        for (uint32_t k = 0; k < i->nops; k++)
            if (i->ops[k]->kind == KIR_VALUE_INST)
                need(&m, i->ops[k]->def);
    }
    bool progress = sweep(f);
    arena_free(&m.tmp);
    return progress;
}
