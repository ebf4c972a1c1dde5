// A plugin of clang (-fpass-plugin): what CUDA C++ has and clang 19 has no attribute for.
// host_defines.h marks each such specifier in a way that reaches LLVM's module.
//
//   __managed__      a section's name. Device: .attribute(.managed). Host: each use goes through a
//                    pointer, which the runtime sets to the variable's address when the program
//                    starts.
//   __cluster_dims__ an annotation: becomes a comment in the PTX, which cluster_dims.c turns into
//                    directives, for clang 19 cannot write them.
//   __grid_constant__ an annotation: a parameter that is only read needs no copy anyway, and of a
//                    structure the address itself is taken.
//   <<<>>>           in device code: device_launch.cpp.
//   __maxnreg__      an annotation: becomes a comment in the PTX, too (max_registers.c). LLVM has
//   an
//                    annotation of its own for it, which clang 19 has read before plugins run.
//
// With KUDZU_EXPORT_STATIC in its environment (PTX and images that programs load, where host code
// is not seen) static variables of device code become visible. With KUDZU_LINKED the code is what
// a device link has joined. Without it and without -rdc=true (KUDZU_RELOCATABLE, or
// KUDZU_EXPORT_STATIC=relocatable) all that device code refers to has to be there, and nobody else
// calls its functions.
//
// What the guide forbids and clang lets pass is looked for first (restrictions.cpp).
//
// C++, since LLVM's C interface has no plugins. Runs first, on every optimisation level.
//
// When it optimises: clang takes *(float4 *)&row[k] of a float array to be aligned as a float is,
// so shared arrays get a better alignment first. Last, what follows from it is found: the
// conversion from shared to generic addresses has hidden it. With address spaces and alignments
// found again, LLVM makes vector loads and stores of them. What only some threads need goes behind
// branches (sink_rare_work.cpp), and small loops are unrolled (unroll_loops.cpp).
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Passes/PassBuilder.h>
#if __has_include(<llvm/Plugins/PassPlugin.h>) // since LLVM 22
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "device_launch.h"
#include "device_runtime_names.h"
#include "divide_wide.h"
#include "drop_guarded_flags.h"
#include "expand_copies.h"
#include "expand_moves.h"
#include "fold_logarithms.h"
#include "fold_space_tests.h"
#include "inline_array_users.h"
#include "kernels.h"
#include "own_functions.h"
#include "quad_precision.h"
#include "restrictions.h"
#include "separate_locals.h"
#include "shared_addresses.h"
#include "sink_rare_work.h"
#include "split_loads.h"
#include "unroll_loops.h"
#include "user_lines.h"
#include "whole_vectors.h"

using namespace llvm;

namespace {

constexpr char ManagedSection[] = "kudzu.managed";

StringRef stringOf(Value *v) {
    auto *g = dyn_cast<GlobalVariable>(v->stripPointerCasts());
    auto *s =
        g && g->hasInitializer() ? dyn_cast<ConstantDataSequential>(g->getInitializer()) : nullptr;
    return s && s->isCString() ? s->getAsCString() : StringRef();
}

// ---- Device -------------------------------------------------------------------------------

void manageOnDevice(Module &m, GlobalVariable *v) {
    LLVMContext &c = m.getContext();
    Metadata *operands[] = {ConstantAsMetadata::get(v), MDString::get(c, "managed"),
                            ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), 1))};
    m.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(MDNode::get(c, operands));
}

// The mark that cluster_dims.c or max_registers.c looks for: the annotation, the kernel's name, the
// annotation's numbers. Those that are left out are 1; all are 0 where there is none.
void noteAnnotation(Module &m, ConstantStruct *entry, StringRef what, unsigned count) {
    auto *args = dyn_cast<GlobalVariable>(entry->getOperand(4)->stripPointerCasts());
    auto *values = args && args->hasInitializer() ? args->getInitializer() : nullptr;
    Value *kernel = entry->getOperand(0)->stripPointerCasts();
    std::string mark = ("// " + what + " " + kernel->getName()).str();
    for (unsigned i = 0; i < count; i++) {
        auto *v = values ? dyn_cast_or_null<ConstantInt>(values->getAggregateElement(i)) : nullptr;
        mark += " " + std::to_string(v ? v->getZExtValue() : values ? 1 : 0);
    }
    m.appendModuleInlineAsm(mark);
}

