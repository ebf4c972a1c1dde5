// The traits of extended lambdas (guide 18.7.1). Closures are types like any other here; which ones
// stand for extended lambdas is seen in the source, and told to the program by where they stand:
// clang prints a closure's type with its file, line and column.
#ifndef KUDZU_CC_EXTENDED_LAMBDAS_H
#define KUDZU_CC_EXTENDED_LAMBDAS_H

#include "cc/processes/cc.h"

// The entries of the list in kudzu/extended_lambdas.h, for the lambdas of the source and of the
// files that it includes (source_tokens.h), those that their macros expand to among them; NULL:
// none is extended. Lambdas that one macro expands to all stand where its name does, and are listed
// one by one with what they say, those that are not extended too.
const char *extended_lambdas(struct arena *arena, const char *source, const cc_strings *options);

#endif
