#include "support/stages.h"

#include <stdio.h>
#include <time.h>

#include "support/debug.h"

enum { MAX_STAGES = 24 };

static _Thread_local struct {
    const char *name[MAX_STAGES];
    double ms[MAX_STAGES], last;
    unsigned n;
} stages;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void stages_begin(void) {
    if (!debug_on("time"))
        return;
    stages.n = 0;
    stages.last = now();
}

void stages_end(const char *stage) {
    if (!debug_on("time"))
        return;
    double t = now();
    unsigned k = 0;
    while (k < stages.n && stages.name[k] != stage)
        k++;
    if (k == MAX_STAGES)
        return;
    if (k == stages.n)
        stages.name[stages.n++] = stage, stages.ms[k] = 0;
    stages.ms[k] += t - stages.last;
    stages.last = t;
}

void stages_print(const char *what) {
    double sum = 0;
    if (!debug_on("time"))
        return;
    for (unsigned k = 0; k < stages.n; k++)
        sum += stages.ms[k];
    fprintf(stderr, "kudzu: %s: %.1f ms:", what, sum);
    for (unsigned k = 0; k < stages.n; k++)
        fprintf(stderr, "%s %s %.1f", k ? "," : "", stages.name[k], stages.ms[k]);
    fputc('\n', stderr);
}
