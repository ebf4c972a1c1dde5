#define _GNU_SOURCE // memfd_create
#include "tools/launched_shapes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cc/processes/cc.h"

static void become(const char *path, char **arguments, int memory, int output) {
    int null = open("/dev/null", O_RDONLY);
    run_report_give(memory);
    setenv("KUDZU_DEVICE", "cpu", 1);
    unsetenv("KUDZU_DRIVER");
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(path, arguments);
    _exit(127);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_for(struct launched_shapes *l, pid_t child, unsigned seconds) {
    const struct timespec pause = {.tv_nsec = 5000000};
    double end = now() + seconds;
    pid_t ended;
    while ((ended = waitpid(child, &l->status, WNOHANG)) == 0 && now() < end)
        nanosleep(&pause, NULL);
    if (ended)
        return;
    l->stopped = true;
    kill(child, SIGKILL);
    while (waitpid(child, &l->status, 0) < 0 && errno == EINTR)
        continue;
}

void launched_shapes_run(struct launched_shapes *l, const char *path, char **arguments,
                         unsigned seconds) {
    int memory = -1;
    memset(l, 0, sizeof *l);
    l->output = memfd_create("output", MFD_CLOEXEC);
    struct run_report *report = l->output < 0 ? NULL : run_report_new(&memory);
    fflush(NULL);
    pid_t child = report ? fork() : -1;
    if (child == 0)
        become(path, arguments, memory, l->output);
    if (child < 0)
        cc_error("cannot run %s: %s", path, strerror(errno));
    else
        wait_for(l, child, seconds);
    if (memory >= 0)
        close(memory);
    l->report = child < 0 ? NULL : report;
}

uint32_t launched_shapes_count(const struct launched_shapes *l, bool *more) {
    unsigned count = l->report ? atomic_load(&l->report->shape_count) : 0;
    *more = count > RUN_REPORT_SHAPES;
    return *more ? RUN_REPORT_SHAPES : count;
}

bool launched_shapes_is_of(const struct launched_shapes *l, uint32_t k, const char *kernel) {
    const struct run_report_shape *s = &l->report->shapes[k];
    return atomic_load(&s->ready) && !strncmp(s->kernel, kernel, RUN_REPORT_TEXT - 1);
}