// Architectures before it have no generic addresses of parameters.
bool hasParameterAddresses(const Function &f) {
    unsigned number = 0;
    StringRef cpu = f.getFnAttribute("target-cpu").getValueAsString();
    return cpu.consume_front("sm_") && !cpu.consumeInteger(10, number) && number >= 70;
}

// The back end remembers, by its address, what clang asked about a function before plugins ran: a
// function in its place is asked about anew. The old one is not freed, since what came to stand at
// its address would have its launch bounds.
Function *replaced(Function *f) {
    Function *g = Function::Create(f->getFunctionType(), f->getLinkage(), f->getAddressSpace(), "",
                                   f->getParent());
    g->copyAttributesFrom(f);
    g->setComdat(f->getComdat());
    g->copyMetadata(f, 0);
    g->splice(g->begin(), f);
    for (unsigned i = 0; i < f->arg_size(); i++) {
        g->getArg(i)->takeName(f->getArg(i));
        f->getArg(i)->replaceAllUsesWith(g->getArg(i));
    }
    f->replaceAllUsesWith(g);
    g->takeName(f);
    f->clearMetadata();
    f->removeFromParent();
    return g;
}

// An annotated parameter or variable: the annotation would be a use of its address, for which the
// back end copies the whole of a kernel's parameter into local memory, word by word.
void dropVariableAnnotations(Module &m) {
    SmallVector<CallInst *, 8> calls;
    MapVector<Function *, std::set<unsigned>> gridConstants;
    for (Function &f : m)
        if (f.getIntrinsicID() == Intrinsic::var_annotation)
            for (User *u : f.users())
                if (auto *call = dyn_cast<CallInst>(u))
                    calls.push_back(call);
    for (CallInst *call : calls) {
        auto *a = dyn_cast<Argument>(call->getArgOperand(0)->stripPointerCasts());
        if (a && a->hasByValAttr() && hasParameterAddresses(*a->getParent()) &&
            stringOf(call->getArgOperand(1)) == "kudzu.grid_constant")
            gridConstants[a->getParent()].insert(a->getArgNo());
        call->eraseFromParent();
    }
    // The back end takes the address itself, where it is needed, instead of that of a copy.
    for (const auto &[f, parameters] : gridConstants)
        markGridConstants(*replaced(f), parameters);
}

// ---- Device: functions of the host ---------------------------------------------------------

// Functions of the host that device code names (rules/host_calls.cpp) end the kernel that comes to
// them. nvcc ends the thread's work without a word. What they alone need is dropped.
void leaveToHost(Module &m, ModuleAnalysisManager &analyses) {
    bool any = false;
    for (Function &f : m)
        if (f.getSection() == "kudzu.host") {
            f.deleteBody();
            f.setSection("");
            f.setComdat(nullptr);
            f.setLinkage(GlobalValue::InternalLinkage);
            IRBuilder<> builder(BasicBlock::Create(m.getContext(), "", &f));
            builder.CreateIntrinsic(Intrinsic::trap, {}, {});
            builder.CreateUnreachable();
            any = true;
        }
    if (any)
        GlobalDCEPass().run(m, analyses);
}

// ---- Device: static variables of code that is a module of its own ---------------------------

// "_ZL1a" -> "a", "_ZN1nL1aE" -> "_ZN1n1aE": the name of the same variable without `static`, by
// which programs ask for it, since other compilers have one name for both.
std::string nameWithoutStatic(StringRef name) {
    std::string out;
    if (name.consume_front("_ZL")) {
        unsigned long long n;
        return !name.consumeInteger(10, n) && name.size() == n ? name.str() : "";
    }
    if (!name.consume_front("_ZN"))
        return "";
    for (out = "_ZN"; !name.empty() && name != "E";) {
        StringRef rest = name;
        unsigned long long n;
        rest.consume_front("L");
        if (rest.consumeInteger(10, n) || n > rest.size())
            return "";
        out += std::to_string(n) + rest.substr(0, n).str();
        name = rest.substr(n);
    }
    return out + "E";
}

