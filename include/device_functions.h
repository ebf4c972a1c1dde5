// A name that programs include for the device functions: all of it comes with cuda_runtime.h.
#ifndef KUDZU_DEVICE_FUNCTIONS_H
#define KUDZU_DEVICE_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
