// What warps and atomics do: runs the instructions on a driver, and compares with a recording.
//
//   test_driver LIBRARY RECORDING [TEXT]      only the instructions that begin with TEXT
//
// With KUDZU_EXEC this compares kudzu's interpreter or its compiled code with the hardware.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"
#include "operands.h"
#include "recording.h"
#include "reference.h"
#include "runner.h"

enum { THREADS = 2, PRINTED_SETS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    unsigned same, differing, unsupported, refused, missing;
} count;

static unsigned compare_edges(const struct hw_case *c, const struct hw_record *r,
                              const struct hw_record *ours) {
    unsigned bad = 0;
    for (unsigned n = 0; n < r->edges; n++) {
        union isa_bits x[HW_MAX_SOURCES], got[HW_MAX_RESULTS], want[HW_MAX_RESULTS];
        for (unsigned k = 0; k < c->nresults; k++) {
            got[k] = ours->results[(size_t)k * r->edges + n];
            want[k] = r->results[(size_t)k * r->edges + n];
        }
        if (!memcmp(got, want, c->nresults * sizeof *got) || bad++ >= PRINTED_SETS)
            continue;
        hw_operands(c, n, x);
        printf("  set %u:", n);
        hw_print_set(c, x, got, want);
    }
    return bad;
}

static bool compare(const struct hw_case *c, const struct hw_record *r,
                    const union isa_bits *results) {
    struct hw_record ours = hw_record_of(c, results);
    bool same = r->operands == ours.operands && r->edges == ours.edges && r->random == ours.random;
    if (!same)
        printf("%s: recorded for other operands; it must be recorded anew\n", c->text);
    unsigned bad = same ? compare_edges(c, r, &ours) : 0;
    if (bad || (same && r->hash != ours.hash)) {
        printf("%s: %u of %u sets differ, %s\n", c->text, bad, r->edges,
               r->hash == ours.hash ? "no others" : "and others");
        same = false;
    }
    hw_record_free(&ours);
    return same;
}

static void on_result(void *user, unsigned number, const struct hw_case *c,
                      const union isa_bits *results, unsigned sets, const char *log) {
    const struct hw_record *r = hw_recording_find(user, c->text);
    pthread_mutex_lock(&lock);
    if (!r || r->refused) {
        count.missing += !r;
        count.refused += r != NULL;
    } else if (!results) {
        printf("%s is refused: %s\n", c->text, log);
        count.unsupported++;
    } else if (compare(c, r, results)) {
        count.same++;
    } else {
        count.differing++;
    }
    pthread_mutex_unlock(&lock);
}

// The recorded driver's compiler leaves out the upper half of packed sums in shared memory. The
// manual has both halves added.
static bool is_recorded_wrong(const struct hw_case *c) {
    return c->mods.atom == ISA_ATOM_ADD && c->mods.space == ISA_SPACE_SHARED &&
           (c->ty == ISA_F16X2 || c->ty == ISA_BF16X2);
}

static void select_cases(struct hw_cases *cases, const char *text) {
    unsigned n = 0;
    for (unsigned k = 0; k < cases->count; k++)
        if (cases->data[k].kind != HW_POINTWISE && !is_recorded_wrong(&cases->data[k]) &&
            !strncmp(cases->data[k].text, text, strlen(text)))
            cases->data[n++] = cases->data[k];
    cases->count = n;
}

int main(int argc, char **argv) {
    struct hw_recording recording;
    struct hw_cases cases;
    struct hw_device device;
    if (argc < 3) {
        fprintf(stderr, "usage: test_driver LIBRARY RECORDING [TEXT]\n");
        return 2;
    }
    if (!hw_recording_read(argv[2], &recording) || !hw_driver_open(argv[1], &device))
        return 2;
    printf("%s%s\n", recording.head, device.name);
    hw_cases_make(&cases);
    select_cases(&cases, argc > 3 ? argv[3] : "");
    hw_run(&cases, 90, THREADS, on_result, &recording);
    printf("%u instructions agree, %u differ, %u are not supported; %u are refused by the recorded "
           "device's compiler, %u not yet recorded\n",
           count.same, count.differing, count.unsupported, count.refused, count.missing);
    hw_cases_free(&cases);
    hw_recording_free(&recording);
    return count.differing || !count.same;
}
