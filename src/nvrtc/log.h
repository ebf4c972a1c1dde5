// What clang prints, as NVRTC's program log has it.
#ifndef KUDZU_NVRTC_LOG_H
#define KUDZU_NVRTC_LOG_H

#include "support/strbuf.h"

// `text` as clang prints it, "name:line:column: error: ...". Appends it as NVRTC has it,
// "name(line): error: ...", without clang's own counts and without the folder of virtual files, and
// at the end how many errors the program `name` has.
void rtc_log_append(struct strbuf *log, const char *text, const char *name);

#endif
