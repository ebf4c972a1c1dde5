// Without -rdc=true no other module can call a device function, and it need not be there when
// nobody calls it: headers full of functions (hashcat's, of 2.5 MB of PTX) then cost nothing, and
// what is called once is inlined.
#include "own_functions.h"
#include "kernels.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace {

using FunctionSet = SmallPtrSet<const Function *, 16>;

void addUsed(const Module &m, StringRef list, FunctionSet &kept) {
    const GlobalVariable *used = m.getGlobalVariable(list);
    if (!used || !used->hasInitializer())
        return;
    for (const Use &u : used->getInitializer()->operands())
        if (auto *f = dyn_cast<Function>(u->stripPointerCasts()))
            kept.insert(f);
}

} // namespace

void ownFunctions(Module &m) {
    FunctionSet kept = kernelsOf(m);
    addUsed(m, "llvm.used", kept);
    addUsed(m, "llvm.compiler.used", kept);
    for (Function &f : m)
        if (!f.isDeclaration() && !f.hasLocalLinkage() && !kept.count(&f)) {
            f.setComdat(nullptr);
            // What is not to be inlined keeps its parameters and what it loads by them.
            f.setLinkage(f.hasFnAttribute(Attribute::NoInline) ? GlobalValue::LinkOnceODRLinkage
                                                               : GlobalValue::InternalLinkage);
        }
}
