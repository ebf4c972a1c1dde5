// Optional headers that are precompiled too, in sets of which each contains the one before it: a
// program that begins by including all of a set's headers starts with that set.
#ifndef KUDZU_CC_HEADER_SETS_H
#define KUDZU_CC_HEADER_SETS_H

#include "cc/options/options.h"

enum { HEADER_SETS = 4 }; // set 0 is cuda_runtime.h alone

// For the names of files; "" for set 0.
const char *header_set_name(unsigned set);
// The headers that the set adds to the one before it; ends with NULL.
const char *const *header_set_adds(unsigned set);

// The largest set of headers that the source file includes, before anything else that could change
// what they mean: at its head stand only comments, #include <...> and #define. Headers that the
// user's own directories hold end the head, as does every #include of a file that exists beside
// the source. `own`: the directory of kudzu's headers, which is none of the user's. `defined`:
// names of the macros defined there.
unsigned header_set_of(struct arena *arena, const struct cc_options *o, const char *own,
                       const char *source, cc_strings *defined);

#endif
