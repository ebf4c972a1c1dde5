// Hardware's f32 arithmetic returns one NaN, 0x7fffffff; x86's returns others. In float
// registers any NaN stands for that one, and is made canonical only where its bits can be
// seen. Values that are copies of each other (phi, selp, mov, shfl) form a class: when a class
// also holds NaNs whose bits must be kept (loaded ones), arithmetic results in it are made
// canonical where they are computed; else where they are seen.
#include "codegen/value/cg_nan.h"
#include "codegen/core/state.h"
#include "isa/matrix.h"
#include "isa/ops/arith.h"
#include "isa/ops/floats.h"
#include "isa/ops/matrix.h"
#include "isa/ops/move.h"
#include "isa/ops/select.h"
#include "isa/ops/warp.h"

LLVMValueRef cg_canonical(struct cg *c, LLVMValueRef x) {
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef nan = LLVMConstBitCast(LLVMConstInt(c->i32, 0x7fffffff, 0), c->f32);
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind) {
        LLVMValueRef e[32];
        for (unsigned k = 0; k < LLVMGetVectorSize(t); k++)
            e[k] = nan;
        nan = LLVMConstVector(e, LLVMGetVectorSize(t));
    }
    LLVMValueRef is = LLVMBuildFCmp(c->b, LLVMRealUNO, x, x, "");
    return LLVMBuildSelect(c->b, is, nan, x, "");
}

static bool copies(const struct kir_inst *i, uint32_t operand) {
    if (operand >= i->nops || i->ops[operand]->type != KIR_F32)
        return false;
    switch (i->op) {
    case ISA_OP_PHI:
    case ISA_OP_MOV:
    case ISA_OP_GROUP_LANE:
        return i->res[0]->type == KIR_F32;
    case ISA_OP_SELP:
        return operand < 2 && i->res[0]->type == KIR_F32;
    case ISA_OP_SHFL:
        return operand == 0 && i->res[0]->type == KIR_F32;
    default:
        return false;
    }
}

static bool arithmetic(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_MUL:
    case ISA_OP_FMA:
    case ISA_OP_MAD:
    case ISA_OP_DIV:
    case ISA_OP_MIN:
    case ISA_OP_MAX:
    case ISA_OP_SQRT:
    case ISA_OP_RSQRT:
    case ISA_OP_RCP:
    case ISA_OP_SIN:
    case ISA_OP_COS:
    case ISA_OP_EX2:
    case ISA_OP_LG2:
    case ISA_OP_TANH:
    case ISA_OP_ABS:
    case ISA_OP_NEG:
    case ISA_OP_CVT:
        return true;
    default:
        return false;
    }
}

static bool is_product(const struct kir_inst *i) {
    return i->op == ISA_OP_MMA || i->op == ISA_OP_WMMA_MMA || i->op == ISA_OP_WGMMA_MMA;
}

// c of a product in f32, and tf32 factors, whose low bits do not count.
static bool product_by_value(const struct kir_inst *i, uint32_t k) {
    struct isa_matrix x = isa_matrix_of((isa_op)i->op, &i->mods);
    if (i->op == ISA_OP_WGMMA_MMA) {
        uint32_t d = isa_fragment_of(&x, ISA_FRAG_D).registers;
        return x.type[k < d ? ISA_FRAG_D : ISA_FRAG_A] == (k < d ? ISA_MAT_F32 : ISA_MAT_TF32);
    }
    uint32_t a = isa_fragment_of(&x, ISA_FRAG_A).registers;
    uint32_t c = a + isa_fragment_of(&x, ISA_FRAG_B).registers;
    if (k >= c + isa_fragment_of(&x, ISA_FRAG_C).registers) // metadata, scales
        return false;
    enum isa_frag frag = k < a ? ISA_FRAG_A : k < c ? ISA_FRAG_B : ISA_FRAG_C;
    return x.type[frag] == ISA_MAT_F32 || x.type[frag] == ISA_MAT_TF32;
}

// Does instruction i look at no more of operand k than its value, or that it is a NaN?
static bool by_value(const struct kir_inst *i, uint32_t k) {
    bool float_op = i->ty == ISA_F32 && !i->mods.xorsign_abs;
    switch (i->op) {
    case ISA_OP_SETP:
    case ISA_OP_TESTP:
        return i->ty == ISA_F32;
    case ISA_OP_SET:
        return i->ty2 == ISA_F32;
    case ISA_OP_CVT:
        if (i->mods.rnd == ISA_RND_RS && k + 1 == i->nops) // random bits
            return false;
        return i->ty2 == ISA_F32 && i->ty != ISA_F64 && !pw_keeps_nan(i) &&
               (i->ty != ISA_TF32 || i->mods.rnd != ISA_RND_RNA);
    case ISA_OP_COPYSIGN:
        return false;
    case ISA_OP_MMA:
    case ISA_OP_WMMA_MMA:
    case ISA_OP_WGMMA_MMA:
        return product_by_value(i, k);
    default:
        return float_op && arithmetic(i);
    }
}

