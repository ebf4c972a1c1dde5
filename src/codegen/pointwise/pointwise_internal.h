// What the files pointwise_*.c share: an emitter for one instruction, and short names for the
// LLVM operations on its lanes. Every helper works on scalars (lanes == 0) and vectors alike.
#ifndef KUDZU_CODEGEN_POINTWISE_INTERNAL_H
#define KUDZU_CODEGEN_POINTWISE_INTERNAL_H

#include "codegen/pointwise/pointwise.h"

typedef LLVMValueRef val;

struct em {
    struct pw *p;
    LLVMBuilderRef b;
    const struct kir_inst *i;
    unsigned lanes;
    const val *src;
    val *dst;
};

// Types, constants (the same in every lane)
LLVMTypeRef v_int(const struct em *e, unsigned bits);
LLVMTypeRef v_flt(const struct em *e, unsigned bits); // 16: half, 32: float, 64: double
unsigned v_width(val v);                              // bits of a lane
val k_int(const struct em *e, unsigned bits, uint64_t x);
val k_flt(const struct em *e, unsigned bits, double x);

// Integers. Shift amounts must be below the width.
val v_add(const struct em *e, val a, val b);
val v_sub(const struct em *e, val a, val b);
val v_mul(const struct em *e, val a, val b);
val v_and(const struct em *e, val a, val b);
val v_or(const struct em *e, val a, val b);
val v_xor(const struct em *e, val a, val b);
val v_not(const struct em *e, val a);
val v_neg(const struct em *e, val a);
val v_shl(const struct em *e, val a, val n);
val v_lshr(const struct em *e, val a, val n);
val v_ashr(const struct em *e, val a, val n);
val v_shli(const struct em *e, val a, unsigned n);
val v_lshri(const struct em *e, val a, unsigned n);
val v_ashri(const struct em *e, val a, unsigned n);
val v_andi(const struct em *e, val a, uint64_t m);
val v_addi(const struct em *e, val a, uint64_t m);
// Shifts with PTX's clamped amounts; n has a's width.
val v_shl_clamp(const struct em *e, val a, val n);
val v_lshr_clamp(const struct em *e, val a, val n);
val v_ashr_clamp(const struct em *e, val a, val n);
val v_zext(const struct em *e, val a, unsigned bits);
val v_sext(const struct em *e, val a, unsigned bits);
val v_trunc(const struct em *e, val a, unsigned bits);
val v_resize(const struct em *e, val a, unsigned bits, bool is_signed);
val v_icmp(const struct em *e, LLVMIntPredicate c, val a, val b);
val v_icmpi(const struct em *e, LLVMIntPredicate c, val a, uint64_t b);

// Floats
val v_fcmp(const struct em *e, LLVMRealPredicate c, val a, val b);
val v_fadd(const struct em *e, val a, val b);
val v_fsub(const struct em *e, val a, val b);
val v_fmul(const struct em *e, val a, val b);
val v_fdiv(const struct em *e, val a, val b);
val v_half_to_float(const struct em *e, val h); // of 16-bit floats as integers
val v_bfloat_to_float(const struct em *e, val h);
val v_fneg(const struct em *e, val a);
val v_fabs(const struct em *e, val a);
val v_sqrt(const struct em *e, val a);
val v_fext(const struct em *e, val a);   // float -> double
val v_fcut(const struct em *e, val a);   // double -> float, round to nearest
val v_is_nan(const struct em *e, val a); // i1
val v_bits(const struct em *e, val a);   // float -> integer of the same width
// The same bits as elements of another number and width, `to` being a vector of integers or one.
val v_divided(const struct em *e, val a, LLVMTypeRef to);
val v_float(const struct em *e, val a); // integer -> float of the same width
val v_sitofp(const struct em *e, val a, unsigned bits);
val v_uitofp(const struct em *e, val a, unsigned bits);
val v_fptosi(const struct em *e, val a, unsigned bits); // the caller keeps a in range
val v_fptoui(const struct em *e, val a, unsigned bits);

// Both
val v_sel(const struct em *e, val c, val a, val b);
val v_call1(const struct em *e, const char *intrinsic, val a); // overloaded on a's type
val v_call2(const struct em *e, const char *intrinsic, val a, val b);
val v_call3(const struct em *e, const char *intrinsic, val a, val b, val c);

// Operands
val op_int(const struct em *e, unsigned k, unsigned bits, bool is_signed); // truncated or extended
val op_typed(const struct em *e, unsigned k, enum isa_type t);             // op_int by t
val op_flt(const struct em *e, unsigned k, unsigned bits);                 // 32, 64
val op_pred(const struct em *e, unsigned k);
// Is the instruction, copying operand k to result 0, done with the value as it is?
bool op_is_copy(const struct em *e, unsigned k);
bool op_const(const struct em *e, unsigned k, uint64_t *x); // true when operand k is a constant

// Results: k-th result from a value of any width, extended or truncated to its type.
void res_int(const struct em *e, unsigned k, val v, bool is_signed);
void res_typed(const struct em *e, unsigned k, val v, enum isa_type t); // res_int by t
// From a float or double: a NaN becomes canonical where an f32 result has integer form.
void res_flt(const struct em *e, unsigned k, val v);
void res_pred(const struct em *e, unsigned k, val v);

// Fails with a message that names the instruction.
bool pw_unknown(const struct em *e, const char *what);

