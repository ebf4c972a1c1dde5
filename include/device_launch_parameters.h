// A name that programs include for threadIdx, blockIdx, blockDim, gridDim, warpSize: all of it comes with cuda_runtime.h.
#ifndef KUDZU_DEVICE_LAUNCH_PARAMETERS_H
#define KUDZU_DEVICE_LAUNCH_PARAMETERS_H

#include "cuda_runtime.h"

#endif
