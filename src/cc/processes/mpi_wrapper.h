// Compiler wrappers of MPI (mpicxx): what they add to a compiler's command.
#ifndef KUDZU_CC_MPI_WRAPPER_H
#define KUDZU_CC_MPI_WRAPPER_H

#include <stdbool.h>

#include "support/arena.h"

// Whether a program's name is that of such a wrapper: mpicxx, mpic++.openmpi, /opt/bin/mpiicpx.
bool mpi_wrapper_is(const char *program);

// The options that the wrapper would hand to its compiler, as a shell has them, for compiling or
// for linking. NULL: it does not tell.
const char *mpi_wrapper_options(struct arena *arena, const char *program, bool link);

#endif
