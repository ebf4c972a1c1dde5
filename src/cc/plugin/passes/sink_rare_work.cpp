// `if (d < 0) return INFINITY; t = b - sqrtf(d);`: LLVM makes a select of it and takes the square
// root always, since it holds a square root to cost no more than a sum. Where a select needs a
// square root, with what follows from it, on one side only, this puts that side behind a branch
// again: a warp of which no thread needs it, a GPU's or a vector of lanes, leaves it out. The same
// for `a || b` and `a && b` as a branch's condition.
//
// Selects of the device library stay: there they choose between results for rare arguments, and the
// work is what all threads need. Its functions are known by their names when the pipeline starts.
#include "sink_rare_work.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace {

constexpr char Library[] = "kudzu.devicelib";

// Half a dozen multiplications or more, behind which LLVM's cost of one instruction stands.
bool isLongDivision(const Instruction &i) {
    switch (i.getOpcode()) {
    case Instruction::UDiv:
    case Instruction::URem:
    case Instruction::SDiv:
    case Instruction::SRem:
        return i.getType()->isIntegerTy() && i.getType()->getIntegerBitWidth() >= 64 &&
               !PatternMatch::match(i.getOperand(1), PatternMatch::m_Power2());
    default:
        return false;
    }
}

bool isExpensive(const Instruction &i) {
    if (isLongDivision(i))
        return true;
    auto *call = dyn_cast<IntrinsicInst>(&i);
    return call && call->getIntrinsicID() == Intrinsic::sqrt && !call->getMetadata(Library);
}

using Work = SetVector<Instruction *>;

// What threads do together (a shuffle, also as inline assembly) stays where they all are.
bool isConvergent(const Instruction &i) {
    auto *call = dyn_cast<CallBase>(&i);
    return call && call->isConvergent();
}

// What is needed for one operand of an instruction alone, in its block: the operand itself, and
// every operand of that all of whose uses belong to it. Empty where nothing of it is expensive.
Work neededFor(Instruction *user, Value *operand) {
    Work work;
    auto belongs = [&](Value *v) {
        auto *i = dyn_cast<Instruction>(v);
        if (!i || i->getParent() != user->getParent() || isa<PHINode>(i) ||
            i->mayReadOrWriteMemory() || i->mayHaveSideEffects() || isConvergent(*i) ||
            work.contains(i))
            return false;
        return all_of(i->uses(), [&](const Use &u) {
            return u.getUser() == user ? i == operand
                                       : work.contains(cast<Instruction>(u.getUser()));
        });
    };
    if (count_if(user->operands(), [&](const Use &u) { return u == operand; }) == 1 &&
        belongs(operand))
        work.insert(cast<Instruction>(operand));
    // An operand joins when its last user has joined: until nothing changes.
    for (bool more = true; more;) {
        more = false;
        for (unsigned k = 0; k < work.size(); k++)
            for (Value *v : work[k]->operands())
                if (belongs(v))
                    more |= work.insert(cast<Instruction>(v));
    }
    return any_of(work, [](Instruction *i) { return isExpensive(*i); }) ? work : Work();
}

// In the order in which they stood.
void moveWork(const Work &work, BasicBlock *from, Instruction *before) {
    for (Instruction &i : make_early_inc_range(*from))
        if (work.contains(&i))
            i.moveBefore(*before->getParent(), before->getIterator());
}

bool sinkSide(SelectInst *select, bool whenTrue) {
    Value *side = whenTrue ? select->getTrueValue() : select->getFalseValue();
    Value *other = whenTrue ? select->getFalseValue() : select->getTrueValue();
    if (!select->getCondition()->getType()->isIntegerTy(1))
        return false;
    Work work = neededFor(select, side);
    if (work.empty())
        return false;
    BasicBlock *before = select->getParent();
    Instruction *end =
        SplitBlockAndInsertIfThen(select->getCondition(), select->getIterator(), false);
    if (!whenTrue)
        cast<BranchInst>(before->getTerminator())->swapSuccessors();
    moveWork(work, before, end);
    PHINode *joined = PHINode::Create(select->getType(), 2, "", select->getIterator());
    joined->addIncoming(side, end->getParent());
    joined->addIncoming(other, before);
    joined->takeName(select);
    select->replaceAllUsesWith(joined);
    select->eraseFromParent();
    return true;
}

// br (first or second), yes, no -> br first, yes, rest; rest: br second, yes, no. For `and`
// likewise.
bool sinkSecond(BranchInst *branch, Instruction *condition, unsigned secondOperand) {
    Work work = neededFor(condition, condition->getOperand(secondOperand));
    if (work.empty())
        return false;
    bool both = condition->getOpcode() == Instruction::And;
    Value *first = condition->getOperand(1 - secondOperand);
    Value *second = condition->getOperand(secondOperand);
    BasicBlock *block = branch->getParent();
    BasicBlock *rest = SplitBlock(block, branch);
    rest->setName("");
    moveWork(work, block, branch);
    branch->setCondition(second);
    BasicBlock *decided = branch->getSuccessor(both ? 1 : 0);
    for (PHINode &phi : decided->phis())
        phi.addIncoming(phi.getIncomingValueForBlock(rest), block);
    Instruction *end = block->getTerminator();
    BranchInst::Create(both ? rest : decided, both ? decided : rest, first, end->getIterator());
    end->eraseFromParent();
    condition->eraseFromParent();
    return true;
}

bool sinkCondition(BranchInst *branch) {
    if (!branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
        return false;
    auto *condition = dyn_cast<BinaryOperator>(branch->getCondition());
    return condition && condition->hasOneUse() && condition->getParent() == branch->getParent() &&
           (condition->getOpcode() == Instruction::And ||
            condition->getOpcode() == Instruction::Or) &&
           (sinkSecond(branch, condition, 0) || sinkSecond(branch, condition, 1));
}

// sqrtf itself is what a program asks for: it returns what it computes.
bool isReturned(const Instruction &i) {
    return i.hasOneUse() && isa<ReturnInst>(*i.user_begin());
}

} // namespace

void keepLibrarySelects(Module &m) {
    MDNode *mark = MDNode::get(m.getContext(), {});
    for (Function &f : m)
        if (f.getName().starts_with("__nv_"))
            for (Instruction &i : instructions(f))
                if (isExpensive(i) && !isReturned(i))
                    i.setMetadata(Library, mark);
}

PreservedAnalyses SinkRareWorkPass::run(Function &f, FunctionAnalysisManager &) {
    SmallVector<SelectInst *, 8> selects;
    SmallVector<BranchInst *, 8> branches;
    for (Instruction &i : instructions(f)) {
        if (auto *select = dyn_cast<SelectInst>(&i))
            selects.push_back(select);
        if (auto *branch = dyn_cast<BranchInst>(&i))
            branches.push_back(branch);
    }
    bool changed = false;
    for (BranchInst *branch : branches)
        changed |= sinkCondition(branch);
    for (SelectInst *select : reverse(selects))
        changed |= sinkSide(select, true) || sinkSide(select, false);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
