#include "device/code/kernel_times.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/sched/op.h"
#include "support/debug.h"

struct times {
    struct times *next;
    uint64_t launches, ns;
    char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct times *kernels; // in the order of their first ends
static struct times **last = &kernels;
static uint64_t at_work, since_ns, busy_ns; // launches that have begun, since when, before that
static bool on;

// Before the program's last line, and with what has not ended by then left out.
static void print(void) {
    pthread_mutex_lock(&lock);
    for (const struct times *t = kernels; t; t = t->next)
        fprintf(stderr, "kudzu: kernel %s: %llu launches, %.9f s\n", t->name,
                (unsigned long long)t->launches, 1e-9 * (double)t->ns);
    uint64_t busy = busy_ns + (at_work ? kd_now_ns() - since_ns : 0);
    fprintf(stderr, "kudzu: kernels at work: %.9f s\n", 1e-9 * (double)busy);
    pthread_mutex_unlock(&lock);
}

static void read_words(void) {
    on = debug_on("kernels");
    if (on)
        atexit(print);
}

static bool wanted(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_words);
    return on;
}

static struct times *times_of(const char *name) {
    for (struct times *t = kernels; t; t = t->next)
        if (!strcmp(t->name, name))
            return t;
    size_t n = strlen(name) + 1;
    struct times *t = calloc(1, sizeof *t + n);
    if (!t)
        return NULL;
    memcpy(t->name, name, n);
    *last = t;
    last = &t->next;
    return t;
}

void kernel_times_begin(struct op *op) {
    if (!wanted())
        return;
    pthread_mutex_lock(&lock);
    op->ready_ns = kd_now_ns();
    if (at_work++ == 0)
        since_ns = op->ready_ns;
    pthread_mutex_unlock(&lock);
}

void kernel_times_end(struct op *op) {
    if (!op->ready_ns)
        return;
    pthread_mutex_lock(&lock);
    uint64_t now = kd_now_ns();
    struct times *t = times_of(op->launch.name);
    if (t) {
        t->launches++;
        t->ns += now - op->ready_ns;
    }
    if (--at_work == 0)
        busy_ns += now - since_ns;
    op->ready_ns = 0;
    pthread_mutex_unlock(&lock);
}
