#include "device/reason.h"

#include <stdarg.h>
#include <stdio.h>

static __thread char reason[1024];

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

const char *kd_reason(void) {
    return reason;
}
