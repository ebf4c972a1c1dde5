#include "jit/reached_calls.h"

#include "isa/device_functions.h"
#include "support/arena.h"

// Functions that are still to be looked at.
struct walk {
    const struct kir_module *m;
    const bool *pointed; // by index: its address is taken; NULL: pointers are not followed
    bool *seen;
    const struct kir_func **todo;
    uint32_t n;
};

static void add(struct walk *w, const struct kir_func *f) {
    if (w->seen[f->index])
        return;
    w->seen[f->index] = true;
    w->todo[w->n++] = f;
}

static void add_callees(struct walk *w, const struct kir_inst *call) {
    if (call->callee)
        add(w, call->callee);
    for (uint32_t f = 0; !call->callee && w->pointed && f < w->m->funcs.len; f++)
        if (w->pointed[f])
            add(w, w->m->funcs.data[f]);
}

static bool reaches(const struct kir_module *m, const struct kir_func *f, const bool *pointed,
                    bool (*wanted)(const char *name)) {
    struct arena a = {0};
    struct walk w = {m, pointed, arena_array(&a, bool, m->funcs.len),
                     arena_array(&a, const struct kir_func *, m->funcs.len), 0};
    bool found = false;
    add(&w, f);
    while (w.n && !found) {
        f = w.todo[--w.n];
        found = f->is_extern && wanted(f->name);
        for (uint32_t b = 0; b < f->blocks.len; b++)
            for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
                if (i->op == ISA_OP_CALL)
                    add_callees(&w, i);
    }
    arena_free(&a);
    return found;
}

static void note(bool *pointed, const struct kir_symbol *s) {
    if (s && s->func && !s->func->is_kernel)
        pointed[s->func->index] = true;
}

static void find_pointed(const struct kir_module *m, bool *pointed) {
    for (uint32_t v = 0; v < m->vars.len; v++)
        for (uint32_t r = 0; r < m->vars.data[v]->relocs.len; r++)
            note(pointed, m->vars.data[v]->relocs.data[r].sym);
    for (uint32_t f = 0; f < m->funcs.len; f++)
        for (uint32_t b = 0; b < m->funcs.data[f]->blocks.len; b++)
            for (const struct kir_inst *i = m->funcs.data[f]->blocks.data[b]->first; i; i = i->next)
                note(pointed, i->sym);
}

void reached_calls_find(struct kir_module *m, struct kj_kernel *kernels) {
    bool lacks = false, launches = false; // few modules name such functions at all
    for (uint32_t f = 0; f < m->funcs.len; f++) {
        const struct kir_func *g = m->funcs.data[f];
        lacks |= g->is_extern && device_lacks(g->name);
        launches |= g->is_extern && device_launches(g->name);
    }
    if (!lacks && !launches)
        return;
    struct arena a = {0};
    bool *pointed = arena_array(&a, bool, m->funcs.len);
    find_pointed(m, pointed);
    for (uint32_t f = 0, k = 0; f < m->funcs.len; f++) {
        if (!m->funcs.data[f]->is_kernel)
            continue;
        kernels[k].lacking = lacks && reaches(m, m->funcs.data[f], NULL, device_lacks);
        kernels[k++].launches = launches && reaches(m, m->funcs.data[f], pointed, device_launches);
    }
    arena_free(&a);
}
