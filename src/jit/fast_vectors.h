// LLVM's fast instruction selection with vectors: fast_vectors.cpp, fast_vectors_avx2.cpp.
#ifndef KUDZU_JIT_FAST_VECTORS_H
#define KUDZU_JIT_FAST_VECTORS_H

#include <llvm/CodeGen/FastISel.h>
#include <llvm/CodeGen/FunctionLoweringInfo.h>
#include <llvm/CodeGen/ISDOpcodes.h>
#include <llvm/CodeGen/MachineConstantPool.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetLowering.h>
#include <llvm/CodeGen/TargetOpcodes.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Target/TargetMachine.h>

// Opcodes, and what their names are made of, with AVX-512 and with AVX2; none: "". % is the letter
// of an element or of a mask's size, ^ that of a float, # the size of the registers, $ that without
// AVX-512, @ the same in bits, ! and ? what the names of constants begin with, & two masks' sizes
// that become one, ~ a mask's size from 16 bits on.
#define OPCODES(X)                                                                                 \
    X(COMPARE, "VPCMP%#rri", "")                                                                   \
    X(COMPARE_UNSIGNED, "VPCMPU%#rri", "")                                                         \
    X(COMPARE_FLOATS, "VCMPP^#rri", "VCMPP^$rri")                                                  \
    X(BLEND, "VPBLENDM%#rrk", "")                                                                  \
    X(BLEND_FLOATS, "VBLENDMP^#rrk", "")                                                           \
    X(SHIFT_LEFT, "VPSLL%#ri", "VPSLL%$ri")                                                        \
    X(SHIFT_RIGHT, "VPSRL%#ri", "VPSRL%$ri")                                                       \
    X(SHIFT_ARITHMETIC, "VPSRA%#ri", "VPSRA%$ri")                                                  \
    X(PERMUTE, "VPERM%#rr", "")                                                                    \
    X(PERMUTE_TWO, "VPERMI2%#rr", "")                                                              \
    X(BROADCAST, "VPBROADCAST%r#rr", "VPBROADCAST%$rr")                                            \
    X(BROADCAST_FLOAT, "VBROADCASTS^#rr", "VBROADCASTS^$rr")                                       \
    X(MASK_TO_VECTOR, "VPMOVM2%#rr", "")                                                           \
    X(LOAD, "VMOVDQU64#rm", "VMOVDQU$rm")                                                          \
    X(STORE, "VMOVDQU64#mr", "VMOVDQU$mr")                                                         \
    X(LOAD_ALIGNED, "VMOVDQA64#rm", "VMOVDQA$rm")                                                  \
    X(ZEROS, "AVX512_@_SET0", "!SET0")                                                             \
    X(MASK_AND, "KAND%rr", "")                                                                     \
    X(MASK_AND_NOT, "KANDN%rr", "")                                                                \
    X(MASK_OR, "KOR%rr", "")                                                                       \
    X(MASK_NOT, "KNOT%rr", "")                                                                     \
    X(MASK_SHIFT, "KSHIFTR%ri", "")                                                                \
    X(MASK_JOIN, "KUNPCK&rr", "")                                                                  \
    X(MASK_FROM, "KMOV%kr", "")                                                                    \
    X(MASK_TO, "KMOV%rk", "")                                                                      \
    X(MASK_LOAD, "KMOV%km", "")                                                                    \
    X(MASK_STORE, "KMOV%mk", "")                                                                   \
    X(MASK_ZEROS, "KSET0~", "")                                                                    \
    X(MASK_ONES, "KSET1~", "")                                                                     \
    X(MULTIPLY_ADD, "VFMADD213P^#r", "VFMADD213P^$r")                                              \
    X(UPPER_HALF, "VEXTRACTI64x4Zrr", "")                                                          \
    X(JOIN_HALVES, "VINSERTI64x4Zrr", "")                                                          \
    X(EXTEND_WORDS, "VPMOVZXWDZrr", "")                                                            \
    X(EXTEND_DWORDS, "VPMOVZXDQZrr", "")                                                           \
    X(EXTEND_SIGNED_WORDS, "VPMOVSXWDZrr", "")                                                     \
    X(EXTEND_SIGNED_DWORDS, "VPMOVSXDQZrr", "")                                                    \
    X(TRUNCATE_DWORDS, "VPMOVDWZrr", "")                                                           \
    X(TRUNCATE_QWORDS, "VPMOVQDZrr", "")                                                           \
    X(EXTEND_BYTE, "MOVZX32rr8", "MOVZX32rr8")                                                     \
    X(EXTEND_WORD, "MOVZX32rr16", "MOVZX32rr16")                                                   \
    X(NEGATE, "NEG32r", "NEG32r")                                                                  \
    X(CONSTANT_32, "MOV32ri", "MOV32ri")                                                           \
    X(ONES, "", "?SETALLONES")                                                                     \
    X(EQUAL, "", "VPCMPEQ%$rr")                                                                    \
    X(GREATER, "", "VPCMPGT%$rr")                                                                  \
    X(LEAST, "", "VPMINU%$rr")                                                                     \
    X(MOST, "", "VPMAXU%$rr")                                                                      \
    X(BLEND_BITS, "", "VBLENDVP^$rrr")                                                             \
    X(BLEND_BYTES, "", "VPBLENDVB$rrr")                                                            \
    X(SIGNS, "", "VMOVMSKP^$rr")                                                                   \
    X(SHIFT_LEFT_EACH, "", "VPSLLV%$rr")                                                           \
    X(SHIFT_RIGHT_EACH, "", "VPSRLV%$rr")                                                          \
    X(SHIFT_ARITHMETIC_EACH, "", "VPSRAV%$rr")                                                     \
    X(PERMUTE_LANES, "", "VPERMDYrr")                                                              \
    X(PERMUTE_QWORDS, "", "VPERMQYri")                                                             \
    X(PACK, "", "VPACKSSDW$rr")                                                                    \
    X(UPPER_LANE, "", "VEXTRACTI128rr")                                                            \
    X(MULTIPLY_DWORDS, "", "VPMULUDQ$rr")                                                          \
    X(WIDEN_WORDS, "", "VPMOVZXWDYrr")                                                             \
    X(WIDEN_DWORDS, "", "VPMOVZXDQYrr")                                                            \
    X(WIDEN_SIGNED_WORDS, "", "VPMOVSXWDYrr")                                                      \
    X(WIDEN_SIGNED_DWORDS, "", "VPMOVSXDQYrr")                                                     \
    X(EVEN_DWORDS, "", "VSHUFPSYrri")                                                              \
    X(MOVE_DWORD, "", "VMOVDI2PDIrr")                                                              \
    X(MOVE_QWORD, "", "VMOV64toPQIrr")

