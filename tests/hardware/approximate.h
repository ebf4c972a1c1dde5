// Results of the approximate instructions: how far ours and the device's may lie apart.
#ifndef KUDZU_TESTS_HARDWARE_APPROXIMATE_H
#define KUDZU_TESTS_HARDWARE_APPROXIMATE_H

#include "cases.h"

// Are both within the error that the PTX manual states for the instruction? Each may err by it, so
// they may lie twice as far apart. Infinities, zeros and NaNs must be the same where the manual
// says what they are. Notes the largest distance.
bool hw_near(const struct hw_case *c, const union isa_bits *sources, union isa_bits ours,
             union isa_bits device);
// Prints the largest distances noted, an instruction a line.
void hw_print_furthest(void);

#endif
