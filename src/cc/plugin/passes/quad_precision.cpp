// The back end for PTX has no fp128, but 128-bit integers, which lie in memory and go to functions
// in the same way. So the type is replaced everywhere: in variables, in signatures, and in each
// instruction; then what computes becomes calls of devicelib/quad. As it runs before any
// optimisation, those functions are optimised with the code around them.
#include "quad_precision.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/FloatingPointMode.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Linker/Linker.h>
#include <llvm/TargetParser/Triple.h>

#include "quad_library.h"

using namespace llvm;

namespace {

bool isQuad(Type *t) {
    return t->getScalarType()->isFP128Ty();
}

// What stands for each type.
class QuadTypes {
    DenseMap<Type *, Type *> known;

    Type *structure(StructType *s) {
        SmallVector<Type *, 8> members;
        bool same = true;
        for (Type *t : s->elements()) {
            members.push_back(get(t));
            same &= members.back() == t;
        }
        if (same)
            return s;
        if (s->isLiteral())
            return StructType::get(s->getContext(), members, s->isPacked());
        return StructType::create(s->getContext(), members, s->getName(), s->isPacked());
    }
    Type *function(FunctionType *f) {
        SmallVector<Type *, 8> parameters;
        for (Type *t : f->params())
            parameters.push_back(get(t));
        return FunctionType::get(get(f->getReturnType()), parameters, f->isVarArg());
    }
    Type *make(Type *t) {
        if (t->isFP128Ty())
            return Type::getInt128Ty(t->getContext());
        if (auto *a = dyn_cast<ArrayType>(t))
            return ArrayType::get(get(a->getElementType()), a->getNumElements());
        if (auto *v = dyn_cast<VectorType>(t))
            return VectorType::get(get(v->getElementType()), v->getElementCount());
        if (auto *s = dyn_cast<StructType>(t))
            return s->isOpaque() ? s : structure(s);
        if (auto *f = dyn_cast<FunctionType>(t))
            return function(f);
        return t;
    }

  public:
    Type *get(Type *t) {
        auto found = known.find(t);
        if (found != known.end())
            return found->second;
        Type *made = make(t);
        known[t] = made;
        return made;
    }
    bool changes(Type *t) {
        return get(t) != t;
    }
    Constant *constant(Constant *c) {
        Type *to = get(c->getType());
        if (to == c->getType())
            return c;
        if (auto *f = dyn_cast<ConstantFP>(c))
            return ConstantInt::get(to, f->getValueAPF().bitcastToAPInt());
        if (isa<PoisonValue>(c))
            return PoisonValue::get(to);
        if (isa<UndefValue>(c))
            return UndefValue::get(to);
        if (c->isNullValue())
            return Constant::getNullValue(to);
        SmallVector<Constant *, 8> members;
        for (unsigned i = 0; Constant *member = c->getAggregateElement(i); i++)
            members.push_back(constant(member));
        if (auto *s = dyn_cast<StructType>(to))
            return ConstantStruct::get(s, members);
        if (auto *a = dyn_cast<ArrayType>(to))
            return ConstantArray::get(a, members);
        return ConstantVector::get(members);
    }
};

// A variable or a function stays the object that it is: the back end has a table of kernels by
// their addresses, and would take another function for one that was there before.
struct ValueTypes : GlobalValue {
    static void set(GlobalValue &v, Type *to) {
        Type *GlobalValue::*type = &ValueTypes::ValueType;
        v.*type = to;
    }
};

class QuadLowering {
    Module &m;
    LLVMContext &context;
    QuadTypes types;
    IRBuilder<> b;
    Type *i128, *i32;

    // Of the device library; the caller's own attributes tell nothing of it.
    Value *call(const char *name, Type *result, ArrayRef<Value *> arguments) {
        SmallVector<Type *, 4> parameters;
        for (Value *v : arguments)
            parameters.push_back(v->getType());
        FunctionCallee f =
            m.getOrInsertFunction(name, FunctionType::get(result, parameters, false));
        return b.CreateCall(f, arguments);
    }
    Value *quadCall(const char *name, ArrayRef<Value *> arguments) {
        return call(name, i128, arguments);
    }
    Value *number128(uint64_t high, uint64_t low = 0) {
        return ConstantInt::get(context, APInt(128, {low, high}));
    }
    Value *absolute(Value *v) {
        return b.CreateAnd(v, number128(~0ull >> 1, ~0ull));
    }

