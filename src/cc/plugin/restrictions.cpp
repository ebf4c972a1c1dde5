// Restrictions of the guide's 10.2, 13.3 and 18 that modules show and the syntax tree
// (src/cc/rules) does not: kernels have at most 32,764 bytes of parameters (4096 before sm_70);
// static variables in functions are initialised by constants and not thread_local; device code does
// not write to
// __constant__ variables. Host code does not read or write __device__ variables or take their
// addresses (warnings) and declares none in functions.
#include "restrictions.h"

#include "kernels.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace {

std::string quoted(const Value *v) {
    return "'" + demangle(v->getName()) + "'";
}

// "file:line:column: " where the instruction's line is known (-lineinfo, -G, -g, and when the
// driver asks again).
std::string place(const Instruction *i) {
    const DebugLoc &at = i->getDebugLoc();
    auto *scope = at ? dyn_cast<DIScope>(at.getScope()) : nullptr;
    return scope ? (scope->getFilename() + ":" + Twine(at.getLine()) + ":" +
                    Twine(std::max(at.getCol(), 1u)) + ": ")
                       .str()
                 : "";
}

// The same of a function or variable, where clang keeps what is known of them.
std::string place(const GlobalObject &v) {
    std::string line;
    if (auto *f = dyn_cast<Function>(&v))
        if (DISubprogram *at = f->getSubprogram())
            line = (at->getFilename() + ":" + Twine(at->getLine()) + ":1: ").str();
    SmallVector<DIGlobalVariableExpression *, 1> known;
    if (auto *g = dyn_cast<GlobalVariable>(&v))
        g->getDebugInfo(known);
    if (!known.empty())
        line = (known[0]->getVariable()->getFilename() + ":" +
                Twine(known[0]->getVariable()->getLine()) + ":1: ")
                   .str();
    return line;
}

// Of something that is not defined: where it is used first.
std::string placeOfUse(const Value &v) {
    SmallVector<const Value *, 8> list = {&v};
    for (size_t i = 0; i < list.size() && i < 1000; i++)
        for (const User *u : list[i]->users())
            if (auto *at = dyn_cast<Instruction>(u); at && !place(at).empty())
                return place(at);
            else if (isa<Constant>(u) && !isa<GlobalValue>(u))
                list.push_back(u);
    return "";
}

// Bytes that a kernel's parameters take, each at a multiple of its alignment.
uint64_t parameterBytes(const Function &f) {
    const DataLayout &layout = f.getParent()->getDataLayout();
    uint64_t end = 0;
    for (const Argument &a : f.args()) {
        Type *type = a.hasByValAttr() ? a.getParamByValType() : a.getType();
        Align align =
            a.hasByValAttr() ? a.getParamAlign().valueOrOne() : layout.getABITypeAlign(type);
        end = alignTo(end, align) + layout.getTypeAllocSize(type);
    }
    return end;
}

unsigned architecture(const Function &f) {
    unsigned number = 90;
    StringRef cpu = f.getFnAttribute("target-cpu").getValueAsString();
    if (cpu.consume_front("sm_"))
        cpu.consumeInteger(10, number);
    return number;
}

void checkKernel(Function &f) {
    Module &m = *f.getParent();
    uint64_t most = architecture(f) >= 70 ? 32764 : 4096, bytes = parameterBytes(f);
    if (bytes > most)
        m.getContext().emitError(place(f) + "the parameters of the kernel " + quoted(&f) +
                                 " take " + Twine(bytes) + " bytes; " + Twine(most) +
                                 " are the limit");
}

// A variable with a guard is one that is initialised when control first gets there.
void checkStaticVariable(Module &m, GlobalVariable &v) {
    StringRef name = v.getName();
    if (name.consume_front("_ZGV")) {
        // What the back end cannot generate is taken out: it would end with a report of its own.
        for (User *u : v.users())
            if (auto *load = dyn_cast<LoadInst>(u->stripPointerCasts()))
                load->setAtomic(AtomicOrdering::NotAtomic);
        m.getContext().emitError(placeOfUse(v) + "the static variable '" +
                                 demangle("_Z" + name.str()) +
                                 "' is initialised by code; device code initialises by constants");
    } else if (v.isThreadLocal()) {
        m.getContext().emitError(place(v) + "the variable " + quoted(&v) +
                                 " is thread_local, which device code has not");
        SmallVector<IntrinsicInst *, 4> addresses;
        for (User *u : v.users())
            if (auto *call = dyn_cast<IntrinsicInst>(u))
                addresses.push_back(call);
        for (IntrinsicInst *call : addresses) {
            call->replaceAllUsesWith(&v);
            call->eraseFromParent();
        }
        v.setThreadLocal(false);
    }
}

