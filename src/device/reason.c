#include "device/reason.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static __thread char reason[1024];
static __thread char *warning; // the library's room for threads' own variables is small

enum kd_status kd_fail(enum kd_status status, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(reason, sizeof reason, fmt, ap);
    va_end(ap);
    return status;
}

enum kd_status kd_succeed(void) {
    reason[0] = 0;
    return KD_OK;
}

void kd_warn(const char *fmt, ...) {
    enum { BYTES = 1024 };
    va_list ap;
    free(warning);
    warning = malloc(BYTES);
    if (!warning)
        return;
    va_start(ap, fmt);
    vsnprintf(warning, BYTES, fmt, ap);
    va_end(ap);
}

char *kd_take_warning(void) {
    char *text = warning;
    warning = NULL;
    return text;
}

const char *kd_reason(void) {
    return reason;
}
