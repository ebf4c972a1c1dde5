#include "cc/link/llvm_end.h"

#include <llvm-c/ErrorHandling.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cc/processes/cc.h"

// llvm/Support/ErrorHandling.h has this for C++ alone.
typedef void (*bad_alloc_handler)(void *, const char *, bool);
void install_bad_alloc_handler(bad_alloc_handler, void *) __asm__(
    "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");
typedef void (*new_handler)(void);
new_handler set_new_handler(new_handler) __asm__("_ZSt15set_new_handlerPFvvE");

static const char *place;

static void put(const char *text) {
    for (size_t n = strlen(text); n;) {
        ssize_t done = write(STDERR_FILENO, text, n);
        if (done <= 0)
            return;
        text += done;
        n -= (size_t)done;
    }
}

// Neither memory nor a lock may be asked for here, and no destructor may run.
_Noreturn static void end(const char *why) {
    put(cc_command_name());
    put(": error: ");
    put(place);
    put(": ");
    put(why);
    put("\n");
    _exit(1);
}

static void on_fatal_error(const char *why) {
    end(why);
}

static void on_bad_alloc(void *unused, const char *why, bool crash) {
    end("out of memory");
}

static void on_no_memory(void) {
    end("out of memory");
}

static void on_signal(int sig) {
    end(sig == SIGABRT ? "LLVM gave up without saying why"
                       : "LLVM crashed; perhaps the code is nested too deeply");
}

void llvm_end_watch(const char *what) {
    static char stack[64 << 10];
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    place = what;
    LLVMInstallFatalErrorHandler(on_fatal_error);
    install_bad_alloc_handler(on_bad_alloc, NULL);
    set_new_handler(on_no_memory);
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}
