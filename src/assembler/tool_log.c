#include "assembler/tool_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tool_say(struct tool_log *l, enum tool_severity severity, const char *file, uint32_t line,
              const char *fmt, ...) {
    static const char *const words[] = {"info    ", "warning ", "error   ", "fatal   "};
    char text[4096];
    va_list ap;
    if (severity == TOOL_WARNING && l->no_warnings)
        return false;
    if (severity == TOOL_WARNING && l->warnings_are_errors)
        severity = TOOL_ERROR;
    if (severity >= TOOL_ERROR)
        l->failed = true;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    struct strbuf *out = severity == TOOL_INFO ? &l->info : &l->errors;
    strbuf_printf(out, "%s ", l->tool);
    if (file && line)
        strbuf_printf(out, "%s, line %u; ", file, line);
    else if (file)
        strbuf_printf(out, "%s; ", file);
    strbuf_printf(out, "%s: %s\n", words[severity], text);
    return false;
}

bool tool_say_lines(struct tool_log *l, enum tool_severity severity, const char *lines) {
    static const char error[] = "error: ";
    while (*lines) {
        size_t n = strcspn(lines, "\n"),
               skip = strncmp(lines, error, sizeof error - 1) ? 0 : sizeof error - 1;
        if (n > skip)
            tool_say(l, severity, NULL, 0, "%.*s", (int)(n - skip), lines + skip);
        lines += n + (lines[n] == '\n');
    }
    return false;
}

void tool_log_free(struct tool_log *l) {
    strbuf_free(&l->errors);
    strbuf_free(&l->info);
}
