// What clang prints, as NVRTC's program log has it.
#ifndef KUDZU_NVRTC_LOG_H
#define KUDZU_NVRTC_LOG_H

#include "support/strbuf.h"

// `text` in clang's "msvc" format without columns: "name(line): error: ...". Appends it without
// clang's own counts and without the folder of virtual files, and at the end how many errors the
// program `name` has.
void rtc_log_append(struct strbuf *log, const char *text, const char *name);

#endif
