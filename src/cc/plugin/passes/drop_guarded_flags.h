// Takes back what is promised of a value where a condition holds.
#ifndef KUDZU_CC_PLUGIN_DROP_GUARDED_FLAGS_H
#define KUDZU_CC_PLUGIN_DROP_GUARDED_FLAGS_H

#include <llvm/IR/PassManager.h>

// Goes last.
struct DropGuardedFlagsPass : llvm::PassInfoMixin<DropGuardedFlagsPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &);
    static bool isRequired() {
        return true;
    }
};

#endif
