// Loops whose trip count is only known when they run are unrolled four times where their body
// is small: loads of several iterations are then under way at once, which hides a GPU's latency.
// LLVM would do so by itself but for the price of counting the iterations, which it takes to be too
// dear. Small loops of a known trip count are unrolled further than LLVM does, or as a whole, as
// nvcc does: what the iterations have in common is then computed once.
//
// The CPU device keeps the loop as it stands: lanes are its parallelism, and counting the
// iterations of all lanes by fours costs it more than it gains.
//
// Loops that index a local array are unrolled as a whole for both: an index that is known makes
// registers of the array.
#include "unroll_loops.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
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
// Of loops whose trip count is known.
constexpr unsigned MostKnownInstructions = 128, MostUnrolled = 640;
constexpr unsigned FewTurns = 16, ManyTurns = 64, LeastTurns = 4;
constexpr unsigned MostOfArrays = 2048;
constexpr unsigned Division = 40; // machine instructions

bool isDivision(const Instruction &i) {
    return i.isIntDivRem() && !isa<Constant>(i.getOperand(1));
}

// The device library's inline PTX that chooses between two ways to compute something.
bool tellsCpu(const CallBase &call) {
    auto *text = dyn_cast<InlineAsm>(call.getCalledOperand());
    return text && call.doesNotAccessMemory() &&
           StringRef(text->getAsmString()).contains("%kudzu_cpu");
}

// The number of instructions in a body, of a known trip count or not, that may stand several
// times, or 0: what all threads do together must stay together.
unsigned smallSize(const Loop &loop, bool isKnown) {
    unsigned count = 0, most = isKnown ? MostKnownInstructions : MostInstructions;
    for (BasicBlock *block : loop.blocks())
        for (Instruction &i : *block) {
            if (isa<DbgInfoIntrinsic>(i) || isa<PHINode>(i))
                continue;
            auto *call = dyn_cast<CallBase>(&i);
            if (call && !tellsCpu(*call) &&
                (call->isConvergent() || call->cannotDuplicate() || !isa<IntrinsicInst>(call)))
                return 0;
            count += isKnown && isDivision(i) ? Division : 1;
            if (count > most)
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

// How often a body of `size` instructions stands in a loop of `trips` iterations, 0 for not more
// often than LLVM wants.
unsigned knownTurns(unsigned trips, unsigned size) {
    if (trips <= FewTurns && trips * size <= MostUnrolled)
        return trips;
    unsigned turns = trips < 2 * ManyTurns ? FewTurns : ManyTurns;
    while (turns >= LeastTurns && (turns * size > MostUnrolled || trips % turns))
        turns /= 2;
    return turns >= LeastTurns ? turns : 0;
}

struct Wanted {
    Loop *loop;
    unsigned turns; // 0: as it is
    bool isKnown;   // how many turns the loop has
};

// How often the loop is to be unrolled for GPUs. The user's own word on unrolling counts.
Wanted wantedTurns(Loop &loop, ScalarEvolution &evolution, DominatorTree &tree) {
    if (!loop.isInnermost() || !loop.isLoopSimplifyForm() || !loop.isLCSSAForm(tree) ||
        !loop.getExitingBlock() || loop.getExitingBlock() != loop.getLoopLatch() ||
        hasUnrollTransformation(&loop) != TM_Unspecified ||
        isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(&loop)) || !readsMemory(loop))
        return {&loop, 0, false};
    unsigned trips = evolution.getSmallConstantTripCount(&loop);
    unsigned size = smallSize(loop, trips != 0);
    if (!size)
        return {&loop, 0, false};
    return {&loop, trips ? knownTurns(trips, size) : Turns, trips != 0};
}

void collect(Loop &loop, ScalarEvolution &evolution, DominatorTree &tree,
             SmallVectorImpl<Wanted> &found) {
    for (Loop *inner : loop)
        collect(*inner, evolution, tree, found);
    if (Wanted wanted = wantedTurns(loop, evolution, tree); wanted.turns)
        found.push_back(wanted);
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
void makeVersions(const Wanted &wanted, LoopInfo &loops, DominatorTree &tree) {
    Loop &loop = *wanted.loop;
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
    addStringMetadataToLoop(copy, "llvm.loop.unroll.count", wanted.turns);
    letUnrollAgain(*copy);
    if (!wanted.isKnown)
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
        makeVersions(w, loops, tree);
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

// Whether the loop goes through a local array: with its iterations apart, each access has its own
// place.
static bool indexesArray(const Loop &loop, ScalarEvolution &evolution) {
    for (BasicBlock *block : loop.blocks())
        for (Instruction &i : *block)
            if (Value *p = getLoadStorePointerOperand(&i))
                if (isa<AllocaInst>(getUnderlyingObject(p)) &&
                    !evolution.isLoopInvariant(evolution.getSCEV(p), &loop))
                    return true;
    return false;
}

PreservedAnalyses UnrollArrayLoopsPass::run(Loop &loop, LoopAnalysisManager &,
                                            LoopStandardAnalysisResults &results, LPMUpdater &) {
    Function &f = *loop.getHeader()->getParent();
    unsigned trips = results.SE.getSmallConstantTripCount(&loop), size = 0;
    if (!Triple(f.getParent()->getTargetTriple()).isNVPTX() || !trips || !loop.isInnermost() ||
        hasUnrollTransformation(&loop) != TM_Unspecified || !indexesArray(loop, results.SE))
        return PreservedAnalyses::all();
    for (BasicBlock *block : loop.blocks())
        size += block->size();
    if (trips * size <= MostOfArrays)
        addStringMetadataToLoop(&loop, "llvm.loop.unroll.full");
    return PreservedAnalyses::all();
}
