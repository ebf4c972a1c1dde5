// Precompiled headers for options that none was made ahead for (another standard or architecture,
// fast math, ...): a process in the background makes them when such options are used, for later
// compilations, in $XDG_CACHE_HOME/kudzu/headers (~/.cache/kudzu/headers).
//
// Each pass with its options has a directory there, with one precompiled header for each set of
// optional headers that was asked for, a key as precompiled.h describes it, and the identifiers.
// Its name is a hash of the command that makes them. Whoever makes some holds the lock of the whole
// cache; others do without and do not wait. Whatever fails here, compilation goes on without.
#ifndef KUDZU_CC_CACHED_HEADERS_H
#define KUDZU_CC_CACHED_HEADERS_H

#include "cc/headers/clang_flags.h"
#include "cc/headers/precompiled.h"

// Has what the passes over the source lack made in the background: for each architecture, and the
// host's. Comes after them, so as not to slow them down.
void cached_headers_make(const struct compilation *c, const char *source, bool host);

// The precompiled header that is there for this pass over the source, NULL: none. `arch` is NULL
// for the host pass, `set` what the source includes at its head.
const char *cached_header(const struct compilation *c, enum cc_pass pass,
                          const struct architecture *arch, const char *source, unsigned set);

// clang refused one of them: none is used until it is made again.
void cached_headers_discard(const struct compilation *c, bool host);

#endif
