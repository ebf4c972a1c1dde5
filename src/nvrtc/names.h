// Name expressions: what a kernel or variable is called in the PTX.
#ifndef KUDZU_NVRTC_NAMES_H
#define KUDZU_NVRTC_NAMES_H

#include "nvrtc/program.h"

#define NAME_EXPRESSIONS "name expressions" // the file's name in messages about them

// Appends, for each expression, a constant that holds the address of what it names.
void rtc_names_add(const struct _nvrtcProgram *p, struct strbuf *source);
// Finds these constants in the PTX, remembers the names that they hold, and takes them away.
void rtc_names_take(struct _nvrtcProgram *p);
// Does the same in a module that LLVM wrote as text, to `out`; what the expressions name stays when
// modules are joined.
void rtc_names_take_llvm(struct _nvrtcProgram *p, const char *text, struct strbuf *out);

#endif
