// Plans of kernels in PTX, for tests.
#ifndef KUDZU_TESTS_PLANNED_H
#define KUDZU_TESTS_PLANNED_H

#include "plan/plan.h"

// What a plan is made for. Zeros: 16 lanes, no team, x86-64-v4, blocks of 256 threads in a row.
struct planned_for {
    unsigned width, team;
    enum kd_level level;
    uint32_t ntid[3];
    bool quick, puts_off, has_runs;
};

struct planned {
    struct arena arena;
    struct machine machine;
    struct kir_module *module;
    struct plan *plan; // of the function that was asked for; NULL: it has none
};

// Reads PTX; NULL with a message in err.
struct kir_module *planned_read(struct arena *a, const char *text, size_t length,
                                struct strbuf *err);
// A plan of one of its functions; NULL where its control flow is too large to be looked at.
struct plan *planned_function(struct arena *a, struct kir_func *f, const struct machine *m,
                              const struct planned_for *what);

// The plan of a kernel with parameters a, b (addresses) and n, in registers %a, %b (64 bits) and
// %n, with threadIdx.x and blockIdx.x in %t and %g. The body may use %x0 to %x39 (32 bits), %w0 to
// %w39 (64 bits), %f0 to %f9, and predicates %p and %q.
void planned_body(struct planned *p, const char *body, const struct planned_for *what);
void planned_end(struct planned *p);

#endif
