// Emission of every pointwise instruction of the kernel IR as LLVM IR, scalar or vector alike.
#ifndef KUDZU_CODEGEN_POINTWISE_H
#define KUDZU_CODEGEN_POINTWISE_H

#include <llvm-c/Core.h>

#include "abi/generated_code.h"
#include "ir/ir.h"
#include "target/machine.h"

// Where and for what to emit. The builder stands where the instruction's code is to go; no
// basic block is created. mod receives the declarations of intrinsics (and of `fma` from the C
// library, where the target has no such instruction).
struct pw {
    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMBuilderRef b;
    const struct machine *target;
    bool quick; // LLVM's passes do not run over what is emitted
    char error[160];
};

// Emits instruction i. lanes == 0: scalars; else vectors of that many lanes (1 is allowed as
// <1 x T>). src[k] has the representation of i->ops[k]'s type: PRED i1, B16 i16, B32 i32,
// B64 i64, B128 i128, F32 float, F64 double (or vectors of them); dst[k] gets that of
// i->res[k]. Every result is bit for bit isa_eval's, with two exceptions: an f32 result of
// arithmetic (of all but mov, selp, slct, copysign and what pw_keeps_nan) may be any NaN where
// isa_eval's is one, if its representation is F32; and which payload an f64 operation keeps when
// more than one operand is NaN is not fixed. F32 operands are taken as they are, NaNs too: the
// caller makes one canonical before its bits count (mov to bits, copysign, .xorsign.abs,
// cvt.f64.f32, cvt.f32.f32, cvt.rna.tf32.f32). Returns false when the form is not known; pw_error
// then says what is missing. cvta and isspacep are not known here: they need the block's context.
bool pw_emit(struct pw *p, const struct kir_inst *i, unsigned lanes, const LLVMValueRef *src,
             LLVMValueRef *dst);

// Is i a conversion to f32 whose result, where it is a NaN, has its operand's sign and payload?
bool pw_keeps_nan(const struct kir_inst *i);

// Why the last pw_emit returned false.
const char *pw_error(const struct pw *p);

#endif
