// A division of 128 bits, as in (unsigned __int128)a * b % m: LLVM makes a loop of it that finds
// one bit an iteration. Here it becomes what a schoolbook does with digits of 64 bits: the
// reciprocal of the divisor's leading digit, by Newton's iteration, and by it one digit of the
// quotient at a time (Möller and Granlund, "Improved division by invariant integers"). There is one
// branch: a digit less, where the dividend's high half is below a divisor of one digit, as it is
// with products of remainders. What depends on the divisor alone, which is most of it, leaves a
// loop that has always the same.
#include "divide_wide.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace {

struct TwoWords {
    Value *low, *high;
};

struct QuotientAndRest {
    Value *quotient, *rest;
};

// Writes 64-bit arithmetic.
struct WideBuilder : IRBuilder<> {
    using IRBuilder<>::IRBuilder;

    Value *word(uint64_t v) {
        return getInt64(v);
    }
    Type *wide() {
        return getInt128Ty();
    }
    TwoWords split(Value *v) {
        return {CreateTrunc(v, getInt64Ty()), CreateTrunc(CreateLShr(v, 64), getInt64Ty())};
    }
    Value *join(TwoWords v) {
        return CreateOr(CreateZExt(v.low, wide()), CreateShl(CreateZExt(v.high, wide()), 64));
    }
    Value *wideProduct(Value *a, Value *b) {
        return CreateMul(CreateZExt(a, wide()), CreateZExt(b, wide()));
    }
    Value *highProduct(Value *a, Value *b) {
        return split(wideProduct(a, b)).high;
    }
    Value *leadingZeros(Value *v) {
        if (auto *known = dyn_cast<ConstantInt>(v))
            return word(known->getValue().countl_zero());
        return CreateBinaryIntrinsic(Intrinsic::ctlz, v, getFalse());
    }

    // floor((2^128 - 1) / d) - 2^64 of a d whose highest bit is set.
    //
    // x is below 2^127 / d all the time. With e = 2^127 - d * x, relative to 2^127: the float's
    // reciprocal, 2^-22 from it and made 2^-21 less, leaves less than 2^-20; one step less than
    // 2^-40; the last, twice x, at most one unit.
    Value *reciprocal(Value *d) {
        if (auto *known = dyn_cast<ConstantInt>(d))
            return ConstantInt::get(
                getInt64Ty(), APInt::getAllOnes(128).udiv(known->getValue().zext(128)).trunc(64));
        Value *f = CreateUIToFP(d, getFloatTy());
        f = CreateIntrinsic(Intrinsic::nvvm_rcp_approx_ftz_f, {}, {f});
        f = CreateFMul(f, ConstantFP::get(getFloatTy(), 0x1.fffffp-1 * 0x1p127));
        Value *x = CreateFPToUI(f, getInt64Ty());
        Value *e = CreateSub(word(INT64_MAX), highProduct(d, x));
        x = CreateAdd(x, highProduct(x, CreateShl(e, 1)));
        Value *left =
            CreateSub(ConstantInt::get(wide(), APInt::getOneBitSet(128, 127)), wideProduct(d, x));
        e = CreateTrunc(CreateLShr(left, 23), getInt64Ty());
        Value *v = CreateAdd(CreateShl(x, 1), CreateLShr(highProduct(e, x), 39));
        // What is left of 2^128 - 1: d or more where v is one too small.
        left = CreateSub(CreateNot(wideProduct(d, v)), CreateShl(CreateZExt(d, wide()), 64));
        Value *isMore = CreateICmpUGE(left, CreateZExt(d, wide()));
        return CreateAdd(v, CreateZExt(isMore, getInt64Ty()));
    }

    // (high : low) / d of a high < d, whose highest bit is set.
    QuotientAndRest digit(Value *high, Value *low, Value *d, Value *v) {
        Value *q = CreateAdd(wideProduct(v, high), join({low, high}));
        TwoWords words = split(q);
        Value *q1 = CreateAdd(words.high, word(1));
        Value *r = CreateSub(low, CreateMul(q1, d));
        Value *isLess = CreateICmpUGT(r, words.low);
        q1 = CreateSub(q1, CreateZExt(isLess, getInt64Ty()));
        r = CreateSelect(isLess, CreateAdd(r, d), r);
        Value *isMore = CreateICmpUGE(r, d);
        q1 = CreateAdd(q1, CreateZExt(isMore, getInt64Ty()));
        r = CreateSelect(isMore, CreateSub(r, d), r);
        return {q1, r};
    }
};

// (high : low) / d of any d but 0, of which one word is not 0.
QuotientAndRest byOneWord(WideBuilder &b, TwoWords a, Value *d, Instruction *before) {
    Value *zeros = b.leadingZeros(d);
    Value *shift = b.CreateZExt(zeros, b.wide());
    Value *normal = b.CreateShl(d, zeros);
    Value *v = b.reciprocal(normal);
    TwoWords shifted = b.split(b.CreateShl(b.join(a), shift));
    // The dividend's third word.
    Value *top = b.CreateLShr(b.CreateLShr(a.high, 1), b.CreateXor(zeros, b.word(63)));
    Value *isLong = b.CreateICmpUGE(a.high, d);
    BasicBlock *from = before->getParent();
    Instruction *end = SplitBlockAndInsertIfThen(isLong, before, false);
    WideBuilder inner(end);
    QuotientAndRest first = inner.digit(top, shifted.high, normal, v);
    b.SetInsertPoint(before);
    auto joined = [&](Value *taken, Value *otherwise) {
        PHINode *phi = PHINode::Create(b.getInt64Ty(), 2, "", before->getParent()->begin());
        phi->addIncoming(taken, end->getParent());
        phi->addIncoming(otherwise, from);
        return phi;
    };
    Value *high = joined(first.quotient, b.word(0));
    Value *rest = joined(first.rest, shifted.high);
    QuotientAndRest second = b.digit(rest, shifted.low, normal, v);
    return {b.join({second.quotient, high}),
            b.CreateZExt(b.CreateLShr(second.rest, zeros), b.wide())};
}

