// What does not depend on the thread, and is computed once: for all groups where the function
// begins, or for a group, from its index. Where groups stop at barriers the latter is made again
// behind each barrier, as far as what follows needs it: that is cheaper than keeping it.
#include <stdlib.h>

#include "codegen/core/state.h"
#include "codegen/emit/cg_invariant.h"
#include "codegen/emit/cg_pure.h"
#include "codegen/value/cg_again.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_live.h"

static void emit_invariants(struct cg_func *g, bool of_group, bool of_test) {
    struct cfg *cfg = g->fl->cfg;
    g->now.mask = NULL;
    for (uint32_t p = 0; p < cfg->nblocks; p++) {
        struct kir_block *b = cfg->order[p];
        for (struct kir_inst *i = b->first; i; i = i->next) {
            if (cg_is_of_test(g, i) != of_test)
                continue;
            if (!i->nres || cg_val_of(g, i->res[0])->epoch == CG_PERMANENT ||
                (g->turn && cg_made_once(g, i->res[0])))
                continue;
            if (!cg_belongs_to_head(g, i, of_group))
                continue;
            g->block = b;
            for (uint32_t r = 0; r < i->nres; r++)
                cg_val_of(g, i->res[r])->epoch = CG_PERMANENT;
            cg_emit_pure(g, i);
        }
    }
}

void cg_emit_invariants(struct cg_func *g, bool of_group) {
    emit_invariants(g, of_group, false);
}

void cg_emit_test_only(struct cg_func *g) {
    emit_invariants(g, false, true);
}

static uint32_t need(struct cg_func *g, const struct kir_value *v, uint32_t n) {
    uint32_t k = cg_is_again(g, v) ? g->again[v->id] : 0;
    if (!k || g->again_needed[k - 1])
        return n;
    g->again_needed[k - 1] = 1;
    g->again_list[n] = k - 1;
    return n + 1;
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Lists what of it `live` has, and what that is made from, in the layout's order.
static uint32_t find_needed(struct cg_func *g, const struct cg_live *live) {
    uint32_t n = 0;
    for (uint32_t k = 0; live && k < live->n; k++)
        n = need(g, live->values[k], n);
    for (uint32_t k = 0; !live && k < g->made_again.len; k++)
        n = need(g, g->made_again.data[k]->res[0], n);
    for (uint32_t at = 0; at < n; at++) {
        const struct kir_inst *i = g->made_again.data[g->again_list[at]];
        for (uint32_t k = 0; k < i->nops; k++)
            n = need(g, i->ops[k], n);
    }
    for (uint32_t k = 0; k < n; k++)
        g->again_needed[g->again_list[k]] = 0;
    qsort(g->again_list, n, sizeof *g->again_list, compare);
    return n;
}

void cg_make_again(struct cg_func *g, const struct cg_live *live) {
    struct kir_block *here = g->block;
    LLVMValueRef mask = g->now.mask;
    uint32_t n = find_needed(g, live);
    g->now.mask = NULL;
    for (uint32_t k = 0; k < n; k++) {
        struct kir_inst *i = g->made_again.data[g->again_list[k]];
        if (g->turn && cg_made_once(g, i->res[0]))
            continue;
        g->block = i->block;
        cg_emit_pure(g, i);
    }
    g->block = here;
    g->now.mask = mask;
}
