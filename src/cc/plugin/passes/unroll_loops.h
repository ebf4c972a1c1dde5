// Unrolls small loops of device code, for GPUs.
#ifndef KUDZU_CC_PLUGIN_UNROLL_LOOPS_H
#define KUDZU_CC_PLUGIN_UNROLL_LOOPS_H

#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

struct UnrollLoopsPass : llvm::PassInfoMixin<UnrollLoopsPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

// Loops over local arrays are unrolled as a whole, so that the arrays lie in registers. Before LLVM
// unrolls loops itself.
struct UnrollArrayLoopsPass : llvm::PassInfoMixin<UnrollArrayLoopsPass> {
    llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &,
                                llvm::LoopStandardAnalysisResults &results, llvm::LPMUpdater &);
};

#endif
