// Counters of the system (eventfd) that queues signal and wait for. A queue that has come to a wait
// hands the descriptor to one thread of the process, which takes the count when there is one.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "device/internal.h"
#include "device/memory/memory_file.h"
#include "device/reason.h"
#include "device/sched/value.h"

// One wait of a queue.
struct file_wait {
    int fd;
    uint64_t word; // address: becomes 1 when a count was taken
    struct file_wait *next;
};

static struct {
    pthread_mutex_t lock;
    struct file_wait *list;
    int wake; // an eventfd
    bool started;
} waiting = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Takes a count without waiting for one: another process may have been faster.
bool file_take_count(int fd) {
    uint64_t count;
    struct iovec part = {&count, sizeof count};
    return preadv2(fd, &part, 1, -1, RWF_NOWAIT) == sizeof count;
}

// With the lock.
static void take_all(void) {
    for (struct file_wait **at = &waiting.list; *at;) {
        struct file_wait *w = *at;
        if (!file_take_count(w->fd)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        __atomic_store_n((uint64_t *)w->word, 1, __ATOMIC_RELEASE);
    }
}

// Sleeps until one of up to 64 descriptors has something; the others are looked at every
// millisecond.
static void *watch(void *unused) {
    (void)unused;
    for (;;) {
        struct pollfd fds[64] = {{.fd = waiting.wake, .events = POLLIN}};
        nfds_t n = 1;
        pthread_mutex_lock(&waiting.lock);
        take_all();
        struct file_wait *w = waiting.list;
        for (; w && n < 64; w = w->next)
            fds[n++] = (struct pollfd){.fd = w->fd, .events = POLLIN};
        pthread_mutex_unlock(&waiting.lock);
        poll(fds, n, w ? 1 : -1);
        uint64_t count;
        if (fds[0].revents & POLLIN)
            (void)!read(waiting.wake, &count, sizeof count);
    }
    return NULL;
}

static bool start_watching(void) {
    pthread_mutex_lock(&waiting.lock);
    if (!waiting.started && (waiting.wake = eventfd(0, EFD_CLOEXEC)) >= 0) {
        waiting.started = scheduler_start_thread(watch, NULL);
        if (!waiting.started)
            close(waiting.wake);
    }
    bool ok = waiting.started;
    pthread_mutex_unlock(&waiting.lock);
    return ok;
}

static void begin(void *arg, enum kd_status status) {
    struct file_wait *w = arg;
    uint64_t one = 1;
    if (status != KD_OK)
        return;
    pthread_mutex_lock(&waiting.lock);
    w->next = waiting.list;
    waiting.list = w;
    pthread_mutex_unlock(&waiting.lock);
    (void)!write(waiting.wake, &one, sizeof one);
}

static void finish(void *arg, enum kd_status status) {
    struct file_wait *w = arg;
    if (status != KD_OK) { // the context's fault ended the wait
        pthread_mutex_lock(&waiting.lock);
        struct file_wait **at = &waiting.list;
        while (*at && *at != w)
            at = &(*at)->next;
        if (*at)
            *at = w->next;
        pthread_mutex_unlock(&waiting.lock);
    }
    kd_memory_free(w->word);
    close(w->fd);
    free(w);
}

enum kd_status kd_submit_file_wait(struct kd_queue *q, int fd) {
    struct file_wait *w = calloc(1, sizeof *w);
    if (!w || !start_watching()) {
        free(w);
        return kd_fail(KD_SYSTEM, "the system gives no thread or memory to wait for a descriptor");
    }
    w->fd = memory_file_duplicate(fd);
    enum kd_status status = w->fd < 0 ? kd_fail(KD_SYSTEM, "no descriptor: %s", strerror(errno))
                                      : kd_memory_alloc(kd_queue_context(q), KD_MEMORY_PINNED,
                                                        sizeof(uint64_t), 0, &w->word);
    if (status) {
        if (w->fd >= 0)
            close(w->fd);
        free(w);
        return status;
    }
    *(uint64_t *)w->word = 0;
    struct kd_value_op until = {KD_VALUE_WAIT_EQUAL, 8, w->word, 1};
    status = kd_submit_host(q, begin, w, true);
    if (status)
        finish(w, KD_OK);
    else if ((status = kd_submit_values(q, &until, 1)) == KD_OK)
        status = kd_submit_host(q, finish, w, true);
    return status;
}

static void signal_file(void *arg, enum kd_status status) {
    int fd = (int)(intptr_t)arg;
    uint64_t one = 1;
    if (status == KD_OK)
        (void)!write(fd, &one, sizeof one);
    close(fd);
}

enum kd_status kd_submit_file_signal(struct kd_queue *q, int fd) {
    int copy = memory_file_duplicate(fd);
    if (copy < 0)
        return kd_fail(KD_SYSTEM, "no descriptor: %s", strerror(errno));
    enum kd_status status = kd_submit_host(q, signal_file, (void *)(intptr_t)copy, true);
    if (status)
        close(copy);
    return status;
}
