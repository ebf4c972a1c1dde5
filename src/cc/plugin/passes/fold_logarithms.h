// Logarithms of constants in long double, which LLVM leaves to the run.
#ifndef KUDZU_CC_PLUGIN_FOLD_LOGARITHMS_H
#define KUDZU_CC_PLUGIN_FOLD_LOGARITHMS_H

#include <llvm/IR/PassManager.h>

struct FoldLogarithmsPass : llvm::PassInfoMixin<FoldLogarithmsPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &);
};

#endif
