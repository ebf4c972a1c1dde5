// Runs of one program with its threads in other orders, whose output should be the same.
#ifndef KUDZU_TOOLS_CHECK_SCHEDULES_H
#define KUDZU_TOOLS_CHECK_SCHEDULES_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"
#include "support/check/check_record.h"

struct check_run {
    uint64_t schedule; // KUDZU_SCHEDULE
    int output;        // descriptor of a file with what it wrote on standard output
    int status;        // waitpid's
};

// The schedule of the k-th run: blocks as they are numbered, reversed, then others.
uint64_t check_schedule_of(uint64_t seed, uint64_t k);
// Whether the two runs differ, and if so the record that tells it.
bool check_runs_differ(struct arena *arena, const struct check_run *first,
                       const struct check_run *other, struct check_record *r);

#endif
