// Vectors in LLVM's fast instruction selection. It knows their loads, stores and arithmetic, but
// no comparison, selection or mask, no vector of constants and none of several registers, and what
// it does not know goes to the slow selection with all that stands in front of it in the block: at
// 10 us an instruction that is four fifths of what quick code takes. The linker puts what is below
// in front of FastISel::selectInstruction; instructions of vectors are selected here for machines
// with AVX-512 (F, VL, BW, DQ), in part for those with AVX2 (fast_vectors_avx2.cpp), the rest goes
// on to LLVM's. LLVM's C interface has no way in here.
//
// LLVM's numbers of opcodes are not public: they are looked up by name. One that is missing is an
// instruction that is not selected here.
#include "jit/fast_vectors.h"

#include <llvm/CodeGen/ISDOpcodes.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string>

using namespace llvm;

extern "C" bool
__real__ZN4llvm8FastISel17selectInstructionEPKNS_11InstructionE(FastISel *, const Instruction *);
extern "C" bool
__wrap__ZN4llvm8FastISel17selectInstructionEPKNS_11InstructionE(FastISel *, const Instruction *);

namespace {

#define NAME(op, name, name_avx2) {name, name_avx2},
const char *const NAMES[OPS][2] = {OPCODES(NAME)};

enum { SIZES = 4 };

std::string name_of(Op op, unsigned size, unsigned registers, bool wide) {
    static const char *const REGISTERS[3] = {"Z128", "Z256", "Z"}, *const BITS[3] = {"128", "256",
                                                                                     "512"};
    static const char *const JOINED[SIZES] = {"BW", "WD", "DQ", "DQ"};
    std::string out;
    for (const char *c = NAMES[op][!wide]; *c; c++)
        switch (*c) {
        case '$':
            out += registers ? "Y" : "";
            break;
        case '!':
            out += registers ? "AVX_" : "V_";
            break;
        case '?':
            out += registers ? "AVX2_" : "V_";
            break;
        case '%':
            out += "BWDQ"[size];
            break;
        case '^':
            out += "??SD"[size];
            break;
        case '#':
            out += REGISTERS[registers];
            break;
        case '@':
            out += BITS[registers];
            break;
        case '&':
            out += JOINED[size];
            break;
        case '~':
            out += "WWDQ"[size];
            break;
        default:
            out += *c;
        }
    return out;
}

// Names are in order from the target's first instruction that is none of LLVM's own, and from the
// first one that is no pseudo instruction.
unsigned find_opcode(const TargetInstrInfo &tii, const std::string &name) {
    unsigned first = TargetOpcode::GENERIC_OP_END + 1, n = tii.getNumOpcodes();
    for (; first < n; first++) {
        if (tii.getName(first) == name)
            return first;
        if (first + 1 < n && tii.getName(first) > tii.getName(first + 1))
            break;
    }
    for (unsigned low = first + 1, high = n; low < high;) {
        unsigned middle = low + (high - low) / 2;
        int order = tii.getName(middle).compare(name);
        if (!order)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

enum : uint16_t { UNKNOWN, MISSING }; // which are LLVM's own instructions

// The same for every function of one architecture, and for every thread.
std::array<std::atomic<uint16_t>, OPS * SIZES * 3 * 2> opcodes;

} // namespace

int compares_as(CmpInst::Predicate p) {
    switch (p) {
    case CmpInst::ICMP_EQ:
        return 0;
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_SLT:
        return 1;
    case CmpInst::ICMP_ULE:
    case CmpInst::ICMP_SLE:
        return 2;
    case CmpInst::ICMP_NE:
        return 4;
    case CmpInst::ICMP_UGE:
    case CmpInst::ICMP_SGE:
        return 5;
    case CmpInst::ICMP_UGT:
    case CmpInst::ICMP_SGT:
        return 6;
    case CmpInst::FCMP_OEQ:
        return 0x00;
    case CmpInst::FCMP_OLT:
        return 0x11;
    case CmpInst::FCMP_OLE:
        return 0x12;
    case CmpInst::FCMP_UNO:
        return 0x03;
    case CmpInst::FCMP_UNE:
        return 0x04;
    case CmpInst::FCMP_UGE:
        return 0x15;
    case CmpInst::FCMP_UGT:
        return 0x16;
    case CmpInst::FCMP_ORD:
        return 0x07;
    case CmpInst::FCMP_UEQ:
        return 0x08;
    case CmpInst::FCMP_ULT:
        return 0x19;
    case CmpInst::FCMP_ULE:
        return 0x1a;
    case CmpInst::FCMP_ONE:
        return 0x0c;
    case CmpInst::FCMP_OGE:
        return 0x1d;
    case CmpInst::FCMP_OGT:
        return 0x1e;
    default:
        return -1;
    }
}

unsigned Vectors::opcode(Op op, unsigned size, unsigned registers) const {
    bool wide = has_wide_registers();
    std::atomic<uint16_t> &known = opcodes[((op * SIZES + size) * 3 + registers) * 2 + wide];
    uint16_t o = known.load(std::memory_order_relaxed);
    if (o == UNKNOWN) {
        std::string name = name_of(op, size, registers, wide);
        unsigned found = name.empty() ? 0 : find_opcode(TII, name);
        o = found && found < UINT16_MAX ? (uint16_t)found : (uint16_t)MISSING;
        known.store(o, std::memory_order_relaxed);
    }
    return o == MISSING ? 0 : o;
}

bool Vectors::has_wide_registers() const {
    return TLI.isTypeLegal(MVT::v16i32);
}

bool Vectors::has_instructions() const {
    static const char *const wanted[] = {"avx2",     "fma",      "avx512f",
                                         "avx512vl", "avx512bw", "avx512dq"};
    enum { AVX2 = 2, ALL = 6 };
    static std::once_flag once;
    static std::array<unsigned, ALL> bit;
    static bool found;
    if (!TM.getTargetTriple().isX86())
        return false;
    const TargetSubtargetInfo &s = MF->getSubtarget();
    std::call_once(once, [&] {
        unsigned n = 0;
        for (const SubtargetFeatureKV &f : s.getAllProcessorFeatures())
            for (unsigned k = 0; k < ALL; k++)
                if (StringRef(f.Key) == wanted[k]) {
                    bit[k] = f.Value;
                    n++;
                }
        found = n == ALL;
    });
    if (!found)
        return false;
    for (unsigned k = 0, n = has_wide_registers() ? ALL : AVX2; k < n; k++)
        if (!s.getFeatureBits().test(bit[k]))
            return false;
    return has_wide_registers() || !s.getFeatureBits().test(bit[AVX2]);
}

// None: not of registers that are known here.
Parts Vectors::parts_of(const Type *t) const {
    Parts p;
    if (!isa<FixedVectorType>(t))
        return p;
    EVT vt = TLI.getValueType(DL, const_cast<Type *>(t), true);
    if (!vt.isSimple())
        return p;
    LLVMContext &c = t->getContext();
    p.type = TLI.isTypeLegal(vt) ? vt.getSimpleVT() : TLI.getRegisterType(c, vt);
    unsigned n = TLI.isTypeLegal(vt) ? 1 : TLI.getNumRegisters(c, vt);
    if (p.type.isVector() && TLI.isTypeLegal(p.type) && p.is_known() &&
        p.type.getVectorElementType() == vt.getVectorElementType().getSimpleVT() &&
        p.elements() * n == vt.getVectorNumElements())
        p.count = n;
    return p;
}

Register Vectors::new_registers(const Parts &p) {
    Register first = createResultReg(TLI.getRegClassFor(p.type));
    for (unsigned k = 1; k < p.count; k++)
        createResultReg(TLI.getRegClassFor(p.type));
    return first;
}

unsigned Vectors::find(Op op, const Parts &p) const {
    return opcode(op, p.size(), p.is_mask() ? 0 : p.registers());
}

void Vectors::emit(unsigned o, Register to, std::initializer_list<Register> from, int64_t imm,
                   bool has) {
    const MCInstrDesc &d = TII.get(o);
    SmallVector<Register, 4> operands;
    unsigned at = d.getNumDefs();
    for (Register r : from)
        operands.push_back(constrainOperandRegClass(d, r, at++));
#if LLVM_VERSION_MAJOR >= 22
    MRI.constrainRegClass(to, TII.getRegClass(d, 0));
#else
    MRI.constrainRegClass(to, TII.getRegClass(d, 0, &TRI, *MF));
#endif
    MachineInstrBuilder b = BuildMI(*FuncInfo.MBB, FuncInfo.InsertPt, MIMD, d, to);
    for (Register r : operands)
        b.addReg(r);
    if (has)
        b.addImm(imm);
}

Register Vectors::made(unsigned o, MVT type, std::initializer_list<Register> from) {
    Register to = createResultReg(TLI.getRegClassFor(type));
    emit(o, to, from, 0, false);
    return to;
}

Register Vectors::made(unsigned o, MVT type, std::initializer_list<Register> from, int64_t imm) {
    Register to = createResultReg(TLI.getRegClassFor(type));
    emit(o, to, from, imm, true);
    return to;
}

void Vectors::copy(Register to, Register from) {
    BuildMI(*FuncInfo.MBB, FuncInfo.InsertPt, MIMD, TII.get(TargetOpcode::COPY), to).addReg(from);
}

// `from`, which one instruction has just made, is made in `to`.
void Vectors::redefine(Register from, Register to) {
    MachineInstr *made_by = MRI.getVRegDef(from);
    if (made_by && made_by->getOperand(0).isReg() && made_by->getOperand(0).getReg() == from &&
        MRI.use_empty(from) && MRI.constrainRegClass(to, MRI.getRegClass(from)))
        made_by->getOperand(0).setReg(to);
    else
        copy(to, from);
}

// 0: the target has none of this name.
unsigned Vectors::subregister(StringRef name) const {
    for (unsigned k = 1; k < TRI.getNumSubRegIndices(); k++)
        if (StringRef(TRI.getSubRegIndexName(k)) == name)
            return k;
    return 0;
}

Register Vectors::number(uint32_t x) {
    unsigned o = opcode(CONSTANT_32, 0, 0);
    return o ? made(o, MVT::i32, {}, (int64_t)x) : Register();
}

bool Vectors::materialize(const Constant *c, const Parts &p, Register to) {
    if (isa<UndefValue>(c)) {
        BuildMI(*FuncInfo.MBB, FuncInfo.InsertPt, MIMD, TII.get(TargetOpcode::IMPLICIT_DEF), to);
        return true;
    }
    bool ones = c->isAllOnesValue() && !p.is_float();
    unsigned simple = c->isNullValue() ? find(p.is_mask() ? MASK_ZEROS : ZEROS, p)
                      : ones           ? find(p.is_mask() ? MASK_ONES : ONES, p)
                                       : 0;
    if (simple) {
        emit(simple, to, {}, 0, false);
        return true;
    }
    if (p.is_mask()) {
        uint64_t bits = 0;
        for (unsigned k = 0; k < p.elements(); k++) {
            const Constant *e = c->getAggregateElement(k);
            if (const ConstantInt *n = dyn_cast_or_null<ConstantInt>(e))
                bits |= n->getZExtValue() << k;
            else if (!e || !isa<UndefValue>(e))
                return false;
        }
        Register x = bits >> 32 ? Register() : number((uint32_t)bits);
        unsigned o = p.elements() <= 32 ? find(MASK_FROM, p) : 0;
        if (x && o)
            emit(o, to, {x}, 0, false);
        return x && o;
    }
    static std::atomic<unsigned> pc;
    unsigned rip = pc.load(std::memory_order_relaxed), o = find(LOAD_ALIGNED, p);
    for (unsigned r = 1; !rip && r < TRI.getNumRegs(); r++)
        if (StringRef(TRI.getName(r)) == "RIP")
            pc.store(rip = r, std::memory_order_relaxed);
    if (!rip || !o || !TM.isPositionIndependent() || TM.getCodeModel() != CodeModel::Small)
        return false;
    Align align(p.type.getStoreSize());
    unsigned at = MCP.getConstantPoolIndex(c, align);
    BuildMI(*FuncInfo.MBB, FuncInfo.InsertPt, MIMD, TII.get(o), to)
        .addReg(rip)
        .addImm(1)
        .addReg(0)
        .addConstantPoolIndex(at)
        .addReg(0)
        .addMemOperand(MF->getMachineMemOperand(MachinePointerInfo::getConstantPool(*MF),
                                                MachineMemOperand::MOLoad, p.type.getStoreSize(),
                                                align));
    return true;
}

// Constants are made in front of a block's other instructions, as FastISel does it.
Register Vectors::constant(const Constant *c, const Parts &p) {
    if (Register r = LocalValueMap.lookup(c))
        return r;
    SavePoint here = enterLocalValueArea();
    Register first = new_registers(p);
    bool done = true;
    for (unsigned k = 0; k < p.count && done; k++) {
        const Constant *part = c;
        if (p.count > 1 && !isa<UndefValue>(c) && !c->isNullValue() && !c->isAllOnesValue()) {
            SmallVector<Constant *, 64> e;
            for (unsigned n = 0; n < p.elements(); n++)
                e.push_back(c->getAggregateElement(k * p.elements() + n));
            done = std::find(e.begin(), e.end(), nullptr) == e.end();
            part = done ? ConstantVector::get(e) : c;
        }
        done = done && materialize(part, p, first.id() + k);
    }
    leaveLocalValueArea(here);
    if (!done)
        return Register();
    return LocalValueMap[c] = first;
}

Register Vectors::value(const Value *v, const Parts &p) {
    if (const Constant *c = dyn_cast<Constant>(v))
        return constant(c, p);
    if (Register r = lookUpRegForValue(v))
        return r;
    return isa<Instruction>(v) ? FuncInfo.InitializeRegForValue(v) : Register();
}

// What is fed to the phis behind a block.
bool Vectors::phis(const Instruction *i) {
    const BasicBlock *b = i->getParent();
    SmallPtrSet<MachineBasicBlock *, 4> seen;
    FuncInfo.OrigNumPHINodesToUpdate = FuncInfo.PHINodesToUpdate.size();
    for (const BasicBlock *next : successors(b)) {
#if LLVM_VERSION_MAJOR >= 22
        MachineBasicBlock *m = FuncInfo.getMBB(next);
#else
        MachineBasicBlock *m = FuncInfo.MBBMap[next];
#endif
        if (!isa<PHINode>(next->begin()) || !seen.insert(m).second)
            continue;
        MachineBasicBlock::iterator at = m->begin();
        for (const PHINode &phi : next->phis()) {
            if (phi.use_empty())
                continue;
            const Value *x = phi.getIncomingValueForBlock(b);
            Parts p = parts_of(phi.getType());
            EVT vt = TLI.getValueType(DL, phi.getType(), true);
            bool scalar = vt == MVT::i1 || vt == MVT::i8 || vt == MVT::i16 ||
                          (vt != MVT::Other && TLI.isTypeLegal(vt));
            Register r = p.count ? value(x, p) : scalar ? getRegForValue(x) : Register();
            if (!r)
                return false;
            for (unsigned k = 0, n = p.count ? p.count : 1; k < n; k++)
                FuncInfo.PHINodesToUpdate.push_back(std::make_pair(&*at++, Register(r.id() + k)));
        }
    }
    return true;
}

// Branches are LLVM's; it only knows no constants and no several registers as operands of phis.
bool Vectors::branch(const Instruction *i) {
    bool done = phis(i) && (selectOperator(i, i->getOpcode()) || fastSelectInstruction(i));
    if (!done)
        FuncInfo.PHINodesToUpdate.resize(FuncInfo.OrigNumPHINodesToUpdate);
    return done;
}

// Of a mask of several registers' lanes those of the k-th.
Register Vectors::part_of_mask(Register mask, const Parts &m, unsigned k, MVT type) {
    unsigned n = type.getVectorNumElements(), o = find(MASK_SHIFT, m);
    if (m.elements() == n)
        return mask;
    if (k && !o)
        return Register();
    Register from = k ? made(o, m.type, {mask}, (int64_t)(k * n)) : mask;
    Register to = createResultReg(TLI.getRegClassFor(type));
    copy(to, from);
    return to;
}

// The pieces, which are of the type `piece`, as one mask.
bool Vectors::join(Register to, const Parts &m, SmallVectorImpl<Register> &pieces, MVT piece) {
    if (pieces.size() == 1) {
        redefine(pieces[0], to);
        return true;
    }
    while (pieces.size() > 1) {
        MVT wider = MVT::getVectorVT(MVT::i1, piece.getVectorNumElements() * 2);
        unsigned size = Log2_32(piece.getVectorNumElements()) - 3;
        unsigned o = size < 3 ? opcode(MASK_JOIN, size, 0) : 0;
        if (!o || pieces.size() % 2)
            return false;
        SmallVector<Register, 4> next;
        for (unsigned k = 0; k < pieces.size(); k += 2) {
            Register r = wider == m.type ? to : createResultReg(TLI.getRegClassFor(wider));
            emit(o, r, {pieces[k + 1], pieces[k]}, 0, false);
            next.push_back(r);
        }
        pieces.assign(next.begin(), next.end());
        piece = wider;
    }
    return true;
}

bool Vectors::compare(const CmpInst *i) {
    Parts p = parts_of(i->getOperand(0)->getType()), m = parts_of(i->getType());
    int how = compares_as(i->getPredicate());
    if (!p.count || p.is_mask() || m.count != 1 || p.elements() < 8 || how < 0)
        return false;
    unsigned o = find(p.is_float()      ? COMPARE_FLOATS
                      : i->isUnsigned() ? COMPARE_UNSIGNED
                                        : COMPARE,
                      p);
    Register x = value(i->getOperand(0), p), y = value(i->getOperand(1), p);
    if (!o || !x || !y)
        return false;
    MVT piece = MVT::getVectorVT(MVT::i1, p.elements());
    Register to = new_registers(m);
    SmallVector<Register, 4> pieces;
    for (unsigned k = 0; k < p.count; k++)
        pieces.push_back(made(o, piece, {x.id() + k, y.id() + k}, how));
    if (!join(to, m, pieces, piece))
        return false;
    updateValueMap(i, to);
    return true;
}

// A mask of all lanes or of none.
Register Vectors::all_or_none(const Value *condition, MVT mask) {
    Register c = getRegForValue(condition);
    unsigned extend = opcode(EXTEND_BYTE, 0, 0), negate = opcode(NEGATE, 0, 0);
    unsigned move = opcode(MASK_FROM, 2, 0);
    if (!c || !extend || !negate || !move || mask.getVectorNumElements() > 32)
        return Register();
    Register bit = fastEmitZExtFromI1(MVT::i8, c);
    if (!bit)
        return Register();
    Register all =
        made(move, MVT::v32i1, {made(negate, MVT::i32, {made(extend, MVT::i32, {bit})})});
    Register to = createResultReg(TLI.getRegClassFor(mask));
    copy(to, all);
    return to;
}

bool Vectors::select_masks(const SelectInst *i, const Parts &p) {
    const Value *t = i->getTrueValue(), *f = i->getFalseValue();
    unsigned both = find(MASK_AND, p), without = find(MASK_AND_NOT, p), any = find(MASK_OR, p);
    Register c = value(i->getCondition(), p);
    if (p.count != 1 || !both || !without || !any || !c)
        return false;
    const Constant *ct = dyn_cast<Constant>(t), *cf = dyn_cast<Constant>(f);
    Register x = ct && ct->isAllOnesValue() ? c : Register();
    if (!x && !(ct && ct->isNullValue())) {
        Register r = value(t, p);
        if (!r)
            return false;
        x = made(both, p.type, {c, r});
    }
    Register y;
    if (!(cf && cf->isNullValue())) {
        Register r = value(f, p);
        if (!r)
            return false;
        y = made(without, p.type, {c, r});
    }
    if (!x && !y)
        return false;
    Register to = x && y ? made(any, p.type, {x, y}) : x ? x : y;
    if (to == c) {
        to = new_registers(p);
        copy(to, c);
    }
    updateValueMap(i, to);
    return true;
}

bool Vectors::select_lanes(const SelectInst *i) {
    Parts p = parts_of(i->getType());
    bool alike = !i->getCondition()->getType()->isVectorTy();
    if (!p.count || (p.is_mask() && alike))
        return false;
    if (p.is_mask())
        return select_masks(i, p);
    if (p.elements() < 8 && !alike)
        return false;
    MVT piece = MVT::getVectorVT(MVT::i1, p.elements());
    Parts m = alike ? Parts{piece, 1} : parts_of(i->getCondition()->getType());
    unsigned o = find(p.is_float() ? BLEND_FLOATS : BLEND, p);
    Register t = value(i->getTrueValue(), p), f = value(i->getFalseValue(), p);
    if (m.count != 1 || !o || !t || !f)
        return false;
    Register c = alike ? all_or_none(i->getCondition(), piece) : value(i->getCondition(), m);
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count && c; k++) {
        Register part = alike ? c : part_of_mask(c, m, k, piece);
        if (!part)
            return false;
        emit(o, to.id() + k, {part, f.id() + k, t.id() + k}, 0, false);
    }
    if (!c)
        return false;
    updateValueMap(i, to, p.count);
    return true;
}

bool Vectors::negate_mask(const BinaryOperator *i, const Parts &p, const Value *v) {
    unsigned o = find(MASK_NOT, p);
    Register x = value(v, p);
    if (p.count != 1 || !o || !x)
        return false;
    updateValueMap(i, made(o, p.type, {x}));
    return true;
}

bool Vectors::binary(const BinaryOperator *i, unsigned isd) {
    Parts p = parts_of(i->getType());
    const Value *a = i->getOperand(0), *b = i->getOperand(1);
    if (!p.count || (p.count == 1 && !isa<Constant>(a) && !isa<Constant>(b)))
        return false; // LLVM's
    const Constant *ones = dyn_cast<Constant>(b);
    if (p.is_mask() && isd == ISD::XOR && ones && ones->isAllOnesValue())
        return negate_mask(i, p, a);
    Register x = value(a, p), y = value(b, p);
    if (!x || !y)
        return false;
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++) {
        Register r = fastEmit_rr(p.type, p.type, isd, x.id() + k, y.id() + k);
        if (!r)
            return false;
        redefine(r, to.id() + k);
    }
    updateValueMap(i, to, p.count);
    return true;
}

