// Launches written with spaces inside their brackets: nvcc reads `<< <` and `>> >` as `<<<` and
// `>>>`, clang does not.
#ifndef KUDZU_CC_LAUNCH_TOKENS_H
#define KUDZU_CC_LAUNCH_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "support/arena.h"

// When the source has such launches: the path of an overlay file (-ivfsoverlay) under which it is
// read with the spaces moved behind the brackets, so that lines and columns stay. NULL: it has
// none, or cannot be read (then clang says so).
const char *launch_tokens_overlay(struct arena *arena, const char *source);

// The same for text in memory, which is changed or replaced. False: there was nothing to do.
bool launch_tokens_rewrite(struct arena *arena, char **text, size_t *size);

#endif
