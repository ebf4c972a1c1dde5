// Masked accesses that the target has no instruction for become a branch a lane when LLVM lowers
// them. Hundreds of those in one function are tens of thousands of blocks, for which LLVM's later
// passes need minutes. Where there are many, each sort gets a function of its own that all share;
// where there are few they stay where they are, which is faster to run.
#include "codegen/llvm/outline.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/state.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { MANY_LANES = 2048 };

// One masked intrinsic at one type.
struct sort {
    LLVMValueRef intrinsic;
    LLVMTypeRef vector;
    bool is_store, is_contiguous;
    unsigned align_arg; // which argument is the alignment,
    unsigned nargs;     // if there are 4: LLVM 22 has an attribute instead
};

static bool starts_with(const char *text, const char *prefix) {
    return !strncmp(text, prefix, strlen(prefix));
}

static bool sort_of(LLVMValueRef f, struct sort *s) {
    size_t len;
    const char *name = LLVMGetValueName2(f, &len);
    LLVMTypeRef type = LLVMGlobalGetValueType(f), params[4];
    bool gather = starts_with(name, "llvm.masked.gather.");
    bool scatter = starts_with(name, "llvm.masked.scatter.");
    bool load = starts_with(name, "llvm.masked.load.");
    bool store = starts_with(name, "llvm.masked.store.");
    if (!gather && !scatter && !load && !store)
        return false;
    LLVMGetParamTypes(type, params);
    *s = (struct sort){.intrinsic = f,
                       .is_store = scatter || store,
                       .is_contiguous = load || store,
                       .align_arg = scatter || store ? 2 : 1,
                       .nargs = LLVMCountParamTypes(type)};
    s->vector = s->is_store ? params[0] : LLVMGetReturnType(type);
    return true;
}

static unsigned element_bits(LLVMTypeRef vector) {
    LLVMTypeRef e = LLVMGetElementType(vector);
    switch (LLVMGetTypeKind(e)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(e);
    case LLVMFloatTypeKind:
        return 32;
    default:
        return 64; // double, pointer
    }
}

static bool has_instruction(const struct sort *s, const struct machine *m) {
    unsigned bits = element_bits(s->vector);
    if (m->masked_stores)
        return s->is_contiguous ? bits <= 64 : bits == 32 || bits == 64;
    return m->masked_loads && (bits == 32 || bits == 64) && (s->is_contiguous || !s->is_store);
}

// The next use of the intrinsic whose mask is not known: a known one needs no branches.
static LLVMUseRef masked_use(const struct sort *s, LLVMUseRef u) {
    unsigned mask = s->align_arg + (s->nargs == 4);
    while (u && LLVMIsConstant(LLVMGetOperand(LLVMGetUser(u), mask)))
        u = LLVMGetNextUse(u);
    return u;
}

static unsigned count_lanes(const struct sort *s) {
    unsigned lanes = 0;
    for (LLVMUseRef u = masked_use(s, LLVMGetFirstUse(s->intrinsic)); u;
         u = masked_use(s, LLVMGetNextUse(u)))
        lanes += LLVMGetVectorSize(s->vector);
    return lanes;
}

// The intrinsic's arguments without the alignment, which is a constant.
static void without_align(const struct sort *s, LLVMValueRef *args) {
    for (unsigned k = s->align_arg; k + 1 < s->nargs; k++)
        args[k] = args[k + (s->nargs == 4)];
}

static LLVMValueRef make_helper(struct cg *c, const struct sort *s) {
    LLVMTypeRef type = LLVMGlobalGetValueType(s->intrinsic), params[4];
    LLVMGetParamTypes(type, params);
    for (unsigned k = s->align_arg; k + 1 < s->nargs; k++)
        params[k] = params[k + (s->nargs == 4)];
    LLVMTypeRef helper_type = LLVMFunctionType(LLVMGetReturnType(type), params, 3, false);
    LLVMValueRef f = LLVMAddFunction(c->mod, "masked", helper_type), args[4];
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(c->b, LLVMAppendBasicBlockInContext(c->ctx, f, ""));
    for (unsigned k = 0, from = 0; k < s->nargs; k++)
        args[k] = s->nargs == 4 && k == s->align_arg ? cg_i32(c, 1) : LLVMGetParam(f, from++);
    LLVMValueRef v = LLVMBuildCall2(c->b, type, s->intrinsic, args, s->nargs, "");
    if (s->is_store)
        LLVMBuildRetVoid(c->b);
    else
        LLVMBuildRet(c->b, v);
    return f;
}

static void replace(struct cg *c, const struct sort *s, LLVMValueRef helper, LLVMValueRef call) {
    LLVMValueRef args[4];
    for (unsigned k = 0; k < s->nargs; k++)
        args[k] = LLVMGetOperand(call, k);
    without_align(s, args);
    LLVMPositionBuilderBefore(c->b, call);
    LLVMValueRef v = LLVMBuildCall2(c->b, LLVMGlobalGetValueType(helper), helper, args, 3, "");
    LLVMInstructionSetDebugLoc(v, LLVMInstructionGetDebugLoc(call));
    if (!s->is_store)
        LLVMReplaceAllUsesWith(call, v);
    LLVMInstructionEraseFromParent(call);
}

static void outline(struct cg *c, const struct sort *s) {
    LLVMValueRef helper = NULL;
    for (LLVMUseRef u = masked_use(s, LLVMGetFirstUse(s->intrinsic)), next; u; u = next) {
        LLVMValueRef call = LLVMGetUser(u);
        next = masked_use(s, LLVMGetNextUse(u));
        if (!helper)
            helper = make_helper(c, s);
        replace(c, s, helper, call);
    }
}

void cg_outline_masked(struct cg *c) {
    struct sort s;
    unsigned lanes = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        if (sort_of(f, &s) && !has_instruction(&s, &c->target))
            lanes += count_lanes(&s);
    if (lanes < MANY_LANES)
        return;
    LLVMSetCurrentDebugLocation2(c->b, NULL);
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        if (sort_of(f, &s) && !has_instruction(&s, &c->target))
            outline(c, &s);
}
