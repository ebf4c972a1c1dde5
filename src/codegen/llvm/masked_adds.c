#include "codegen/llvm/masked_adds.h"
#include "codegen/core/state.h"

enum { MOST_ELEMENTS = 64 }; // of two vectors of 32 lanes joined

// The mask that v widens; NULL: v is no widened mask. *minus: its lanes are 0 and -1.
static LLVMValueRef widened_mask(LLVMValueRef v, bool *minus) {
    if (!LLVMIsAZExtInst(v) && !LLVMIsASExtInst(v))
        return NULL;
    LLVMValueRef mask = LLVMGetOperand(v, 0);
    LLVMTypeRef t = LLVMTypeOf(mask);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind || LLVMGetIntTypeWidth(LLVMGetElementType(t)) != 1)
        return NULL;
    *minus = LLVMIsASExtInst(v) != NULL;
    return mask;
}

static LLVMValueRef ones_of(LLVMTypeRef vector, unsigned n) {
    LLVMValueRef e[MOST_ELEMENTS];
    for (unsigned k = 0; k < n; k++)
        e[k] = LLVMConstInt(LLVMGetElementType(vector), 1, false);
    return LLVMConstVector(e, n);
}

static void mask_add(struct cg *c, LLVMValueRef i) {
    bool is_sub = LLVMGetInstructionOpcode(i) == LLVMSub, minus = false;
    LLVMValueRef x = LLVMGetOperand(i, 0), mask = widened_mask(LLVMGetOperand(i, 1), &minus);
    if (!mask && !is_sub) {
        x = LLVMGetOperand(i, 1);
        mask = widened_mask(LLVMGetOperand(i, 0), &minus);
    }
    unsigned n = mask ? LLVMGetVectorSize(LLVMTypeOf(x)) : 0;
    if (n == 0 || n > MOST_ELEMENTS)
        return;
    LLVMPositionBuilderBefore(c->b, i);
    LLVMValueRef one = ones_of(LLVMTypeOf(x), n);
    LLVMValueRef y =
        is_sub != minus ? LLVMBuildSub(c->b, x, one, "") : LLVMBuildAdd(c->b, x, one, "");
    LLVMReplaceAllUsesWith(i, LLVMBuildSelect(c->b, mask, y, x, ""));
    LLVMInstructionEraseFromParent(i);
}

void cg_mask_adds(struct cg *c) {
    for (LLVMValueRef f = LLVMGetFirstFunction(c->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                LLVMOpcode op = LLVMGetInstructionOpcode(i);
                if (op == LLVMAdd || op == LLVMSub)
                    mask_add(c, i);
            }
}
