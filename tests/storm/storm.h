// What the storms have in common: a generator of decisions for each thread, and the threads.
#ifndef KUDZU_TESTS_STORM_STORM_H
#define KUDZU_TESTS_STORM_STORM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_THREADS = 64 };

struct thread {
    uint64_t random;
    unsigned number;
};

static atomic_bool stop;
static atomic_ulong calls, successes, failures;

static inline unsigned pick(struct thread *t, unsigned n) {
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return (unsigned)((t->random >> 24) % n);
}

// Arguments: SECONDS SEED THREADS. What main returns.
static inline int storm_run(int argc, char **argv, void *(*body)(void *)) {
    unsigned seconds = argc > 1 ? (unsigned)atoi(argv[1]) : 5;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    unsigned n = argc > 3 ? (unsigned)atoi(argv[3]) : 8;
    static struct thread threads[MAX_THREADS];
    pthread_t ids[MAX_THREADS];
    if (n > MAX_THREADS)
        return 1;
    for (unsigned i = 0; i < n; i++) {
        threads[i] = (struct thread){(seed * MAX_THREADS + i + 1) * 0x9E3779B97F4A7C15ull, i};
        if (pthread_create(&ids[i], NULL, body, &threads[i]))
            return 1;
    }
    for (unsigned i = 0; i < seconds * 10 && !stop; i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    stop = true;
    for (unsigned i = 0; i < n; i++)
        pthread_join(ids[i], NULL);
    printf("%lu calls, %lu with success, %lu faults\n", calls, successes, failures);
    return failures || !successes;
}

#endif
