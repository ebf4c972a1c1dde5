// Messages in the form of CUDA's assemblers and linkers, which programs look for:
//     ptxas fatal   : text
//     ptxas a.ptx, line 5; error   : text
#ifndef KUDZU_ASSEMBLER_TOOL_LOG_H
#define KUDZU_ASSEMBLER_TOOL_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "support/strbuf.h"

struct tool_log {
    const char *tool;     // "ptxas"
    struct strbuf errors; // and warnings
    struct strbuf info;   // what was asked for with -v
    bool no_warnings;     // warnings are left out
    bool warnings_are_errors;
    bool failed; // there was an error
};

enum tool_severity { TOOL_INFO, TOOL_WARNING, TOOL_ERROR, TOOL_FATAL };

// file NULL: the message is about no file; line 0: about no line of it. Returns false, so that
// `return tool_say(...)` reads well.
bool tool_say(struct tool_log *l, enum tool_severity severity, const char *file, uint32_t line,
              const char *fmt, ...) __attribute__((format(printf, 5, 6)));
// A message for each line of another part's messages, without the "error: " that it begins with.
// Returns false.
bool tool_say_lines(struct tool_log *l, enum tool_severity severity, const char *lines);
void tool_log_free(struct tool_log *l);

#endif
