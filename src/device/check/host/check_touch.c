#include "device/check/host/check_touch.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device/check/check.h"
#include "device/check/host/check_host.h"
#include "device/check/host/own_code.h"
#include "device/exec/single_step.h"
#include "device/memory/memory.h"
#include "device/memory/rights.h"
#include "support/check/host_call.h"
#include "support/environment.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool follows_races, can_step;
// Accesses of the process that are let by alone; behind them a thread has the right until its next
// call ends.
enum { STEPS = 4096 };
static atomic_uint steps;
static _Thread_local bool stepping __attribute__((tls_model("initial-exec")));

// Libraries for messages take pointers to device memory where they know CUDA (docs/mpi.md): what
// they access may still race.
static bool has_mpi(void) {
    return dlsym(RTLD_DEFAULT, "MPI_Init") != NULL;
}

static void begin(void) {
    const char *allowed = environment_get("KUDZU_HOST_ACCESS");
    if (!(check_tools() & CHECK_MEMORY) || (allowed && *allowed && strcmp(allowed, "0") != 0))
        return;
    void *frame[1];
    backtrace(frame, 1); // loads what it needs, which a signal handler could not
    if (!own_code_find() || !rights_device_begin())
        return;
    can_step = single_step_possible();
    follows_races = check_tools() & CHECK_RACE && has_mpi();
    if (follows_races)
        check_host_begin();
}

void check_touch_begin(uint64_t address, uint64_t size) {
    if (!check_tools())
        return;
    pthread_once(&once, begin);
    rights_device_only(address, size);
}

static bool by_mpi(void) {
    enum { DEPTH = 64 };
    void *all[DEPTH];
    int n = backtrace(all, DEPTH);
    for (int k = 0; k < n; k++) {
        Dl_info in;
        const char *name = dladdr(all[k], &in) && in.dli_fname ? strrchr(in.dli_fname, '/') : NULL;
        if (name && !strncmp(name, "/libmpi", 7))
            return true;
    }
    return false;
}

static void report(uint64_t address, uint64_t pc, bool writes) {
    struct kd_memory m;
    struct host_call frames;
    char what[96];
    struct check_report r = {.what = what};
    snprintf(what, sizeof what, "Invalid host %s of device memory", writes ? "write" : "read");
    if (kd_memory_find(address, &m))
        snprintf(r.lines[0], CHECK_LINE,
                 "Access at 0x%" PRIx64 ", %" PRIu64 " bytes into the allocation at 0x%" PRIx64
                 " of size %" PRIu64 " bytes",
                 address, address - m.base, m.base, m.size);
    else
        snprintf(r.lines[0], CHECK_LINE, "Access at 0x%" PRIx64, address);
    snprintf(r.lines[1], CHECK_LINE, "with a GPU the program ends here: the host has to copy it");
    if (check_host_frames(pc, &frames))
        r.call = &frames;
    check_report(&r);
}

enum check_host_answer check_touch_fault(const siginfo_t *info, void *context, uint64_t pc,
                                         uint64_t caller, bool writes, bool of_device,
                                         bool steps_allowed) {
    bool let;
    // Functions of libc that copy do not change the stack: it ends in where they return to.
    if (of_device || own_code_has(pc) || own_code_has(caller)) {
        let = rights_device_let(context, false);
    } else if (by_mpi()) {
        if (follows_races)
            check_host_race((uint64_t)info->si_addr, pc, writes);
        let = rights_device_let(context, true);
    } else {
        report((uint64_t)info->si_addr, pc, writes);
        stepping = steps_allowed && can_step && atomic_fetch_add(&steps, 1) < STEPS;
        let = rights_device_let(context, !stepping);
        if (let && stepping)
            return CHECK_HOST_ONCE;
    }
    return let ? CHECK_HOST_GO : CHECK_HOST_NOT;
}

bool check_touch_stepped(void *context) {
    bool was = stepping;
    if (was)
        rights_device_take(context);
    stepping = false;
    return was;
}
