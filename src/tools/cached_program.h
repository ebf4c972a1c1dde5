// A program compiled from a source unless that was done before (program_cache.h).
#ifndef KUDZU_TOOLS_CACHED_PROGRAM_H
#define KUDZU_TOOLS_CACHED_PROGRAM_H

#include <stdbool.h>

#include "support/arena.h"

// Does a name end as a program's source does?
bool cached_program_is_source(const char *arg);

// argv[0 .. argc) is "[options of kudzu cc] source [arguments]"; -O3 is assumed. Sets *source to
// the index of the source. Returns the path of the executable, or NULL after a message on stderr.
const char *cached_program(struct arena *arena, int argc, char **argv, int *source);

#endif
