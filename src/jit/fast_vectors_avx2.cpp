// Vectors in LLVM's fast instruction selection on machines with AVX2 and without AVX-512. No
// register holds truths there: quick code has numbers in their place, all bits or none
// (codegen/llvm/quick_masks.c), and truths alone between a comparison and what widens it, and
// between a comparison of such numbers with zero and what asks them.
#include "jit/fast_vectors.h"

#include <llvm/CodeGen/ISDOpcodes.h>

// A number as a vector's first element.
Register Vectors::in_vector(Register x, const Parts &p) {
    unsigned bits = p.element_bits();
    if (bits < 32) {
        unsigned extend = opcode(bits == 8 ? EXTEND_BYTE : EXTEND_WORD, 0, 0);
        if (!extend)
            return Register();
        x = made(extend, MVT::i32, {x});
    }
    unsigned o = opcode(bits == 64 ? MOVE_QWORD : MOVE_DWORD, 0, 0);
    return o ? made(o, bits == 64 ? MVT::v2i64 : MVT::v4i32, {x}) : Register();
}

// Of a register of 256 bits.
Register Vectors::half(Register x, MVT type, bool upper) {
    unsigned o = opcode(UPPER_LANE, 0, 0), sub = upper ? 0 : subregister("sub_xmm");
    if (upper)
        return o ? made(o, type, {x}, 1) : Register();
    return sub ? fastEmitInst_extractsubreg(type, x, sub) : Register();
}

// The numbers whose signs are these truths. None: they come from elsewhere.
Register Vectors::numbers(const Value *truths, const Instruction *user, Parts &m) {
    const ICmpInst *i = dyn_cast<ICmpInst>(truths);
    const Constant *zero = i ? dyn_cast<Constant>(i->getOperand(1)) : nullptr;
    if (!zero || !zero->isNullValue() || i->getPredicate() != CmpInst::ICMP_SLT ||
        i->getParent() != user->getParent())
        return Register();
    m = parts_of(i->getOperand(0)->getType());
    return m.count && m.type == MVT::v8i32 ? value(i->getOperand(0), m) : Register();
}

// Of numbers c those for p's k-th register, as wide as its elements.
Register Vectors::numbers_for(Register c, const Parts &m, const Parts &p, unsigned k) {
    unsigned bits = p.element_bits(), size = (unsigned)p.type.getSizeInBits();
    if (m.count * m.elements() != p.count * p.elements())
        return Register();
    if (bits == 32 && size == 256)
        return c.id() + k;
    if (bits == 64 && size == 256) {
        unsigned o = opcode(WIDEN_SIGNED_DWORDS, 0, 0);
        Register x = half(c.id() + k / 2, MVT::v4i32, k % 2);
        return o && x ? made(o, MVT::v4i64, {x}) : Register();
    }
    if (bits == 16 && size == 128) {
        unsigned o = opcode(PACK, 0, 0);
        Register x = half(c, MVT::v4i32, false), y = half(c, MVT::v4i32, true);
        return o && x && y ? made(o, MVT::v8i16, {x, y}) : Register();
    }
    if (bits == 16 && size == 256) {
        unsigned o = opcode(PACK, 0, 1), order = opcode(PERMUTE_QWORDS, 0, 0);
        if (!o || !order)
            return Register();
        Register x = made(o, MVT::v16i16, {c.id() + 2 * k, c.id() + 2 * k + 1});
        return made(order, MVT::v16i16, {x}, 0xd8);
    }
    return Register();
}

// Numbers of all bits or of none, by one truth.
Register Vectors::all_lanes(const Value *condition, const Parts &p) {
    unsigned extend = opcode(EXTEND_BYTE, 0, 0), negate = opcode(NEGATE, 0, 0);
    MVT type = MVT::getVectorVT(MVT::i32, (unsigned)p.type.getSizeInBits() / 32);
    Parts whole{type, 1};
    unsigned spread = find(BROADCAST, whole);
    Register c = extend && negate && spread ? getRegForValue(condition) : Register();
    Register bit = c ? fastEmitZExtFromI1(MVT::i8, c) : Register();
    if (!bit)
        return Register();
    Register all = made(negate, MVT::i32, {made(extend, MVT::i32, {bit})});
    Register first = in_vector(all, whole);
    return first ? made(spread, type, {first}) : Register();
}

