// Intrinsics that NVVM IR has and LLVM has not: the operation, or the result's form, is LLVM's
// name's affair there, and an argument's here (NVVM IR Specification, warp-level intrinsics).
#ifndef KUDZU_NVVM_INTRINSICS_H
#define KUDZU_NVVM_INTRINSICS_H

#include <llvm-c/Types.h>
#include <stdbool.h>

// Puts LLVM's in the place of each: llvm.nvvm.shfl.sync.i32, .vote.sync and .match.all.sync. False:
// a mode is no constant, or none of those that there are; said on stderr.
bool intrinsics_lower(LLVMModuleRef module);

#endif