    // A value for each lane of the result, which may be a vector.
    template <typename Make> Value *lanes(Type *result, ArrayRef<Value *> operands, Make make) {
        auto *vector = dyn_cast<FixedVectorType>(result);
        if (!vector)
            return make(operands, result);
        Value *whole = PoisonValue::get(vector);
        for (unsigned i = 0; i < vector->getNumElements(); i++) {
            SmallVector<Value *, 4> parts;
            for (Value *v : operands)
                parts.push_back(v->getType()->isVectorTy() ? b.CreateExtractElement(v, i) : v);
            whole = b.CreateInsertElement(whole, make(parts, vector->getElementType()), i);
        }
        return whole;
    }

    Value *widened(Value *v, bool isSigned) {
        return isSigned ? b.CreateSExt(v, i128) : b.CreateZExt(v, i128);
    }
    Value *toInteger(Value *v, Type *to, bool isSigned) {
        Value *bits = b.getInt32(to->getIntegerBitWidth());
        const char *name = isSigned ? "__kudzu_quad_to_signed" : "__kudzu_quad_to_unsigned";
        return b.CreateTrunc(quadCall(name, {v, bits}), to);
    }
    Value *fromFloat(Value *v) {
        Value *wide = v->getType()->isDoubleTy() ? v : b.CreateFPExt(v, b.getDoubleTy());
        return quadCall("__kudzu_quad_from_double", b.CreateBitCast(wide, b.getInt64Ty()));
    }
    Value *toFloat(Value *v, Type *to) {
        const char *name = to->isDoubleTy()  ? "__kudzu_quad_to_double"
                           : to->isFloatTy() ? "__kudzu_quad_to_float"
                           : to->isHalfTy()  ? "__kudzu_quad_to_half"
                                             : "__kudzu_quad_to_bfloat16";
        Type *bits = b.getIntNTy(to->getPrimitiveSizeInBits());
        return b.CreateBitCast(call(name, bits, v), to);
    }
    // The order is one of LLVM's four bits, of which a predicate is a set.
    Value *compare(CmpInst::Predicate predicate, Value *x, Value *y) {
        if (predicate == CmpInst::FCMP_TRUE || predicate == CmpInst::FCMP_FALSE)
            return b.getInt1(predicate == CmpInst::FCMP_TRUE);
        Value *order = call("__kudzu_quad_order", i32, {x, y});
        return b.CreateICmpNE(b.CreateAnd(order, b.getInt32(predicate)), b.getInt32(0));
    }

    // A test for kinds of numbers (FPClassTest).
    Value *isOfClass(Value *v, uint64_t classes) {
        Value *size = absolute(v), *negative = b.CreateICmpSLT(v, number128(0));
        Value *infinity = number128(0x7fffull << 48), *least = number128(1ull << 48);
        Value *quiet = number128(0x7fff8ull << 44);
        Value *isNan = b.CreateICmpUGT(size, infinity), *isInf = b.CreateICmpEQ(size, infinity);
        Value *isZero = b.CreateICmpEQ(size, number128(0));
        Value *isNormal =
            b.CreateAnd(b.CreateICmpUGE(size, least), b.CreateICmpULT(size, infinity));
        Value *isSubnormal = b.CreateAnd(b.CreateICmpULT(size, least), b.CreateNot(isZero));
        Value *isQuiet = b.CreateICmpUGE(size, quiet);
        struct {
            unsigned positive, negative;
            Value *is;
        } signedClasses[] = {{fcPosInf, fcNegInf, isInf},
                             {fcPosNormal, fcNegNormal, isNormal},
                             {fcPosSubnormal, fcNegSubnormal, isSubnormal},
                             {fcPosZero, fcNegZero, isZero}};
        Value *result = b.getInt1(false);
        if (classes & fcQNan)
            result = b.CreateOr(result, isQuiet);
        if (classes & fcSNan)
            result = b.CreateOr(result, b.CreateAnd(isNan, b.CreateNot(isQuiet)));
        for (auto &c : signedClasses) {
            if (classes & c.positive)
                result = b.CreateOr(result, b.CreateAnd(c.is, b.CreateNot(negative)));
            if (classes & c.negative)
                result = b.CreateOr(result, b.CreateAnd(c.is, negative));
        }
        return result;
    }

