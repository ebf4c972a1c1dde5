// Profiler control of the driver API. Its functions are declared with all others.
#ifndef __CUDA_PROFILER_H__
#define __CUDA_PROFILER_H__
#include "cuda.h"
#endif
