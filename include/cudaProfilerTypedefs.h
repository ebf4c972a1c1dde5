// Types of pointers to the driver's functions of cudaProfiler.h: PFN_<name>_v<version>, and PFN_<name> for the
// newest version.
#ifndef KUDZU_CUDA_PROFILER_TYPEDEFS_H
#define KUDZU_CUDA_PROFILER_TYPEDEFS_H

#include "cudaProfiler.h"

#include "cudaTypedefs.h"

#endif
