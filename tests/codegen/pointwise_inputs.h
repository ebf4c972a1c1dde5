// Operand values for test_pointwise.
#ifndef KUDZU_TESTS_POINTWISE_INPUTS_H
#define KUDZU_TESTS_POINTWISE_INPUTS_H

#include "isa/isa.h"

// The n-th tuple of operands of the given types: first all pairs of edge values of the first two
// operands (with edges in the others), then random bits, then random numbers close together.
void pw_inputs(unsigned n, unsigned nops, const uint8_t *types, union isa_bits *out);

#endif