// ---- What code does with variables --------------------------------------------------------

// Instructions that read or write memory at the address, or at a distance from it.
template <class Visit> void forEachAccess(Value *address, const Visit &visit) {
    for (User *u : address->users()) {
        auto *copy = dyn_cast<MemIntrinsic>(u);
        auto *transfer = dyn_cast<MemTransferInst>(u);
        bool write = isa<AtomicRMWInst>(u) || isa<AtomicCmpXchgInst>(u) ||
                     (isa<StoreInst>(u) && cast<StoreInst>(u)->getPointerOperand() == address) ||
                     (copy && copy->getRawDest() == address);
        if (write || isa<LoadInst>(u) || (transfer && transfer->getRawSource() == address))
            visit(cast<Instruction>(u), write);
        else if (isa<GEPOperator>(u) || isa<AddrSpaceCastOperator>(u))
            forEachAccess(u, visit);
    }
}

void checkConstantVariable(Module &m, GlobalVariable &v) {
    constexpr unsigned ConstantSpace = 4;
    if (v.getAddressSpace() != ConstantSpace)
        return;
    forEachAccess(&v, [&](Instruction *i, bool write) {
        if (write)
            m.getContext().emitError(place(i) + "the __constant__ variable " + quoted(&v) +
                                     " is written to in device code, in " +
                                     quoted(i->getFunction()));
    });
}

// Functions that find the device's variable by the address of the host's. A function of the
// program's own that is given an array, without a & that says the address is meant, may hand it on
// to one of them, as wrappers of the runtime's functions do.
bool takesSymbol(const Function *f, bool array) {
    std::string name = f ? demangle(f->getName()) : "";
    StringRef n = name;
    bool mayHandOn = array && !n.starts_with("cu") && !n.contains("__device_stub__");
    return mayHandOn || n.contains("Symbol") || n.starts_with("__cuda");
}

// Instructions by which the address itself gets elsewhere. References may go on to a function that
// takes symbols, as in the runtime's own templates.
template <class Visit> void forEachEscape(Value *address, bool array, const Visit &visit) {
    for (Use &u : address->uses()) {
        auto *i = dyn_cast<Instruction>(u.getUser());
        auto *call = dyn_cast_or_null<CallBase>(i);
        auto *store = dyn_cast_or_null<StoreInst>(i);
        if (isa<GEPOperator>(u.getUser()) || isa<AddrSpaceCastOperator>(u.getUser()))
            forEachEscape(u.getUser(), false, visit);
        else if (call ? call->isArgOperand(&u) && !isa<IntrinsicInst>(call) &&
                            !call->getParamDereferenceableBytes(call->getArgOperandNo(&u)) &&
                            !takesSymbol(call->getCalledFunction(), array)
                      : (store && store->getValueOperand() == address) ||
                            isa_and_nonnull<ReturnInst>(i))
            visit(i);
    }
}

// Host code has a variable of its own by the name of each __device__ and __constant__ variable,
// which only serves to find it.
void checkHostAccess(Module &m, GlobalVariable &v) {
    if (v.getName().starts_with("_ZZ"))
        m.getContext().emitError(place(v) + "the variable " + quoted(&v) +
                                 " of a function that runs on the host is marked as the device's");
    SmallPtrSet<Function *, 4> told;
    forEachAccess(&v, [&](Instruction *i, bool write) {
        if (told.insert(i->getFunction()).second)
            warn(m, place(i) + "the device's variable " + quoted(&v) + " is " +
                        (write ? "written to" : "read") + " in the host function " +
                        quoted(i->getFunction()) + ", which has a variable of its own there");
    });
    forEachEscape(&v, v.getValueType()->isArrayTy(), [&](Instruction *i) {
        if (told.insert(i->getFunction()).second)
            warn(m, place(i) + "the address of the device's variable " + quoted(&v) +
                        " is taken in the host function " + quoted(i->getFunction()) +
                        ", where it is that of a variable of the host; cudaGetSymbolAddress gives "
                        "the device's");
    });
}

