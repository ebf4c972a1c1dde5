// Offsets of shared variables. Two variables that no kernel uses both may lie at the same place,
// so that a module of many kernels needs no more than its largest. A kernel uses what it names
// and what the functions that it can call name; an indirect call can reach every function whose
// address is taken.
#include "ir/lower/lower.h"

#include <stdlib.h>

struct layout {
    struct kir_module *m;
    struct arena tmp;
    uint32_t nshared;
    uint64_t *used;        // by function, then bit by variable
    uint32_t words;        // of one set
    bool *taken;           // by function: its address is
    bool *indirect;        // by function: calls through addresses
    uint32_t *seen, *work; // by function
};

static void visit(struct layout *l, uint32_t func, const struct kir_inst *i) {
    if (i->op == ISA_OP_CALL && !i->callee)
        l->indirect[func] = true;
    if (!i->sym)
        return;
    if (i->sym->space == ISA_SPACE_SHARED) {
        uint32_t k = (uint32_t)i->sym->index; // its position, while this runs
        l->used[(size_t)func * l->words + k / 64] |= UINT64_C(1) << (k % 64);
    } else if (i->sym->space == ISA_SPACE_GENERIC) {
        l->taken[i->sym->func->index] = true;
    }
}

static void collect(struct layout *l) {
    for (uint32_t k = 0; k < l->m->funcs.len; k++)
        for (uint32_t b = 0; b < l->m->funcs.data[k]->blocks.len; b++)
            for (struct kir_inst *i = l->m->funcs.data[k]->blocks.data[b]->first; i; i = i->next)
                visit(l, k, i);
    for (uint32_t k = 0; k < l->m->vars.len; k++)
        for (uint32_t r = 0; r < l->m->vars.data[k]->relocs.len; r++) {
            const struct kir_symbol *s = l->m->vars.data[k]->relocs.data[r].sym;
            if (s->space == ISA_SPACE_GENERIC)
                l->taken[s->func->index] = true;
        }
}

static void reach(struct layout *l, uint32_t func, uint32_t mark, uint32_t *n) {
    if (l->seen[func] == mark)
        return;
    l->seen[func] = mark;
    l->work[(*n)++] = func;
}

// What a kernel and everything that it can call use, into `set`.
static void gather(struct layout *l, uint32_t kernel, uint64_t *set) {
    uint32_t n = 0, mark = kernel + 1;
    bool all_taken = false;
    reach(l, kernel, mark, &n);
    while (n) {
        uint32_t func = l->work[--n];
        for (uint32_t w = 0; w < l->words; w++)
            set[w] |= l->used[(size_t)func * l->words + w];
        const struct kir_func *f = l->m->funcs.data[func];
        for (uint32_t b = 0; b < f->blocks.len; b++)
            for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
                if (i->op == ISA_OP_CALL && i->callee)
                    reach(l, i->callee->index, mark, &n);
        if (!l->indirect[func] || all_taken)
            continue;
        all_taken = true;
        for (uint32_t k = 0; k < l->m->funcs.len; k++)
            if (l->taken[k])
                reach(l, k, mark, &n);
    }
}

static bool has(const uint64_t *set, uint32_t k) {
    return set[k / 64] >> (k % 64) & 1;
}

// Dynamic shared memory lies behind the static part, which therefore ends where the arrays that
// name it may begin.
static void align_dynamic(const struct layout *l, uint32_t nkernels, uint64_t *const *sets,
                          uint64_t *end) {
    for (uint32_t k = 0; k < l->nshared; k++) {
        const struct kir_symbol *s = l->m->shared.data[k];
        for (uint32_t j = 0; s->dynamic && j < nkernels; j++)
            if (has(sets[j], k))
                end[j] = (end[j] + s->align - 1) / s->align * s->align;
    }
}

// Arrays that are whole lines come before what would shift them: a vector of theirs then lies in
// one line of the cache. Behind them what is longer than a line, and then the rest, where larger
// alignments come first, so that the order leaves no more gaps than the declared one.
static int rank(const struct kir_symbol *s) {
    enum { LINE = 64 };
    return s->align > LINE || s->size % LINE == 0 ? 0 : s->size > LINE ? 1 : 2;
}

static int by_rank(const void *a, const void *b) {
    const struct kir_symbol *x = *(struct kir_symbol *const *)a,
                            *y = *(struct kir_symbol *const *)b;
    if (rank(x) != rank(y))
        return rank(x) - rank(y);
    if (x->align != y->align)
        return x->align > y->align ? -1 : 1;
    return x->index - y->index;
}

// Each variable lies behind all that some kernel uses together with it.
static void place(struct layout *l, uint32_t nkernels, struct kir_func **kernels,
                  uint64_t *const *sets) {
    uint64_t *end = arena_array(&l->tmp, uint64_t, nkernels);
    struct kir_symbol **order = arena_array(&l->tmp, struct kir_symbol *, l->nshared);
    for (uint32_t k = 0; k < l->nshared; k++)
        order[k] = l->m->shared.data[k];
    qsort(order, l->nshared, sizeof(*order), by_rank);
    for (uint32_t n = 0; n < l->nshared; n++) {
        struct kir_symbol *s = order[n];
        uint32_t k = (uint32_t)s->index;
        uint64_t at = 0;
        s->offset = 0;
        if (s->dynamic)
            continue;
        for (uint32_t j = 0; j < nkernels; j++)
            if (has(sets[j], k) && end[j] > at)
                at = end[j];
        s->offset = (at + s->align - 1) / s->align * s->align;
        for (uint32_t j = 0; j < nkernels; j++)
            if (has(sets[j], k))
                end[j] = s->offset + s->size;
    }
    align_dynamic(l, nkernels, sets, end);
    uint64_t most = 0;
    for (uint32_t j = 0; j < nkernels; j++) {
        kernels[j]->shared_static = end[j] > UINT32_MAX ? UINT32_MAX : (uint32_t)end[j];
        most = end[j] > most ? end[j] : most;
    }
    l->m->shared_bytes = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
}

void kir_layout_shared(struct kir_module *m) {
    struct layout l = {.m = m, .nshared = m->shared.len, .words = (m->shared.len + 63) / 64};
    uint32_t nfuncs = m->funcs.len, nkernels = 0;
    l.used = arena_array(&l.tmp, uint64_t, (size_t)nfuncs * l.words);
    l.taken = arena_array(&l.tmp, bool, nfuncs);
    l.indirect = arena_array(&l.tmp, bool, nfuncs);
    l.seen = arena_array(&l.tmp, uint32_t, nfuncs);
    l.work = arena_array(&l.tmp, uint32_t, nfuncs);
    for (uint32_t k = 0; k < l.nshared; k++)
        m->shared.data[k]->index = (int)k;
    collect(&l);
    struct kir_func **kernels = arena_array(&l.tmp, struct kir_func *, nfuncs);
    uint64_t **sets = arena_array(&l.tmp, uint64_t *, nfuncs);
    for (uint32_t k = 0; k < nfuncs && l.nshared; k++)
        if (m->funcs.data[k]->is_kernel) {
            sets[nkernels] = arena_array(&l.tmp, uint64_t, l.words);
            kernels[nkernels] = m->funcs.data[k];
            gather(&l, k, sets[nkernels++]);
        }
    place(&l, nkernels, kernels, sets);
    for (uint32_t k = 0; k < l.nshared; k++)
        m->shared.data[k]->index = -1;
    arena_free(&l.tmp);
}
