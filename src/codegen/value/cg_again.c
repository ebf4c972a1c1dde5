// Which values do not depend on the thread: those that are the same for all groups, and those that
// follow from a group's index.
#include "codegen/value/cg_again.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_align.h"
#include "codegen/value/cg_known.h"
#include "isa/ops/move.h"

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
    if (i->op == ISA_OP_GROUP_FEW || i->op == ISA_OP_GROUP_LOWEST || i->op == ISA_OP_GROUP_LANE)
        return false;
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
bool cg_belongs_to_head(struct cg_func *g, const struct kir_inst *i, bool of_group) {
    if (!i->nres || is_permanent(g, i->res[0]))
        return false;
    if (!of_group && g->cg->team > 1 && !g->fl->shared[i->res[0]->id])
        return false;
    if (!(of_group && is_of_group(g, i)) && !is_invariant(g, i))
        return false;
    return i->nres != 1 || g->cg->width == 1 || g->fl->shape[i->res[0]->id].kind != SHAPE_VARYING;
}

bool cg_is_of_test(const struct cg_func *g, const struct kir_inst *i) {
    return g->test_only && i->nres == 1 && g->test_only[i->res[0]->id];
}

bool cg_is_test_invariant(struct cg_func *g) {
    struct kir_inst *i = g->f->blocks.data[0]->first, *end;
    // As if what comes before had been emitted.
    for (; i && (!cg_is_of_test(g, i) || cg_belongs_to_head(g, i, false)); i = i->next)
        if (cg_is_of_test(g, i))
            cg_val_of(g, i->res[0])->epoch = CG_PERMANENT;
    end = i;
    for (i = g->f->blocks.data[0]->first; i != end; i = i->next)
        if (cg_is_of_test(g, i))
            cg_val_of(g, i->res[0])->epoch = 0;
    return !end;
}

void cg_find_again(struct cg_func *g) {
    struct cfg *cfg = g->fl->cfg;
    g->again = arena_array(g->cg->arena, uint32_t, g->f->value_count + 1);
    for (uint32_t p = 0; p < cfg->nblocks; p++)
        for (struct kir_inst *i = cfg->order[p]->first; i; i = i->next)
            if (cg_belongs_to_head(g, i, true) && i->nres == 1) {
                g->crosses[i->res[0]->id] = 1;
                vec_push(g->cg->arena, &g->made_again, i);
                g->again[i->res[0]->id] = g->made_again.len;
            }
    g->again_needed = arena_array(g->cg->arena, uint8_t, g->made_again.len + 1);
    g->again_list = arena_array(g->cg->arena, uint32_t, g->made_again.len + 1);
}
