// Homes: memory that the sums of matrix products stay in. A kernel has far more of them than there
// are registers, and each lives through a loop in which a product takes its place: c of the product
// and d are one thing, and so is the phi between them. What is connected like that, with never two
// of it alive, has one place in memory; LLVM, which sees values only, would copy them from one
// place on the stack to the next. Where groups stop at barriers the place is among what is saved
// there, and nothing has to be saved.
#include "codegen/cg_web.h"
#include "isa/matrix.h"

struct cg_homes {
    struct cg_webs w;     // of what is made by a product, and phis of such
    LLVMValueRef *memory; // by value id: in the frame
    uint32_t *offset;     // by value id: where groups are saved; 0: not there
};

static bool is_sum(const struct kir_inst *i) {
    return i->op == ISA_OP_MMA || i->op == ISA_OP_WMMA_MMA || i->op == ISA_OP_WGMMA_MMA;
}

// The operand that result k takes the place of; NULL: it is of another type.
static struct kir_value *replaced(const struct kir_inst *i, uint32_t k) {
    struct isa_matrix x = isa_matrix_of((enum isa_op)i->op, &i->mods);
    if (x.type[ISA_FRAG_C] != x.type[ISA_FRAG_D])
        return NULL;
    if (i->op == ISA_OP_WGMMA_MMA)
        return i->ops[k];
    return i->ops[isa_fragment_of(&x, ISA_FRAG_A).registers +
                  isa_fragment_of(&x, ISA_FRAG_B).registers + k];
}

static bool join_phi(struct cg_homes *h, const struct kir_inst *i) {
    bool any = h->w.member[i->res[0]->id], changed = false;
    for (uint32_t k = 0; k < i->nops; k++)
        any |= i->ops[k]->kind == KIR_VALUE_INST && h->w.member[i->ops[k]->id];
    if (!any)
        return false;
    changed = !h->w.member[i->res[0]->id];
    h->w.member[i->res[0]->id] = 1;
    for (uint32_t k = 0; k < i->nops; k++) {
        const struct kir_value *v = i->ops[k];
        if (v->kind != KIR_VALUE_INST || (v->def->op != ISA_OP_PHI && !is_sum(v->def)))
            continue;
        changed |= !h->w.member[v->id];
        h->w.member[v->id] = 1;
        changed |= cg_join_webs(&h->w, i->res[0], v);
    }
    return changed;
}

// Products first, then phis until nothing changes.
static bool connect(struct cg_func *g, struct cg_homes *h) {
    bool any = false;
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres && is_sum(i); k++) {
                struct kir_value *c = replaced(i, k);
                h->w.member[i->res[k]->id] = 1;
                any = true;
                if (c && c->kind == KIR_VALUE_INST &&
                    (c->def->op == ISA_OP_PHI || is_sum(c->def))) {
                    h->w.member[c->id] = 1;
                    cg_join_webs(&h->w, i->res[k], c);
                }
            }
    for (bool changed = any; changed;) {
        changed = false;
        for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
            for (struct kir_inst *i = g->fl->cfg->order[p]->first; i && i->op == ISA_OP_PHI;
                 i = i->next)
                changed |= join_phi(h, i);
    }
    return any;
}

// ---- the choice ---------------------------------------------------------------------------

static bool all_full(const struct cg_func *g, const struct kir_inst *i) {
    bool full = g->fl->full[i->block->id];
    for (uint32_t p = 0; i->op == ISA_OP_PHI && p < i->block->preds.len; p++)
        full &= g->fl->full[i->block->preds.data[p]->id];
    return full;
}

static void refuse(struct cg_func *g, struct cg_homes *h) {
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++) {
                uint32_t v = i->res[k]->id;
                if (h->w.member[v] && (g->fl->shape[v].kind != SHAPE_VARYING ||
                                       g->fl->live_out[v] || !all_full(g, i)))
                    h->w.bad[cg_web_of(&h->w, v)] = 1;
            }
}

static LLVMTypeRef home_type(struct cg *c, const struct kir_value *v) {
    return cg_vec_of(c, kir_type_bits(v->type) == 64 ? c->i64 : c->i32);
}

static void give(struct cg_func *g, struct cg_homes *h, const struct kir_value *v, bool saved) {
    uint32_t all = cg_web_of(&h->w, v->id);
    if (!h->w.member[v->id] || h->w.bad[all] || h->offset[all] || h->memory[all])
        return;
    if (saved) {
        h->offset[all] = g->homes_end;
        g->homes_end += kir_type_bits(v->type) / 8 * g->cg->width;
    } else {
        h->memory[all] = LLVMBuildAlloca(g->cg->b, home_type(g->cg, v), "home");
        LLVMSetAlignment(h->memory[all], 64);
    }
}

void cg_find_homes(struct cg_func *g, bool saved) {
    struct arena *a = g->cg->arena;
    uint32_t n = g->f->value_count + 1;
    if (g->cg->width != ISA_LANES || g->cg->team != 1)
        return;
    struct cg_homes *h = arena_new(a, struct cg_homes);
    cg_begin_webs(g, &h->w);
    if (!connect(g, h))
        return;
    h->memory = arena_array(a, LLVMValueRef, n);
    h->offset = arena_array(a, uint32_t, n);
    cg_check_webs(g, &h->w);
    refuse(g, h);
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nres; k++)
                give(g, h, i->res[k], saved);
    g->homes = h;
}

bool cg_has_home(struct cg_func *g, const struct kir_value *v) {
    struct cg_homes *h = g->homes;
    return h && v->kind == KIR_VALUE_INST && h->w.member[v->id] &&
           !h->w.bad[cg_web_of(&h->w, v->id)];
}

bool cg_same_home(struct cg_func *g, const struct kir_value *x, const struct kir_value *y) {
    return cg_has_home(g, x) && cg_has_home(g, y) &&
           cg_web_of(&g->homes->w, x->id) == cg_web_of(&g->homes->w, y->id);
}

static LLVMValueRef home_of(struct cg_func *g, const struct kir_value *v) {
    struct cg *c = g->cg;
    uint32_t all = cg_web_of(&g->homes->w, v->id);
    LLVMValueRef at = cg_i64(c, g->homes->offset[all]);
    if (g->homes->memory[all])
        return g->homes->memory[all];
    return LLVMBuildInBoundsGEP2(c->b, c->i8, g->now.spill, &at, 1, "");
}

// Volatile, or LLVM keeps a copy of what it knows to be there.
LLVMValueRef cg_load_home(struct cg_func *g, const struct kir_value *v) {
    LLVMValueRef x = LLVMBuildLoad2(g->cg->b, cg_vec_type(g->cg, v->type), home_of(g, v), "");
    LLVMSetAlignment(x, 64);
    LLVMSetVolatile(x, 1);
    return x;
}

void cg_store_home(struct cg_func *g, const struct kir_value *v, LLVMValueRef x) {
    LLVMValueRef s = LLVMBuildStore(g->cg->b, x, home_of(g, v));
    LLVMSetAlignment(s, 64);
    LLVMSetVolatile(s, 1);
}
