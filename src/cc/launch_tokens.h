// What clang reads in another way than nvcc: launches with spaces inside their brackets (`<< <`),
// alignments after specifiers, launches in device code (device_launches.h), declarations that lack
// execution spaces (declared_spaces.h), loops' pragmas (unroll_counts.h).
#ifndef KUDZU_CC_LAUNCH_TOKENS_H
#define KUDZU_CC_LAUNCH_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "cc/cc.h"
#include "cc/declared_spaces.h"
#include "cc/device_launches.h"
#include "cc/unroll_counts.h"
#include "support/arena.h"

// When the source has such places: the path of an overlay file (-ivfsoverlay) under which it is
// read as clang wants it, with every line where it was. `found` and so on: what earlier attempts
// have found, in the source and other files. NULL: there is nothing to change, or it cannot be read
// (then clang says so).
const char *launch_tokens_overlay(struct arena *arena, const char *source,
                                  const struct device_launches *found,
                                  const struct declared_spaces *spaces,
                                  const struct unroll_counts *counts);

// The file's text before declarations get execution spaces. False: it cannot be read.
bool launch_tokens_text(struct arena *arena, const char *path, const struct device_launches *found,
                        char **text, size_t *size);

// The same as in an overlay for text in memory, which is changed or replaced; `found` may be NULL.
// False: there was nothing to do.
bool launch_tokens_rewrite(struct arena *arena, char **text, size_t *size, bool everywhere,
                           const struct device_launches *found, const char *path);

#endif
