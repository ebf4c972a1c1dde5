// Loads of small vectors, as a GPU does them best.
#ifndef KUDZU_CC_PLUGIN_WHOLE_VECTORS_H
#define KUDZU_CC_PLUGIN_WHOLE_VECTORS_H

#include <llvm/IR/PassManager.h>

// All for the pipeline's end, when no pass of LLVM's takes apart again what they put together.
// This one before alignments are inferred: those that the types say are what tells a vector.
struct WholeVectorsPass : llvm::PassInfoMixin<WholeVectorsPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &);
};

// Bytes of a word that become floats are taken from the word as from a vector.
struct BytesOfWordsPass : llvm::PassInfoMixin<BytesOfWordsPass> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &);
};

#endif
