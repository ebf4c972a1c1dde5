// Makes precompiled headers (--kudzu-precompile): a part of building and of installing kudzu.
#ifndef KUDZU_CC_PRECOMPILE_H
#define KUDZU_CC_PRECOMPILE_H

#include "cc/headers/clang_flags.h"
#include "cc/headers/precompiled.h"

// Makes all, unless those that are there are up to date. False: reported on stderr; then none is
// used.
bool precompile_headers(const struct compilation *c);

// The command that precompiles a set of headers (header_sets.h) for a pass; the file for the make
// rule comes next, then -o. `below`: the precompiled header of the set before it.
void precompile_command(struct command *cmd, const struct compilation *c, enum cc_pass pass,
                        unsigned set, const char *below);

#endif
