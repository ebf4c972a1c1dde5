// Unrolls small loops of device code, for GPUs.
#ifndef KUDZU_CC_PLUGIN_UNROLL_LOOPS_H
#define KUDZU_CC_PLUGIN_UNROLL_LOOPS_H

#include <llvm/IR/PassManager.h>

struct UnrollLoopsPass : llvm::PassInfoMixin<UnrollLoopsPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

#endif
