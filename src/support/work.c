#include "support/work.h"

#include <stdbool.h>
#include <stddef.h>

#include "support/memory.h"

static _Thread_local uint64_t left;
static _Thread_local bool limited;
static _Thread_local const char *refusal;

void work_begin(uint64_t steps) {
    left = steps;
    limited = true;
    refusal = NULL;
}

void work_end(void) {
    limited = false;
    refusal = NULL;
}

void work_spend(uint64_t steps) {
    if (!limited)
        return;
    if (steps > left)
        work_refuse("its control flow takes too long to analyse");
    left -= steps;
}

_Noreturn void work_refuse(const char *why) {
    limited = false;
    refusal = why;
    memory_abandon();
}

const char *work_refusal(void) {
    return refusal;
}
