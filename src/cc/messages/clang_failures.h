// clang's own failures: when it crashes, it prints a page of its functions' addresses.
#ifndef KUDZU_CC_CLANG_FAILURES_H
#define KUDZU_CC_CLANG_FAILURES_H

#include "cc/processes/cc.h"

// Whether one of these files of messages tells of a crash.
bool clang_failures_told(struct arena *arena, const cc_strings *files);

// The messages with an error in place of the page: where clang was, and that it failed.
const char *clang_failures_shorten(struct arena *arena, const char *messages);

#endif
