// What to do about files that are not there: libraries of others that programs for CUDA include,
// and the machine's own C++ library.
#ifndef KUDZU_CC_MISSING_PARTS_H
#define KUDZU_CC_MISSING_PARTS_H

#include "cc/options/options.h"
#include "cc/processes/toolchain.h"

// Advice on a line of clang's that says that a header, or a function of older CUDAs, is not there;
// NULL: there is none, or the line says something else.
const char *missing_part_advice(const char *line);
// A compilation or a link has failed: where the machine has no C++ library at all, that is why, and
// is said.
void missing_library_explain(const struct toolchain *t, const struct cc_options *o,
                             struct arena *arena);

#endif
