// LLVM 19's back end for PTX makes loops of memmove, but drops one, without a word, whose two
// pointers have been found to be of different address spaces: a large object that goes from shared
// memory to where a generic pointer points. Made before the spaces are inferred the loops are
// whole.
#include "expand_moves.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LowerMemIntrinsics.h>

using namespace llvm;

// Of any alignment: ExpandCopiesPass loads it whole before it stores it.
static bool isSmall(const MemMoveInst &move) {
    auto *length = dyn_cast<ConstantInt>(move.getLength());
    return length && !length->isZero() && length->getZExtValue() <= 32 && !move.isVolatile();
}

PreservedAnalyses ExpandMovesPass::run(Function &f, FunctionAnalysisManager &analyses) {
    SmallVector<MemMoveInst *, 8> moves;
    for (Instruction &i : instructions(f))
        if (auto *move = dyn_cast<MemMoveInst>(&i); move && !isSmall(*move))
            moves.push_back(move);
    bool changed = false;
    for (MemMoveInst *move : moves)
        if (expandMemMoveAsLoop(move, analyses.getResult<TargetIRAnalysis>(f))) {
            move->eraseFromParent();
            changed = true;
        }
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
