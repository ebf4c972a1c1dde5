// Of code that is never executed nvcc tells loops apart, by a number of their own.
#ifndef KUDZU_CC_UNREACHABLE_LOOPS_H
#define KUDZU_CC_UNREACHABLE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"

// Whether the statement around this place of the file, where clang has a loop's first expression or
// the first one of its body, is a loop.
bool is_unreachable_loop(struct arena *arena, const char *path, uint32_t line, uint32_t column);

#endif