// Numbers as wide as what is compared, a register for each of p's.
bool Vectors::compared(const CmpInst *c, const Parts &p, SmallVectorImpl<Register> &out) {
    CmpInst::Predicate how = c->getPredicate();
    Register x = value(c->getOperand(0), p), y = value(c->getOperand(1), p);
    if (!x || !y)
        return false;
    MVT type = MVT::getVectorVT(MVT::getIntegerVT(p.element_bits()), p.elements());
    if (p.is_float()) {
        unsigned o = find(COMPARE_FLOATS, p);
        int imm = compares_as(how);
        if (!o || imm < 0)
            return false;
        for (unsigned k = 0; k < p.count; k++)
            out.push_back(made(o, type, {x.id() + k, y.id() + k}, imm));
        return true;
    }
    unsigned equal = find(EQUAL, p), greater = find(GREATER, p);
    unsigned least = find(LEAST, p), most = find(MOST, p);
    if (!equal || !greater)
        return false;
    bool flips = c->isUnsigned() && p.element_bits() == 64, inverse = false;
    Register flip, ones;
    if (flips) {
        how = ICmpInst::getSignedPredicate(how);
        Type *t = FixedVectorType::get(IntegerType::get(c->getContext(), 64), p.elements());
        flip = constant(ConstantInt::get(t, UINT64_C(1) << 63), {p.type, 1});
        if (!flip)
            return false;
    }
    inverse = how == CmpInst::ICMP_NE || how == CmpInst::ICMP_SGE || how == CmpInst::ICMP_SLE ||
              how == CmpInst::ICMP_UGT || how == CmpInst::ICMP_ULT;
    if (inverse) {
        Type *t =
            FixedVectorType::get(IntegerType::get(c->getContext(), p.element_bits()), p.elements());
        if (!(ones = constant(Constant::getAllOnesValue(t), {type, 1})))
            return false;
    }
    for (unsigned k = 0; k < p.count; k++) {
        Register a = x.id() + k, b = y.id() + k, r;
        if (flips) {
            a = fastEmit_rr(p.type, p.type, ISD::XOR, a, flip);
            b = fastEmit_rr(p.type, p.type, ISD::XOR, b, flip);
            if (!a || !b)
                return false;
        }
        switch (how) {
        case CmpInst::ICMP_EQ:
        case CmpInst::ICMP_NE:
            r = made(equal, type, {a, b});
            break;
        case CmpInst::ICMP_SGT:
        case CmpInst::ICMP_SLE:
            r = made(greater, type, {a, b});
            break;
        case CmpInst::ICMP_SLT:
        case CmpInst::ICMP_SGE:
            r = made(greater, type, {b, a});
            break;
        case CmpInst::ICMP_ULE:
        case CmpInst::ICMP_UGT:
            r = least ? made(equal, type, {made(least, type, {a, b}), a}) : Register();
            break;
        case CmpInst::ICMP_UGE:
        case CmpInst::ICMP_ULT:
            r = most ? made(equal, type, {made(most, type, {a, b}), a}) : Register();
            break;
        default:
            break;
        }
        if (r && inverse)
            r = fastEmit_rr(type, type, ISD::XOR, r, ones);
        if (!r)
            return false;
        out.push_back(r);
    }
    return true;
}

