// Shared memory between two barriers of the block: where its threads cannot race there, nobody has
// to follow their accesses.
#ifndef KUDZU_PASSES_CHECK_SHARED_H
#define KUDZU_PASSES_CHECK_SHARED_H

#include "passes/check/check_steps.h"

enum { CHECK_RACES = -2, CHECK_NO_RACES = -1 };
// An access to memory that may be shared memory.
struct check_shared_use {
    struct check_member m;
    bool shared;  // to shared memory; else wherever its address points
    bool goes_on; // behind barriers, or for nobody knows how many bytes
    // CHECK_RACES: it is to be followed. CHECK_NO_RACES: it is not. Else the number of the program
    // that tells when the kernel is launched.
    int races;
};
// Sets what has to be followed, and makes up to `most` programs, of which there are as many as the
// result says.
uint32_t check_shared(struct arena *arena, const struct kir_func *f, struct check_shared_use *uses,
                      uint32_t n, struct check_program *programs, uint32_t most);

#endif
