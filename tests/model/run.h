// Runs a program on the driver and compares with the model.
#ifndef KUDZU_TESTS_MODEL_RUN_H
#define KUDZU_TESTS_MODEL_RUN_H

#include <cuda.h>

#include "program.h"

// The kernel of STEP_KERNEL, loaded into the current context.
CUresult run_load(CUmodule *module, CUfunction *mix);
// Number of differences; each is printed. The context is current.
int run_program(const struct program *p, CUfunction mix);

#endif
