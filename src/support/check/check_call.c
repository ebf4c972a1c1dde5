#define _GNU_SOURCE // gettid by number
#include "support/check/check_call.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/check/check_record.h"
#include "support/check/check_tools.h"
#include "support/check/host_call.h"
#include "support/check/ignored_result.h"

static int32_t thread_id(void) {
    return (int32_t)syscall(SYS_gettid);
}

static bool begins(const char *text, const char *with) {
    return text && !strncmp(text, with, strlen(with));
}

// What is wrong with memory is told whoever looks at the error. NULL: it is nothing of that kind.
static const char *memory_kind(const struct check_failure *f) {
    if (!(check_calls() & CHECK_MEMORY) || !f->driver || f->number != 1) // an invalid value
        return NULL;
    if (begins(f->driver, "cuMemFree") || begins(f->driver, "cuMemHostUnregister"))
        return "memory.free";
    return begins(f->driver, "cuMemcpy") || begins(f->driver, "cuMemset") ? "memory.copy" : NULL;
}

// Answers that programs ask for.
static bool is_answer(const char *function, const char *error) {
    return (strstr(function, "EnablePeerAccess") && strstr(error, "ALREADY_ENABLED")) ||
           (strstr(function, "EnablePeerAccess") && strstr(error, "AlreadyEnabled")) ||
           (strstr(function, "DisablePeerAccess") && strstr(error, "NOT_ENABLED")) ||
           (strstr(function, "DisablePeerAccess") && strstr(error, "NotEnabled"));
}

// Every later call has the error too. Driver and runtime have the same numbers.
static bool is_sticky(const struct check_failure *f) {
    enum {
        ILLEGAL_ADDRESS = 700,
        LAUNCH_TIMEOUT = 702,
        ASSERT = 710,
        HARDWARE_STACK = 714,
        ILLEGAL_INSTRUCTION = 715,
        MISALIGNED_ADDRESS = 716,
        INVALID_PC = 718,
        LAUNCH_FAILURE = 719
    };
    switch (f->number) {
    case ILLEGAL_ADDRESS:
    case LAUNCH_TIMEOUT:
    case ASSERT:
    case HARDWARE_STACK:
    case ILLEGAL_INSTRUCTION:
    case MISALIGNED_ADDRESS:
    case INVALID_PC:
    case LAUNCH_FAILURE:
        return true;
    default:
        return false;
    }
}

// Of errors that stay the first call alone is told of.
static bool is_known(const struct check_failure *f) {
    static atomic_bool seen;
    return is_sticky(f) && atomic_exchange(&seen, true);
}

static void send(const struct check_failure *f, const struct host_call *c, const char *function,
                 const char *kind, const char *held) {
    char what[512];
    struct check_record r = {.kind = kind,
                             .what = what,
                             .frames_of = "driver entry point at error",
                             .call = function,
                             .error = f->error,
                             .message = f->message,
                             .error_number = f->number,
                             .held = held,
                             .host_thread = thread_id()};
    snprintf(what, sizeof what, "Program hit %s (error %d) due to \"%s\" on CUDA API call to %s.",
             f->error, (int)f->number, f->message, function);
    if (f->reason && *f->reason && !is_sticky(f)) // the kernel's fault has been told
        r.lines[r.nlines++] = f->reason;
    host_call_add_frames(c, &r);
    check_record_send(&r);
}

unsigned check_runtime_failed(const struct check_failure *f) {
    struct host_call c;
    if (!check_calls() || !host_call_get(&c))
        return 0;
    // A function that others of the runtime share is not the one that was called.
    const char *function = *c.name                                     ? c.name
                           : begins(f->function, "cuda") || !f->driver ? f->function
                                                                       : f->driver;
    const char *kind = memory_kind(f);
    if (!function || is_answer(function, f->error))
        return 0;
    if (check_calls() & CHECK_EVERY_ERROR || kind) {
        send(f, &c, function, kind ? kind : "api.error", NULL);
        return 0;
    }
    if (!(check_calls() & CHECK_API) || is_known(f) || !result_is_ignored(c.frames, c.nframes))
        return 0;
    bool launches = begins(function, "cudaLaunch") || *function == '<';
    send(f, &c, function, launches ? "api.launch" : "api.ignored", launches ? "launch" : "call");
    return launches ? CHECK_HELD_LAUNCH : CHECK_HELD_CALL;
}

void check_driver_failed(const struct check_failure *f) {
    struct host_call c;
    char name[64];
    if (!check_calls() || !f->driver || !host_call_get(&c) || c.by_runtime)
        return;
    const char *kind = memory_kind(f);
    host_call_name(f->driver, name, sizeof name);
    bool every = check_calls() & CHECK_EVERY_ERROR;
    if (is_answer(name, f->error) || (!every && !kind && is_known(f)))
        return;
    if (every || kind)
        send(f, &c, name, kind ? kind : "api.error", NULL);
    else if (check_calls() & CHECK_API && result_is_ignored(c.frames, c.nframes))
        send(f, &c, name, begins(name, "cuLaunch") ? "api.launch" : "api.ignored", NULL);
}

void check_errors_seen(void) {
    struct check_record r = {.kind = "seen", .what = "", .host_thread = thread_id()};
    check_record_send(&r);
}

void check_next_call(void) {
    struct check_record r = {.kind = "next", .what = "", .host_thread = thread_id()};
    check_record_send(&r);
}
