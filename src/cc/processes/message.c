#include <stdarg.h>
#include <stdio.h>

#include "cc/processes/cc.h"
#include "support/environment.h"

static _Thread_local struct strbuf *captured;
static const char *command = "kudzu cc";

void cc_name_command(const char *name) {
    command = name;
}

void cc_capture_messages(struct strbuf *log) {
    captured = log;
}

void cc_take_command_name(void) {
    const char *called = environment_get(CC_COMMAND_VARIABLE);
    if (called)
        command = called;
}

const char *cc_command_name(void) {
    return command;
}

static void say(const char *kind, const char *fmt, va_list ap) {
    char text[4096];
    vsnprintf(text, sizeof text, fmt, ap);
    if (captured)
        strbuf_printf(captured, "%s: %s\n", kind, text);
    else
        fprintf(stderr, "%s: %s: %s\n", command, kind, text);
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
