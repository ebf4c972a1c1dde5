#define _GNU_SOURCE // environ
#include "tools/supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cc/processes/cc.h"
#include "support/run_report.h"

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { SIGNALS = sizeof passed_on / sizeof passed_on[0] };

static volatile pid_t child;

// What a terminal sends, all processes in front of it get.
static void pass_on(int sig, siginfo_t *info, void *context) {
    int saved = errno;
    (void)context;
    if (info->si_code <= 0 && child > 0)
        kill(child, sig);
    errno = saved;
}

void become(int fd, const char *path, char **arguments) {
    if (fd >= 0)
        fexecve(fd, arguments, environ);
    else
        execv(path, arguments);
    cc_error("cannot run %s: %s", path, strerror(errno));
}

// In the child, which ends when its parent is killed.
static void run_child(int fd, const char *path, char **arguments, int memory, int output,
                      pid_t parent, const sigset_t *mask) {
    run_report_give(memory);
    if (output)
        dup2(output, STDOUT_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    sigprocmask(SIG_SETMASK, mask, NULL);
    become(fd, path, arguments);
    _exit(1);
}

// Returns what of the report makes a good end a bad one.
static unsigned print_report(struct run_report *r) {
    unsigned failed = atomic_load(&r->lost);
    for (int i = 0; i < RUN_REPORT_LAUNCHES; i++) {
        struct run_report_launch *l = &r->launches[i];
        if (!atomic_load(&l->owner) || !atomic_load(&l->ready))
            continue;
        unsigned times = atomic_load(&l->times);
        l->text[RUN_REPORT_TEXT - 1] = 0;
        fprintf(stderr, "kudzu: error: %s", l->text);
        if (times > 1)
            fprintf(stderr, " (%u times)", times);
        fputc('\n', stderr);
        failed += times;
    }
    if (atomic_load(&r->lost))
        fprintf(stderr, "kudzu: error: %u other launches failed\n", atomic_load(&r->lost));
    return failed + atomic_load(&r->faults);
}

// A call whose error nobody looked at as one looks at a launch's may have been looked at, all the
// same: `if (cudaMalloc(...))`. So it counts as nothing, but where something is wrong, it may be
// why.
static void print_first_failure(struct run_report *r) {
    r->call.text[RUN_REPORT_TEXT - 1] = 0;
    if (atomic_load(&r->call.ready))
        fprintf(stderr, "kudzu run: note: the first call that failed: %s\n", r->call.text);
}

static int wait_for(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return status;
}

// Ends as the child did, without a core of its own.
static int end_by_signal(int sig) {
    struct rlimit none = {0, 0};
    sigset_t one;
    setrlimit(RLIMIT_CORE, &none);
    signal(sig, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, sig);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(sig);
    return 128 + sig;
}

// What is ignored stays so, in the child too.
static void catch_signals(void) {
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction now, mine = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
        sigemptyset(&mine.sa_mask);
        if (!sigaction(passed_on[i], NULL, &now) && now.sa_handler != SIG_IGN)
            sigaction(passed_on[i], &mine, NULL);
    }
}

int supervise_child(int fd, const char *path, char **arguments, struct supervised *s) {
    int memory;
    sigset_t ours, before;
    s->report = run_report_new(&memory);
    if (!s->report)
        return -1;
    sigemptyset(&ours);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&ours, passed_on[i]);
    fflush(NULL);
    sigprocmask(SIG_BLOCK, &ours, &before);
    pid_t parent = getpid();
    child = fork();
    if (child == 0)
        run_child(fd, path, arguments, memory, s->output, parent, &before);
    if (child > 0)
        catch_signals();
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0)
        return -1;
    if (s->started)
        s->started(s->data, child);
    int status = wait_for(child);
    child = 0;
    return status;
}

unsigned supervise_told(struct supervised *s, bool launches) {
    return launches ? print_report(s->report) : atomic_load(&s->report->faults);
}

int supervise_end(int status, unsigned bad) {
    if (WIFSIGNALED(status))
        return end_by_signal(WTERMSIG(status));
    if (WEXITSTATUS(status) || !bad)
        return WEXITSTATUS(status);
    fprintf(stderr,
            "kudzu run: note: the program ended with status 0 all the same; the status is 1 "
            "because of the above (KUDZU_REPORT=0: leave it)\n");
    return 1;
}

int supervise(int fd, const char *path, char **arguments) {
    struct supervised s = {0};
    int status = supervise_child(fd, path, arguments, &s);
    if (status < 0)
        return -1;
    unsigned bad = print_report(s.report);
    if (bad || status)
        print_first_failure(s.report);
    return supervise_end(status, bad);
}
