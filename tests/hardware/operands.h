// The operand sets that each case runs over: edge values crossed, then random ones. The recorder
// and its checkers make the same sets from here; a change makes every recording useless (the
// recording's digest of the operands tells).
#ifndef KUDZU_TESTS_HARDWARE_OPERANDS_H
#define KUDZU_TESTS_HARDWARE_OPERANDS_H

#include "cases.h"

// How many sets a case has: the first `edges` cross edge values (their results are recorded in
// full), `random` follow (recorded as hashes of blocks of `block` sets). All are multiples of 32.
struct hw_extent {
    unsigned edges, random, block;
};
struct hw_extent hw_extent_of(const struct hw_case *c);

// Set n of the case: one value a source, bits above its type zero.
void hw_operands(const struct hw_case *c, unsigned n, union isa_bits *out);

// A digest of all of the case's sets.
uint32_t hw_operand_digest(const struct hw_case *c);

uint64_t hw_mix(uint64_t x);                            // scrambles
uint64_t hw_hash(uint64_t so_far, union isa_bits next); // of a sequence

#endif
