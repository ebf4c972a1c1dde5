// Operations on memory that can be put off: their kinds, their arrays, and what is kept for them.
#include "codegen/update/cg_red_site.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/update/cg_reds.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/memory.h"

bool cg_is_relaxed_red(const struct kir_inst *i) {
    return (i->op == ISA_OP_RED || i->op == ISA_OP_ATOM) && i->mods.scope != ISA_SCOPE_SYS &&
           (i->mods.sem == ISA_SEM_WEAK || i->mods.sem == ISA_SEM_RELAXED);
}

static bool is_integer(unsigned ty) {
    unsigned bits = isa_type_bits(ty);
    return (bits == 32 || bits == 64) && !isa_type_is_float(ty) && ty != ISA_F16X2 &&
           ty != ISA_BF16X2;
}

bool cg_is_red(const struct kir_inst *i, const uint8_t *read) {
    if (!cg_is_relaxed_red(i) || i->mods.vec || !is_integer(i->ty) ||
        (i->nres && read[i->res[0]->id]) ||
        (i->mods.space != ISA_SPACE_GLOBAL && i->mods.space != ISA_SPACE_GENERIC))
        return false;
    switch (i->mods.atom) {
    case ISA_ATOM_ADD:
    case ISA_ATOM_AND:
    case ISA_ATOM_OR:
    case ISA_ATOM_XOR:
    case ISA_ATOM_MIN:
    case ISA_ATOM_MAX:
        return true;
    default:
        return false;
    }
}

struct cg_red_kind cg_red_kind_of(const struct kir_inst *i) {
    bool s = isa_type_is_signed(i->ty);
    struct cg_red_kind k = {.bytes = isa_type_bits(i->ty) / 8};
    switch (i->mods.atom) {
    case ISA_ATOM_AND:
        k.op = KD_AND;
        break;
    case ISA_ATOM_OR:
        k.op = KD_OR;
        break;
    case ISA_ATOM_XOR:
        k.op = KD_XOR;
        break;
    case ISA_ATOM_MIN:
        k.op = s ? KD_MIN : KD_UMIN;
        break;
    case ISA_ATOM_MAX:
        k.op = s ? KD_MAX : KD_UMAX;
        break;
    default:
        k.op = KD_ADD;
        break;
    }
    return k;
}

bool cg_is_kind(const struct cg_red_kind *x, const struct cg_red_kind *y) {
    return x->op == y->op && x->bytes == y->bytes;
}

const struct kir_value *cg_behind_conversions(const struct kir_value *v) {
    while (v->kind == KIR_VALUE_INST && v->def->op == ISA_OP_CVTA)
        v = v->def->ops[0];
    return v;
}

bool cg_is_of_run(const struct cg_func *g, const struct kir_value *v) {
    v = cg_behind_conversions(v);
    if (v->kind != KIR_VALUE_INST)
        return false;
    if (v->def->op == ISA_OP_LD)
        return v->def->mods.space == ISA_SPACE_PARAM && g->f->is_kernel &&
               v->def->ops[0]->kind == KIR_VALUE_INST && v->def->ops[0]->def->op == ISA_OP_SYMADDR;
    return v->def->op == ISA_OP_SYMADDR && v->def->sym->space == ISA_SPACE_GLOBAL;
}

const struct kir_value *cg_red_base(const struct flow *fl, const struct kir_inst *i) {
    const struct kir_value *v = i->ops[0];
    if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_ADD)
        return NULL;
    const struct kir_value *x = v->def->ops[0], *y = v->def->ops[1];
    bool first = fl->shape[x->id].kind == SHAPE_UNIFORM;
    if (first == (fl->shape[y->id].kind == SHAPE_UNIFORM))
        return NULL;
    return cg_behind_conversions(first ? x : y);
}

const struct cg_red_site *cg_red_site(const struct cg_func *g, const struct kir_inst *i) {
    for (unsigned n = 0; g->reds && n < g->reds->nsites; n++)
        if (g->reds->sites[n].i == i)
            return &g->reds->sites[n];
    return NULL;
}

bool cg_is_put_off(const struct cg_func *g, const struct kir_inst *i, bool together) {
    const struct cg_red_site *s = cg_red_site(g, i);
    return s && (together ? s->cell != NULL : s->window != NULL);
}

LLVMValueRef cg_touches(struct cg_func *g, LLVMValueRef start, LLVMValueRef size, LLVMValueRef p,
                        uint64_t bytes) {
    struct cg *c = g->cg;
    bool vec = LLVMGetTypeKind(LLVMTypeOf(p)) == LLVMVectorTypeKind;
    LLVMValueRef more = cg_i64(c, bytes - 1), from = LLVMBuildSub(c->b, start, more, "");
    size = LLVMBuildAdd(c->b, size, more, "");
    p = LLVMBuildSub(c->b, p, vec ? cg_splat(c, from) : from, "");
    LLVMValueRef hit = LLVMBuildICmp(c->b, LLVMIntULT, p, vec ? cg_splat(c, size) : size, "");
    return vec ? cg_any(g, hit) : hit;
}
