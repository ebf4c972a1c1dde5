#include <stdarg.h>
#include <stdio.h>

#include "cc/cc.h"

static _Thread_local struct strbuf *captured;

void cc_capture_messages(struct strbuf *log) {
    captured = log;
}

static void say(const char *kind, const char *fmt, va_list ap) {
    char text[4096];
    vsnprintf(text, sizeof text, fmt, ap);
    if (captured)
        strbuf_printf(captured, "%s: %s\n", kind, text);
    else
        fprintf(stderr, "kudzu cc: %s: %s\n", kind, text);
}

bool cc_error(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    say("error", fmt, ap);
    va_end(ap);
    return false;
}

void cc_warning(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    say("warning", fmt, ap);
    va_end(ap);
}
