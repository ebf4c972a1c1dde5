// What the reference semantics say about a case's operand sets, and how results are compared.
#ifndef KUDZU_TESTS_HARDWARE_REFERENCE_H
#define KUDZU_TESTS_HARDWARE_REFERENCE_H

#include "cases.h"

// Computes a pointwise case's results from its sources. False: the reference does not know it.
bool hw_reference(const struct hw_case *c, const union isa_bits *sources, union isa_bits *results);

// How far two values of a floating-point type lie apart, in steps of the format; 0 for two NaNs,
// UINT64_MAX where one alone is a NaN. Of a packed type the further pair of halves.
uint64_t hw_distance(enum isa_type t, union isa_bits a, union isa_bits b);

// "a=3f800000 b=1 -> 40000000": a set and its results, for messages.
void hw_print_set(const struct hw_case *c, const union isa_bits *sources, const union isa_bits *got,
                  const union isa_bits *recorded);

#endif
