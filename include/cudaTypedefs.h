// Types of pointers to the driver's functions, PFN_<name>_v<version>, for cuGetProcAddress and
// cudaGetDriverEntryPoint. PFN_<name> is the version that cuda.h's plain name stands for.
#ifndef KUDZU_CUDA_TYPEDEFS_H
#define KUDZU_CUDA_TYPEDEFS_H

#include "cuda.h"

#include "kudzu/driver_types_13.h"
#include "kudzu/driver_types_v1.h"
#if KUDZU_CUDA_VERSION < 13000
#include "kudzu/driver_typedefs.h"
#else
#include "kudzu/driver_typedefs_13.h"
#endif

#endif
