// What becomes of a warning, by the options (-diag-suppress, -Xcudafe --diag_error=..., -Werror)
// and by the pragmas of guide 10.42 (nv_diag_suppress, nv_diagnostic push, ...) ahead of its line.
#ifndef KUDZU_CC_WARNING_LEVELS_H
#define KUDZU_CC_WARNING_LEVELS_H

#include "cc/options/options.h"

enum warning_level { LEVEL_DEFAULT, LEVEL_SUPPRESSED, LEVEL_WARNING, LEVEL_ERROR };

// The texts that warnings have been asked about. Each is read once.
struct warning_texts;
struct warning_texts *warning_texts_new(struct arena *arena, const struct cc_options *o);

// The level of warning `number` on a line of a file, in the compilation of `source`. Pragmas count
// in the source and in files that it includes from beside it or from directories of -I, whatever
// #if says of their lines; those that a macro makes do not. Calls of the host are not told of in
// headers that have "#pragma GCC system_header", as CCCL's.
enum warning_level warning_level(struct warning_texts *t, const char *source, const char *path,
                                 unsigned line, unsigned number);

#endif