bool Vectors::shift(const BinaryOperator *i, Op op, unsigned isd) {
    Parts p = parts_of(i->getType());
    const Constant *c = dyn_cast<Constant>(i->getOperand(1));
    const ConstantInt *by = c ? dyn_cast_or_null<ConstantInt>(c->getSplatValue()) : nullptr;
    unsigned o = p.count && !p.is_mask() ? find(op, p) : 0;
    if (!by || !o || by->getValue().uge(p.element_bits()))
        return p.count && binary(i, isd);
    Register x = value(i->getOperand(0), p);
    if (!x)
        return false;
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++)
        emit(o, to.id() + k, {x.id() + k}, (int64_t)by->getZExtValue(), true);
    updateValueMap(i, to, p.count);
    return true;
}

// x, the same in all lanes.
bool Vectors::splat(const Instruction *i, const Value *v) {
    Parts p = parts_of(i->getType());
    if (!p.count)
        return false;
    Register to, x;
    if (p.is_mask()) {
        if (p.count != 1 || !(to = all_or_none(v, p.type)))
            return false;
        updateValueMap(i, to);
        return true;
    }
    unsigned o = find(p.is_float() ? BROADCAST_FLOAT : BROADCAST, p);
    if (!o || !(x = getRegForValue(v)))
        return false;
    if (!p.is_float() && !has_wide_registers()) {
        if (!(x = in_vector(x, p)))
            return false;
    } else if (p.is_float()) {
        Register whole = createResultReg(TLI.getRegClassFor(MVT::v4f32));
        copy(whole, x);
        x = whole;
    } else if (p.element_bits() < 32) {
        unsigned extend = opcode(p.element_bits() == 8 ? EXTEND_BYTE : EXTEND_WORD, 0, 0);
        if (!extend)
            return false;
        x = made(extend, MVT::i32, {x});
    }
    to = new_registers(p);
    emit(o, to, {x}, 0, false);
    for (unsigned k = 1; k < p.count; k++)
        copy(to.id() + k, to);
    updateValueMap(i, to, p.count);
    return true;
}

