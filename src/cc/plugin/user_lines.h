// What was inlined from headers of the system's has the line of who called it.
#ifndef KUDZU_CC_PLUGIN_USER_LINES_H
#define KUDZU_CC_PLUGIN_USER_LINES_H

#include <llvm/IR/PassManager.h>

// For the pipeline's end, at every level of optimisation.
struct UserLinesPass : llvm::PassInfoMixin<UserLinesPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &);
    static bool isRequired() {
        return true;
    }
};

#endif
