// LLVM 19's back end for PTX makes one access of 16 bytes of any load of <16 x i8>, whatever its
// alignment (its combination of loads does not look at it), which faults on every device. LLVM's
// vectoriser makes such loads of sixteen neighbouring bytes. Here they become loads of four bytes
// each where these are aligned, of single bytes elsewhere.
#include "split_loads.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace {

constexpr unsigned Bytes = 16;

bool isMisaligned(const LoadInst &load) {
    auto *type = dyn_cast<FixedVectorType>(load.getType());
    return type && type->getNumElements() == Bytes && type->getElementType()->isIntegerTy(8) &&
           load.getAlign() < Bytes;
}

void split(LoadInst *load) {
    IRBuilder<> builder(load);
    unsigned step = load->getAlign() >= 4 ? 4 : 1;
    Type *byte = builder.getInt8Ty();
    Type *part = step == 1 ? byte : FixedVectorType::get(byte, step);
    Value *whole = PoisonValue::get(load->getType());
    for (unsigned i = 0; i < Bytes; i += step) {
        Value *address = builder.CreateConstGEP1_32(byte, load->getPointerOperand(), i);
        Value *piece = builder.CreateAlignedLoad(part, address, Align(step), load->isVolatile());
        for (unsigned k = 0; k < step; k++) {
            Value *element = step == 1 ? piece : builder.CreateExtractElement(piece, k);
            whole = builder.CreateInsertElement(whole, element, i + k);
        }
    }
    load->replaceAllUsesWith(whole);
    load->eraseFromParent();
}

} // namespace

PreservedAnalyses SplitLoadsPass::run(Function &f, FunctionAnalysisManager &) {
    SmallVector<LoadInst *, 8> loads;
    for (Instruction &i : instructions(f))
        if (auto *load = dyn_cast<LoadInst>(&i))
            if (isMisaligned(*load))
                loads.push_back(load);
    for (LoadInst *load : loads)
        split(load);
    return loads.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
