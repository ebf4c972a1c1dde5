// The directives of PTX that name its version and target, for architectures that clang does not
// know.
#ifndef KUDZU_CC_TARGET_DIRECTIVE_H
#define KUDZU_CC_TARGET_DIRECTIVE_H

#include "cc/options/architectures.h"

// The text that clang has made for arch->stand_in, with arch as its target: what runs on an earlier
// architecture does so on a later one. The same text where clang knows the architecture. A NUL
// follows it.
const char *target_directive_apply(struct arena *arena, const struct architecture *arch,
                                   const char *ptx, size_t *size);
// The same for a file. False: an error was reported.
bool target_directive_apply_to_file(struct arena *arena, const struct architecture *arch,
                                    const char *path);

#endif
