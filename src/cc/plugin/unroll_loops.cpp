// Loops whose number of turns is only known when they run are unrolled four times where their body
// is small: loads of several turns are then under way at once, which hides a GPU's latency. LLVM
// would do so by itself but for the price of counting the turns, which it takes to be too dear.
// Tiny loops of many turns, whose number is known, are unrolled further than LLVM does, as nvcc
// does.
//
// The CPU device keeps the loop as it stands: lanes are its parallelism, and counting the turns of
// all lanes by fours costs it more than it gains.
#include "unroll_loops.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace {

constexpr unsigned Turns = 4, MostInstructions = 48;
constexpr unsigned MostKnownTurns = 64, LeastKnownTurns = 16, MostUnrolled = 512;

// The number of instructions in a body that may stand several times, or 0: what all threads do
// together must stay together.
unsigned smallSize(const Loop &loop) {
    unsigned count = 0;
    for (BasicBlock *block : loop.blocks())
        for (Instruction &i : *block) {
            if (isa<DbgInfoIntrinsic>(i) || isa<PHINode>(i))
                continue;
            auto *call = dyn_cast<CallBase>(&i);
            if (call && (call->isConvergent() || call->cannotDuplicate() || call->isInlineAsm() ||
                         !isa<IntrinsicInst>(call)))
                return 0;
            if (++count > MostInstructions)
                return 0;
        }
    return count;
}

bool readsMemory(const Loop &loop) {
    for (BasicBlock *block : loop.blocks())
        for (Instruction &i : *block)
            if (isa<LoadInst>(i))
                return true;
    return false;
}

// How often a body of `size` instructions stands in a loop of `trips` turns, 0 for not more often
// than LLVM wants.
unsigned knownTurns(unsigned trips, unsigned size) {
    unsigned turns = MostKnownTurns;
    if (trips < 2 * turns)
        return 0;
    while (turns >= LeastKnownTurns && (turns * size > MostUnrolled || trips % turns))
        turns /= 2;
    return turns >= LeastKnownTurns ? turns : 0;
}

// How often the loop is to be unrolled for GPUs, or 0. The user's own word on unrolling counts.
unsigned wantedTurns(Loop &loop, ScalarEvolution &evolution, DominatorTree &tree) {
    if (!loop.isInnermost() || !loop.isLoopSimplifyForm() || !loop.isLCSSAForm(tree) ||
        !loop.getExitingBlock() || loop.getExitingBlock() != loop.getLoopLatch() ||
        hasUnrollTransformation(&loop) != TM_Unspecified ||
        isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(&loop)) || !readsMemory(loop))
        return 0;
    unsigned size = smallSize(loop), trips = evolution.getSmallConstantTripCount(&loop);
    if (!size)
        return 0;
    return trips ? knownTurns(trips, size) : Turns;
}

struct Wanted {
    Loop *loop;
    unsigned turns;
};

void collect(Loop &loop, ScalarEvolution &evolution, DominatorTree &tree,
             SmallVectorImpl<Wanted> &found) {
    for (Loop *inner : loop)
        collect(*inner, evolution, tree, found);
    if (unsigned turns = wantedTurns(loop, evolution, tree))
        found.push_back({&loop, turns});
}

// 1 on the CPU device, whose PTX front end knows the register's name, and 0 elsewhere. Whoever
// compiles the PTX knows it as a constant.
Value *onCpu(IRBuilder<> &builder) {
    auto *type = FunctionType::get(builder.getInt32Ty(), false);
    auto *text = InlineAsm::get(type,
                                "{\n\t.reg .b32 %kudzu_cpu;\n\tmov.b32 %kudzu_cpu, 0;"
                                "\n\tmov.b32 $0, %kudzu_cpu;\n\t}",
                                "=r", false);
    CallInst *call = builder.CreateCall(text);
    call->setDoesNotAccessMemory();
    call->setDoesNotThrow();
    return builder.CreateICmpNE(call, builder.getInt32(0));
}

// What has been unrolled is otherwise marked as not to be unrolled again, which PTX tells NVIDIA's
// compiler: that one would unroll it further.
void letUnrollAgain(Loop &loop) {
    LLVMContext &c = loop.getHeader()->getContext();
    Metadata *then = MDNode::get(c, {MDString::get(c, "kudzu.unrolled")});
    Metadata *option[] = {MDString::get(c, "llvm.loop.unroll.followup_unrolled"), then};
    loop.setLoopID(
        makePostTransformationMetadata(c, loop.getLoopID(), {}, {MDNode::get(c, option)}));
}

// The loop, and a copy of it for GPUs that is to be unrolled; which of them runs is decided first.
void makeVersions(Loop &loop, unsigned turns, LoopInfo &loops, DominatorTree &tree) {
    BasicBlock *entry = loop.getLoopPreheader(), *exit = loop.getExitBlock();
    BasicBlock *exiting = loop.getExitingBlock();
    BasicBlock *preheader = SplitBlock(entry, entry->getTerminator(), &tree, &loops);
    ValueToValueMapTy map;
    SmallVector<BasicBlock *, 8> blocks;
    Loop *copy =
        cloneLoopWithPreheader(preheader, entry, &loop, map, ".gpu", &loops, &tree, blocks);
    remapInstructionsInBlocks(blocks, map);
    for (PHINode &phi : exit->phis()) {
        Value *v = phi.getIncomingValueForBlock(exiting);
        Value *mapped = map.lookup(v);
        phi.addIncoming(mapped ? mapped : v, cast<BasicBlock>(map[exiting]));
    }
    Instruction *end = entry->getTerminator();
    IRBuilder<> builder(end);
    builder.CreateCondBr(onCpu(builder), preheader, copy->getLoopPreheader());
    end->eraseFromParent();
    tree.changeImmediateDominator(exit, entry);
    addStringMetadataToLoop(copy, "llvm.loop.unroll.count", turns);
    letUnrollAgain(*copy);
    if (turns == Turns)
        addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable");
}

} // namespace

PreservedAnalyses UnrollLoopsPass::run(Function &f, FunctionAnalysisManager &analyses) {
    if (!Triple(f.getParent()->getTargetTriple()).isNVPTX())
        return PreservedAnalyses::all();
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
    auto &loops = analyses.getResult<LoopAnalysis>(f);
    auto &tree = analyses.getResult<DominatorTreeAnalysis>(f);
    SmallVector<Wanted, 8> found;
    for (Loop *loop : loops)
        collect(*loop, evolution, tree, found);
    for (Wanted &w : found)
        makeVersions(*w.loop, w.turns, loops, tree);
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