// Host code that the compiler does not see may write to them through the module: what they hold at
// first says nothing.
void exportStaticVariables(Module &m) {
    enum { Global = 1, Constant = 4 };
    for (GlobalVariable &g : m.globals()) {
        bool named = g.getName().starts_with("_ZL") || g.getName().starts_with("_ZN");
        if (!named || !g.hasLocalLinkage() || g.isConstant() || g.isDeclaration() ||
            (g.getAddressSpace() != Global && g.getAddressSpace() != Constant))
            continue;
        g.setLinkage(GlobalValue::ExternalLinkage);
        g.setExternallyInitialized(true);
        std::string name = nameWithoutStatic(g.getName());
        if (!name.empty() && !m.getNamedValue(name))
            g.setName(name);
    }
}

// Device code has no use for annotations, and PTX would declare functions because of them.
void dropAnnotations(Module &m) {
    dropVariableAnnotations(m);
    GlobalVariable *list = m.getGlobalVariable("llvm.global.annotations");
    if (!list || !list->hasInitializer())
        return;
    for (Use &u : list->getInitializer()->operands())
        if (auto *entry = dyn_cast<ConstantStruct>(u.get())) {
            StringRef what = stringOf(entry->getOperand(1));
            if (what == "kudzu.cluster_dims")
                noteAnnotation(m, entry, what, 3);
            else if (what == "kudzu.maxnreg")
                noteAnnotation(m, entry, what, 1);
        }
    list->eraseFromParent();
}

// Shared arrays begin at multiples of 16, as nvcc's do in practice: programs read rows of floats as
// float4, and are not asked to say so where the array is declared.
void alignSharedArrays(Module &m) {
    constexpr unsigned SharedSpace = 3;
    for (GlobalVariable &g : m.globals()) {
        auto *type = dyn_cast<ArrayType>(g.getValueType());
        if (g.getAddressSpace() != SharedSpace || !type)
            continue;
        uint64_t size = m.getDataLayout().getTypeAllocSize(type);
        if (size == 0 || size >= 16) // 0: as long as the launch says
            g.setAlignment(std::max(g.getAlign().valueOrOne(), Align(16)));
    }
}

// ---- Host: registration -------------------------------------------------------------------

// Kernels and variables are registered before static variables of any file are initialised, whose
// initialisers may launch kernels: the first priority that is not the system's.
void registerFirst(Module &m) {
    constexpr unsigned First = 101;
    GlobalVariable *list = m.getGlobalVariable("llvm.global_ctors");
    Function *ctor = m.getFunction("__cuda_module_ctor");
    if (!list || !list->hasInitializer() || !ctor)
        return;
    SmallVector<Constant *, 8> entries;
    for (Use &u : list->getInitializer()->operands()) {
        auto *entry = cast<ConstantStruct>(u.get());
        if (entry->getOperand(1) == ctor)
            entry = cast<ConstantStruct>(ConstantStruct::get(
                entry->getType(), {ConstantInt::get(entry->getOperand(0)->getType(), First),
                                   entry->getOperand(1), entry->getOperand(2)}));
        entries.push_back(entry);
    }
    list->setInitializer(ConstantArray::get(cast<ArrayType>(list->getValueType()), entries));
}

// ---- Host: managed variables --------------------------------------------------------------

constexpr int32_t ManagedEntry = 1; // flag of an offloading entry (device_link.c)

// __cudaRegisterVar(handle, &x, ...) -> __cudaRegisterManagedVar(handle, &x.managed, ...)
void registerAsManaged(CallBase *call, GlobalVariable *pointer) {
    Module &m = *call->getModule();
    FunctionCallee callee =
        m.getOrInsertFunction("__cudaRegisterManagedVar", call->getFunctionType());
    call->setCalledFunction(callee);
    call->setArgOperand(1, pointer);
}

// The image is to be loaded before main: host code may write to the variable before it calls
// the runtime for the first time.
void initializeAtStart(Module &m) {
    Function *ctor = m.getFunction("__cuda_module_ctor");
    if (!ctor || ctor->isDeclaration())
        return;
    CallInst *end = nullptr;
    for (Instruction &i : instructions(ctor))
        if (auto *call = dyn_cast<CallInst>(&i))
            if (call->getCalledFunction() &&
                call->getCalledFunction()->getName() == "__cudaRegisterFatBinaryEnd")
                end = call;
    if (!end)
        return;
    IRBuilder<> builder(end->getNextNode());
    FunctionCallee init = m.getOrInsertFunction(
        "__cudaInitModule", FunctionType::get(builder.getInt8Ty(), {builder.getPtrTy()}, false));
    builder.CreateCall(init, {end->getArgOperand(0)});
}

