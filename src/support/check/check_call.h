// Calls that fail, for `kudzu check`.
#ifndef KUDZU_SUPPORT_CHECK_CALL_H
#define KUDZU_SUPPORT_CHECK_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct check_failure {
    const char *function; // of the runtime, that found it; NULL: of the driver alone
    const char *driver;   // the function of the driver that failed; NULL: none did
    const char *error, *message;
    int32_t number;
    const char *reason; // in kudzu's words; NULL or "": none
};

// What of the calling thread's is told only if the program does not ask for its last error in time.
enum check_held {
    CHECK_HELD_CALL = 1,   // by the next call
    CHECK_HELD_LAUNCH = 2, // ever
};

// A call of the runtime has failed. Returns a bit of enum check_held, or 0.
unsigned check_runtime_failed(const struct check_failure *f);
// A call of the driver has failed; those of the runtime's are left to it.
void check_driver_failed(const struct check_failure *f);
// The thread has asked: what is held of its calls is not told.
void check_errors_seen(void);
// It makes its next call: what is held of calls is told.
void check_next_call(void);

#endif
