// KUDZU_DEBUG=ptx,ir,mask,plan,llvm,asm,cache,launch: what each stage prints to stderr.
#ifndef KUDZU_SUPPORT_DEBUG_H
#define KUDZU_SUPPORT_DEBUG_H

#include <stdbool.h>

// True when `what` is one of the comma-separated words of KUDZU_DEBUG (or that is "all").
bool debug_on(const char *what);

#endif
