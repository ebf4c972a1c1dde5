// Restrictions of the guide's 10.1, 10.2, 10.37 to 10.39 and 18: kernels have no reference
// parameters and at most 32,764 bytes of them (4096 before sm_70); __launch_bounds__ and
// __maxnreg__ exclude each other; __cluster_dims__ and __maxnreg__ are for kernels, a cluster has
// no side of 0; only parameters of kernels are __grid_constant__; a __managed__ variable is neither
// const nor a reference nor in another memory space. Kernels take no ellipsis, no long double, no
// std::initializer_list; static variables in functions are initialised by constants and not
// thread_local; device code does not write to __constant__ variables; __launch_bounds__ is for
// kernels; a kernel's template has one pack at most, its last parameter; pointers to local and
// shared variables are not for kernels that device code launches (a warning). Host code does not
// read or write __device__ variables or take their addresses (warnings) and declares none in
// functions.
//
// Annotations carry file and line; where there is none, the message names the function or variable.
#include "restrictions.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Demangle/ItaniumDemangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/Allocator.h>
#include <llvm/Support/MemoryBuffer.h>

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

// "file:line: " where the instruction's line is known (-lineinfo, -G, -g).
std::string place(const Instruction *i) {
    const DebugLoc &at = i->getDebugLoc();
    auto *scope = at ? dyn_cast<DIScope>(at.getScope()) : nullptr;
    return scope ? (scope->getFilename() + ":" + Twine(at.getLine()) + ": ").str() : "";
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

// Nodes of a name that was taken apart, while it lives.
class NodeAllocator {
    BumpPtrAllocator memory;

  public:
    void reset() {
        memory.Reset();
    }
    template <typename T, typename... Args> T *makeNode(Args &&...args) {
        return new (memory.Allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
    }
    void *allocateNodeArray(size_t n) {
        return memory.Allocate(n * sizeof(itanium_demangle::Node *), alignof(void *));
    }
};

// Whether a function is of a template with a pack that is not its last parameter.
bool hasPackBeforeOthers(StringRef name) {
    using namespace itanium_demangle;
    ManglingParser<NodeAllocator> parser(name.data(), name.data() + name.size());
    Node *node = parser.parse();
    if (node && node->getKind() == Node::KFunctionEncoding)
        node = const_cast<Node *>(static_cast<FunctionEncoding *>(node)->getName());
    while (node && node->getKind() == Node::KNestedName)
        node = static_cast<NestedName *>(node)->Name;
    if (!node || node->getKind() != Node::KNameWithTemplateArgs)
        return false;
    Node *arguments = static_cast<NameWithTemplateArgs *>(node)->TemplateArgs;
    if (arguments->getKind() != Node::KTemplateArgs)
        return false;
    NodeArray list = static_cast<TemplateArgs *>(arguments)->getParams();
    for (size_t i = 0; i + 1 < list.size(); i++)
        if (list[i]->getKind() == Node::KTemplateArgumentPack)
            return true;
    return false;
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
    if (f.isVarArg())
        m.getContext().emitError("the kernel " + quoted(&f) +
                                 " takes a variable number of arguments");
    if (hasPackBeforeOthers(f.getName()))
        m.getContext().emitError(
            "the template of the kernel " + quoted(&f) +
            " has a parameter pack that is not its only one and its last parameter");
    std::string name = demangle(f.getName());
    size_t parameters = name.find('(');
    for (const char *type : {"long double", "std::initializer_list<", "__va_list_tag"})
        if (parameters != std::string::npos && name.find(type, parameters) != std::string::npos)
            m.getContext().emitError("the kernel '" + name + "' has a parameter of the type " +
                                     StringRef(type).rtrim('<') + ", which device code has not");
}

void checkBounds(Module &m, const Facts &facts, const Function &f) {
    if (has(facts, &f, "maxntidx") && !has(facts, &f, "kernel"))
        m.getContext().emitError("__launch_bounds__ is for kernels, " + quoted(&f) + " is none");
}

// A variable with a guard is one that is initialised when control first gets there.
void checkStaticVariable(Module &m, GlobalVariable &v) {
    StringRef name = v.getName();
    if (name.consume_front("_ZGV")) {
        // What the back end cannot generate is taken out: it would end with a report of its own.
        for (User *u : v.users())
            if (auto *load = dyn_cast<LoadInst>(u->stripPointerCasts()))
                load->setAtomic(AtomicOrdering::NotAtomic);
        m.getContext().emitError("the static variable '" + demangle("_Z" + name.str()) +
                                 "' is initialised by code; device code initialises by constants");
    } else if (v.isThreadLocal()) {
        m.getContext().emitError("the variable " + quoted(&v) +
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
        m.getContext().emitError("the variable " + quoted(&v) +
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

// ---- Whether a __grid_constant__ parameter is const: LLVM's types do not tell, the source does
// ---

bool isWordCharacter(char c) {
    return isAlnum(c) || c == '_';
}

// Whether the words stand in the text next to each other.
bool hasWords(StringRef text, StringRef first, StringRef second) {
    for (size_t at = 0; (at = text.find(first, at)) != StringRef::npos; at += first.size()) {
        StringRef rest = text.drop_front(at + first.size());
        if ((at == 0 || !isWordCharacter(text[at - 1])) && !rest.empty() && isSpace(rest[0]) &&
            rest.ltrim().take_while(isWordCharacter) == second)
            return true;
    }
    return false;
}

// From `at`, the end of what stands between commas of one level, in steps of +1 or -1.
size_t endOfDeclaration(StringRef text, size_t at, int step) {
    StringRef opening = step > 0 ? "([{<" : ")]}>", closing = step > 0 ? ")]}>" : "([{<";
    for (int depth = 0; at < text.size(); at += step) {
        if (depth == 0 && (text[at] == ',' || closing.contains(text[at])))
            return at;
        depth += opening.contains(text[at]) ? 1 : closing.contains(text[at]) ? -1 : 0;
    }
    return text.size();
}

// Whether the parameter declared around `at` is const, for all that this file shows.
bool mayBeConst(StringRef text, size_t at) {
    size_t end = endOfDeclaration(text, at, 1), begin = endOfDeclaration(text, at, -1);
    if (begin >= text.size() || end >= text.size())
        return true;
    int depth = 0;
    for (size_t i = begin + 1; i < end;) {
        StringRef word = text.slice(i, end).take_while(isWordCharacter);
        depth += word.empty() ? (text[i] == '<') - (text[i] == '>') : 0;
        bool own = word == "typename" || word == "class" || word == "using";
        if (depth == 0 && !word.empty() &&
            (word == "const" || own || text.contains(("#define " + word).str()) ||
             hasWords(text, "using", word) || hasWords(text, "typename", word) ||
             hasWords(text, "class", word) || hasWords(text, "const", word)))
            return true;
        i += std::max<size_t>(word.size(), 1);
    }
    return false;
}

// The parameters of this line of the file.
void checkGridConstants(Module &m, Value *file, Value *line) {
    constexpr StringRef Specifier = "__grid_constant__";
    auto *number = dyn_cast<ConstantInt>(line);
    auto buffer = MemoryBuffer::getFile(text(file));
    if (!number || !buffer)
        return;
    StringRef source = (*buffer)->getBuffer();
    size_t at = 0;
    for (uint64_t n = 1; n < number->getZExtValue() && at != StringRef::npos; n++)
        at = source.find('\n', at + (n > 1));
    size_t end = at == StringRef::npos ? at : source.find('\n', at + 1);
    while (at != StringRef::npos && (at = source.find(Specifier, at)) < end) {
        if (!mayBeConst(source, at))
            report(m, file, line, "a __grid_constant__ parameter must be const");
        at += Specifier.size();
    }
}

void checkParameterAnnotations(Module &m, const Facts &facts, Function &f) {
    bool kernel = has(facts, &f, "kernel");
    DenseSet<uint64_t> lines;
    for (Instruction &i : instructions(f)) {
        auto *call = dyn_cast<IntrinsicInst>(&i);
        if (!call || call->getIntrinsicID() != Intrinsic::var_annotation ||
            text(call->getArgOperand(1)) != "kudzu.grid_constant")
            continue;
        Value *file = call->getArgOperand(2), *line = call->getArgOperand(3);
        if (!kernel)
            report(m, file, line,
                   "__grid_constant__ is for parameters of kernels, " + quoted(&f) + " is none");
        else if (lines.insert(cast<ConstantInt>(line)->getZExtValue()).second)
            checkGridConstants(m, file, line);
    }
}

void checkManaged(Module &m, const GlobalVariable &v) {
    constexpr unsigned GlobalSpace = 1;
    if (v.getAddressSpace() != GlobalSpace || v.isConstant())
        m.getContext().emitError(
            "the managed variable " + quoted(&v) +
            " must be neither const nor a reference, __shared__ or __constant__");
}

} // namespace

void warn(Module &m, const Twine &message) {
    m.getContext().diagnose(DiagnosticInfoInlineAsm(message, DS_Warning));
}

void checkRestrictions(Module &m) {
    Facts facts = readFacts(m);
    for (Function &f : m) {
        if (has(facts, &f, "kernel"))
            checkKernel(f);
        checkParameterAnnotations(m, facts, f);
        checkBounds(m, facts, f);
    }
    for (GlobalVariable &g : m.globals()) {
        if (g.getSection() == "kudzu.managed")
            checkManaged(m, g);
        checkStaticVariable(m, g);
        checkConstantVariable(m, g);
    }
    GlobalVariable *list = m.getGlobalVariable("llvm.global.annotations");
    if (list && list->hasInitializer())
        for (Use &u : list->getInitializer()->operands())
            if (auto *entry = dyn_cast<ConstantStruct>(u.get()))
                checkFunctionAnnotation(m, facts, entry);
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
           name == "__nv_aligned_device_malloc" || name.starts_with("cuda") ||
           name.starts_with("__cuda");
}

static bool isTypeQuery(const GlobalValue &v) {
    return v.isDeclaration() &&
           (v.getName().starts_with("_ZTI") || v.getName() == "__dynamic_cast" ||
            v.getName() == "__cxa_bad_typeid");
}

static void reportTypeQuery(Module &m, const GlobalValue &v) {
    m.getContext().emitError("typeid and dynamic_cast are not for device code (" + quoted(&v) +
                             ")");
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

// Weak references may stay without a definition, as do those to threadIdx and the like, whose
// members are registers.
void checkReferences(Module &m) {
    auto report = [&](const GlobalValue &v) {
        if (isTypeQuery(v))
            reportTypeQuery(m, v);
        else
            m.getContext().emitError("undefined reference to " + quoted(&v) +
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
