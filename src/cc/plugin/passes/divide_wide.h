// Divisions of 128 bits.
#ifndef KUDZU_CC_PLUGIN_DIVIDE_WIDE_H
#define KUDZU_CC_PLUGIN_DIVIDE_WIDE_H

#include <llvm/IR/PassManager.h>

// Where loops are still optimised: what depends on the divisor alone leaves them.
struct DivideWidePass : llvm::PassInfoMixin<DivideWidePass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &);
};

#endif