const Value *alone(const Value *v, const BasicBlock *b) {
    const InsertElementInst *i = dyn_cast<InsertElementInst>(v);
    const ConstantInt *at = i ? dyn_cast<ConstantInt>(i->getOperand(2)) : nullptr;
    return at && at->isZero() && i->getParent() == b && isa<UndefValue>(i->getOperand(0))
               ? i->getOperand(1)
               : nullptr;
}

// Each register of the result comes from at most two others.
bool Vectors::shuffle(const ShuffleVectorInst *i) {
    if (i->isZeroEltSplat())
        if (const Value *x = alone(i->getOperand(0), i->getParent()))
            return splat(i, x);
    Parts p = parts_of(i->getType()), from = parts_of(i->getOperand(0)->getType());
    if (!p.count || !from.count || p.is_mask() || p.type != from.type || p.element_bits() == 8)
        return false;
    MVT whole = MVT::getIntegerVT(p.element_bits());
    Parts indices{MVT::getVectorVT(whole, p.elements()), 1};
    unsigned one_of = find(PERMUTE, p), two_of = find(PERMUTE_TWO, p), n = p.elements();
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++) {
        SmallVector<unsigned, 2> used;
        SmallVector<Constant *, 64> index;
        Type *element = IntegerType::get(i->getContext(), p.element_bits());
        bool in_place = true;
        for (unsigned e = 0; e < n; e++) {
            int m = i->getMaskValue(k * n + e);
            if (m < 0) {
                index.push_back(ConstantInt::get(element, 0));
                continue;
            }
            unsigned source = (unsigned)m / n, at = (unsigned)m % n;
            unsigned *known = std::find(used.begin(), used.end(), source);
            if (known == used.end()) {
                used.push_back(source);
                known = used.end() - 1;
            }
            in_place = in_place && at == e;
            index.push_back(ConstantInt::get(element, at + (unsigned)(known - used.begin()) * n));
        }
        Register r[2];
        if (used.size() > 2)
            return false;
        for (unsigned s = 0; s < used.size(); s++) {
            unsigned second = used[s] >= from.count;
            r[s] = value(i->getOperand(second), from);
            if (!r[s])
                return false;
            r[s] = r[s].id() + used[s] - second * from.count;
        }
        if (used.empty()) {
            BuildMI(*FuncInfo.MBB, FuncInfo.InsertPt, MIMD, TII.get(TargetOpcode::IMPLICIT_DEF),
                    to.id() + k);
            continue;
        }
        if (used.size() == 1 && in_place) {
            copy(to.id() + k, r[0]);
            continue;
        }
        Register order = constant(ConstantVector::get(index), indices);
        unsigned o = used.size() == 1 ? one_of : two_of;
        if (!order || !o)
            return false;
        if (used.size() == 1)
            emit(o, to.id() + k, {order, r[0]}, 0, false);
        else
            emit(o, to.id() + k, {order, r[0], r[1]}, 0, false);
    }
    updateValueMap(i, to, p.count);
    return true;
}