    static const char *functionOf(Intrinsic::ID id) {
        switch (id) {
        case Intrinsic::fabs:
            return "__nv_fp128_fabs";
        case Intrinsic::copysign:
            return "__nv_fp128_copysign";
        case Intrinsic::sqrt:
            return "__nv_fp128_sqrt";
        case Intrinsic::fma:
            return "__nv_fp128_fma";
        case Intrinsic::floor:
            return "__nv_fp128_floor";
        case Intrinsic::ceil:
            return "__nv_fp128_ceil";
        case Intrinsic::trunc:
            return "__nv_fp128_trunc";
        case Intrinsic::round:
            return "__nv_fp128_round";
        case Intrinsic::rint:
        case Intrinsic::nearbyint:
        case Intrinsic::roundeven:
            return "__nv_fp128_rint";
        case Intrinsic::minnum:
            return "__nv_fp128_fmin";
        case Intrinsic::maxnum:
            return "__nv_fp128_fmax";
        case Intrinsic::exp:
            return "__nv_fp128_exp";
        case Intrinsic::exp2:
            return "__nv_fp128_exp2";
        case Intrinsic::exp10:
            return "__nv_fp128_exp10";
        case Intrinsic::log:
            return "__nv_fp128_log";
        case Intrinsic::log2:
            return "__nv_fp128_log2";
        case Intrinsic::log10:
            return "__nv_fp128_log10";
        case Intrinsic::pow:
            return "__nv_fp128_pow";
        case Intrinsic::sin:
            return "__nv_fp128_sin";
        case Intrinsic::cos:
            return "__nv_fp128_cos";
        case Intrinsic::tan:
            return "__nv_fp128_tan";
        case Intrinsic::ldexp:
            return "__nv_fp128_ldexp";
        default:
            return nullptr;
        }
    }
    Value *lowerIntrinsic(IntrinsicInst *i, Type *result) {
        SmallVector<Value *, 4> operands(i->args());
        if (i->getIntrinsicID() == Intrinsic::is_fpclass)
            return lanes(result, {operands[0]}, [&](ArrayRef<Value *> v, Type *) {
                return isOfClass(v[0], cast<ConstantInt>(operands[1])->getZExtValue());
            });
        if (i->getIntrinsicID() == Intrinsic::fmuladd) // no product of quads is fused
            return lanes(result, operands, [&](ArrayRef<Value *> v, Type *) {
                Value *product = quadCall("__nv_fp128_mul", {v[0], v[1]});
                return quadCall("__nv_fp128_add", {product, v[2]});
            });
        if (i->getIntrinsicID() == Intrinsic::fptosi_sat ||
            i->getIntrinsicID() == Intrinsic::fptoui_sat)
            return lanes(result, operands, [&](ArrayRef<Value *> v, Type *to) {
                return toInteger(v[0], to, i->getIntrinsicID() == Intrinsic::fptosi_sat);
            });
        const char *name = functionOf(i->getIntrinsicID());
        return name ? lanes(result, operands,
                            [&](ArrayRef<Value *> v, Type *) { return quadCall(name, v); })
                    : nullptr;
    }

