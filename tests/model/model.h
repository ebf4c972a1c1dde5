// What the files that make up programs share.
#ifndef KUDZU_TESTS_MODEL_MODEL_H
#define KUDZU_TESTS_MODEL_MODEL_H

#include "program.h"

struct random {
    uint64_t state;
};
uint32_t random_below(struct random *r, uint32_t n);

// Makes up a graph. launchable[i]: template that slot i holds, to be a child graph; -1: none.
void graph_make(struct program *p, struct graph *g, struct random *r, const int *launchable);

#endif
