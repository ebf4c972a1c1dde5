// Splits loads of sixteen bytes that lie at any address.
#ifndef KUDZU_CC_PLUGIN_SPLIT_LOADS_H
#define KUDZU_CC_PLUGIN_SPLIT_LOADS_H

#include <llvm/IR/PassManager.h>

// For the pipeline's end, at every level of optimisation.
struct SplitLoadsPass : llvm::PassInfoMixin<SplitLoadsPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &);
    static bool isRequired() {
        return true;
    }
};

#endif
