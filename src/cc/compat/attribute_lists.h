// `__device__ [[nodiscard]] int f();`: nvcc takes a list of attributes behind the specifiers of a
// function in a class, and behind `inline` anywhere, where clang 19 takes none.
#ifndef KUDZU_CC_ATTRIBUTE_LISTS_H
#define KUDZU_CC_ATTRIBUTE_LISTS_H

#include "cc/compat/source_tokens.h"
#include "support/strbuf.h"

// The first word of the list whose brackets begin at `at`; NULL: there is no list.
const char *attribute_list_word(const char *at);

// Whether a list begins at the token at i, behind a specifier of a function.
bool attribute_list_follows(const struct source_tokens *s, uint32_t i);

// `at` is the first word of a list, of which `out` has what stands before it: in place of the list
// come the same attributes in the form that may stand there. Returns what is behind it; `at`: it is
// no list's first word.
const char *attribute_list_put(struct strbuf *out, const char *at);

// All that begin in this text; true: there are some.
bool attribute_lists_rewrite(struct arena *arena, char **text, size_t *size);

#endif
