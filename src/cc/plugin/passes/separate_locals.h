// Gives local variables PTX variables of their own.
#ifndef KUDZU_CC_PLUGIN_SEPARATE_LOCALS_H
#define KUDZU_CC_PLUGIN_SEPARATE_LOCALS_H

#include <llvm/IR/PassManager.h>

// For code that is not optimised. Goes last.
struct SeparateLocalsPass : llvm::PassInfoMixin<SeparateLocalsPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &);
    static bool isRequired() {
        return true;
    }
};

#endif
