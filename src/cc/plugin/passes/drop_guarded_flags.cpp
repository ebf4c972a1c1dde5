// Behind `if (threadIdx.x % 64 == 0)` LLVM knows that a shift of threadIdx.x by 6 loses no bits,
// and says so. LLVM 19's back end for PTX then moves the shift in front of the condition, and its
// strength reduction takes it for every other shift of threadIdx.x by 6, as if it had made no
// promise: bars[threadIdx.x / 64] became the word at threadIdx.x >> 3 for all threads.
#include "drop_guarded_flags.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

PreservedAnalyses DropGuardedFlagsPass::run(Function &f, FunctionAnalysisManager &) {
    bool changed = false;
    for (Instruction &i : instructions(f)) {
        bool exact = isa<PossiblyExactOperator>(i) && i.isExact();
        bool positive = isa<PossiblyNonNegInst>(i) && i.hasNonNeg();
        if (exact)
            i.setIsExact(false);
        if (positive)
            i.setNonNeg(false);
        changed |= exact || positive;
    }
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
