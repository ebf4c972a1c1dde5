#include "cc/processes/children.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/wait.h>

enum { MOST = 256 }; // more at a time are not noted
static _Atomic(pid_t) children[MOST];

void children_begin_start(sigset_t *before) {
    sigset_t all;
    sigemptyset(&all);
    sigaddset(&all, SIGINT);
    sigaddset(&all, SIGTERM);
    sigaddset(&all, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

void children_end_start(pid_t child, const sigset_t *before) {
    for (int i = 0; i < MOST && child > 0; ++i) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&children[i], &none, child))
            break;
    }
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void children_ended(pid_t child) {
    for (int i = 0; i < MOST; ++i) {
        pid_t same = child;
        if (atomic_compare_exchange_strong(&children[i], &same, 0))
            return;
    }
}

void children_forget(void) {
    for (int i = 0; i < MOST; ++i)
        atomic_store(&children[i], 0);
}

void children_end(void) {
    int saved = errno;
    for (int i = 0; i < MOST; ++i)
        if (atomic_load(&children[i]) > 0)
            kill(atomic_load(&children[i]), SIGTERM);
    for (int i = 0; i < MOST; ++i)
        if (atomic_load(&children[i]) > 0)
            while (waitpid(atomic_load(&children[i]), NULL, 0) < 0 && errno == EINTR)
                continue;
    errno = saved;
}
