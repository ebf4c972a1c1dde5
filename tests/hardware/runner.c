// See runner.h.
#include "runner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "kernel.h"
#include "operands.h"

enum { BATCH = 16, LOG_SIZE = 4096, MAX_THREADS = 64 };

struct run {
    const struct hw_cases *cases;
    unsigned sm;
    hw_on_result *on_result;
    void *user;
    atomic_uint next; // case
};

// What one thread works with. Host and device memory for the largest case.
struct worker {
    struct run *run;
    union isa_bits *host;
    uint64_t in, out;
    char log[LOG_SIZE];
};

static unsigned sets_of(const struct hw_case *c) {
    struct hw_extent e = hw_extent_of(c);
    return e.edges + e.random;
}

static size_t largest(const struct hw_cases *cases) {
    size_t most = 0;
    for (unsigned k = 0; k < cases->count; k++) {
        const struct hw_case *c = &cases->data[k];
        unsigned n = c->nsources > c->nresults ? c->nsources : c->nresults;
        size_t size = (size_t)n * sets_of(c) * sizeof(union isa_bits);
        most = size > most ? size : most;
    }
    return most;
}

static void run_case(struct worker *w, hw_module m, unsigned index, unsigned number) {
    const struct hw_case *c = &w->run->cases->data[number];
    uint32_t sets = sets_of(c);
    char name[16];
    void *params[] = {&w->in, &w->out, &sets};
    for (unsigned n = 0; n < sets; n++) {
        union isa_bits x[HW_MAX_SOURCES];
        hw_operands(c, n, x);
        for (unsigned k = 0; k < c->nsources; k++)
            w->host[(size_t)k * sets + n] = x[k];
    }
    hw_driver_upload(w->in, w->host, (size_t)c->nsources * sets * sizeof *w->host);
    snprintf(name, sizeof name, "k%u", index);
    int error = hw_driver_launch(m, name, (sets + HW_BLOCK - 1) / HW_BLOCK, HW_BLOCK, params);
    if (error) {
        snprintf(w->log, sizeof w->log, "the launch fails with error %d", error);
        w->run->on_result(w->run->user, number, c, NULL, 0, w->log);
        return;
    }
    hw_driver_download(w->host, w->out, (size_t)c->nresults * sets * sizeof *w->host);
    w->run->on_result(w->run->user, number, c, w->host, sets, NULL);
}

static hw_module load(struct worker *w, unsigned first, unsigned count) {
    struct strbuf text = {0};
    hw_module_text(&w->run->cases->data[first], count, w->run->sm, &text);
    hw_module m = hw_driver_load(strbuf_str(&text), w->log, sizeof w->log);
    strbuf_free(&text);
    return m;
}

// One refused instruction fails a module: halves are tried, down to single cases.
static void run_range(struct worker *w, unsigned first, unsigned count) {
    hw_module m = load(w, first, count);
    if (m) {
        for (unsigned k = 0; k < count; k++)
            run_case(w, m, k, first + k);
        hw_driver_unload(m);
    } else if (count == 1) {
        w->run->on_result(w->run->user, first, &w->run->cases->data[first], NULL, 0, w->log);
    } else {
        run_range(w, first, count / 2);
        run_range(w, first + count / 2, count - count / 2);
    }
}

static void *work(void *arg) {
    struct worker *w = arg;
    const struct hw_cases *cases = w->run->cases;
    size_t size = largest(cases);
    hw_driver_enter();
    w->host = malloc(size);
    w->in = hw_driver_allocate(size);
    w->out = hw_driver_allocate(size);
    if (!w->host)
        abort();
    for (;;) {
        unsigned first = atomic_fetch_add(&w->run->next, BATCH);
        if (first >= cases->count)
            break;
        run_range(w, first, cases->count - first < BATCH ? cases->count - first : BATCH);
    }
    hw_driver_free(w->in);
    hw_driver_free(w->out);
    free(w->host);
    return NULL;
}

void hw_run(const struct hw_cases *cases, unsigned sm, unsigned threads, hw_on_result *on_result,
            void *user) {
    static struct worker workers[MAX_THREADS];
    struct run run = {cases, sm, on_result, user, 0};
    pthread_t ids[MAX_THREADS];
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    for (unsigned k = 0; k < threads; k++) {
        workers[k].run = &run;
        if (pthread_create(&ids[k], NULL, work, &workers[k]))
            abort();
    }
    for (unsigned k = 0; k < threads; k++)
        pthread_join(ids[k], NULL);
}