// Masks and numbers of their bits; what is of several registers on both sides.
bool Vectors::bitcast(const BitCastInst *i) {
    Parts from = parts_of(i->getOperand(0)->getType()), to = parts_of(i->getType());
    if (from.count > 1 && from.count == to.count && !from.is_mask() && !to.is_mask()) {
        Register x = value(i->getOperand(0), from);
        if (x)
            updateValueMap(i, x, from.count);
        return (bool)x;
    }
    bool of_mask = from.count == 1 && from.is_mask() && i->getType()->isIntegerTy();
    bool to_mask = to.count == 1 && to.is_mask() && i->getOperand(0)->getType()->isIntegerTy();
    const Parts &m = of_mask ? from : to;
    if (!of_mask && !to_mask)
        return false;
    unsigned o = find(of_mask ? MASK_TO : MASK_FROM, m), bits = m.elements();
    if (!o)
        return false;
    if (of_mask) {
        Register x = value(i->getOperand(0), from);
        if (!x)
            return false;
        Register r = made(o, bits == 64 ? MVT::i64 : MVT::i32, {x});
        if (bits < 32) {
            unsigned sub = subregister(bits == 8 ? "sub_8bit" : "sub_16bit");
            if (!sub)
                return false;
            r = fastEmitInst_extractsubreg(bits == 8 ? MVT::i8 : MVT::i16, r, sub);
        }
        updateValueMap(i, r);
        return true;
    }
    Register x = getRegForValue(i->getOperand(0));
    unsigned extend = opcode(bits == 8 ? EXTEND_BYTE : EXTEND_WORD, 0, 0);
    if (!x || !extend)
        return false;
    if (bits < 32)
        x = made(extend, MVT::i32, {x});
    updateValueMap(i, made(o, to.type, {x}));
    return true;
}

