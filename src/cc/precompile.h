// Makes precompiled headers (--kudzu-precompile), a part of building and of installing kudzu.
#ifndef KUDZU_CC_PRECOMPILE_H
#define KUDZU_CC_PRECOMPILE_H

#include "cc/clang_flags.h"

// Makes all, unless those that are there are up to date. False: reported on stderr; then none is
// used.
bool precompile_headers(const struct compilation *c);

#endif
