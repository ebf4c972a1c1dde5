#include "device/exec/single_step.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)

enum { TRAP_FLAG = 1 << 8 }; // Intel's manual, volume 3, 18.3.1.4: a trap behind each instruction
static _Thread_local bool stepping __attribute__((tls_model("initial-exec")));

bool single_step_possible(void) {
    static const char label[] = "TracerPid:";
    char text[2048];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *line = strstr(text, label);
    return line && !strtol(line + strlen(label), NULL, 10);
}

bool single_step_allowed(const ucontext_t *u) {
    bool flag = u->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG;
    return !sigismember(&u->uc_sigmask, SIGTRAP) && (!flag || stepping);
}

void single_step_begin(ucontext_t *u) {
    u->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    stepping = true;
}

bool single_step_end(const siginfo_t *info, ucontext_t *u) {
    if (!stepping || info->si_code <= 0)
        return false;
    u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    stepping = false;
    return true;
}

#else

bool single_step_possible(void) {
    return false;
}

bool single_step_allowed(const ucontext_t *u) {
    (void)u;
    return false;
}

void single_step_begin(ucontext_t *u) {
    (void)u;
}

bool single_step_end(const siginfo_t *info, ucontext_t *u) {
    (void)info, (void)u;
    return false;
}

#endif