bool Vectors::widen_truths(const CastInst *i, const Parts &p) {
    const Value *from = i->getOperand(0);
    const CmpInst *c = dyn_cast<CmpInst>(from);
    if (p.type != MVT::v8i32)
        return false;
    Register to = new_registers(p);
    if (!c || c->getParent() != i->getParent()) { // in a register, of anything but the last bits
        unsigned left = opcode(SHIFT_LEFT, 1, 0), right = opcode(SHIFT_ARITHMETIC, 1, 0);
        unsigned o = opcode(WIDEN_SIGNED_WORDS, 0, 0);
        EVT vt = TLI.getValueType(DL, from->getType(), true);
        if (p.count != 1 || !left || !right || !o || isa<Constant>(from) ||
            TLI.getRegisterType(i->getContext(), vt) != MVT::v8i16)
            return false;
        Register x = value(from, {MVT::v8i16, 1});
        if (!x)
            return false;
        x = made(right, MVT::v8i16, {made(left, MVT::v8i16, {x}, 15)}, 15);
        emit(o, to, {x}, 0, false);
        updateValueMap(i, to);
        return true;
    }
    Parts of = parts_of(c->getOperand(0)->getType());
    SmallVector<Register, 8> r;
    if (!of.count || !compared(c, of, r))
        return false;
    unsigned bits = of.element_bits(), size = (unsigned)of.type.getSizeInBits();
    unsigned pack = opcode(PACK, 0, 1), order = opcode(PERMUTE_QWORDS, 0, 0);
    unsigned words = opcode(WIDEN_SIGNED_WORDS, 0, 0);
    if (!pack || !order || !words)
        return false;
    for (unsigned k = 0; k < p.count; k++) {
        Register to_k = to.id() + k;
        if (bits == 32 && size == 256) {
            redefine(r[k], to_k);
        } else if (bits == 64 && size == 256) {
            Register x = made(pack, MVT::v8i32, {r[2 * k], r[2 * k + 1]});
            emit(order, to_k, {x}, 0xd8, true);
        } else if (bits == 16) {
            Register x = size == 128 ? r[k] : half(r[k / 2], MVT::v8i16, k % 2);
            if (!x)
                return false;
            emit(words, to_k, {x}, 0, false);
        } else {
            return false;
        }
    }
    updateValueMap(i, to, p.count);
    return true;
}

// Twice as wide elements.
bool Vectors::widen_numbers(const CastInst *i, const Parts &p) {
    Parts from = parts_of(i->getOperand(0)->getType());
    bool zeros = i->getOpcode() == Instruction::ZExt, dwords = p.element_bits() == 64;
    if (!from.count || from.element_bits() * 2 != p.element_bits() || p.element_bits() < 32 ||
        p.type.getSizeInBits() != 256)
        return false;
    unsigned o = opcode(dwords ? (zeros ? WIDEN_DWORDS : WIDEN_SIGNED_DWORDS)
                               : (zeros ? WIDEN_WORDS : WIDEN_SIGNED_WORDS),
                        0, 0);
    bool whole = from.type.getSizeInBits() == 256;
    Register x = o ? value(i->getOperand(0), from) : Register();
    if (!x || p.count != from.count * (1 + whole))
        return false;
    Register to = new_registers(p);
    MVT part = dwords ? MVT::v4i32 : MVT::v8i16;
    for (unsigned k = 0; k < p.count; k++) {
        Register r = whole ? half(x.id() + k / 2, part, k % 2) : Register(x.id() + k);
        if (!r)
            return false;
        emit(o, to.id() + k, {r}, 0, false);
    }
    updateValueMap(i, to, p.count);
    return true;
}

// 64 bits to 32: the even ones of two registers' elements.
bool Vectors::narrow(const CastInst *i) {
    Parts from = parts_of(i->getOperand(0)->getType()), p = parts_of(i->getType());
    unsigned some = opcode(EVEN_DWORDS, 0, 0), order = opcode(PERMUTE_QWORDS, 0, 0);
    if (from.type != MVT::v4i64 || p.type != MVT::v8i32 || from.count != 2 * p.count || !p.count ||
        !some || !order)
        return false;
    Register x = value(i->getOperand(0), from);
    if (!x)
        return false;
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++) {
        Register both = made(some, MVT::v8i32, {x.id() + 2 * k, x.id() + 2 * k + 1}, 0x88);
        emit(order, to.id() + k, {both}, 0xd8, true);
    }
    updateValueMap(i, to, p.count);
    return true;
}

