#include <stdarg.h>
#include <stdio.h>

#include "cc/cc.h"

bool cc_error(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fputs("kudzu cc: error: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return false;
}

void cc_warning(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fputs("kudzu cc: warning: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}