// Masks, and what is of several registers.
bool Vectors::load(const LoadInst *i) {
    Parts p = parts_of(i->getType());
    bool own = (p.count > 1 || (p.count && p.is_mask())) && !i->isAtomic();
    unsigned o = own ? find(p.is_mask() ? MASK_LOAD : LOAD, p) : 0;
    Register at = o ? getRegForValue(i->getPointerOperand()) : Register();
    if (!at)
        return false;
    Register to = new_registers(p);
    MachineMemOperand *all = createMachineMemOperandFor(i);
    at = constrainOperandRegClass(TII.get(o), at, 1);
    for (unsigned k = 0, bytes = (unsigned)p.type.getStoreSize(); k < p.count; k++)
        BuildMI(*FuncInfo.MBB, FuncInfo.InsertPt, MIMD, TII.get(o), to.id() + k)
            .addReg(at)
            .addImm(1)
            .addReg(0)
            .addImm(k * bytes)
            .addReg(0)
            .addMemOperand(MF->getMachineMemOperand(all, k * bytes, bytes));
    updateValueMap(i, to, p.count);
    return true;
}

bool Vectors::store(const StoreInst *i) {
    Parts p = parts_of(i->getValueOperand()->getType());
    bool own = p.count > 1 || (p.count && (p.is_mask() || isa<Constant>(i->getValueOperand())));
    unsigned o = own && !i->isAtomic() ? find(p.is_mask() ? MASK_STORE : STORE, p) : 0;
    Register x = o ? value(i->getValueOperand(), p) : Register();
    Register at = x ? getRegForValue(i->getPointerOperand()) : Register();
    if (!at)
        return false;
    MachineMemOperand *all = createMachineMemOperandFor(i);
    at = constrainOperandRegClass(TII.get(o), at, 0);
    for (unsigned k = 0, bytes = (unsigned)p.type.getStoreSize(); k < p.count; k++)
        BuildMI(*FuncInfo.MBB, FuncInfo.InsertPt, MIMD, TII.get(o))
            .addReg(at)
            .addImm(1)
            .addReg(0)
            .addImm(k * bytes)
            .addReg(0)
            .addReg(x.id() + k)
            .addMemOperand(MF->getMachineMemOperand(all, k * bytes, bytes));
    return true;
}