// pointwise_integer.c, pointwise_bits.c, ...: each returns false (pw_unknown) when the form is
// not one of its own.
bool pw_add_sub(const struct em *e);
bool pw_mul_mad(const struct em *e);
bool pw_div_rem(const struct em *e);
bool pw_min_max(const struct em *e);
bool pw_abs_neg(const struct em *e);
bool pw_sad(const struct em *e);
bool pw_dot(const struct em *e);

bool pw_logic(const struct em *e);
bool pw_shift(const struct em *e);
bool pw_funnel(const struct em *e);
bool pw_lop3(const struct em *e);
bool pw_prmt(const struct em *e);
bool pw_count(const struct em *e);
bool pw_bfe(const struct em *e);
bool pw_bfi(const struct em *e);
bool pw_bmsk(const struct em *e);
bool pw_szext(const struct em *e);
bool pw_fns(const struct em *e);

// pointwise_video.c
bool pw_video(const struct em *e);      // bytes, halves, words
bool pw_video_simd(const struct em *e); // packed bytes and halves
bool pw_vmad(const struct em *e);

// Predicate p combined with c as mods.boolop says.
val v_combine(const struct em *e, val p, val c);
bool pw_setp(const struct em *e);
bool pw_set(const struct em *e);
bool pw_select(const struct em *e);
bool pw_testp(const struct em *e);
bool pw_mov(const struct em *e);

// pointwise_number.c: numbers to compute with, and what is done to results.
val v_flush(const struct em *e, val a);    // f32 subnormals made zeros of their sign
val v_saturate(const struct em *e, val a); // clamped to 0..1, NaN to +0
// Operand k, of type t, as float (f32, f16, bf16) or double, flushed as mods.ftz says. NULL for
// other types.
val op_number(const struct em *e, unsigned k, enum isa_type t);

// pointwise_round.c: rounding modes other than the machine's.
enum { RND_ODD = ISA_RND_COUNT }; // to odd: a result that can be rounded again, once, correctly
bool rnd_is_nearest(unsigned mode);
// r is the exact result x rounded to nearest; below: r < x, above: r > x. Gives x rounded by mode.
val rnd_step(const struct em *e, val r, val below, val above, unsigned mode);
val rnd_narrow(const struct em *e, val d, unsigned mode); // double -> float
val rnd_sum_to_odd(const struct em *e, val a, val b);     // a + b rounded to odd
val v_fma(const struct em *e, val a, val b, val c);       // exact on every target
// ISA_OP_ADD, SUB, MUL, FMA, DIV, SQRT on floats or doubles, rounded by mode (also RND_ODD for
// f32). Unused operands are NULL.
val rnd_arith(const struct em *e, isa_op op, const val x[3], unsigned mode);
// pointwise_x86.c: the same by embedded rounding; has_embedded says whether that exists.
bool has_embedded(const struct em *e);
val embedded_arith(const struct em *e, isa_op op, const val x[3], unsigned mode);
// The smaller or larger number of f32: -0 is below +0, and of a quiet NaN and a number it is the
// number; has_range says whether one instruction does that. A signalling NaN wins, unless it has
// been quieted before.
bool has_range(const struct em *e);
val quieted(const struct em *e, val x);
val range(const struct em *e, val a, val b, bool max);
// a * 2^b for whole numbers b, rounded once, where AVX-512 is (has_embedded).
val times_power(const struct em *e, val a, val b);
// 32-bit lanes taken as pairs of signed 16-bit numbers: the sum of both products. Not for scalars.
bool has_pair_products(const struct em *e);
val pair_products(const struct em *e, val a, val b);
// 32-bit lanes: the bytes of a's lane that the bytes of from's lane say, 0 to 3; 0 where they have
// their highest bit set. Not for scalars.
bool has_byte_picks(const struct em *e);
val byte_picks(const struct em *e, val a, val from);

// pointwise_half.c: 16-bit floats as integers.
// Rounded by mode; a NaN gives the canonical one.
val v_float_to_half(const struct em *e, val f, unsigned mode);
val v_float_to_bfloat(const struct em *e, val f, unsigned mode);
// A float in a format of 1 + exp_bits + man_bits bits (at most 16), to nearest. limit: the code of
// what too large numbers become. A NaN gives it too.
val v_float_to_small(const struct em *e, val f, unsigned exp_bits, unsigned man_bits,
                     unsigned limit);

// pointwise_float.c
bool pw_float_arith(const struct em *e);   // add sub mul fma mad div rcp sqrt
bool pw_float_min_max(const struct em *e); // f32 f64 f16 bf16
bool pw_float_sign(const struct em *e);    // abs neg
bool pw_copysign(const struct em *e);
bool pw_half_arith(const struct em *e); // add sub mul fma of f16, bf16
bool pw_approx(const struct em *e);     // rsqrt sin cos lg2 ex2 tanh
bool pw_cvt(const struct em *e);
// x, a float or a double, as f16 or bf16 as the instruction's modifiers say. A double is rounded to
// odd on the way.
val v_to_half(const struct em *e, enum isa_type to, val x);
// pointwise_small.c: conversions to and from types of several numbers in a register.
bool pw_is_packed_number(enum isa_type t);
bool pw_cvt_packed(const struct em *e);
bool pw_cvt_pack(const struct em *e);

#endif
