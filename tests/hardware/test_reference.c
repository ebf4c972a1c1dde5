// The reference semantics against a recording, bit for bit; the approximate instructions within the
// errors that the PTX manual states.
//
//   test_reference RECORDING [TEXT]      only the instructions that begin with TEXT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approximate.h"
#include "isa/ops/video.h"
#include "operands.h"
#include "recording.h"
#include "reference.h"

enum { PRINTED_SETS = 4 };

static struct { unsigned same, differing, refused, missing; } count;

// All of the case's results by the reference, laid out as the device's are.
static union isa_bits *compute(const struct hw_case *c, unsigned sets) {
    union isa_bits *all = calloc((size_t)sets * c->nresults, sizeof *all);
    for (unsigned n = 0; all && n < sets; n++) {
        union isa_bits x[HW_MAX_SOURCES], y[HW_MAX_RESULTS];
        hw_operands(c, n, x);
        if (!hw_reference(c, x, y)) {
            printf("%s: the reference does not know it\n", c->text);
            free(all);
            return NULL;
        }
        for (unsigned k = 0; k < c->nresults; k++)
            all[(size_t)k * sets + n] = y[k];
    }
    return all;
}

static bool same_results(const struct hw_case *c, const union isa_bits *x, const union isa_bits *a,
                         const union isa_bits *b) {
    if (hw_is_approximate(c))
        return hw_near(c, x, a[0], b[0]);
    return !memcmp(a, b, c->nresults * sizeof *a);
}

// The sets that were recorded in full.
static unsigned compare_edges(const struct hw_case *c, const struct hw_record *r,
                              const struct hw_record *ours) {
    unsigned bad = 0;
    for (unsigned n = 0; n < r->edges; n++) {
        union isa_bits x[HW_MAX_SOURCES], got[HW_MAX_RESULTS], want[HW_MAX_RESULTS];
        hw_operands(c, n, x);
        for (unsigned k = 0; k < c->nresults; k++) {
            got[k] = ours->results[(size_t)k * r->edges + n];
            want[k] = r->results[(size_t)k * r->edges + n];
        }
        if (same_results(c, x, got, want))
            continue;
        if (bad++ < PRINTED_SETS)
            hw_print_set(c, x, got, want);
    }
    return bad;
}

// The others: which blocks differ, and what the reference computes for the first.
static unsigned compare_blocks(const struct hw_case *c, const struct hw_record *r,
                               const struct hw_record *ours) {
    unsigned bad = 0;
    for (unsigned b = 0; r->random && b < r->random / r->block; b++)
        if (r->blocks[b] != ours->blocks[b] && bad++ < PRINTED_SETS)
            printf("  differs among sets %u to %u\n", r->edges + b * r->block,
                   r->edges + (b + 1) * r->block - 1);
    return bad ? bad : r->hash != ours->hash;
}

static bool compare_records(const struct hw_case *c, const struct hw_record *r,
                            const struct hw_record *ours) {
    if (r->operands != ours->operands || r->edges != ours->edges || r->random != ours->random) {
        printf("%s: recorded for other operands; it must be recorded anew\n", c->text);
        return false;
    }
    unsigned edges = compare_edges(c, r, ours), blocks = compare_blocks(c, r, ours);
    if (edges || blocks)
        printf("%s: %u of %u sets differ, and %u of %u blocks of others\n", c->text, edges,
               r->edges, blocks, r->random ? r->random / r->block : 0);
    return !edges && !blocks;
}

static void check(const struct hw_recording *recording, const struct hw_case *c) {
    const struct hw_record *r = hw_recording_find(recording, c->text);
    struct hw_extent e = hw_extent_of(c);
    if (r && r->refused && c->op != ISA_OP_VMAD) { // of vmad the verifier refuses two negations
        printf("%s: the device's compiler refuses it, the table has it\n", c->text);
        count.differing++;
        return;
    }
    if (!r || r->refused) {
        count.missing += !r;
        count.refused += r != NULL;
        return;
    }
    union isa_bits *results = compute(c, e.edges + e.random);
    struct hw_record ours = {0};
    if (results)
        ours = hw_record_of(c, results);
    if (results && compare_records(c, r, &ours))
        count.same++;
    else
        count.differing++;
    hw_record_free(&ours);
    free(results);
}

int main(int argc, char **argv) {
    struct hw_recording recording;
    struct hw_cases cases;
    if (argc < 2 || !hw_recording_read(argv[1], &recording)) {
        fprintf(stderr, "usage: test_reference RECORDING [TEXT]\n");
        return 2;
    }
    const char *text = argc > 2 ? argv[2] : "";
    printf("%s", recording.head);
    hw_cases_make(&cases);
    for (unsigned k = 0; k < cases.count; k++)
        if (cases.data[k].kind == HW_POINTWISE && !strncmp(cases.data[k].text, text, strlen(text)))
            check(&recording, &cases.data[k]);
    hw_print_furthest();
    printf("%u instructions agree, %u differ; %u are refused by the device's compiler, %u not yet "
           "recorded\n",
           count.same, count.differing, count.refused, count.missing);
    hw_cases_free(&cases);
    hw_recording_free(&recording);
    return count.differing || !count.same;
}