// A mask's lanes as numbers: all bits, or the last one.
bool Vectors::extend_mask(const CastInst *i, const Parts &m, const Parts &p) {
    bool zeros = i->getOpcode() == Instruction::ZExt;
    if (m.count != 1 || p.is_mask() || p.elements() < 8)
        return false;
    unsigned o = find(MASK_TO_VECTOR, p), shift = zeros ? find(SHIFT_RIGHT, p) : 0;
    Register x = value(i->getOperand(0), m);
    if (!o || !x || (zeros && !shift))
        return false;
    MVT piece = MVT::getVectorVT(MVT::i1, p.elements());
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++) {
        Register part = part_of_mask(x, m, k, piece);
        if (!part)
            return false;
        if (zeros)
            emit(shift, to.id() + k, {made(o, p.type, {part})}, p.element_bits() - 1, true);
        else
            emit(o, to.id() + k, {part}, 0, false);
    }
    updateValueMap(i, to, p.count);
    return true;
}

// Twice as wide elements of whole registers: each becomes two.
bool Vectors::extend(const CastInst *i) {
    Parts from = parts_of(i->getOperand(0)->getType()), p = parts_of(i->getType());
    if (!from.count || !p.count)
        return false;
    if (from.is_mask())
        return extend_mask(i, from, p);
    bool zeros = i->getOpcode() == Instruction::ZExt, dwords = from.type == MVT::v16i32;
    if (from.count * 2 != p.count || (!dwords && from.type != MVT::v32i16))
        return false;
    Op op = dwords ? (zeros ? EXTEND_DWORDS : EXTEND_SIGNED_DWORDS)
                   : (zeros ? EXTEND_WORDS : EXTEND_SIGNED_WORDS);
    unsigned o = opcode(op, 0, 0), upper = opcode(UPPER_HALF, 0, 0);
    unsigned sub = subregister("sub_ymm");
    Register x = o && upper && sub ? value(i->getOperand(0), from) : Register();
    if (!x)
        return false;
    MVT half = MVT::getVectorVT(from.type.getVectorElementType(), from.elements() / 2);
    Register to = new_registers(p);
    for (unsigned k = 0; k < from.count; k++) {
        Register r = x.id() + k;
        emit(o, to.id() + 2 * k, {fastEmitInst_extractsubreg(half, r, sub)}, 0, false);
        emit(o, to.id() + 2 * k + 1, {made(upper, half, {r}, 1)}, 0, false);
    }
    updateValueMap(i, to, p.count);
    return true;
}

