// What the reference semantics in instructions.py call besides bitops.h, fp.h and approx.h.
#ifndef KUDZU_ISA_EVAL_OPS_H
#define KUDZU_ISA_EVAL_OPS_H

#include "isa/fp.h"
#include "isa/isa.h"

// An approximation in f32, for an operand of format f.
uint64_t eval_approx(float (*approx)(float), enum fp_format f, uint64_t a,
                     const struct isa_mods *m);
// The f64 approximations that look at the high word alone.
uint64_t eval_rcp_approx_f64(uint64_t a, const struct isa_mods *m);
uint64_t eval_rsqrt_approx_f64(uint64_t a);
bool eval_bool(bool r, uint64_t c, const struct isa_mods *m); // r boolop c
uint64_t eval_set(bool value, enum isa_type ty);
void eval_setp_x2(enum isa_type ty, const struct isa_mods *m, const union isa_bits *src,
                  union isa_bits *dst, bool combine);
// set of packed halves to an integer: each half all ones or zero.
void eval_set_mask_x2(enum isa_type ty, const struct isa_mods *m, const union isa_bits *src,
                      union isa_bits *dst, bool combine);
bool eval_not_negative_f32(uint64_t c, const struct isa_mods *m);
void eval_lop3_bool(const struct isa_mods *m, const union isa_bits *src, union isa_bits *dst);
// cvt of two f32 to a packed type with elements of format f: the first operand is the high half.
uint64_t eval_cvt_pair(enum fp_format f, const union isa_bits *src, const struct isa_mods *m);
// cvt between two f16 or bf16 and two numbers of at most 8 bits.
uint64_t eval_cvt_halves_to_small(enum fp_format to, enum fp_format from, const union isa_bits *src,
                                  const struct isa_mods *m);
uint64_t eval_cvt_small_to_halves(enum fp_format f, const union isa_bits *src,
                                  const struct isa_mods *m);
// cvt of two f32 or bf16 to ue8m0x2, and of that to bf16x2.
uint64_t eval_cvt_to_powers(const union isa_bits *src, const struct isa_mods *m);
uint64_t eval_cvt_halves_to_powers(const union isa_bits *src, const struct isa_mods *m);
uint64_t eval_cvt_powers(const union isa_bits *src);
// cvt of two f32 or bf16 to s2f6x2, signed bytes in units of 1/64, and of two small numbers of type
// `from` to bf16x2. m->scale: divided, or multiplied, by the powers of two (ue8m0x2) of the last
// operand.
uint64_t eval_cvt_to_fixed(enum isa_type from, const union isa_bits *src, const struct isa_mods *m);
uint64_t eval_cvt_scaled(enum isa_type from, const union isa_bits *src, const struct isa_mods *m);
// cvt.rs of two or four f32; the random bits are the last operand. As the manual has it, each pair
// of small numbers has 16 of them; which of the two reads them backwards was found out on GPUs by
// others.
uint64_t eval_cvt_random(enum isa_type ty, const union isa_bits *src, const struct isa_mods *m);
void eval_cvt_pack(enum isa_type ty, const union isa_bits *src, union isa_bits *dst,
                   bool shift_in_c);
// As far as 4 and 2 bits: format has how many, and 128 when they are signed.
void eval_cvt_pack_bits(unsigned format, const union isa_bits *src, union isa_bits *dst);
void eval_mov(enum isa_type ty, const union isa_bits *src, union isa_bits *dst);
void eval_pack(enum isa_type ty, unsigned n, const union isa_bits *src, union isa_bits *dst);
void eval_unpack(enum isa_type ty, unsigned n, const union isa_bits *src, union isa_bits *dst);

#endif
