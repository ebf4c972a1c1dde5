// What the files pointwise_*.c share: an emitter for one instruction, and short names for the
// LLVM operations on its lanes. Every helper works on scalars (lanes == 0) and vectors alike.
#ifndef KUDZU_CODEGEN_POINTWISE_INTERNAL_H
#define KUDZU_CODEGEN_POINTWISE_INTERNAL_H

#include "codegen/pointwise.h"

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
val v_fma(const struct em *e, val a, val b, val c); // exact on every target
val v_fneg(const struct em *e, val a);
val v_fabs(const struct em *e, val a);
val v_sqrt(const struct em *e, val a);
val v_fext(const struct em *e, val a);   // float -> double
val v_fcut(const struct em *e, val a);   // double -> float, round to nearest
val v_is_nan(const struct em *e, val a); // i1
val v_bits(const struct em *e, val a);   // float -> integer of the same width
val v_float(const struct em *e, val a);  // integer -> float of the same width
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

bool pw_setp(const struct em *e);
bool pw_set(const struct em *e);
bool pw_select(const struct em *e);
bool pw_testp(const struct em *e);
bool pw_mov(const struct em *e);

// pointwise_ftz.c: a float with subnormals made zeros of their sign.
val v_flush(const struct em *e, val a);
// Operand k as a number to compute with: float (f32, f16, bf16) or double, flushed as
// mods.ftz says. NULL for other types.
val op_number(const struct em *e, unsigned k, enum isa_type t);

#endif