    static const char *arithmeticOf(unsigned opcode) {
        switch (opcode) {
        case Instruction::FAdd:
            return "__nv_fp128_add";
        case Instruction::FSub:
            return "__nv_fp128_sub";
        case Instruction::FMul:
            return "__nv_fp128_mul";
        case Instruction::FDiv:
            return "__nv_fp128_div";
        case Instruction::FRem:
            return "__nv_fp128_fmod";
        default:
            return nullptr;
        }
    }
    // Its operands are integers already; NULL: there is no function for it.
    Value *lower(Instruction *i, Type *result) {
        SmallVector<Value *, 4> operands(i->operands());
        if (const char *name = arithmeticOf(i->getOpcode()))
            return lanes(result, operands,
                         [&](ArrayRef<Value *> v, Type *) { return quadCall(name, v); });
        switch (i->getOpcode()) {
        case Instruction::FNeg:
            return lanes(result, operands, [&](ArrayRef<Value *> v, Type *) {
                return b.CreateXor(v[0], number128(1ull << 63));
            });
        case Instruction::FCmp:
            return lanes(result, operands, [&](ArrayRef<Value *> v, Type *) {
                return compare(cast<FCmpInst>(i)->getPredicate(), v[0], v[1]);
            });
        case Instruction::FPExt:
            return lanes(result, operands,
                         [&](ArrayRef<Value *> v, Type *) { return fromFloat(v[0]); });
        case Instruction::FPTrunc:
            return lanes(result, operands,
                         [&](ArrayRef<Value *> v, Type *to) { return toFloat(v[0], to); });
        case Instruction::SIToFP:
        case Instruction::UIToFP: {
            bool isSigned = i->getOpcode() == Instruction::SIToFP;
            if (operands[0]->getType()->getScalarSizeInBits() > 128)
                return nullptr;
            return lanes(result, operands, [&](ArrayRef<Value *> v, Type *) {
                return quadCall(isSigned ? "__kudzu_quad_from_signed"
                                         : "__kudzu_quad_from_unsigned",
                                {widened(v[0], isSigned)});
            });
        }
        case Instruction::FPToSI:
        case Instruction::FPToUI:
            if (result->getScalarSizeInBits() > 128)
                return nullptr;
            return lanes(result, operands, [&](ArrayRef<Value *> v, Type *to) {
                return toInteger(v[0], to, i->getOpcode() == Instruction::FPToSI);
            });
        default:
            return lowerIntrinsic(cast<IntrinsicInst>(i), result);
        }
    }

    // What computes with quads, as far as it can be seen in the original types.
    static bool computes(const Instruction &i) {
        bool quadOperand = i.getNumOperands() && isQuad(i.getOperand(0)->getType());
        switch (i.getOpcode()) {
        case Instruction::FCmp:
        case Instruction::FPTrunc:
        case Instruction::FPToSI:
        case Instruction::FPToUI:
            return quadOperand;
        case Instruction::FPExt:
        case Instruction::SIToFP:
        case Instruction::UIToFP:
        case Instruction::FNeg:
            return isQuad(i.getType());
        case Instruction::Call:
            return isa<IntrinsicInst>(i) && (quadOperand || isQuad(i.getType())) &&
                   !isa<DbgInfoIntrinsic>(i);
        default:
            return i.isBinaryOp() && isQuad(i.getType());
        }
    }

    // The attributes that values of type t cannot have.
    static AttributeMask incompatible(Type *t, AttributeSet have) {
#if LLVM_VERSION_MAJOR >= 22
        return AttributeFuncs::typeIncompatible(t, have);
#else
        (void)have;
        return AttributeFuncs::typeIncompatible(t);
#endif
    }

    // Of a type that is another one now.
    void changeCall(CallBase &call) {
        auto *to = cast<FunctionType>(types.get(call.getFunctionType()));
        if (to == call.getFunctionType())
            return;
        call.removeRetAttrs(incompatible(to->getReturnType(), call.getAttributes().getRetAttrs()));
        for (unsigned i = 0; i < to->getNumParams(); i++)
            call.removeParamAttrs(
                i, incompatible(to->getParamType(i), call.getAttributes().getParamAttrs(i)));
        call.mutateFunctionType(to);
    }
    void changeType(Instruction &i) {
        for (Use &u : i.operands())
            if (auto *c = dyn_cast<Constant>(u))
                if (types.changes(c->getType()))
                    u.set(types.constant(c));
        if (auto *a = dyn_cast<AllocaInst>(&i))
            a->setAllocatedType(types.get(a->getAllocatedType()));
        if (auto *call = dyn_cast<CallBase>(&i))
            if (!isa<IntrinsicInst>(call))
                changeCall(*call);
        if (!types.changes(i.getType()))
            return;
        if (isa<FPMathOperator>(i))
            i.copyFastMathFlags(FastMathFlags());
        i.setMetadata(LLVMContext::MD_fpmath, nullptr);
        i.mutateType(types.get(i.getType()));
    }

