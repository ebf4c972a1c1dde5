// libstdc++'s std::generate_canonical, which all distributions of <random> call, divides two
// logarithms of constants in long double to learn how many bits its generator has. g++ computes
// them when it compiles; LLVM folds functions of float and double alone, and each random number
// then takes fifteen times as long.
#include "fold_logarithms.h"

#include <cmath>
#include <cstring>

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

#ifdef __x86_64__
// What the call gives in this process, whose C library is of the same family as the program's; a
// number that is not above zero sets errno there, and stays.
static Constant *logarithm(const CallInst &call) {
    const Function *f = call.getCalledFunction();
    auto *x = call.arg_size() == 1 ? dyn_cast<ConstantFP>(call.getArgOperand(0)) : nullptr;
    if (!f || !x || !x->getType()->isX86_FP80Ty() || call.isNoBuiltin() || f->getName() != "logl" ||
        !x->getValueAPF().isFiniteNonZero() || x->getValueAPF().isNegative())
        return nullptr;
    constexpr unsigned Bytes = 10;
    long double value = 0;
    APInt bits = x->getValueAPF().bitcastToAPInt();
    std::memcpy(&value, bits.getRawData(), Bytes);
    value = std::log(value);
    uint64_t words[2] = {};
    std::memcpy(words, &value, Bytes);
    return ConstantFP::get(x->getContext(),
                           APFloat(APFloat::x87DoubleExtended(), APInt(Bytes * 8, words)));
}
#else
static Constant *logarithm(const CallInst &) {
    return nullptr; // long double has another form
}
#endif

PreservedAnalyses FoldLogarithmsPass::run(Function &f, FunctionAnalysisManager &) {
    SmallVector<CallInst *, 4> folded;
    for (Instruction &i : instructions(f))
        if (auto *call = dyn_cast<CallInst>(&i))
            if (Constant *value = logarithm(*call)) {
                call->replaceAllUsesWith(value);
                folded.push_back(call);
            }
    for (CallInst *call : folded)
        call->eraseFromParent();
    if (folded.empty())
        return PreservedAnalyses::all();
    PreservedAnalyses kept;
    kept.preserveSet<CFGAnalyses>();
    return kept;
}