#define ENUMERATOR(op, name, name_avx2) op,
enum Op { OPCODES(ENUMERATOR) OPS };
#undef ENUMERATOR

using namespace llvm;

// How an instruction names a comparison; of floats the ways that raise nothing for quiet NaNs. -1:
// none.
int compares_as(CmpInst::Predicate p);

// The number that stands alone in a vector's first element, in the same block: what another one
// computes for this alone has no register. NULL: there is none.
const Value *alone(const Value *v, const BasicBlock *b);

// A value's registers: `count` of one type, that follow each other.
struct Parts {
    MVT type;
    unsigned count = 0;

    unsigned elements() const {
        return type.getVectorNumElements();
    }
    bool is_mask() const {
        return type.getVectorElementType() == MVT::i1;
    }
    bool is_float() const {
        return type.isFloatingPoint();
    }
    unsigned element_bits() const {
        return (unsigned)type.getScalarSizeInBits();
    }
    // As opcode() wants them.
    unsigned size() const {
        return Log2_32(is_mask() ? elements() : element_bits()) - 3;
    }
    unsigned registers() const {
        return Log2_32((unsigned)type.getSizeInBits()) - 7;
    }
    bool is_known() const {
        if (is_mask())
            return elements() >= 8 && elements() <= 64;
        bool whole = type.isInteger() && element_bits() >= 8 && element_bits() <= 64;
        return type.getSizeInBits() >= 128 && type.getSizeInBits() <= 512 &&
               (whole || type.getVectorElementType() == MVT::f32 ||
                type.getVectorElementType() == MVT::f64);
    }
};

