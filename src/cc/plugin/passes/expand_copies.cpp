// LLVM 19's back end for PTX writes a copy of a structure as a load and a store in turn. No later
// compiler may change their order, as the two may overlap, so that each load is waited for. What
// exceeds 128 bytes becomes a loop of bytes. Here all loads of a piece come first, each as wide as
// the alignments of both sides allow.
#include "expand_copies.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace {

constexpr uint64_t MostBytes = 128, MostLoads = 32; // at a time: they are in registers together

// Where a copy starts and what is known of it.
struct Sides {
    Value *to, *from;
    Align align; // of both, at most 16
};

struct Piece {
    Type *type;
    uint64_t offset;
};

Type *typeOf(LLVMContext &c, uint64_t bytes) {
    return bytes == 16 ? cast<Type>(FixedVectorType::get(Type::getInt32Ty(c), 4))
                       : Type::getIntNTy(c, unsigned(bytes * 8));
}

// The widest aligned loads, narrower ones for the rest.
SmallVector<Piece, MostLoads> piecesOf(LLVMContext &c, uint64_t bytes, Align align) {
    SmallVector<Piece, MostLoads> pieces;
    uint64_t offset = 0;
    for (uint64_t width = align.value(); width; width /= 2)
        for (; bytes - offset >= width; offset += width)
            pieces.push_back({typeOf(c, width), offset});
    return pieces;
}

void copyPiece(IRBuilder<> &builder, const Sides &s, uint64_t bytes, AAMDNodes aliasing,
               const DataLayout &layout) {
    auto pieces = piecesOf(builder.getContext(), bytes, s.align);
    SmallVector<LoadInst *, MostLoads> values;
    auto at = [&](Value *base, uint64_t offset) {
        return offset ? builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset)
                      : base;
    };
    for (const Piece &p : pieces) {
        values.push_back(builder.CreateAlignedLoad(p.type, at(s.from, p.offset),
                                                   commonAlignment(s.align, p.offset)));
        values.back()->setAAMetadata(aliasing.adjustForAccess(unsigned(p.offset), p.type, layout));
    }
    for (const auto &[p, value] : zip(pieces, values)) {
        StoreInst *store = builder.CreateAlignedStore(value, at(s.to, p.offset),
                                                      commonAlignment(s.align, p.offset));
        store->setAAMetadata(aliasing.adjustForAccess(unsigned(p.offset), p.type, layout));
    }
}

// Whole pieces in a loop, what is left after it. A loop says nothing of types: its offsets are not
// those of the structure.
void copyInLoop(MemTransferInst *copy, const Sides &s, uint64_t bytes, uint64_t step,
                const DataLayout &layout) {
    Type *offsetType = copy->getLength()->getType();
    AAMDNodes aliasing;
    BasicBlock *before = copy->getParent(), *after = SplitBlock(before, copy);
    BasicBlock *loop = BasicBlock::Create(copy->getContext(), "copy", before->getParent(), after);
    before->getTerminator()->setSuccessor(0, loop);
    IRBuilder<> builder(loop);
    PHINode *offset = builder.CreatePHI(offsetType, 2);
    offset->addIncoming(ConstantInt::get(offsetType, 0), before);
    auto at = [&](IRBuilder<> &b, Value *base, Value *by) {
        return b.CreateInBoundsGEP(b.getInt8Ty(), base, by);
    };
    copyPiece(builder, {at(builder, s.to, offset), at(builder, s.from, offset), s.align}, step,
              aliasing, layout);
    Value *next = builder.CreateAdd(offset, ConstantInt::get(offsetType, step), "", true, true);
    offset->addIncoming(next, loop);
    Value *end = ConstantInt::get(offsetType, bytes - bytes % step);
    builder.CreateCondBr(builder.CreateICmpULT(next, end), loop, after);
    builder.SetInsertPoint(copy);
    if (bytes % step)
        copyPiece(builder, {at(builder, s.to, end), at(builder, s.from, end), s.align},
                  bytes % step, aliasing, layout);
}

bool cannotOverlap(const MemTransferInst *copy) {
    unsigned to = copy->getDestAddressSpace(), from = copy->getSourceAddressSpace();
    return isa<MemCpyInst>(copy) || (to && from && to != from);
}

bool expand(MemTransferInst *copy, const DataLayout &layout) {
    auto *length = dyn_cast<ConstantInt>(copy->getLength());
    if (!length || length->isZero() || copy->isVolatile())
        return false;
    Align to = std::max(copy->getDestAlign().valueOrOne(),
                        getKnownAlignment(copy->getRawDest(), layout, copy));
    Align from = std::max(copy->getSourceAlign().valueOrOne(),
                          getKnownAlignment(copy->getRawSource(), layout, copy));
    Sides s = {copy->getRawDest(), copy->getRawSource(), std::min({to, from, Align(16)})};
    uint64_t bytes = length->getZExtValue();
    uint64_t step = std::min(MostBytes, MostLoads * s.align.value());
    IRBuilder<> builder(copy);
    if (bytes <= step)
        copyPiece(builder, s, bytes, copy->getAAMetadata(), layout);
    else if (cannotOverlap(copy))
        copyInLoop(copy, s, bytes, step / 2, layout);
    else
        return false;
    return true;
}

} // namespace

PreservedAnalyses ExpandCopiesPass::run(Function &f, FunctionAnalysisManager &) {
    SmallVector<MemTransferInst *, 8> copies;
    for (Instruction &i : instructions(f))
        if (auto *copy = dyn_cast<MemTransferInst>(&i))
            copies.push_back(copy);
    bool changed = false;
    for (MemTransferInst *copy : copies)
        if (expand(copy, f.getDataLayout())) {
            copy->eraseFromParent();
            changed = true;
        }
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