// a / d of a d whose high word is not 0: the quotient is one word. By the divisor's first 64 bits
// it is found at most one too large (Warren, "Hacker's Delight", 9-5).
QuotientAndRest byTwoWords(WideBuilder &b, Value *a, Value *d) {
    Value *zeros = b.leadingZeros(b.split(d).high);
    Value *normal = b.split(b.CreateShl(d, b.CreateZExt(zeros, b.wide()))).high;
    TwoWords half = b.split(b.CreateLShr(a, 1));
    Value *q = b.digit(half.high, half.low, normal, b.reciprocal(normal)).quotient;
    q = b.CreateLShr(q, b.CreateSub(b.word(63), zeros));
    q = b.CreateSub(q, b.CreateZExt(b.CreateICmpNE(q, b.word(0)), b.getInt64Ty()));
    Value *quotient = b.CreateZExt(q, b.wide());
    Value *rest = b.CreateSub(a, b.CreateMul(quotient, d));
    Value *isMore = b.CreateICmpUGE(rest, d);
    return {b.CreateAdd(quotient, b.CreateZExt(isMore, b.wide())),
            b.CreateSelect(isMore, b.CreateSub(rest, d), rest)};
}

QuotientAndRest divide(Value *a, Value *d, Instruction *before) {
    WideBuilder b(before);
    KnownBits known = computeKnownBits(d, before->getDataLayout());
    if (known.countMinLeadingZeros() >= 64)
        return byOneWord(b, b.split(a), b.split(d).low, before);
    Value *isShort = b.CreateICmpEQ(b.split(d).high, b.word(0));
    Instruction *oneEnd, *twoEnd;
    SplitBlockAndInsertIfThenElse(isShort, before, &oneEnd, &twoEnd);
    b.SetInsertPoint(oneEnd);
    QuotientAndRest one = byOneWord(b, b.split(a), b.split(d).low, oneEnd);
    b.SetInsertPoint(twoEnd);
    QuotientAndRest two = byTwoWords(b, a, d);
    auto joined = [&](Value *first, Value *second) {
        PHINode *phi = PHINode::Create(b.wide(), 2, "", before->getParent()->begin());
        phi->addIncoming(first, oneEnd->getParent());
        phi->addIncoming(second, twoEnd->getParent());
        return phi;
    };
    Value *quotient = joined(one.quotient, two.quotient);
    return {quotient, joined(one.rest, two.rest)};
}

bool isSigned(const Instruction &i) {
    return i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
}

bool isRest(const Instruction &i) {
    return i.getOpcode() == Instruction::URem || i.getOpcode() == Instruction::SRem;
}

// signs: all bits set or none.
Value *withSigns(IRBuilder<> &builder, Value *v, Value *signs) {
    return builder.CreateSub(builder.CreateXor(v, signs), signs);
}

// Each operand is used several times.
Value *frozen(IRBuilder<> &builder, Value *v) {
    return isa<ConstantInt>(v) ? v : builder.CreateFreeze(v);
}

using Divisions = SmallVector<BinaryOperator *, 2>;

// Divisions of the same numbers, in a block; all that follow the first one get its results.
void expand(const Divisions &divisions) {
    BinaryOperator *division = divisions[0];
    IRBuilder<> builder(division);
    Value *a = frozen(builder, division->getOperand(0));
    Value *d = frozen(builder, division->getOperand(1));
    Value *ofA = builder.CreateAShr(a, 127), *ofD = builder.CreateAShr(d, 127);
    QuotientAndRest both;
    if (isSigned(*division)) {
        both = divide(withSigns(builder, a, ofA), withSigns(builder, d, ofD), division);
        builder.SetInsertPoint(division);
        both.rest = withSigns(builder, both.rest, ofA);
        both.quotient = withSigns(builder, both.quotient, builder.CreateXor(ofA, ofD));
    } else {
        both = divide(a, d, division);
    }
    for (BinaryOperator *i : divisions) {
        i->replaceAllUsesWith(isRest(*i) ? both.rest : both.quotient);
        i->eraseFromParent();
    }
}

bool isWideDivision(const Instruction &i) {
    auto *divisor = i.isIntDivRem() ? dyn_cast<ConstantInt>(i.getOperand(1)) : nullptr;
    return i.isIntDivRem() && i.getType()->isIntegerTy(128) &&
           !(divisor && divisor->getValue().abs().isPowerOf2());
}

} // namespace

PreservedAnalyses DivideWidePass::run(Function &f, FunctionAnalysisManager &) {
    if (!Triple(f.getParent()->getTargetTriple()).isNVPTX())
        return PreservedAnalyses::all();
    MapVector<std::tuple<BasicBlock *, Value *, Value *, unsigned>, Divisions> found;
    for (Instruction &i : instructions(f))
        if (isWideDivision(i))
            found[{i.getParent(), i.getOperand(0), i.getOperand(1), unsigned(isSigned(i))}]
                .push_back(cast<BinaryOperator>(&i));
    for (auto &[key, divisions] : found)
        expand(divisions);
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