static uint32_t find(uint32_t *up, uint32_t x) {
    while (up[x] != x)
        x = up[x] = up[up[x]];
    return x;
}

enum { HAS_CLEAN = 1, HAS_DIRTY = 2 };

static uint8_t source_of(const struct kir_value *v) {
    if (v->kind == KIR_VALUE_CONST) {
        uint32_t b = v->bits.u32[0];
        bool nan = (b & 0x7fffffff) > 0x7f800000;
        return nan && b != 0x7fffffff ? HAS_CLEAN : 0;
    }
    if (v->kind != KIR_VALUE_INST)
        return 0;
    if (v->def->op == ISA_OP_PHI || copies(v->def, 0))
        return 0;
    if (is_product(v->def))
        return HAS_DIRTY;
    return arithmetic(v->def) && !pw_keeps_nan(v->def) ? HAS_DIRTY : HAS_CLEAN;
}

// A phi or select of floats may have an integer operand (a register used as both): its bits are
// kept like those of a loaded float.
static uint8_t integer_operands(const struct kir_inst *i) {
    uint8_t flags = 0;
    if (i->op != ISA_OP_PHI && i->op != ISA_OP_SELP)
        return 0;
    for (uint32_t k = 0; k < i->nops; k++) {
        const struct kir_value *v = i->ops[k];
        if (v->type == KIR_B32)
            flags |= v->kind == KIR_VALUE_INST ? HAS_CLEAN : source_of(v);
    }
    return flags;
}

void cg_find_nans(struct cg_func *g) {
    uint32_t n = g->f->value_count;
    uint32_t *up = arena_array(g->cg->arena, uint32_t, n + 1);
    uint8_t *flags = arena_array(g->cg->arena, uint8_t, n + 1);
    struct cfg *c = g->fl->cfg;
    for (uint32_t k = 0; k < n; k++)
        up[k] = k;
    g->bits_seen = arena_array(g->cg->arena, uint8_t, n + 1);
    for (uint32_t p = 0; p < c->nblocks; p++)
        for (struct kir_inst *i = c->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                if (copies(i, k))
                    up[find(up, i->ops[k]->id)] = find(up, i->res[0]->id);
    for (uint32_t p = 0; p < c->nblocks; p++) {
        for (struct kir_inst *i = c->order[p]->first; i; i = i->next) {
            for (uint32_t k = 0; k < i->nops; k++)
                if (!by_value(i, k))
                    g->bits_seen[i->ops[k]->id] = 1;
            for (uint32_t k = 0; k < i->nops; k++)
                if (i->ops[k]->type == KIR_F32)
                    flags[find(up, i->ops[k]->id)] |= source_of(i->ops[k]);
            for (uint32_t k = 0; k < i->nres; k++)
                if (i->res[k]->type == KIR_F32)
                    flags[find(up, i->res[k]->id)] |= source_of(i->res[k]) | integer_operands(i);
        }
    }
    for (uint32_t p = 0; p < c->nblocks; p++) {
        for (struct kir_inst *i = c->order[p]->first; i; i = i->next) {
            for (uint32_t k = 0; k < i->nres; k++) {
                struct kir_value *v = i->res[k];
                if (v->type != KIR_F32)
                    continue;
                uint8_t f = flags[find(up, v->id)];
                if (f == (HAS_CLEAN | HAS_DIRTY))
                    g->nan[v->id] = source_of(v) == HAS_DIRTY ? CG_NAN_AT_DEF : CG_NAN_CLEAN;
                else
                    g->nan[v->id] = f & HAS_DIRTY ? CG_NAN_AT_USE : CG_NAN_CLEAN;
            }
        }
    }
}

// Canonical operands where an instruction sees bits: called on each operand before use.
bool cg_wants_canonical(const struct cg_func *g, const struct kir_inst *i, uint32_t k) {
    const struct kir_value *v = i->ops[k];
    return v->type == KIR_F32 && v->kind == KIR_VALUE_INST && g->nan[v->id] == CG_NAN_AT_USE &&
           !copies(i, k) && !by_value(i, k);
}

LLVMValueRef cg_operand_bits(struct cg_func *g, const struct kir_inst *i, uint32_t k,
                             LLVMValueRef x) {
    return cg_wants_canonical(g, i, k) ? cg_canonical(g->cg, x) : x;
}