// Half as wide elements: two whole registers become one.
bool Vectors::truncate(const CastInst *i) {
    Parts from = parts_of(i->getOperand(0)->getType()), p = parts_of(i->getType());
    bool dwords = p.type == MVT::v16i32;
    if (!from.count || from.is_mask() || from.count != p.count * 2 ||
        (!dwords && p.type != MVT::v32i16))
        return false;
    unsigned o = opcode(dwords ? TRUNCATE_QWORDS : TRUNCATE_DWORDS, 0, 0);
    unsigned join_halves = opcode(JOIN_HALVES, 0, 0), sub = subregister("sub_ymm");
    Register x = o && join_halves && sub ? value(i->getOperand(0), from) : Register();
    if (!x)
        return false;
    MVT half = MVT::getVectorVT(p.type.getVectorElementType(), p.elements() / 2);
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++) {
        Register lower = made(o, half, {x.id() + 2 * k}), none = new_registers({p.type, 1});
        Register first = new_registers({p.type, 1});
        BuildMI(*FuncInfo.MBB, FuncInfo.InsertPt, MIMD, TII.get(TargetOpcode::IMPLICIT_DEF), none);
        BuildMI(*FuncInfo.MBB, FuncInfo.InsertPt, MIMD, TII.get(TargetOpcode::INSERT_SUBREG), first)
            .addReg(none)
            .addReg(lower)
            .addImm(sub);
        emit(join_halves, to.id() + k, {first, made(o, half, {x.id() + 2 * k + 1})}, 1, true);
    }
    updateValueMap(i, to, p.count);
    return true;
}

// Numbers of eight bytes and pointers are the same.
bool Vectors::as_pointers(const CastInst *i) {
    Parts from = parts_of(i->getOperand(0)->getType()), p = parts_of(i->getType());
    Register x = p.count && from.count == p.count && from.type == p.type
                     ? value(i->getOperand(0), from)
                     : Register();
    if (!x)
        return false;
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++)
        copy(to.id() + k, x.id() + k);
    updateValueMap(i, to, p.count);
    return true;
}

// A pointer for each lane: one index, elements whose size is a power of two.
bool Vectors::addresses(const GetElementPtrInst *i) {
    Parts p = parts_of(i->getType());
    if (!p.count || i->getNumIndices() != 1 || p.element_bits() != 64)
        return false;
    const Value *base = i->getPointerOperand(), *index = i->getOperand(1);
    uint64_t size = DL.getTypeAllocSize(i->getSourceElementType());
    Parts n = parts_of(index->getType());
    bool alike = !base->getType()->isVectorTy();
    unsigned o = find(SHIFT_LEFT, p), spread = find(BROADCAST, p);
    if (n.type != p.type || n.count != p.count || !isPowerOf2_64(size) || !o || !spread)
        return false;
    Register x = value(index, n), b = alike ? getRegForValue(base) : value(base, p);
    if (!x || !b)
        return false;
    if (alike && !has_wide_registers() && !(b = in_vector(b, p)))
        return false;
    Register all = alike ? made(spread, p.type, {b}) : b, to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++) {
        Register offset = x.id() + k;
        if (size > 1)
            offset = made(o, p.type, {offset}, (int64_t)Log2_64(size));
        Register from = alike ? all : Register(all.id() + k);
        Register r = fastEmit_rr(p.type, p.type, ISD::ADD, from, offset);
        if (!r)
            return false;
        redefine(r, to.id() + k);
    }
    updateValueMap(i, to, p.count);
    return true;
}