// For who takes truths in a register: a call.
bool Vectors::truths(const ICmpInst *i) {
    Parts m, words{MVT::v8i16, 1};
    EVT vt = TLI.getValueType(DL, i->getType(), true);
    if (TLI.getRegisterType(i->getContext(), vt) != MVT::v8i16)
        return false;
    Register c = numbers(i, i, m);
    Register r = c && m.count == 1 ? numbers_for(c, m, words, 0) : Register();
    if (r)
        updateValueMap(i, r);
    return (bool)r;
}

bool Vectors::blend(const SelectInst *i) {
    Parts p = parts_of(i->getType()), m;
    bool alike = !i->getCondition()->getType()->isVectorTy();
    unsigned o = p.count ? find(p.element_bits() < 32 ? BLEND_BYTES : BLEND_BITS, p) : 0;
    Register c = !o      ? Register()
                 : alike ? all_lanes(i->getCondition(), p)
                         : numbers(i->getCondition(), i, m);
    Register t = c ? value(i->getTrueValue(), p) : Register();
    Register f = t ? value(i->getFalseValue(), p) : Register();
    if (!f)
        return false;
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++) {
        Register part = alike ? c : numbers_for(c, m, p, k);
        if (!part)
            return false;
        emit(o, to.id() + k, {f.id() + k, t.id() + k, part}, 0, false);
    }
    updateValueMap(i, to, p.count);
    return true;
}

bool Vectors::bits_of_truths(const BitCastInst *i) {
    Parts m;
    if (!i->getType()->isIntegerTy())
        return false;
    Register c = numbers(i->getOperand(0), i, m), all;
    unsigned o = c ? find(SIGNS, m) : 0, bits = 8 * m.count;
    if (!o || bits > 32)
        return false;
    for (unsigned k = 0; k < m.count; k++) {
        Register r = made(o, MVT::i32, {c.id() + k});
        if (k)
            r = fastEmit_ri_(MVT::i32, ISD::SHL, r, 8 * k, MVT::i32);
        if (k && r)
            r = fastEmit_rr(MVT::i32, MVT::i32, ISD::OR, all, r);
        all = r;
        if (!all)
            return false;
    }
    if (bits < 32) {
        unsigned sub = subregister(bits == 8 ? "sub_8bit" : "sub_16bit");
        if (!sub || bits > 16)
            return false;
        all = fastEmitInst_extractsubreg(bits == 8 ? MVT::i8 : MVT::i16, all, sub);
    }
    updateValueMap(i, all);
    return true;
}

bool Vectors::shift_each(const BinaryOperator *i, Op op) {
    Parts p = parts_of(i->getType());
    if (!p.count || p.element_bits() < 32 || isa<Constant>(i->getOperand(1)))
        return false;
    unsigned o = find(op, p);
    Register x = o ? value(i->getOperand(0), p) : Register();
    Register y = x ? value(i->getOperand(1), p) : Register();
    if (!y)
        return false;
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++)
        emit(o, to.id() + k, {x.id() + k, y.id() + k}, 0, false);
    updateValueMap(i, to, p.count);
    return true;
}

// From products of halves.
bool Vectors::multiply_qwords(const BinaryOperator *i) {
    Parts p = parts_of(i->getType());
    if (!p.count || p.element_bits() != 64 || p.is_float())
        return false;
    unsigned product = find(MULTIPLY_DWORDS, p), right = find(SHIFT_RIGHT, p);
    unsigned left = find(SHIFT_LEFT, p);
    Register x = product && right && left ? value(i->getOperand(0), p) : Register();
    Register y = x ? value(i->getOperand(1), p) : Register();
    if (!y)
        return false;
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++) {
        Register a = x.id() + k, b = y.id() + k;
        Register first = made(product, p.type, {made(right, p.type, {a}, 32), b});
        Register second = made(product, p.type, {a, made(right, p.type, {b}, 32)});
        Register sum = fastEmit_rr(p.type, p.type, ISD::ADD, first, second);
        Register low = made(product, p.type, {a, b});
        Register all;
        if (sum)
            all = fastEmit_rr(p.type, p.type, ISD::ADD, low, made(left, p.type, {sum}, 32));
        if (!all)
            return false;
        redefine(all, to.id() + k);
    }
    updateValueMap(i, to, p.count);
    return true;
}

