// Why a call failed: one sentence per thread, read through kd_reason().
#ifndef KUDZU_DEVICE_REASON_H
#define KUDZU_DEVICE_REASON_H

#include "device/device.h"

// Records the sentence and returns `status`, so that an error path is one statement.
enum kd_status kd_fail(enum kd_status status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
enum kd_status kd_succeed(void); // clears the sentence
// Records what the user should know of a call that succeeds: kd_take_warning().
void kd_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