bool Vectors::multiply_add(const IntrinsicInst *i) {
    Parts p = parts_of(i->getType());
    unsigned o = p.count && p.is_float() ? find(MULTIPLY_ADD, p) : 0;
    if (!o)
        return false;
    Register x[3];
    for (unsigned k = 0; k < 3; k++)
        if (!(x[k] = value(i->getArgOperand(k), p)))
            return false;
    Register to = new_registers(p);
    for (unsigned k = 0; k < p.count; k++)
        emit(o, to.id() + k, {x[0].id() + k, x[1].id() + k, x[2].id() + k}, 0, false);
    updateValueMap(i, to, p.count);
    return true;
}

bool Vectors::one(const Instruction *i) {
    if (!has_wide_registers() && one_of_avx2(i))
        return true;
    switch (i->getOpcode()) {
    case Instruction::ICmp:
    case Instruction::FCmp:
        return compare(cast<CmpInst>(i));
    case Instruction::Select:
        return select_lanes(cast<SelectInst>(i));
    case Instruction::Add:
        return binary(cast<BinaryOperator>(i), ISD::ADD);
    case Instruction::Sub:
        return binary(cast<BinaryOperator>(i), ISD::SUB);
    case Instruction::Mul:
        return binary(cast<BinaryOperator>(i), ISD::MUL);
    case Instruction::And:
        return binary(cast<BinaryOperator>(i), ISD::AND);
    case Instruction::Or:
        return binary(cast<BinaryOperator>(i), ISD::OR);
    case Instruction::Xor:
        return binary(cast<BinaryOperator>(i), ISD::XOR);
    case Instruction::FAdd:
        return binary(cast<BinaryOperator>(i), ISD::FADD);
    case Instruction::FSub:
        return binary(cast<BinaryOperator>(i), ISD::FSUB);
    case Instruction::FMul:
        return binary(cast<BinaryOperator>(i), ISD::FMUL);
    case Instruction::FDiv:
        return binary(cast<BinaryOperator>(i), ISD::FDIV);
    case Instruction::Shl:
        return shift(cast<BinaryOperator>(i), SHIFT_LEFT, ISD::SHL);
    case Instruction::LShr:
        return shift(cast<BinaryOperator>(i), SHIFT_RIGHT, ISD::SRL);
    case Instruction::AShr:
        return shift(cast<BinaryOperator>(i), SHIFT_ARITHMETIC, ISD::SRA);
    case Instruction::InsertElement:
        if (const Value *x = alone(i, i->getParent()))
            return splat(i, x); // where nobody looks there may be anything
        return false;
    case Instruction::ShuffleVector:
        return shuffle(cast<ShuffleVectorInst>(i));
    case Instruction::BitCast:
        return bitcast(cast<BitCastInst>(i));
    case Instruction::Load:
        return load(cast<LoadInst>(i));
    case Instruction::Store:
        return store(cast<StoreInst>(i));
    case Instruction::SExt:
    case Instruction::ZExt:
        return extend(cast<CastInst>(i));
    case Instruction::Trunc:
        return truncate(cast<CastInst>(i));
    case Instruction::IntToPtr:
    case Instruction::PtrToInt:
        return as_pointers(cast<CastInst>(i));
    case Instruction::GetElementPtr:
        return addresses(cast<GetElementPtrInst>(i));
    case Instruction::Call:
        return isa<IntrinsicInst>(i) &&
               cast<IntrinsicInst>(i)->getIntrinsicID() == Intrinsic::fma &&
               multiply_add(cast<IntrinsicInst>(i));
    case Instruction::Br:
        return branch(i);
    default:
        return false;
    }
}

static bool has_vector(const Instruction *i) {
    if (i->getType()->isVectorTy())
        return true;
    if (i->isTerminator()) {
        if (isa<BranchInst>(i))
            for (const BasicBlock *next : successors(i))
                for (const PHINode &phi : next->phis())
                    if (phi.getType()->isVectorTy())
                        return true;
        return false;
    }
    for (const Value *x : i->operands())
        if (x->getType()->isVectorTy())
            return true;
    return false;
}

// Nothing may be left of an instruction that is not selected: the slow selection puts a block's
// branches in front of what stands there, and who looks for branches at the end finds none.
void Vectors::undo(MachineInstr *last, MachineBasicBlock::iterator end) {
    recomputeInsertPt();
    if (end != FuncInfo.InsertPt)
        removeDeadCode(FuncInfo.InsertPt, end);
    if (getLastLocalValue() == last)
        return;
    MachineBasicBlock::iterator first =
        last ? std::next(MachineBasicBlock::iterator(last)) : FuncInfo.MBB->getFirstNonPHI();
    setLastLocalValue(last);
    if (first != FuncInfo.InsertPt)
        removeDeadCode(first, FuncInfo.InsertPt);
}

bool Vectors::select(const Instruction *i) {
    if (!has_vector(i) || !has_instructions())
        return false;
    finishBasicBlock(); // local values are of one instruction
    MachineBasicBlock::iterator saved = FuncInfo.InsertPt;
    MachineInstr *last = getLastLocalValue();
    MIMD = MIMetadata(*i);
    bool done = one(i);
    MIMD = {};
    if (!done)
        undo(last, saved);
    return done;
}

bool __wrap__ZN4llvm8FastISel17selectInstructionEPKNS_11InstructionE(FastISel *fast,
                                                                     const Instruction *i) {
    return static_cast<Vectors *>(fast)->select(i) ||
           __real__ZN4llvm8FastISel17selectInstructionEPKNS_11InstructionE(fast, i);
}