// FastISel's members are for what is derived from it; this adds none. It is visible to others, so
// that compilers do not take its virtual functions for FastISel's: objects are of LLVM's class.
class Vectors : public FastISel {
  public:
    bool select(const Instruction *i);

  private:
    bool has_instructions() const;
    bool has_wide_registers() const;
    unsigned opcode(Op op, unsigned size, unsigned registers) const; // 0: missing
    Parts parts_of(const Type *t) const;
    Register new_registers(const Parts &p);
    unsigned find(Op op, const Parts &p) const;
    void emit(unsigned o, Register to, std::initializer_list<Register> from, int64_t imm, bool has);
    Register made(unsigned o, MVT type, std::initializer_list<Register> from);
    Register made(unsigned o, MVT type, std::initializer_list<Register> from, int64_t imm);
    void copy(Register to, Register from);
    bool materialize(const Constant *c, const Parts &p, Register to);
    Register constant(const Constant *c, const Parts &p);
    Register value(const Value *v, const Parts &p);
    unsigned subregister(StringRef name) const;
    Register number(uint32_t x);
    Register part_of_mask(Register mask, const Parts &m, unsigned k, MVT type);
    Register all_or_none(const Value *condition, MVT mask);
    bool join(Register to, const Parts &m, SmallVectorImpl<Register> &pieces, MVT piece);
    void redefine(Register from, Register to);

    void undo(MachineInstr *last, MachineBasicBlock::iterator end);

    bool phis(const Instruction *i);
    bool branch(const Instruction *i);
    bool compare(const CmpInst *i);
    bool select_lanes(const SelectInst *i);
    bool select_masks(const SelectInst *i, const Parts &p);
    bool binary(const BinaryOperator *i, unsigned isd);
    bool shift(const BinaryOperator *i, Op op, unsigned isd);
    bool negate_mask(const BinaryOperator *i, const Parts &p, const Value *x);
    bool splat(const Instruction *i, const Value *x);
    bool shuffle(const ShuffleVectorInst *i);
    bool bitcast(const BitCastInst *i);
    bool load(const LoadInst *i);
    bool store(const StoreInst *i);
    bool extend(const CastInst *i);
    bool extend_mask(const CastInst *i, const Parts &m, const Parts &p);
    bool truncate(const CastInst *i);
    bool as_pointers(const CastInst *i);
    bool addresses(const GetElementPtrInst *i);
    bool multiply_add(const IntrinsicInst *i);
    bool one(const Instruction *i);

    // Without AVX-512: fast_vectors_avx2.cpp.
    Register in_vector(Register x, const Parts &p);
    Register half(Register x, MVT type, bool upper);
    Register numbers(const Value *truths, const Instruction *user, Parts &m);
    Register numbers_for(Register c, const Parts &m, const Parts &p, unsigned k);
    Register all_lanes(const Value *condition, const Parts &p);
    bool compared(const CmpInst *c, const Parts &p, SmallVectorImpl<Register> &out);
    bool widen_truths(const CastInst *i, const Parts &p);
    bool widen_numbers(const CastInst *i, const Parts &p);
    bool narrow(const CastInst *i);
    bool truths(const ICmpInst *i);
    bool blend(const SelectInst *i);
    bool bits_of_truths(const BitCastInst *i);
    bool shift_each(const BinaryOperator *i, Op op);
    bool multiply_qwords(const BinaryOperator *i);
    bool permute(const ShuffleVectorInst *i);
    bool one_of_avx2(const Instruction *i);
};

#endif
