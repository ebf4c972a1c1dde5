// Puts expensive operands of selects behind branches.
#ifndef KUDZU_CC_PLUGIN_SINK_RARE_WORK_H
#define KUDZU_CC_PLUGIN_SINK_RARE_WORK_H

#include <llvm/IR/PassManager.h>

// Marks the device library's functions, whose selects stay. For the pipeline's start.
void keepLibrarySelects(llvm::Module &m);

struct SinkRareWorkPass : llvm::PassInfoMixin<SinkRareWorkPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

#endif
