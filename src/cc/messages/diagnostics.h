// Both passes over a CUDA source say the same about it; the user reads each thing once.
#ifndef KUDZU_CC_DIAGNOSTICS_H
#define KUDZU_CC_DIAGNOSTICS_H

#include "cc/options/options.h"

// Prints the diagnostics in these files to stderr, in order. A diagnostic (with its notes and
// source lines) that a file before had is left out, and so are clang's closing counts. Warnings
// show the number that nvcc has for them, are left out or become errors by warning_levels.h; errors
// here are also those about what the guide forbids, where code would not mean what it says: a
// memory space specifier on a member. True: there are such errors.
bool diagnostics_print(struct arena *arena, const struct cc_options *o, const char *source,
                       const cc_strings *files);

#endif
