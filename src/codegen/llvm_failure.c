#include "codegen/llvm_failure.h"

#include <llvm-c/ErrorHandling.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

// llvm/Support/ErrorHandling.h has these for C++ alone.
typedef void (*bad_alloc_handler)(void *, const char *, bool);
void install_bad_alloc_handler(bad_alloc_handler, void *) __asm__(
    "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");
_Noreturn void report_fatal_error(const char *, bool) __asm__("_ZN4llvm18report_fatal_errorEPKcb");

static _Thread_local bool watching, failed;
static _Thread_local char *log;
static _Thread_local size_t log_size;

void llvm_failure_leave(const char *why) {
    if (!watching)
        return;
    watching = false;
    failed = true;
    if (log && log_size)
        snprintf(log, log_size, "LLVM: %s", why);
    memory_abandon();
}

static void on_fatal_error(const char *why) {
    llvm_failure_leave(why);
}

static void on_bad_alloc(void *unused, const char *why, bool crash) {
    if (watching)
        memory_ran_out();
}

static void install(void) {
    LLVMInstallFatalErrorHandler(on_fatal_error);
    install_bad_alloc_handler(on_bad_alloc, NULL);
}

void llvm_failure_watch(char *to, size_t size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    log = to;
    log_size = size;
    failed = false;
    watching = true;
}

void llvm_failure_end(void) {
    watching = false;
}

bool llvm_has_failed(void) {
    return failed;
}

// ---- For tests ------------------------------------------------------------------------------

static atomic_long countdown = -1;
static _Atomic(enum llvm_failure_kind) provoked;

void llvm_failure_provoke(long n, enum llvm_failure_kind kind) {
    atomic_store(&provoked, kind);
    atomic_store(&countdown, n);
}

void llvm_failure_point(void) {
    if (atomic_load_explicit(&countdown, memory_order_relaxed) < 0 ||
        atomic_fetch_sub(&countdown, 1) != 0)
        return;
    switch (atomic_load(&provoked)) {
    case LLVM_FAILURE_ERROR:
        report_fatal_error("provoked by a test", true);
    case LLVM_FAILURE_ABORT:
        abort();
    case LLVM_FAILURE_EXIT:
        exit(1);
    }
}
