// Declarations with two of __noinline__, __forceinline__ and __inline_hint__, which exclude each
// other (guide 10.1.5, 10.1.6). clang takes the first two together, and keeps no trace of the
// third.
#ifndef KUDZU_CC_INLINE_HINTS_H
#define KUDZU_CC_INLINE_HINTS_H

#include "cc/processes/cc.h"

struct inline_conflict {
    const char *path, *name; // of the function
    const char *first, *second;
    uint32_t line, column; // of the second hint
};
typedef VEC(struct inline_conflict) inline_conflicts;

// Those in the source and in the files that it includes (source_tokens.h). What #if leaves out is
// among them, and macros may have other bodies: to be looked for once more in what the preprocessor
// makes of the source.
void inline_conflicts_find(struct arena *arena, const char *source, const cc_strings *options,
                           inline_conflicts *found);

#endif
