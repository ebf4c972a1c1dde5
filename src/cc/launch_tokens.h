// What clang reads in another way than nvcc: launches with spaces inside their brackets (`<< <`),
// alignments after specifiers, launches in device code (device_launches.h).
#ifndef KUDZU_CC_LAUNCH_TOKENS_H
#define KUDZU_CC_LAUNCH_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "cc/cc.h"
#include "support/arena.h"

// When the source has such places: the path of an overlay file (-ivfsoverlay) under which it is
// read as clang wants it, with every line where it was. `everywhere`: files, the source perhaps
// among them, whose launches may all be device code. NULL: there is nothing to change, or it cannot
// be read (then clang says so).
const char *launch_tokens_overlay(struct arena *arena, const char *source,
                                  const cc_strings *everywhere);

// The same for text in memory, which is changed or replaced. False: there was nothing to do.
bool launch_tokens_rewrite(struct arena *arena, char **text, size_t *size, bool everywhere);

#endif
