// Operand values for test_pointwise.
#ifndef KUDZU_TESTS_POINTWISE_INPUTS_H
#define KUDZU_TESTS_POINTWISE_INPUTS_H

#include "ir/ir.h"

// The n-th tuple of operands, of the given types, for an instruction: first all pairs of edge values
// of the first two operands (with edges in the others), then random bits, random numbers close
// together, and what is hard for the operation: quotients next to integers, sums that cancel or
// come next to the least normal number, numbers halfway between two results.
void pw_inputs(const struct kir_inst *i, unsigned n, const uint8_t *types, union isa_bits *out);

#endif
