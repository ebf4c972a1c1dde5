// A name that programs include for 64-bit atomics: all of it comes with cuda_runtime.h.
#ifndef KUDZU_SM_32_ATOMIC_FUNCTIONS_H
#define KUDZU_SM_32_ATOMIC_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
