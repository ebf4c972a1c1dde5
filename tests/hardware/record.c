// hardware_record: runs every instruction form on the device that libcuda.so.1 finds.
//
//   hardware_record [-l LIBRARY] [-j THREADS] record FILE
//       writes what the device computes to a recording
//   hardware_record [-l LIBRARY] [-j THREADS] compare [COUNT [TEXT]]
//       compares pointwise instructions (those that begin with TEXT) with the reference semantics
//       set by set, and prints up to COUNT sets that differ of each
//
// To record anew after a change of the instruction table, on a machine with an NVIDIA GPU:
//   hardware_record record tests/hardware/h100.rec
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "operands.h"
#include "recording.h"
#include "reference.h"
#include "runner.h"
#include "support/strbuf.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// ---- record
// ----------------------------------------------------------------------------------------
static void keep(void *user, unsigned number, const struct hw_case *c,
                 const union isa_bits *results, unsigned sets, const char *log) {
    struct hw_recording *r = user;
    r->records[number] = hw_record_of(c, results);
    if (results)
        return;
    pthread_mutex_lock(&lock);
    printf("refused: %s\n    %s\n", c->text, log);
    pthread_mutex_unlock(&lock);
}

static void describe(const struct hw_device *d, struct strbuf *head) {
    char line[256] = "";
    FILE *f = fopen("/proc/driver/nvidia/version", "r");
    strbuf_printf(head, "kudzu hardware recording 1\ndevice: %s, compute capability %d.%d\n",
                  d->name, d->major, d->minor);
    strbuf_printf(head, "driver: API %d.%d\n", d->api / 1000, d->api % 1000 / 10);
    if (f && fgets(line, sizeof line, f))
        strbuf_printf(head, "driver: %.*s\n", (int)strcspn(line, "(\n"), line);
    if (f)
        fclose(f);
}

static int record(const struct hw_cases *cases, const struct hw_device *d, unsigned sm,
                  unsigned threads, const char *path) {
    struct strbuf head = {0};
    struct hw_recording r = {.count = cases->count};
    describe(d, &head);
    r.head = strdup(strbuf_str(&head));
    strbuf_free(&head);
    r.records = calloc(r.count, sizeof *r.records);
    if (!r.records)
        abort();
    hw_run(cases, sm, threads, keep, &r);
    bool ok = hw_recording_write(path, &r);
    hw_recording_free(&r);
    printf("%u instructions recorded\n", cases->count);
    return ok ? 0 : 1;
}

// ---- compare
// ---------------------------------------------------------------------------------------
struct comparison {
    unsigned print, differing, known;
};

static bool differs(const struct hw_case *c, const union isa_bits *a, const union isa_bits *b,
                    uint64_t *furthest) {
    bool r = false;
    for (unsigned k = 0; k < c->nresults; k++) {
        uint64_t d = a[k].u64[0] != b[k].u64[0] || a[k].u64[1] != b[k].u64[1];
        if (d && hw_is_approximate(c))
            d = hw_distance((enum isa_type)c->results[k].type, a[k], b[k]);
        if (hw_is_approximate(c) && d < UINT64_MAX / 4 && d > *furthest)
            *furthest = d;
        r |= d > (hw_is_approximate(c) ? 2 : 0);
    }
    return r;
}

static void compare_case(void *user, unsigned number, const struct hw_case *c,
                         const union isa_bits *results, unsigned sets, const char *log) {
    struct comparison *all = user;
    unsigned bad = 0;
    uint64_t furthest = 0;
    if (!results)
        return;
    pthread_mutex_lock(&lock);
    for (unsigned n = 0; n < sets; n++) {
        union isa_bits x[HW_MAX_SOURCES], want[HW_MAX_RESULTS], got[HW_MAX_RESULTS];
        hw_operands(c, n, x);
        if (!hw_reference(c, x, got)) {
            printf("the reference does not know %s\n", c->text);
            break;
        }
        for (unsigned k = 0; k < c->nresults; k++)
            want[k] = results[(size_t)k * sets + n];
        if (!differs(c, got, want, &furthest))
            continue;
        if (!bad)
            printf("%s\n", c->text);
        if (bad++ < all->print)
            hw_print_set(c, x, got, want);
    }
    if (bad)
        printf("  %u of %u sets differ\n", bad, sets);
    if (furthest)
        printf("%s furthest: %llu\n", c->text, (unsigned long long)furthest);
    all->differing += bad != 0;
    all->known++;
    pthread_mutex_unlock(&lock);
}

// Pointwise cases that begin with a text.
static void select_cases(struct hw_cases *cases, const char *text) {
    unsigned n = 0;
    for (unsigned k = 0; k < cases->count; k++)
        if (cases->data[k].kind == HW_POINTWISE &&
            !strncmp(cases->data[k].text, text, strlen(text)))
            cases->data[n++] = cases->data[k];
    cases->count = n;
}

static int compare(struct hw_cases *cases, unsigned sm, unsigned threads, unsigned print,
                   const char *text) {
    struct comparison all = {.print = print};
    select_cases(cases, text);
    hw_run(cases, sm, threads, compare_case, &all);
    printf("%u of %u instructions differ\n", all.differing, all.known);
    return all.differing != 0;
}

static int usage(void) {
    fprintf(stderr, "usage: hardware_record [-l LIBRARY] [-j THREADS] record FILE\n"
                    "       hardware_record [-l LIBRARY] [-j THREADS] compare [COUNT [TEXT]]\n");
    return 2;
}

int main(int argc, char **argv) {
    const char *library = "libcuda.so.1";
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    struct hw_device device;
    struct hw_cases cases;
    for (int o; (o = getopt(argc, argv, "l:j:")) != -1;)
        if (o == 'l')
            library = optarg;
        else if (o == 'j')
            threads = atol(optarg);
        else
            return usage();
    argc -= optind;
    argv += optind;
    bool recording = argc == 2 && !strcmp(argv[0], "record");
    if (!recording && (argc < 1 || strcmp(argv[0], "compare")))
        return usage();
    if (!hw_driver_open(library, &device))
        return 2;
    unsigned sm = (unsigned)(10 * device.major + device.minor);
    sm = sm > 90 ? 90 : sm; // the newest that the table's PTX version knows
    hw_cases_make(&cases);
    int r = recording ? record(&cases, &device, sm, (unsigned)threads, argv[1])
                      : compare(&cases, sm, (unsigned)threads,
                                argc > 1 ? (unsigned)atol(argv[1]) : 4, argc > 2 ? argv[2] : "");
    hw_cases_free(&cases);
    return r;
}