bool isRegistration(Instruction *i) {
    auto *call = dyn_cast<CallBase>(i);
    return call && call->getCalledFunction() &&
           call->getCalledFunction()->getName() == "__cudaRegisterVar";
}

// Rewrites an offloading entry of a relocatable object.
Constant *managedEntry(ConstantStruct *entry, GlobalVariable *pointer) {
    SmallVector<Constant *, 5> fields;
    for (Use &u : entry->operands())
        fields.push_back(cast<Constant>(u.get()));
    fields[0] = pointer;
    fields[3] = ConstantInt::get(fields[3]->getType(),
                                 cast<ConstantInt>(fields[3])->getZExtValue() | ManagedEntry);
    return ConstantStruct::get(entry->getType(), fields);
}

void rewriteConstantUses(Module &m, GlobalVariable *x, GlobalVariable *pointer) {
    for (GlobalVariable &g : m.globals()) {
        if (!g.hasInitializer() || &g == pointer || g.getName().starts_with("llvm."))
            continue;
        auto *entry = dyn_cast<ConstantStruct>(g.getInitializer());
        if (g.getSection() == "cuda_offloading_entries" && entry &&
            entry->getOperand(0)->stripPointerCasts() == x)
            g.setInitializer(managedEntry(entry, pointer));
    }
}

// Whether a constant that is no instruction's operand holds the address: it cannot be known when
// the program is linked.
bool isInInitializer(Constant *c) {
    for (User *u : c->users()) {
        if (auto *g = dyn_cast<GlobalVariable>(u)) {
            StringRef name = g->getName();
            if (!name.starts_with("llvm.") && !name.starts_with("__clang_gpu_used") &&
                !name.ends_with(".managed"))
                return true;
        } else if (auto *inner = dyn_cast<Constant>(u)) {
            if (isInInitializer(inner))
                return true;
        }
    }
    return false;
}

void replaceUses(GlobalVariable *x, GlobalVariable *pointer) {
    convertUsersOfConstantsToInstructions({x});
    SmallVector<Use *, 16> uses;
    for (Use &u : x->uses())
        if (isa<Instruction>(u.getUser()))
            uses.push_back(&u);
    for (Use *u : uses) {
        auto *user = cast<Instruction>(u->getUser());
        if (isRegistration(user)) {
            if (u->getOperandNo() == 1)
                registerAsManaged(cast<CallBase>(user), pointer);
            continue;
        }
        auto *phi = dyn_cast<PHINode>(user);
        IRBuilder<> builder(phi ? phi->getIncomingBlock(*u)->getTerminator() : user);
        u->set(builder.CreateLoad(builder.getPtrTy(), pointer, x->getName() + ".address"));
    }
}

void manageOnHost(Module &m, GlobalVariable *x) {
    auto *type = PointerType::getUnqual(m.getContext());
    auto *pointer = new GlobalVariable(m, type, false, x->getLinkage(),
                                       x->isDeclaration() ? nullptr : x, x->getName() + ".managed");
    pointer->setVisibility(x->getVisibility());
    pointer->setDSOLocal(x->isDSOLocal());
    rewriteConstantUses(m, x, pointer);
    if (isInInitializer(x)) {
        m.getContext().emitError("the address of the managed variable '" + x->getName() +
                                 "' is not a constant: it cannot initialise a static variable");
        return;
    }
    replaceUses(x, pointer);
}

bool isRelocatable() {
    const char *exports = std::getenv("KUDZU_EXPORT_STATIC");
    return std::getenv("KUDZU_RELOCATABLE") || (exports && StringRef(exports) == "relocatable");
}

// alloca's memory begins at a multiple of 16 (guide 10.17). clang takes the stack's alignment, and
// what is no larger than that the back end writes as none, which ptxas refuses.
void alignStackAllocations(Module &m) {
    for (Function &f : m)
        for (Instruction &i : instructions(f))
            if (auto *a = dyn_cast<AllocaInst>(&i))
                if (a->isArrayAllocation() && a->getAlign() < Align(16))
                    a->setAlignment(Align(16));
}

