// Which functions are kernels, and what the back end is told of their parameters: annotations of
// the module until LLVM 19, calling conventions and attributes since.
#ifndef KUDZU_CC_PLUGIN_KERNELS_H
#define KUDZU_CC_PLUGIN_KERNELS_H

#include <set>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>

// All of a module.
llvm::SmallPtrSet<const llvm::Function *, 16> kernelsOf(const llvm::Module &m);
// One alone; until LLVM 19 in time by the number of kernels.
bool isKernel(const llvm::Function &f);

// Parameters, counted from 0, whose address may be taken as it is (guide 10.2.4). Until LLVM 19 the
// function must be one that the back end was not asked about yet.
void markGridConstants(llvm::Function &f, const std::set<unsigned> &parameters);

#endif
