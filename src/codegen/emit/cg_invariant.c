// What does not depend on the thread, and is computed once: for all groups where the function
// begins, or for a group, from its index. Where groups stop at barriers the latter is made again
// behind each barrier, as far as what follows needs it: that is cheaper than keeping it.
#include <stdlib.h>

#include "codegen/emit/cg.h"

bool cg_is_again(const struct cg_func *g, const struct kir_value *v) {
    return g->again && v->kind == KIR_VALUE_INST && g->again[v->id];
}

static bool is_permanent(struct cg_func *g, const struct kir_value *v) {
    return cg_val_of(g, v)->epoch == CG_PERMANENT || cg_is_again(g, v) ||
           (cg_made_once(g, v) && g->groups[0].vals[v->id].epoch == CG_PERMANENT);
}

static bool is_invariant(struct cg_func *g, const struct kir_inst *i) {
    uint64_t unused;
    if (i->nres != 1)
        return false;
    if (i->op == ISA_OP_SREG)
        return (i->sreg >= ISA_SREG_NTID_X && i->sreg <= ISA_SREG_NCTAID_Z) ||
               i->sreg == ISA_SREG_NWARPID;
    if (i->op == ISA_OP_SYMADDR)
        return !(i->flag && i->sym->space == ISA_SPACE_LOCAL);
    bool load = i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM && g->f->is_kernel &&
                i->ops[0]->kind == KIR_VALUE_INST && i->ops[0]->def->op == ISA_OP_SYMADDR;
    bool cheap = isa_op_info[i->op].klass == ISA_CLASS_POINTWISE && i->op != ISA_OP_ISSPACEP &&
                 !(i->op == ISA_OP_CVTA && i->mods.space == ISA_SPACE_LOCAL);
    if ((!load && !cheap) || (load && !cg_is_aligned(g, i)))
        return false;
    for (uint32_t k = 0; k < i->nops; k++)
        if (!flow_const(i->ops[k], &unused) && i->ops[k]->kind == KIR_VALUE_INST &&
            !is_permanent(g, i->ops[k]))
            return false;
    return true;
}

static bool is_of_group(const struct cg_func *g, const struct kir_inst *i) {
    if (i->op != ISA_OP_SREG)
        return false;
    if (i->sreg >= ISA_SREG_TID_X && i->sreg <= ISA_SREG_TID_Z)
        return !g->fl->tid[i->sreg - ISA_SREG_TID_X].varying;
    return i->sreg == ISA_SREG_LANEID || i->sreg == ISA_SREG_WARPID;
}

// Is i computed at the head of the function or, with of_group, of a group?
static bool belongs_to_head(struct cg_func *g, const struct kir_inst *i, bool of_group) {
    if (!i->nres || is_permanent(g, i->res[0]))
        return false;
    if (!of_group && g->cg->team > 1 && !g->fl->shared[i->res[0]->id])
        return false;
    if (!(of_group && is_of_group(g, i)) && !is_invariant(g, i))
        return false;
    return i->nres != 1 || g->cg->width == 1 || g->fl->shape[i->res[0]->id].kind != SHAPE_VARYING;
}

static bool is_of_test(const struct cg_func *g, const struct kir_inst *i) {
    return g->test_only && i->nres == 1 && g->test_only[i->res[0]->id];
}

static void emit_invariants(struct cg_func *g, bool of_group, bool of_test) {
    struct cfg *cfg = g->fl->cfg;
    g->now.mask = NULL;
    for (uint32_t p = 0; p < cfg->nblocks; p++) {
        struct kir_block *b = cfg->order[p];
        for (struct kir_inst *i = b->first; i; i = i->next) {
            if (is_of_test(g, i) != of_test)
                continue;
            if (!i->nres || cg_val_of(g, i->res[0])->epoch == CG_PERMANENT ||
                (g->turn && cg_made_once(g, i->res[0])))
                continue;
            if (!belongs_to_head(g, i, of_group))
                continue;
            g->block = b;
            for (uint32_t r = 0; r < i->nres; r++)
                cg_val_of(g, i->res[r])->epoch = CG_PERMANENT;
            cg_emit_inst(g, i);
        }
    }
}

void cg_emit_invariants(struct cg_func *g, bool of_group) {
    emit_invariants(g, of_group, false);
}

bool cg_is_test_invariant(struct cg_func *g) {
    struct kir_inst *i = g->f->blocks.data[0]->first, *end;
    // As if what comes before had been emitted.
    for (; i && (!is_of_test(g, i) || belongs_to_head(g, i, false)); i = i->next)
        if (is_of_test(g, i))
            cg_val_of(g, i->res[0])->epoch = CG_PERMANENT;
    end = i;
    for (i = g->f->blocks.data[0]->first; i != end; i = i->next)
        if (is_of_test(g, i))
            cg_val_of(g, i->res[0])->epoch = 0;
    return !end;
}

void cg_emit_test_only(struct cg_func *g) {
    emit_invariants(g, false, true);
}

void cg_find_again(struct cg_func *g) {
    struct cfg *cfg = g->fl->cfg;
    g->again = arena_array(g->cg->arena, uint32_t, g->f->value_count + 1);
    for (uint32_t p = 0; p < cfg->nblocks; p++)
        for (struct kir_inst *i = cfg->order[p]->first; i; i = i->next)
            if (belongs_to_head(g, i, true) && i->nres == 1) {
                g->crosses[i->res[0]->id] = 1;
                vec_push(g->cg->arena, &g->made_again, i);
                g->again[i->res[0]->id] = g->made_again.len;
            }
    g->again_needed = arena_array(g->cg->arena, uint8_t, g->made_again.len + 1);
    g->again_list = arena_array(g->cg->arena, uint32_t, g->made_again.len + 1);
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
        cg_emit_inst(g, i);
    }
    g->block = here;
    g->now.mask = mask;
}