    void lowerBody(Function &f) {
        SmallVector<std::pair<Instruction *, Type *>, 16> computing;
        for (Instruction &i : instructions(f))
            if (computes(i))
                computing.push_back({&i, types.get(i.getType())});
        for (Instruction &i : instructions(f))
            changeType(i);
        for (auto [i, result] : computing) {
            b.SetInsertPoint(i);
            Value *v = lower(i, result);
            if (!v) {
                context.emitError(i, "there is no such operation on __float128 in device code");
                v = PoisonValue::get(result);
            }
            i->replaceAllUsesWith(v);
            i->eraseFromParent();
        }
    }

    void changeSignature(Function &f) {
        auto *to = cast<FunctionType>(types.get(f.getFunctionType()));
        if (to == f.getFunctionType())
            return;
        for (Argument &a : f.args()) {
            a.mutateType(types.get(a.getType()));
            f.removeParamAttrs(
                a.getArgNo(),
                incompatible(a.getType(), f.getAttributes().getParamAttrs(a.getArgNo())));
        }
        f.removeRetAttrs(incompatible(to->getReturnType(), f.getAttributes().getRetAttrs()));
        ValueTypes::set(f, to);
    }

    void changeVariable(GlobalVariable &v) {
        if (!types.changes(v.getValueType()))
            return;
        Constant *value = v.hasInitializer() ? types.constant(v.getInitializer()) : nullptr;
        v.setInitializer(nullptr);
        ValueTypes::set(v, types.get(v.getValueType()));
        if (value)
            v.setInitializer(value);
    }

  public:
    explicit QuadLowering(Module &m)
        : m(m), context(m.getContext()), b(context), i128(b.getInt128Ty()), i32(b.getInt32Ty()) {
    }

    bool isNeeded() {
        for (GlobalVariable &v : m.globals())
            if (types.changes(v.getValueType()))
                return true;
        for (Function &f : m) {
            if (types.changes(f.getFunctionType()))
                return true;
            for (Instruction &i : instructions(f)) {
                auto *a = dyn_cast<AllocaInst>(&i);
                if (types.changes(i.getType()) || (a && types.changes(a->getAllocatedType())))
                    return true;
                for (Value *operand : i.operands())
                    if (types.changes(operand->getType()))
                        return true;
            }
        }
        return false;
    }
    void run() {
        for (GlobalVariable &v : m.globals())
            changeVariable(v);
        // Intrinsics keep their types until their calls are gone.
        SmallVector<Function *, 32> functions, intrinsics;
        for (Function &f : m)
            (f.isIntrinsic() ? intrinsics : functions).push_back(&f);
        for (Function *f : functions)
            changeSignature(*f);
        for (Function *f : functions)
            lowerBody(*f);
        for (Function *f : intrinsics)
            if (f->use_empty())
                f->eraseFromParent();
    }
};

// What the module calls of the library, for its own use.
void joinLibrary(Module &m) {
    MemoryBufferRef bitcode(StringRef(quad_library, quad_library_end - quad_library), "quad");
    Expected<std::unique_ptr<Module>> library = getLazyBitcodeModule(bitcode, m.getContext());
    if (!library) {
        m.getContext().emitError("the functions of quad precision: " +
                                 toString(library.takeError()));
        return;
    }
    // The library's functions are compiled for whatever the module is compiled for.
    Attribute cpu, features;
    for (Function &f : m)
        if (!f.isDeclaration() && f.hasFnAttribute("target-cpu")) {
            cpu = f.getFnAttribute("target-cpu");
            features = f.getFnAttribute("target-features");
            break;
        }
    (*library)->setTargetTriple(m.getTargetTriple());
    (*library)->setDataLayout(m.getDataLayout());
    StringSet<> joined;
    Linker::linkModules(m, std::move(*library), Linker::LinkOnlyNeeded,
                        [&](Module &, const StringSet<> &names) { joined = names; });
    for (auto &name : joined) {
        GlobalValue *v = m.getNamedValue(name.getKey());
        if (!v || v->isDeclaration())
            continue;
        v->setLinkage(GlobalValue::InternalLinkage);
        auto *f = dyn_cast<Function>(v);
        if (f && cpu.isValid())
            f->addFnAttr(cpu);
        if (f && features.isValid())
            f->addFnAttr(features);
    }
}

} // namespace

void lowerQuadPrecision(Module &m) {
    QuadLowering lowering(m);
    if (!lowering.isNeeded())
        return;
    lowering.run();
    joinLibrary(m);
}
