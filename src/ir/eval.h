// Pointwise instructions of the IR, computed through the instruction table.
#ifndef KUDZU_IR_EVAL_H
#define KUDZU_IR_EVAL_H

#include "ir/ir.h"

// Whether kir_eval can know the result: pointwise, and not a matter of where memory lies (cvta,
// isspacep).
bool kir_is_computable(const struct kir_inst *i);
// dst[0 .. nres) from src[0 .. nops), extended to the results' widths. false when the table does
// not have the combination.
bool kir_eval(const struct kir_inst *i, const union isa_bits *src, union isa_bits *dst);
// The value of width isa_type_bits(from) in b, extended to `to`: signs for signed types.
union isa_bits kir_extend(union isa_bits b, enum isa_type from, enum kir_type to);

#endif