// What is registered as a variable of the device (in relocatable objects: by an entry).
void forEachDeviceVariable(Module &m, function_ref<void(GlobalVariable &)> visit) {
    if (Function *f = m.getFunction("__cudaRegisterVar"))
        for (User *u : f->users())
            if (auto *call = dyn_cast<CallBase>(u))
                if (auto *v = dyn_cast<GlobalVariable>(call->getArgOperand(1)->stripPointerCasts()))
                    visit(*v);
    for (GlobalVariable &g : m.globals()) {
        bool listed = g.getSection() == "cuda_offloading_entries" && g.hasInitializer();
        auto *entry = listed ? dyn_cast<ConstantStruct>(g.getInitializer()) : nullptr;
        auto *v =
            entry ? dyn_cast<GlobalVariable>(entry->getOperand(0)->stripPointerCasts()) : nullptr;
        if (v)
            visit(*v);
    }
}

} // namespace

void warn(Module &m, const Twine &message) {
    m.getContext().diagnose(DiagnosticInfoInlineAsm(uint64_t(0), message, DS_Warning));
}

void checkRestrictions(Module &m) {
    auto kernels = kernelsOf(m);
    for (Function &f : m) {
        if (kernels.contains(&f))
            checkKernel(f);
    }
    for (GlobalVariable &g : m.globals()) {
        checkStaticVariable(m, g);
        checkConstantVariable(m, g);
    }
}

void checkHostRestrictions(Module &m) {
    forEachDeviceVariable(m, [&](GlobalVariable &v) {
        if (v.getSection() != "kudzu.managed")
            checkHostAccess(m, v);
    });
}

// What the device provides (src/isa/device_functions.h): the system's functions and those of the
// device runtime.
static bool isProvided(StringRef name) {
    return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail" ||
           name.starts_with("cuda") || name.starts_with("__cuda");
}

static bool isTypeQuery(const GlobalValue &v) {
    return v.isDeclaration() &&
           (v.getName().starts_with("_ZTI") || v.getName() == "__dynamic_cast" ||
            v.getName() == "__cxa_bad_typeid");
}

static void reportTypeQuery(Module &m, const GlobalValue &v) {
    m.getContext().emitError(placeOfUse(v) + "typeid and dynamic_cast are not for device code (" +
                             quoted(&v) + ")");
}

void checkTypeQueries(Module &m) {
    auto isUsed = [](const GlobalValue &v) {
        return any_of(v.users(), [](const User *u) {
            auto *i = dyn_cast<Instruction>(u);
            return i && i->getFunction()->hasExternalLinkage();
        });
    };
    for (const GlobalValue &v : m.global_values())
        if (isTypeQuery(v) && isUsed(v))
            reportTypeQuery(m, v);
}

void markPlaces(Module &m) {
    std::string marks;
    for (const GlobalVariable &v : m.globals())
        if (std::string at = place(v); !at.empty())
            marks +=
                ("// kudzu.place " + v.getName() + " " + StringRef(at).rtrim(": ") + "\n").str();
    if (!marks.empty())
        m.appendModuleInlineAsm(marks);
}

bool hasInlineAsm(const Module &m) {
    for (const Function &f : m)
        for (const Instruction &i : instructions(f))
            if (auto *call = dyn_cast<CallBase>(&i); call && call->isInlineAsm())
                return true;
    return false;
}

// Weak references may stay without a definition, as do those to threadIdx and the like, whose
// members are registers.
void checkReferences(Module &m) {
    auto report = [&](const GlobalValue &v) {
        if (isTypeQuery(v))
            reportTypeQuery(m, v);
        else
            m.getContext().emitError(placeOfUse(v) + "undefined reference to " + quoted(&v) +
                                     " in device code; what other files define needs -rdc=true");
    };
    for (const Function &f : m)
        if (f.isDeclaration() && !f.isIntrinsic() && !f.use_empty() &&
            !f.hasExternalWeakLinkage() && !isProvided(f.getName()))
            report(f);
    constexpr unsigned SharedSpace = 3;
    for (const GlobalVariable &g : m.globals())
        if (g.isDeclaration() && !g.use_empty() && g.getAddressSpace() != SharedSpace &&
            !g.hasExternalWeakLinkage() && !g.getName().starts_with("llvm."))
            report(g);
}
