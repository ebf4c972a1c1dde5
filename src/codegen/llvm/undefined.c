#include "codegen/llvm/undefined.h"
#include "codegen/core/state.h"

#include <stddef.h>

enum { MOST_ELEMENTS = 1024 };

static unsigned elements_of(LLVMValueRef v) {
    return LLVMGetVectorSize(LLVMTypeOf(v));
}

static LLVMValueRef first_defined(LLVMValueRef v) {
    for (unsigned k = 0; k < elements_of(v); k++) {
        LLVMValueRef e = LLVMGetAggregateElement(v, k);
        if (e && !LLVMIsUndef(e)) // poison is undefined, too
            return e;
    }
    return NULL;
}

// Not wholly undefined: which means that it is never chosen.
static LLVMValueRef defined(LLVMValueRef v) {
    LLVMValueRef e[MOST_ELEMENTS], first;
    if (!LLVMIsAConstantVector(v) || elements_of(v) > MOST_ELEMENTS || !(first = first_defined(v)))
        return v;
    for (unsigned k = 0; k < elements_of(v); k++) {
        e[k] = LLVMGetAggregateElement(v, k);
        if (LLVMIsUndef(e[k]))
            e[k] = first;
    }
    return LLVMConstVector(e, elements_of(v));
}

void cg_define_selected(LLVMModuleRef m) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (LLVMGetInstructionOpcode(i) != LLVMSelect)
                    continue;
                LLVMSetOperand(i, 1, defined(LLVMGetOperand(i, 1)));
                LLVMSetOperand(i, 2, defined(LLVMGetOperand(i, 2)));
            }
}
