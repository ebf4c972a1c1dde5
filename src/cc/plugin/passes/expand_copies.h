// Copies of structures as loads and stores.
#ifndef KUDZU_CC_PLUGIN_EXPAND_COPIES_H
#define KUDZU_CC_PLUGIN_EXPAND_COPIES_H

#include <llvm/IR/PassManager.h>

// Of up to 128 bytes all is loaded before anything is stored; larger ones become a loop over such
// pieces. Wants addresses' spaces and alignments to be known.
struct ExpandCopiesPass : llvm::PassInfoMixin<ExpandCopiesPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

#endif
