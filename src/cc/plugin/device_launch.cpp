// Kernels launched by device code (guide 13.3.2). Of kernel<<<grid, block, shared, stream>>>(x)
// clang makes, as on the host,
//
//     if (__cudaPushCallConfiguration(grid, block, shared, stream) == 0) kernel(x);
//
// which becomes a parameter buffer, filled in the order and with the alignment of the kernel's
// parameters, and a launch:
//
//     if (b = cudaGetParameterBufferV2(kernel, grid, block, shared)) {
//         *b = x; cudaLaunchDeviceV2(b, stream);
//     }
//
// A launch that fails leaves its error to the calling thread's cudaGetLastError.
#include "device_launch.h"
#include "kernels.h"
#include "restrictions.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace {

struct Configuration {
    Value *grid[3], *block[3], *shared, *stream;
};

// The kernel's call: what follows the configuration, up to the block that both ways lead to. Of
// several calls it is that of a kernel, else (kernels of other files, pointers) the last one.
CallInst *findLaunch(CallInst *configuration) {
    Function *f = configuration->getFunction();
    CallInst *last = nullptr;
    BranchInst *branch = nullptr;
    for (User *u : configuration->users())
        for (User *v : u->users())
            if (auto *b = dyn_cast<BranchInst>(v))
                branch = b;
    if (!branch || !branch->isConditional())
        return nullptr;
    BasicBlock *end = branch->getSuccessor(0), *first = branch->getSuccessor(1);
    for (auto at = first->getIterator(); at != f->end() && &*at != end; ++at)
        for (Instruction &i : *at) {
            auto *call = dyn_cast<CallInst>(&i);
            if (!call || !call->getType()->isVoidTy() || isa<IntrinsicInst>(call))
                continue;
            if (call->getCalledFunction() && isKernel(*call->getCalledFunction()))
                return call;
            last = call;
        }
    return last;
}

Configuration readConfiguration(CallInst *call) {
    IRBuilder<> b(call);
    Configuration c;
    for (unsigned i = 0; i < 3; i++) {
        c.grid[i] = b.CreateLoad(b.getInt32Ty(),
                                 b.CreateConstGEP1_32(b.getInt32Ty(), call->getArgOperand(0), i));
        c.block[i] = b.CreateLoad(b.getInt32Ty(),
                                  b.CreateConstGEP1_32(b.getInt32Ty(), call->getArgOperand(1), i));
    }
    // What does not fit is too much in any case.
    Value *shared = call->getArgOperand(2), *most = ConstantInt::get(shared->getType(), UINT32_MAX);
    shared = b.CreateSelect(b.CreateICmpUGT(shared, most), most, shared);
    c.shared = b.CreateTrunc(shared, b.getInt32Ty());
    c.stream = call->getArgOperand(3);
    return c;
}

struct Parameter {
    uint64_t offset;
    Type *type; // of what is copied
    Align align;
    bool indirect; // the argument is its address
};

// What a pointer is made of, through a variable that is set once, as unoptimised code has them.
Value *origin(Value *v) {
    for (unsigned steps = 0; steps < 8; steps++) {
        v = getUnderlyingObject(v, 0);
        auto *load = dyn_cast<LoadInst>(v);
        auto *slot = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
        StoreInst *set = nullptr;
        for (User *u : slot ? slot->users() : iterator_range<Value::user_iterator>({}, {}))
            if (auto *store = dyn_cast<StoreInst>(u)) {
                if (set || store->getPointerOperand() != slot)
                    return v;
                set = store;
            }
        if (!set)
            return v;
        v = set->getValueOperand();
    }
    return v;
}

// The parent stands in a lambda (device_launches.c), where a variable of the function around it is
// what a field of the closure points to: what is stored into this field where the closure is made.
Value *captured(Value *v, Function *&where) {
    auto *load = dyn_cast<LoadInst>(v);
    auto *field = load ? dyn_cast<GetElementPtrInst>(load->getPointerOperand()) : nullptr;
    if (!field || field->getNumIndices() != 2)
        return nullptr;
    for (Function &f : *field->getModule())
        for (Instruction &i : instructions(f)) {
            auto *store = dyn_cast<StoreInst>(&i);
            auto *to = store ? dyn_cast<GetElementPtrInst>(store->getPointerOperand()) : nullptr;
            if (!to || to->getSourceElementType() != field->getSourceElementType() ||
                to->getNumIndices() != 2 || to->getOperand(2) != field->getOperand(2))
                continue;
            where = &f;
            return origin(store->getValueOperand());
        }
    return nullptr;
}

// Local and shared memory are the parent's own (guide 13.3.1.6).
void warnOfPrivateMemory(CallInst *launch) {
    constexpr unsigned SharedSpace = 3;
    for (unsigned i = 0; i < launch->arg_size(); i++) {
        Function *f = launch->getFunction();
        Value *argument = launch->getArgOperand(i);
        if (!argument->getType()->isPointerTy() || launch->isByValArgument(i))
            continue;
        Value *from = origin(argument);
        if (Value *outer = captured(from, f))
            from = outer;
        auto *variable = dyn_cast<GlobalVariable>(from);
        bool shared = variable && variable->getAddressSpace() == SharedSpace;
        if (shared || isa<AllocaInst>(from))
            warn(*f->getParent(), "argument " + Twine(i + 1) + " of a kernel launched in '" +
                                      StringRef(demangle(f->getName())).split("::'lambda").first +
                                      "' points to " + (shared ? "shared" : "local") +
                                      " memory, which that kernel cannot access");
    }
}

