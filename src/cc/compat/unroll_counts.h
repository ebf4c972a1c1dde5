// `#pragma unroll n` with a number that is not positive or too large: nvcc ignores it with a
// warning (guide 5.4.9.1 of edition 13), for clang it is an error. What clang's messages name is
// replaced, on its line, by a pragma that warns, and there is another attempt.
#ifndef KUDZU_CC_UNROLL_COUNTS_H
#define KUDZU_CC_UNROLL_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cc/processes/cc.h"

struct unroll_count {
    const char *path;
    uint32_t line;
};
struct unroll_counts {
    VEC(struct unroll_count) list;
};

// Pragmas that clang's messages (in files) refuse join `found`. False: there is nothing new.
bool unroll_counts_find(struct arena *arena, const cc_strings *diagnostics,
                        struct unroll_counts *found);

// Replaces *text, of the file `path`, where `found` names pragmas of it. False: it names none.
bool unroll_counts_rewrite(struct arena *arena, char **text, size_t *size,
                           const struct unroll_counts *found, const char *path);

// The same for pragmas whose number stands there in digits, without clang being asked (NVRTC).
bool unroll_counts_rewrite_written(struct arena *arena, char **text, size_t *size);

#endif
