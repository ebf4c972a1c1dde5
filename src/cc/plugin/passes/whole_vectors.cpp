// `uchar4 p = in[i];` of which the program needs three members: LLVM loads these, and its back end
// makes a load of two bytes and another of one, where the four are one load. Their address's
// alignment, which is the type's, tells that all of the vector is there. Three of four floats or
// half-words likewise.
//
// A vector of bytes that a function gets as its argument is one word, of whose bytes LLVM's back
// end makes two words of 16 bits first. NVIDIA's assembler converts bytes of those to float by a
// slow instruction, and bytes of the word itself by a fast one.
#include "whole_vectors.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/TargetParser/Triple.h>

using namespace llvm;

namespace {

constexpr unsigned Members = 4;

struct Part {
    LoadInst *load;
    unsigned member;
};

// Loads of one vector's members, of one type.
using Parts = SmallVector<Part, Members>;

// Where a load's member lies: bytes from a pointer.
struct Place {
    Value *base;
    int64_t offset;
};

Place placeOf(const LoadInst &load, const DataLayout &layout) {
    APInt offset(layout.getIndexTypeSizeInBits(load.getPointerOperandType()), 0);
    Value *base = const_cast<Value *>(
        load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true));
    return {base, offset.getSExtValue()};
}

unsigned memberSize(const LoadInst &load) {
    Type *type = load.getType();
    unsigned bits = type->getPrimitiveSizeInBits();
    bool isMember = type->isIntegerTy() || type->isFloatingPointTy();
    return load.isSimple() && isMember && (bits == 8 || bits == 16 || bits == 32) ? bits / 8 : 0;
}

// Variables are as large as they are, whatever their alignment.
bool isVariable(const Value *base) {
    const Value *object = getUnderlyingObject(base);
    return isa<AllocaInst>(object) || isa<GlobalVariable>(object);
}

// Two neighbours, and all four, are one load anyway.
bool isWorthwhile(const Parts &parts) {
    unsigned mask = 0;
    for (const Part &p : parts)
        mask |= 1u << p.member;
    return mask && (mask & (mask - 1)) && mask != 3 && mask != 12 && mask != 15;
}

void loadWhole(const Parts &parts, Value *base, int64_t start) {
    LoadInst *first = parts[0].load;
    IRBuilder<> builder(first);
    Type *member = first->getType();
    unsigned size = member->getPrimitiveSizeInBits() / 8;
    Value *address =
        start ? builder.CreatePtrAdd(base, builder.getInt64(start)) : static_cast<Value *>(base);
    LoadInst *whole = builder.CreateAlignedLoad(FixedVectorType::get(member, Members), address,
                                                Align(size * Members));
    bool isInvariant = all_of(
        parts, [](const Part &p) { return p.load->getMetadata(LLVMContext::MD_invariant_load); });
    if (isInvariant)
        whole->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(first->getContext(), {}));
    for (const Part &p : parts)
        p.load->replaceAllUsesWith(builder.CreateExtractElement(whole, p.member));
    for (const Part &p : parts)
        p.load->eraseFromParent();
}

// The vectors of loads between which nothing is written.
struct Vectors {
    MapVector<std::pair<Value *, Type *>, SmallVector<std::pair<LoadInst *, int64_t>, 8>> loads;
    bool changed = false;

    void add(LoadInst &load, const DataLayout &layout) {
        Place place = placeOf(load, layout);
        if (!isVariable(place.base))
            loads[{place.base, load.getType()}].push_back({&load, place.offset});
    }
    void finish() {
        for (auto &[key, members] : loads)
            while (!members.empty())
                takeOne(key.first, members);
        loads.clear();
    }

  private:
    // Of the vector that the first load with a vector's alignment tells.
    void takeOne(Value *base, SmallVectorImpl<std::pair<LoadInst *, int64_t>> &members) {
        int64_t size = memberSize(*members[0].first), whole = size * Members;
        auto *teller = find_if(members, [&](auto &m) { return m.first->getAlign() >= whole; });
        if (teller == members.end()) {
            members.clear();
            return;
        }
        int64_t start = teller->second;
        Parts parts;
        SmallVector<std::pair<LoadInst *, int64_t>, 8> others;
        for (auto &m : members)
            if (m.second >= start && m.second < start + whole && (m.second - start) % size == 0)
                parts.push_back({m.first, unsigned((m.second - start) / size)});
            else
                others.push_back(m);
        if (isWorthwhile(parts)) {
            loadWhole(parts, base, start);
            changed = true;
        }
        members.assign(others.begin(), others.end());
    }
};

} // namespace

PreservedAnalyses WholeVectorsPass::run(Function &f, FunctionAnalysisManager &) {
    if (!Triple(f.getParent()->getTargetTriple()).isNVPTX())
        return PreservedAnalyses::all();
    Vectors vectors;
    for (BasicBlock &block : f) {
        for (Instruction &i : block) {
            auto *load = dyn_cast<LoadInst>(&i);
            if (load && memberSize(*load))
                vectors.add(*load, f.getDataLayout());
            else if (i.mayWriteToMemory() || !isGuaranteedToTransferExecutionToSuccessor(&i))
                vectors.finish();
        }
        vectors.finish();
    }
    if (!vectors.changed)
        return PreservedAnalyses::all();
    PreservedAnalyses kept;
    kept.preserveSet<CFGAnalyses>();
    return kept;
}

PreservedAnalyses BytesOfWordsPass::run(Function &f, FunctionAnalysisManager &) {
    using namespace PatternMatch;
    SmallVector<CastInst *, 16> conversions;
    for (Instruction &i : instructions(f))
        if ((isa<UIToFPInst>(i) || isa<SIToFPInst>(i)) &&
            i.getOperand(0)->getType()->isIntegerTy(8))
            conversions.push_back(cast<CastInst>(&i));
    bool changed = false;
    for (CastInst *i : conversions) {
        Value *word;
        uint64_t shift = 0;
        if (!match(i->getOperand(0), m_Trunc(m_LShr(m_Value(word), m_ConstantInt(shift)))) &&
            !match(i->getOperand(0), m_Trunc(m_Value(word))))
            continue;
        if (!word->getType()->isIntegerTy(32) || shift % 8)
            continue;
        IRBuilder<> builder(i);
        Value *bytes =
            builder.CreateBitCast(word, FixedVectorType::get(builder.getInt8Ty(), Members));
        i->setOperand(0, builder.CreateExtractElement(bytes, shift / 8));
        changed = true;
    }
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
