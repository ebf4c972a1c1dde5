// Restrictions of the guide's 10.1, 10.2, 10.37 to 10.39 and 18: kernels have no reference
// parameters and at most 32,764 bytes of them (4096 before sm_70); __launch_bounds__ and
// __maxnreg__ exclude each other; __cluster_dims__ and __maxnreg__ are for kernels, a cluster has
// no side of 0; only parameters of kernels are __grid_constant__; a __managed__ variable is neither
// const nor a reference nor in another memory space.
//
// Annotations carry file and line; where there is none, the message names the function or variable.
#include "restrictions.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace {

using Facts = DenseMap<const Function *, SmallVector<StringRef, 4>>;

StringRef text(Value *v) {
    auto *g = dyn_cast<GlobalVariable>(v->stripPointerCasts());
    auto *s =
        g && g->hasInitializer() ? dyn_cast<ConstantDataSequential>(g->getInitializer()) : nullptr;
    return s && s->isCString() ? s->getAsCString() : StringRef();
}

// What nvvm.annotations says of each function: "kernel", "maxntidx", ...
Facts readFacts(Module &m) {
    Facts facts;
    NamedMDNode *list = m.getNamedMetadata("nvvm.annotations");
    for (unsigned i = 0; list && i < list->getNumOperands(); i++) {
        MDNode *node = list->getOperand(i);
        auto *f = node->getNumOperands()
                      ? mdconst::dyn_extract_or_null<Function>(node->getOperand(0))
                      : nullptr;
        for (unsigned k = 1; f && k + 1 < node->getNumOperands(); k += 2)
            if (auto *name = dyn_cast<MDString>(node->getOperand(k)))
                facts[f].push_back(name->getString());
    }
    return facts;
}

bool has(const Facts &facts, const Function *f, StringRef what) {
    auto found = facts.find(f);
    return found != facts.end() && is_contained(found->second, what);
}

void report(Module &m, Value *file, Value *line, const Twine &message) {
    auto *number = dyn_cast<ConstantInt>(line);
    m.getContext().emitError(text(file) + ":" + Twine(number ? number->getZExtValue() : 0) + ": " +
                             message);
}

std::string quoted(const Value *v) {
    return "'" + demangle(v->getName()) + "'";
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
        m.getContext().emitError("the parameters of the kernel " + quoted(&f) + " take " +
                                 Twine(bytes) + " bytes; " + Twine(most) + " are the limit");
    for (const Argument &a : f.args())
        if (a.getType()->isPointerTy() && !a.hasByValAttr() && a.getDereferenceableBytes())
            m.getContext().emitError("a parameter of the kernel " + quoted(&f) +
                                     " is a reference; kernels take values and pointers");
}

void checkFunctionAnnotation(Module &m, const Facts &facts, ConstantStruct *entry) {
    StringRef what = text(entry->getOperand(1));
    auto *f = dyn_cast<Function>(entry->getOperand(0)->stripPointerCasts());
    Value *file = entry->getOperand(2), *line = entry->getOperand(3);
    bool cluster = what == "kudzu.cluster_dims", registers = what == "kudzu.maxnreg";
    if (!f || (!cluster && !registers))
        return;
    if (!has(facts, f, "kernel"))
        return report(m, file, line,
                      Twine(cluster ? "__cluster_dims__" : "__maxnreg__") + " is for kernels, " +
                          quoted(f) + " is none");
    if (registers && has(facts, f, "maxntidx"))
        report(m, file, line,
               "__launch_bounds__ and __maxnreg__ cannot both apply to the kernel " + quoted(f));
    auto *args = dyn_cast<GlobalVariable>(entry->getOperand(4)->stripPointerCasts());
    Constant *values = args && args->hasInitializer() ? args->getInitializer() : nullptr;
    for (unsigned i = 0; cluster && values && i < 3; i++)
        if (auto *v = dyn_cast_or_null<ConstantInt>(values->getAggregateElement(i)))
            if (v->isZero())
                report(m, file, line, "a side of the cluster of the kernel " + quoted(f) + " is 0");
}

void checkParameterAnnotations(Module &m, const Facts &facts, Function &f) {
    if (has(facts, &f, "kernel"))
        return;
    for (Instruction &i : instructions(f))
        if (auto *call = dyn_cast<IntrinsicInst>(&i))
            if (call->getIntrinsicID() == Intrinsic::var_annotation &&
                text(call->getArgOperand(1)) == "kudzu.grid_constant")
                report(m, call->getArgOperand(2), call->getArgOperand(3),
                       "__grid_constant__ is for parameters of kernels, " + quoted(&f) +
                           " is none");
}

void checkManaged(Module &m, const GlobalVariable &v) {
    constexpr unsigned GlobalSpace = 1;
    if (v.getAddressSpace() != GlobalSpace || v.isConstant())
        m.getContext().emitError(
            "the managed variable " + quoted(&v) +
            " must be neither const nor a reference, __shared__ or __constant__");
}

} // namespace

void checkRestrictions(Module &m) {
    Facts facts = readFacts(m);
    for (Function &f : m) {
        if (has(facts, &f, "kernel"))
            checkKernel(f);
        checkParameterAnnotations(m, facts, f);
    }
    for (GlobalVariable &g : m.globals())
        if (g.getSection() == "kudzu.managed")
            checkManaged(m, g);
    GlobalVariable *list = m.getGlobalVariable("llvm.global.annotations");
    if (list && list->hasInitializer())
        for (Use &u : list->getInitializer()->operands())
            if (auto *entry = dyn_cast<ConstantStruct>(u.get()))
                checkFunctionAnnotation(m, facts, entry);
}
