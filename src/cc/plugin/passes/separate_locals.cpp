// The back end has one PTX variable for all local variables of a function, so nobody who reads the
// PTX can say where one ends (`kudzu check`). Code that is not optimised is read to find bugs: what
// is accessed through its address becomes a variable that inline PTX declares.
#include "separate_locals.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>

using namespace llvm;

namespace {

// Loads and stores of the whole variable need no bounds.
bool isAccessedWhole(const AllocaInst &a) {
    Type *type = a.getAllocatedType();
    if (!type->isSingleValueType())
        return false;
    for (const User *u : a.users()) {
        auto *load = dyn_cast<LoadInst>(u);
        auto *store = dyn_cast<StoreInst>(u);
        auto *mark = dyn_cast<IntrinsicInst>(u);
        bool whole = (mark && mark->isLifetimeStartOrEnd()) || (load && load->getType() == type) ||
                     (store && store->getPointerOperand() == &a &&
                      store->getValueOperand()->getType() == type);
        if (!whole)
            return false;
    }
    return true;
}

// A name that is no word of PTX and no other variable's.
std::string nameOf(const AllocaInst &a, unsigned number) {
    std::string name;
    for (char c : a.getName())
        name += isAlnum(c) || c == '_' ? c : '_';
    if (name.empty() || isDigit(name[0]))
        name = "_" + name;
    return name + "$$L" + std::to_string(number); // "$": as inline PTX writes it
}

// PTX has no word for a variable's scope: a pragma, which is for those who know it.
void tellScope(IntrinsicInst &mark, const std::string &name) {
    bool begins = mark.getIntrinsicID() == Intrinsic::lifetime_start;
    std::string code =
        std::string(".pragma \"kudzu_scope_") + (begins ? "begin " : "end ") + name + "\";";
    IRBuilder<> builder(&mark);
    auto *type = FunctionType::get(builder.getVoidTy(), false);
    builder.CreateCall(type, InlineAsm::get(type, code, "~{memory}", true));
    mark.eraseFromParent();
}

void separate(AllocaInst &a, uint64_t size, unsigned number) {
    std::string name = nameOf(a, number);
    uint64_t align = std::max<uint64_t>(a.getAlign().value(), 8); // of what `kudzu check` notes
    std::string code = ".local .align " + std::to_string(align) + " .b8 " + name + "[" +
                       std::to_string(size) + "];\n\tmov.b64 \t$0, " + name +
                       ";\n\tcvta.local.u64 \t$0, $0;";
    IRBuilder<> builder(&a);
    auto *type = FunctionType::get(builder.getInt64Ty(), false);
    Value *address = builder.CreateCall(type, InlineAsm::get(type, code, "=l", false));
    Value *pointer = builder.CreateIntToPtr(address, a.getType());
    for (User *u : make_early_inc_range(a.users()))
        if (auto *call = dyn_cast<IntrinsicInst>(u); call && call->isLifetimeStartOrEnd())
            tellScope(*call, name); // it speaks of the back end's variables
    a.replaceAllUsesWith(pointer);
    a.eraseFromParent();
}

} // namespace

PreservedAnalyses SeparateLocalsPass::run(Function &f, FunctionAnalysisManager &) {
    const DataLayout &layout = f.getParent()->getDataLayout();
    SmallVector<AllocaInst *, 16> found;
    for (Instruction &i : f.getEntryBlock())
        if (auto *a = dyn_cast<AllocaInst>(&i))
            if (a->isStaticAlloca() && a->getAddressSpace() == 0 && !isAccessedWhole(*a))
                found.push_back(a);
    unsigned number = 0;
    for (AllocaInst *a : found) {
        std::optional<TypeSize> size = a->getAllocationSize(layout);
        if (size && size->getFixedValue())
            separate(*a, size->getFixedValue(), number++);
    }
    return number ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