// The object refers to the symbol that every device link of it defines (object_file.h), from a
// section that linkers keep.
void needDeviceLink(Module &m) {
    const char *symbol = std::getenv("KUDZU_DEVICE_LINK_SYMBOL");
    if (symbol)
        m.appendModuleInlineAsm((Twine(".hidden ") + symbol +
                                 "\n.pushsection .kudzu.needs_device_link,\"aR\",@progbits\n"
                                 ".balign 4\n.long " +
                                 symbol + " - .\n.popsection")
                                    .str());
}

struct AttributesPass : PassInfoMixin<AttributesPass> {
    bool optimises;
    explicit AttributesPass(bool optimises) : optimises(optimises) {
    }
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &analyses) {
        SmallVector<GlobalVariable *, 8> managed;
        for (GlobalVariable &g : m.globals())
            if (g.getSection() == ManagedSection)
                managed.push_back(&g);
        bool device = Triple(m.getTargetTriple()).isNVPTX();
        if (device) {
            leaveToHost(m, analyses);
            lowerQuadPrecision(m);
            checkRestrictions(m);
            lowerDeviceLaunches(m);
            alignStackAllocations(m);
            moveSharedAddresses(m);
        } else {
            checkHostRestrictions(m);
            needDeviceLink(m);
        }
        for (GlobalVariable *g : managed) {
            g->setSection("");
            if (device)
                manageOnDevice(m, g);
            else
                manageOnHost(m, g);
        }
        if (device && std::getenv("KUDZU_EXPORT_STATIC"))
            exportStaticVariables(m);
        if (device)
            dropAnnotations(m);
        else if (!managed.empty())
            initializeAtStart(m);
        if (!device)
            registerFirst(m);
        if (device && optimises) {
            if (!isRelocatable()) {
                checkTypeQueries(m);
                ownFunctions(m);
                GlobalDCEPass().run(m, analyses);
            }
            alignSharedArrays(m);
            keepLibrarySelects(m);
            inlineArrayUsers(m);
        }
        return PreservedAnalyses::none();
    }
    static bool isRequired() {
        return true;
    }
};

// An address converted from one space straight into another, which the back end cannot write: code
// for pointers of each space, of which only one is ever reached, looks so once the pointer's space
// is known. What it would make is an address that nothing lies at.
bool isForeign(const Value *v, unsigned from) {
    unsigned to = v->getType()->getPointerAddressSpace();
    return from && to && from != to;
}

Constant *noAddress(Type *pointer, const DataLayout &layout) {
    return ConstantExpr::getIntToPtr(Constant::getAllOnesValue(layout.getIntPtrType(pointer)),
                                     pointer);
}

void replaceForeignConstants(GlobalVariable &g, const DataLayout &layout) {
    SmallVector<ConstantExpr *, 4> casts;
    for (User *u : g.users())
        if (auto *e = dyn_cast<ConstantExpr>(u))
            if (e->getOpcode() == Instruction::AddrSpaceCast && isForeign(e, g.getAddressSpace()))
                casts.push_back(e);
    for (ConstantExpr *e : casts)
        e->replaceAllUsesWith(noAddress(e->getType(), layout));
}

struct ForeignSpacePass : PassInfoMixin<ForeignSpacePass> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &) {
        const DataLayout &layout = m.getDataLayout();
        if (!Triple(m.getTargetTriple()).isNVPTX())
            return PreservedAnalyses::all();
        for (GlobalVariable &g : m.globals())
            replaceForeignConstants(g, layout);
        for (Function &f : m)
            for (Instruction &i : instructions(f))
                if (auto *cast = dyn_cast<AddrSpaceCastInst>(&i))
                    if (!cast->getType()->isVectorTy() &&
                        isForeign(cast, cast->getSrcAddressSpace()))
                        cast->replaceAllUsesWith(noAddress(cast->getType(), layout));
        return PreservedAnalyses::none();
    }
};

struct AlignmentPass : PassInfoMixin<AlignmentPass> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &analyses) {
        if (!Triple(m.getTargetTriple()).isNVPTX())
            return PreservedAnalyses::all();
        FunctionPassManager passes;
        passes.addPass(WholeVectorsPass());
        passes.addPass(ExpandMovesPass());
        passes.addPass(InferAddressSpacesPass());
        passes.addPass(InferAlignmentPass());
        passes.addPass(ExpandCopiesPass());
        passes.addPass(SinkRareWorkPass());
        passes.addPass(BytesOfWordsPass());
        return createModuleToFunctionPassAdaptor(std::move(passes)).run(m, analyses);
    }
};

