#include "codegen/llvm/inverse_tests.h"

#include <stddef.h>

static LLVMIntPredicate inverse_of_int(LLVMIntPredicate p) {
    switch (p) {
    case LLVMIntEQ:
        return LLVMIntNE;
    case LLVMIntNE:
        return LLVMIntEQ;
    case LLVMIntUGT:
        return LLVMIntULE;
    case LLVMIntUGE:
        return LLVMIntULT;
    case LLVMIntULT:
        return LLVMIntUGE;
    case LLVMIntULE:
        return LLVMIntUGT;
    case LLVMIntSGT:
        return LLVMIntSLE;
    case LLVMIntSGE:
        return LLVMIntSLT;
    case LLVMIntSLT:
        return LLVMIntSGE;
    case LLVMIntSLE:
        return LLVMIntSGT;
    }
    return p;
}

// Predicates of floats are sets of outcomes (less, greater, equal, unordered), a bit each.
static LLVMRealPredicate inverse_of_real(LLVMRealPredicate p) {
    return (LLVMRealPredicate)(LLVMRealPredicateTrue - p);
}

// What `i` negates, where that is a comparison of vectors; NULL: it does something else.
static LLVMValueRef negated(LLVMValueRef i) {
    LLVMTypeRef t = LLVMTypeOf(i);
    if (LLVMGetInstructionOpcode(i) != LLVMXor || LLVMGetTypeKind(t) != LLVMVectorTypeKind ||
        LLVMGetElementType(t) != LLVMInt1TypeInContext(LLVMGetTypeContext(t)) ||
        LLVMGetOperand(i, 1) != LLVMConstAllOnes(t))
        return NULL;
    LLVMValueRef test = LLVMGetOperand(i, 0);
    return LLVMIsAICmpInst(test) || LLVMIsAFCmpInst(test) ? test : NULL;
}

static LLVMValueRef inverse(LLVMBuilderRef b, LLVMValueRef test) {
    LLVMValueRef x = LLVMGetOperand(test, 0), y = LLVMGetOperand(test, 1);
    if (LLVMIsAICmpInst(test))
        return LLVMBuildICmp(b, inverse_of_int(LLVMGetICmpPredicate(test)), x, y, "");
    return LLVMBuildFCmp(b, inverse_of_real(LLVMGetFCmpPredicate(test)), x, y, "");
}

void cg_invert_tests(LLVMModuleRef m, LLVMBuilderRef b) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(f); k; k = LLVMGetNextBasicBlock(k))
            for (LLVMValueRef i = LLVMGetFirstInstruction(k), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                LLVMValueRef test = negated(i);
                if (!test)
                    continue;
                LLVMPositionBuilderBefore(b, i);
                LLVMReplaceAllUsesWith(i, inverse(b, test));
                LLVMInstructionEraseFromParent(i);
                if (!LLVMGetFirstUse(test))
                    LLVMInstructionEraseFromParent(test);
            }
}
