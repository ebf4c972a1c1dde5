// Both passes over a CUDA source say the same about it; the user reads each thing once.
#ifndef KUDZU_CC_DIAGNOSTICS_H
#define KUDZU_CC_DIAGNOSTICS_H

#include "cc/cc.h"

// Prints the diagnostics in these files to stderr, in order. A diagnostic (with its notes and
// source lines) that a file before had is left out, and so are clang's closing counts.
void diagnostics_print(struct arena *arena, const cc_strings *files);

// Whether there is a warning of clang's about what the guide forbids, where code would not mean what
// it says: a memory space specifier on a member. diagnostics_print shows it as an error.
bool diagnostics_forbid(struct arena *arena, const cc_strings *files);

#endif