// Each register of 32-bit elements comes from at most two others.
bool Vectors::permute(const ShuffleVectorInst *i) {
    Parts p = parts_of(i->getType()), from = parts_of(i->getOperand(0)->getType());
    if (!p.count || p.type != from.type || p.element_bits() != 32 || p.type.getSizeInBits() != 256)
        return false;
    enum { LANES = 8 };
    unsigned o = opcode(PERMUTE_LANES, 0, 0), choose = opcode(BLEND_BITS, 2, 1);
    Parts numbers{MVT::v8i32, 1};
    Type *element = IntegerType::get(i->getContext(), 32);
    if (!o || !choose)
        return false;
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++) {
        unsigned used[2], sources = 0;
        SmallVector<Constant *, LANES> index, second;
        bool in_place = true;
        for (unsigned e = 0; e < LANES; e++) {
            int m = i->getMaskValue(k * LANES + e);
            unsigned source = m < 0 ? 0 : (unsigned)m / LANES, at = m < 0 ? e : (unsigned)m % LANES;
            unsigned s = 0;
            while (m >= 0 && s < sources && used[s] != source)
                s++;
            if (s == 2)
                return false;
            if (m >= 0 && s == sources)
                used[sources++] = source;
            in_place = in_place && at == e;
            index.push_back(ConstantInt::get(element, at));
            second.push_back(ConstantInt::getSigned(element, s ? -1 : 0));
        }
        Register r[2];
        for (unsigned s = 0; s < sources; s++) {
            unsigned operand = used[s] >= from.count;
            Register x = value(i->getOperand(operand), from);
            if (!x)
                return false;
            r[s] = x.id() + used[s] - operand * from.count;
        }
        if (!sources) {
            BuildMI(*FuncInfo.MBB, FuncInfo.InsertPt, MIMD, TII.get(TargetOpcode::IMPLICIT_DEF),
                    to.id() + k);
            continue;
        }
        if (!in_place) {
            Register order = constant(ConstantVector::get(index), numbers);
            if (!order)
                return false;
            for (unsigned s = 0; s < sources; s++)
                r[s] = made(o, p.type, {order, r[s]});
        }
        if (sources == 1) {
            copy(to.id() + k, r[0]);
            continue;
        }
        Register which = constant(ConstantVector::get(second), numbers);
        if (!which)
            return false;
        emit(choose, to.id() + k, {r[0], r[1], which}, 0, false);
    }
    updateValueMap(i, to, p.count);
    return true;
}

bool Vectors::one_of_avx2(const Instruction *i) {
    Parts p = parts_of(i->getType());
    switch (i->getOpcode()) {
    case Instruction::ICmp:
        return truths(cast<ICmpInst>(i));
    case Instruction::Select:
        return blend(cast<SelectInst>(i));
    case Instruction::BitCast:
        return bits_of_truths(cast<BitCastInst>(i));
    case Instruction::SExt:
        if (p.count && i->getOperand(0)->getType()->isIntOrIntVectorTy(1))
            return widen_truths(cast<CastInst>(i), p);
        return p.count && widen_numbers(cast<CastInst>(i), p);
    case Instruction::ZExt:
        return p.count && !i->getOperand(0)->getType()->isIntOrIntVectorTy(1) &&
               widen_numbers(cast<CastInst>(i), p);
    case Instruction::Trunc:
        return narrow(cast<CastInst>(i));
    case Instruction::Mul:
        return multiply_qwords(cast<BinaryOperator>(i));
    case Instruction::Shl:
        return shift_each(cast<BinaryOperator>(i), SHIFT_LEFT_EACH);
    case Instruction::LShr:
        return shift_each(cast<BinaryOperator>(i), SHIFT_RIGHT_EACH);
    case Instruction::AShr:
        return shift_each(cast<BinaryOperator>(i), SHIFT_ARITHMETIC_EACH);
    case Instruction::ShuffleVector:
        return !alone(i->getOperand(0), i->getParent()) && permute(cast<ShuffleVectorInst>(i));
    default:
        return false;
    }
}
