// isspacep (__isShared, __isGlobal, ...) of a pointer whose origin is known: a variable of the
// device, a local one, or a kernel's parameter, which points to global memory, as NVIDIA's compiler
// and LLVM's back end take for granted too. NVIDIA's compiler of PTX does not find that out, and
// asynchronous copies ask for every piece.
#include "fold_space_tests.h"
#include "kernels.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

using namespace llvm;

namespace {

enum Space : unsigned { Unknown = 0, Global = 1, Shared = 3, Local = 5 };

Space spaceOf(const Value *pointer) {
    const Value *object = getUnderlyingObject(pointer, 0);
    if (isa<AllocaInst>(object))
        return Local;
    if (auto *argument = dyn_cast<Argument>(object))
        return !argument->hasByValAttr() && isKernel(*argument->getParent()) ? Global : Unknown;
    auto *variable = dyn_cast<GlobalVariable>(object);
    unsigned space = variable ? variable->getAddressSpace() : 0;
    return space == Global || space == Shared ? (Space)space : Unknown;
}

Space askedFor(const IntrinsicInst &test) {
    switch (test.getIntrinsicID()) {
    case Intrinsic::nvvm_isspacep_global:
        return Global;
    case Intrinsic::nvvm_isspacep_shared:
        return Shared;
    case Intrinsic::nvvm_isspacep_local:
        return Local;
    default:
        return Unknown;
    }
}

} // namespace

PreservedAnalyses FoldSpaceTestsPass::run(Function &f, FunctionAnalysisManager &) {
    if (!Triple(f.getParent()->getTargetTriple()).isNVPTX())
        return PreservedAnalyses::all();
    SmallVector<IntrinsicInst *, 8> found;
    for (Instruction &i : instructions(f))
        if (auto *test = dyn_cast<IntrinsicInst>(&i))
            if (askedFor(*test) != Unknown && spaceOf(test->getArgOperand(0)) != Unknown)
                found.push_back(test);
    for (IntrinsicInst *test : found) {
        bool answer = spaceOf(test->getArgOperand(0)) == askedFor(*test);
        test->replaceAllUsesWith(ConstantInt::getBool(test->getType(), answer));
        test->eraseFromParent();
    }
    if (found.empty())
        return PreservedAnalyses::all();
    PreservedAnalyses kept;
    kept.preserveSet<CFGAnalyses>();
    return kept;
}
