// Makes loops of memory moves.
#ifndef KUDZU_CC_PLUGIN_EXPAND_MOVES_H
#define KUDZU_CC_PLUGIN_EXPAND_MOVES_H

#include <llvm/IR/PassManager.h>

// Goes before address spaces are inferred.
struct ExpandMovesPass : llvm::PassInfoMixin<ExpandMovesPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &);
};

#endif