struct SplitPass : PassInfoMixin<SplitPass> {
    bool separates;
    explicit SplitPass(bool separates) : separates(separates) {
    }
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &analyses) {
        if (!Triple(m.getTargetTriple()).isNVPTX())
            return PreservedAnalyses::all();
        FunctionPassManager passes;
        passes.addPass(SplitLoadsPass());
        passes.addPass(DropGuardedFlagsPass());
        passes.addPass(UserLinesPass());
        if (separates)
            passes.addPass(SeparateLocalsPass());
        return createModuleToFunctionPassAdaptor(std::move(passes)).run(m, analyses);
    }
    static bool isRequired() {
        return true;
    }
};

// What the back end must not see, in code that several files were joined to: their own passes have
// done the rest.
struct LinkedPass : PassInfoMixin<LinkedPass> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &analyses) {
        moveSharedAddresses(m);
        createModuleToFunctionPassAdaptor(ExpandMovesPass()).run(m, analyses);
        return SplitPass(false).run(m, analyses);
    }
    static bool isRequired() {
        return true;
    }
};

// Objects of relocatable code and PTX are linked with others later.
struct ReferencesPass : PassInfoMixin<ReferencesPass> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &) {
        if (Triple(m.getTargetTriple()).isNVPTX() && !std::getenv("KUDZU_EXPORT_STATIC") &&
            !isRelocatable())
            checkReferences(m);
        if (!Triple(m.getTargetTriple()).isNVPTX())
            return PreservedAnalyses::all();
        moveSharedAddresses(m);
        markPlaces(m);
        nameDeviceRuntime(m);
        // The driver looks at what becomes of inline PTX, and waits for the file of this name.
        const char *path = std::getenv("KUDZU_RELOCATABLE");
        if (path && hasInlineAsm(m))
            std::ofstream(path, std::ios::app);
        return PreservedAnalyses::all();
    }
    static bool isRequired() {
        return true;
    }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "kudzu-attributes", "1", [](PassBuilder &builder) {
                if (std::getenv("KUDZU_LINKED")) {
                    builder.registerOptimizerLastEPCallback(
                        [](ModulePassManager &passes, OptimizationLevel, auto...) {
                            passes.addPass(LinkedPass());
                        });
                    return;
                }
                builder.registerPeepholeEPCallback(
                    [](FunctionPassManager &passes, OptimizationLevel) {
                        passes.addPass(FoldLogarithmsPass());
                    });
                if (std::getenv("KUDZU_PLAIN")) // no CUDA
                    return;
                builder.registerPipelineStartEPCallback(
                    [](ModulePassManager &passes, OptimizationLevel level) {
                        passes.addPass(AttributesPass(level != OptimizationLevel::O0));
                    });
                builder.registerScalarOptimizerLateEPCallback(
                    [](FunctionPassManager &passes, OptimizationLevel) {
                        passes.addPass(FoldSpaceTestsPass());
                    });
                builder.registerLateLoopOptimizationsEPCallback(
                    [](LoopPassManager &passes, OptimizationLevel level) {
                        if (level.getSpeedupLevel() >= 2)
                            passes.addPass(UnrollArrayLoopsPass());
                    });
                builder.registerVectorizerStartEPCallback(
                    [](FunctionPassManager &passes, OptimizationLevel level) {
                        passes.addPass(DivideWidePass());
                        if (level.getSpeedupLevel() < 2)
                            return;
                        passes.addPass(LoopSimplifyPass());
                        passes.addPass(LCSSAPass());
                        passes.addPass(UnrollLoopsPass());
                    });
                builder.registerOptimizerLastEPCallback(
                    [](ModulePassManager &passes, OptimizationLevel level, auto...) {
                        passes.addPass(ReferencesPass());
                        if (level != OptimizationLevel::O0) {
                            passes.addPass(AlignmentPass());
                            passes.addPass(ForeignSpacePass());
                        }
                        passes.addPass(SplitPass(level == OptimizationLevel::O0));
                    });
            }};
}
