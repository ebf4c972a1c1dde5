// Floating-point arithmetic on bit patterns, in every format that PTX has and with every
// rounding mode, independent of the machine's floating-point environment. Results are what
// NVIDIA hardware gives: canonical NaN in all formats but f64, which keeps payloads; .ftz
// flushes what is below the least normal number after rounding with unbounded exponents.
#ifndef KUDZU_ISA_FP_H
#define KUDZU_ISA_FP_H

#include "isa/isa.h"

enum fp_format {
    FP_F16,
    FP_BF16,
    FP_TF32,
    FP_F32,
    FP_F64,
    FP_E4M3,
    FP_E5M2,
    FP_E2M3,
    FP_E3M2,
    FP_E2M1,
    FP_FORMAT_COUNT
};

// Arithmetic; `m` gives rnd, ftz, sat, relu, satfinite. Results lie in the low bits.
uint64_t fp_add(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m);
uint64_t fp_sub(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m);
uint64_t fp_mul(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m);
uint64_t fp_fma(enum fp_format f, uint64_t a, uint64_t b, uint64_t c, const struct isa_mods *m);
uint64_t fp_div(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m);
// div.approx.f32: divisors beyond 2^126, whose inverses are subnormal, are infinite (guide 17.2).
uint64_t fp_div_approx(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m);
uint64_t fp_rcp(enum fp_format f, uint64_t a, const struct isa_mods *m);
uint64_t fp_sqrt(enum fp_format f, uint64_t a, const struct isa_mods *m);

// .NaN and .xorsign.abs come from `m`.
uint64_t fp_min(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m);
uint64_t fp_max(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m);
uint64_t fp_abs(enum fp_format f, uint64_t a, const struct isa_mods *m);
uint64_t fp_neg(enum fp_format f, uint64_t a, const struct isa_mods *m);
uint64_t fp_copysign(enum fp_format f, uint64_t sign, uint64_t value);
bool fp_compare(enum fp_format f, uint64_t a, uint64_t b, const struct isa_mods *m); // m->cmp
bool fp_testp(enum fp_format f, uint64_t a, const struct isa_mods *m);               // m->mode

// Conversions. fp_convert also rounds to an integral value when m->rnd is an integer rounding.
uint64_t fp_convert(enum fp_format to, enum fp_format from, uint64_t a, const struct isa_mods *m);
// From f32: `bits` random bits are added to as many of those that are cut off, from the top; a
// carry rounds away from zero (m->rnd is ISA_RND_RS).
uint64_t fp_convert_random(enum fp_format to, uint64_t a, uint32_t random, unsigned bits,
                           const struct isa_mods *m);
// Saturates to `bits` bits; NaN is 0, or the top bit alone from f64 or to 64 bits.
uint64_t fp_to_int(enum fp_format from, uint64_t a, unsigned bits, bool is_signed,
                   const struct isa_mods *m);
uint64_t fp_from_int(enum fp_format to, uint64_t a, bool is_signed, const struct isa_mods *m);

bool fp_is_nan(enum fp_format f, uint64_t a);
uint64_t fp_flush(enum fp_format f, uint64_t a); // subnormal -> zero of its sign
uint64_t fp_one(enum fp_format f);
uint64_t fp_nan(enum fp_format f);            // the canonical one
enum fp_format fp_format_of(enum isa_type t); // of one element; FP_F32 for types that are no floats

#endif