void layOut(CallInst *call, SmallVectorImpl<Parameter> &out) {
    const DataLayout &layout = call->getModule()->getDataLayout();
    uint64_t end = 0;
    for (unsigned i = 0; i < call->arg_size(); i++) {
        bool indirect = call->isByValArgument(i);
        Type *type = indirect ? call->getParamByValType(i) : call->getArgOperand(i)->getType();
        Align align = indirect ? call->getParamAlign(i).valueOrOne() : layout.getABITypeAlign(type);
        uint64_t offset = alignTo(end, align);
        out.push_back({offset, type, align, indirect});
        end = offset + layout.getTypeAllocSize(type);
    }
}

Value *dimensions(IRBuilder<> &b, ArrayType *type, Value *const values[3]) {
    Function *f = b.GetInsertBlock()->getParent();
    IRBuilder<> entry(&f->getEntryBlock(), f->getEntryBlock().begin());
    AllocaInst *slot = entry.CreateAlloca(type);
    slot->setAlignment(Align(4));
    for (unsigned i = 0; i < 3; i++)
        b.CreateStore(values[i], b.CreateConstGEP1_32(b.getInt32Ty(), slot, i));
    return slot;
}

// Calls a function of the device runtime; `dims` are the arguments that are structures.
CallInst *callRuntime(IRBuilder<> &b, StringRef name, Type *result, ArrayRef<Value *> arguments,
                      ArrayRef<unsigned> dims) {
    Module &m = *b.GetInsertBlock()->getModule();
    LLVMContext &context = m.getContext();
    SmallVector<Type *, 4> types;
    for (Value *v : arguments)
        types.push_back(v->getType());
    FunctionCallee callee = m.getOrInsertFunction(name, FunctionType::get(result, types, false));
    CallInst *call = b.CreateCall(callee, arguments);
    auto *f = dyn_cast<Function>(callee.getCallee());
    Attribute byval = Attribute::getWithByValType(context, ArrayType::get(b.getInt32Ty(), 3));
    Attribute align = Attribute::getWithAlignment(context, Align(4));
    for (unsigned i : dims) {
        call->addParamAttr(i, byval);
        call->addParamAttr(i, align);
        if (f && f->isDeclaration() && !f->hasParamAttribute(i, Attribute::ByVal)) {
            f->addParamAttr(i, byval);
            f->addParamAttr(i, align);
        }
    }
    return call;
}

void store(IRBuilder<> &b, Value *buffer, const Parameter &p, Value *argument) {
    const DataLayout &layout = b.GetInsertBlock()->getModule()->getDataLayout();
    Value *to = b.CreateConstGEP1_64(b.getInt8Ty(), buffer, p.offset);
    if (p.indirect)
        b.CreateMemCpy(to, p.align, argument, p.align, layout.getTypeAllocSize(p.type));
    else
        b.CreateAlignedStore(argument, to, p.align);
}

// The buffer knows the kernel and the configuration; no buffer is an error of the calling thread.
void replaceLaunch(CallInst *call, const Configuration &c) {
    warnOfPrivateMemory(call);
    SmallVector<Parameter, 8> parameters;
    layOut(call, parameters);
    IRBuilder<> b(call);
    auto *dim = ArrayType::get(b.getInt32Ty(), 3);
    Value *buffer = callRuntime(b, "cudaGetParameterBufferV2", b.getPtrTy(),
                                {call->getCalledOperand(), dimensions(b, dim, c.grid),
                                 dimensions(b, dim, c.block), c.shared},
                                {1, 2});
    Instruction *then =
        SplitBlockAndInsertIfThen(b.CreateIsNotNull(buffer), call->getIterator(), false);
    b.SetInsertPoint(then);
    for (unsigned i = 0; i < parameters.size(); i++)
        store(b, buffer, parameters[i], call->getArgOperand(i));
    callRuntime(b, "cudaLaunchDeviceV2", b.getInt32Ty(), {buffer, c.stream}, {});
    call->eraseFromParent();
}

} // namespace

void lowerDeviceLaunches(Module &m) {
    Function *push = m.getFunction("__cudaPushCallConfiguration");
    SmallVector<CallInst *, 8> calls;
    for (User *u : push ? push->users() : iterator_range<Value::user_iterator>({}, {}))
        if (auto *call = dyn_cast<CallInst>(u))
            calls.push_back(call);
    for (CallInst *call : calls) {
        if (CallInst *launch = findLaunch(call))
            replaceLaunch(launch, readConfiguration(call));
        call->replaceAllUsesWith(ConstantInt::get(call->getType(), 0));
        call->eraseFromParent();
    }
    if (push && push->use_empty())
        push->eraseFromParent();
}
