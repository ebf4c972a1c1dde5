// A name that programs include for the atomic functions: all of it comes with cuda_runtime.h.
#ifndef KUDZU_DEVICE_ATOMIC_FUNCTIONS_H
#define KUDZU_DEVICE_ATOMIC_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
