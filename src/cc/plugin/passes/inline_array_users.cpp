// A function that is given the address of a caller's local array (a hash's state, a small matrix)
// keeps the array in memory, where it would lie in registers if the function were inlined. Few
// calls of a function that is not huge are inlined for that, as nvcc does, beyond LLVM's own
// threshold.
#include "inline_array_users.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace {

// Counted before any optimisation.
constexpr unsigned MostCalls = 3, MostInstructionsAfter = 8000;

bool passesLocalArray(const CallBase &call) {
    return any_of(call.args(), [](const Use &argument) {
        auto *variable = dyn_cast<AllocaInst>(argument->stripInBoundsOffsets());
        return variable && variable->getAllocatedType()->isArrayTy();
    });
}

// Whether all that is known of a function's address is a few direct calls, one at least with an
// array, none of them in itself.
bool isUserOfArrays(const Function &f) {
    unsigned calls = 0;
    bool array = false;
    for (const Use &use : f.uses()) {
        auto *call = dyn_cast<CallBase>(use.getUser());
        if (!call)
            continue; // listed as used, or called through a pointer: that stays as it is
        if (!call->isCallee(&use) || call->getFunction() == &f)
            return false;
        calls++;
        array |= passesLocalArray(*call);
    }
    return array && calls <= MostCalls;
}

} // namespace

void inlineArrayUsers(Module &m) {
    for (Function &f : m)
        if (!f.isDeclaration() && !f.isInterposable() && !f.hasFnAttribute(Attribute::NoInline) &&
            !f.hasFnAttribute(Attribute::OptimizeNone) &&
            f.getInstructionCount() <= MostInstructionsAfter && isUserOfArrays(f))
            f.addFnAttr(Attribute::AlwaysInline);
}
