// Misaligned accesses end the launch, as on hardware; the machine itself would carry them out.
// Most addresses are proven aligned (passes/analysis/alignment.c). For the others the low bits are
// tested: of one scalar where the shape allows it, which leaves the loops that it does not depend
// on; else of all lanes together. Which lane it was is found out in the cold path alone.
#include "codegen/value/cg_align.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_fault.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"

#include <string.h>

#include "passes/analysis/alignment.h"

void cg_find_alignment(struct cg_func *g) {
    struct cg *c = g->cg;
    struct aligned_param *params = NULL;
    uint32_t n = 0;
    if (g->f->is_kernel && (c->spec.flags & KD_SPEC_ALIGNED_PARAMS))
        n = alignment_wanted(c->arena, g->f, &params);
    g->zeros = alignment_find(c->arena, g->f, params, n);
}

bool cg_is_aligned(struct cg_func *g, const struct kir_inst *i) {
    return alignment_proven(g->zeros, i);
}

static LLVMValueRef low_bits(struct cg *c, LLVMValueRef x, unsigned align) {
    LLVMTypeRef t = LLVMTypeOf(x);
    bool vec = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    LLVMValueRef m = LLVMConstInt(vec ? LLVMGetElementType(t) : t, align - 1, 0);
    return LLVMBuildAnd(c->b, x, vec ? cg_splat(c, m) : m, "");
}

static LLVMValueRef add_offset(struct cg *c, LLVMValueRef x, int64_t offset) {
    LLVMTypeRef t = LLVMTypeOf(x);
    bool vec = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    LLVMValueRef o = LLVMConstInt(vec ? LLVMGetElementType(t) : t, (unsigned long long)offset, 1);
    return offset ? LLVMBuildAdd(c->b, x, vec ? cg_splat(c, o) : o, "") : x;
}

static bool multiples(const struct cg *c, const struct shape *s, unsigned align) {
    for (unsigned k = 0; k < c->width && s->kind == SHAPE_OFFSETS; k++)
        if (s->offs[k] % (int64_t)align)
            return false;
    return s->kind != SHAPE_VARYING;
}

// The part of the address that alone decides, as a scalar: the address itself, the base of its
// offsets, or the uniform term of a sum whose other term is proven. NULL: there is none.
static LLVMValueRef deciding_scalar(struct cg_func *g, struct kir_inst *i, unsigned align) {
    struct cg *c = g->cg;
    struct kir_value *v = i->ops[0];
    struct shape s = cg_shape(g, v);
    if (c->width == 1 || multiples(c, &s, align))
        return cg_scalar(g, v);
    if (v->kind != KIR_VALUE_INST || v->def->block != g->block || v->def->op != ISA_OP_ADD)
        return NULL;
    for (int k = 0; k < 2; k++) {
        struct kir_value *u = v->def->ops[k], *x = v->def->ops[1 - k];
        if (u->type == v->type && cg_shape(g, u).kind == SHAPE_UNIFORM && cg_at_hand(g, u) &&
            1ULL << (alignment_zeros(g->zeros, x) & 63) >= align)
            return cg_scalar(g, u);
    }
    return NULL;
}

// In the cold path: faults for the first lane of `bad`.
static void fault_first(struct cg_func *g, const struct kir_inst *i, LLVMValueRef bad,
                        LLVMValueRef addresses) {
    struct cg *c = g->cg;
    LLVMValueRef lane = cg_i32(c, 0);
    if (c->width > 1) {
        LLVMValueRef bits = cg_narrow(c, cg_mask_bits(g, bad), 32);
        LLVMValueRef a[2] = {bits, LLVMConstInt(c->i1, 0, 0)};
        lane = cg_call_intrinsic(c, "llvm.cttz", &c->i32, 1, a, 2);
    }
    LLVMValueRef address = cg_narrow(c, cg_extract(g, addresses, lane), 64);
    cg_fault_at(g, i, LLVMBuildAdd(c->b, g->now.t0, lane, ""), KD_FAULT_MISALIGNED, address);
    LLVMBuildUnreachable(c->b);
}

static void branch(struct cg_func *g, LLVMValueRef bad, LLVMBasicBlockRef *cold,
                   LLVMBasicBlockRef *on) {
    *cold = cg_new_block(g, "misaligned");
    *on = cg_new_block(g, "aligned");
    LLVMBuildCondBr(g->cg->b, bad, *cold, *on);
    LLVMPositionBuilderAtEnd(g->cg->b, *cold);
}

void cg_check_alignment(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    unsigned align = alignment_needed(i);
    if (cg_is_aligned(g, i))
        return;
    LLVMBasicBlockRef cold, on;
    LLVMValueRef scalar = deciding_scalar(g, i, align);
    LLVMValueRef addresses = add_offset(c, cg_vec(g, i->ops[0]), i->offset);
    if (scalar) {
        LLVMValueRef low = low_bits(c, add_offset(c, scalar, i->offset), align);
        LLVMValueRef bad = LLVMBuildICmp(c->b, LLVMIntNE, low, LLVMConstNull(LLVMTypeOf(low)), "");
        // A group without an active lane may have no address at all.
        if (g->may_be_empty && g->now.mask)
            bad = LLVMBuildSelect(c->b, cg_any(g, g->now.mask), bad, LLVMConstNull(c->i1), "");
        branch(g, bad, &cold, &on);
        fault_first(g, i, cg_mask(g), addresses);
    } else {
        LLVMValueRef low = low_bits(c, addresses, align);
        LLVMTypeRef t = LLVMTypeOf(low);
        if (g->now.mask)
            low = cg_select(c, g->now.mask, low, LLVMConstNull(t));
        LLVMValueRef any = cg_call_intrinsic(c, "llvm.vector.reduce.or", &t, 1, &low, 1);
        branch(g, LLVMBuildICmp(c->b, LLVMIntNE, any, LLVMConstNull(LLVMTypeOf(any)), ""), &cold,
               &on);
        LLVMValueRef bad = LLVMBuildICmp(c->b, LLVMIntNE, low, LLVMConstNull(t), "");
        fault_first(g, i, bad, addresses);
    }
    LLVMPositionBuilderAtEnd(c->b, on);
}
