// Answers isspacep where it is known in which state space a pointer points.
#ifndef KUDZU_CC_PLUGIN_FOLD_SPACE_TESTS_H
#define KUDZU_CC_PLUGIN_FOLD_SPACE_TESTS_H

#include <llvm/IR/PassManager.h>

struct FoldSpaceTestsPass : llvm::PassInfoMixin<FoldSpaceTestsPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

#endif
