// alloca, stacksave, stackrestore: the end of what each lane has allocated in its local memory is a
// vector beside the function's values. Threads may allocate different amounts.
#include "codegen/emit/cg_stack.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_fault.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/memory.h"

static LLVMTypeRef top_type(struct cg *c) {
    return cg_vec_of(c, c->i64);
}

bool cg_allocates(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_ALLOCA || i->op == ISA_OP_STACKSAVE || i->op == ISA_OP_STACKRESTORE)
                return true;
    return false;
}

void cg_begin_stack(struct cg_func *g) {
    struct cg *c = g->cg;
    if (!cg_allocates(g->f))
        return;
    g->top = cg_entry_alloca(g, top_type(c));
    LLVMValueRef own = LLVMBuildAdd(c->b, g->frame, cg_i64(c, g->f->frame_bytes), "");
    LLVMBuildStore(c->b, cg_splat(c, own), g->top);
}

static LLVMValueRef load_top(struct cg_func *g) {
    return LLVMBuildLoad2(g->cg->b, top_type(g->cg), g->top, "top");
}

static void store_top(struct cg_func *g, LLVMValueRef x) {
    struct cg *c = g->cg;
    if (g->now.mask && c->width > 1)
        x = cg_select(c, g->now.mask, x, load_top(g));
    LLVMBuildStore(c->b, x, g->top);
}

static LLVMValueRef round_up(struct cg *c, LLVMValueRef x, uint64_t to) {
    bool vec = LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind;
    LLVMValueRef add = cg_i64(c, to - 1), mask = cg_i64(c, ~(to - 1));
    x = LLVMBuildAdd(c->b, x, vec ? cg_splat(c, add) : add, "");
    return LLVMBuildAnd(c->b, x, vec ? cg_splat(c, mask) : mask, "");
}

LLVMValueRef cg_stack_end(struct cg_func *g) {
    struct cg *c = g->cg;
    if (!g->top)
        return LLVMBuildAdd(c->b, g->frame, cg_i64(c, (g->f->frame_bytes + 15) / 16 * 16), "");
    LLVMValueRef top = load_top(g);
    LLVMTypeRef t = top_type(c);
    if (c->width > 1)
        top = cg_call_intrinsic(c, "llvm.vector.reduce.umax", &t, 1, &top, 1);
    return round_up(c, top, 16);
}

static void emit_alloca(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    uint64_t align = 8;
    if (i->nops > 1 &&
        (!flow_const(i->ops[1], &align) || !align || (align & (align - 1)) || align > 4096))
        align = 8;
    LLVMValueRef size = cg_narrow(c, cg_vec(g, i->ops[0]), 64);
    LLVMValueRef limit = cg_splat(c, g->local_stride);
    LLVMValueRef at = round_up(c, load_top(g), align);
    LLVMValueRef large = LLVMBuildICmp(c->b, LLVMIntUGT, size, limit, "");
    LLVMValueRef past =
        LLVMBuildICmp(c->b, LLVMIntUGT, at, LLVMBuildSub(c->b, limit, size, ""), "");
    LLVMValueRef bad = LLVMBuildOr(c->b, large, past, "");
    if (g->now.mask)
        bad = cg_select(c, g->now.mask, bad, LLVMConstNull(cg_mask_type(c)));
    cg_fault_if(g, cg_any(g, bad), KD_FAULT_STACK_OVERFLOW);
    store_top(g, LLVMBuildAdd(c->b, at, size, ""));
    cg_set_result(g, i->res[0], cg_widen(c, at, ISA_U64, i->res[0]->type));
}

bool cg_emit_stack(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    switch (i->op) {
    case ISA_OP_ALLOCA:
        emit_alloca(g, i);
        return true;
    case ISA_OP_STACKSAVE:
        cg_set_result(g, i->res[0], cg_widen(c, load_top(g), ISA_U64, i->res[0]->type));
        return true;
    case ISA_OP_STACKRESTORE:
        store_top(g, cg_narrow(c, cg_vec(g, i->ops[0]), 64));
        return true;
    default:
        return false;
    }
}
