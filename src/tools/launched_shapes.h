// With which shapes of blocks a program launches its kernels: found out by running it.
#ifndef KUDZU_TOOLS_LAUNCHED_SHAPES_H
#define KUDZU_TOOLS_LAUNCHED_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "support/run_report.h"

struct launched_shapes {
    struct run_report *report; // NULL: the program could not be run
    int status;                // as waitpid gives it
    bool stopped;              // it took too long
    int output;                // a file with what it printed
};

// Runs the program on kudzu's device, without input, for `seconds` at most.
void launched_shapes_run(struct launched_shapes *l, const char *path, char **arguments,
                         unsigned seconds);
// How many shapes there are; *more: others were left out.
uint32_t launched_shapes_count(const struct launched_shapes *l, bool *more);
// Whether shape k is of this kernel, which has the name that PTX has.
bool launched_shapes_is_of(const struct launched_shapes *l, uint32_t k, const char *kernel);

#endif
