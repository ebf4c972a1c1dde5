// A name that programs include for float atomics: all of it comes with cuda_runtime.h.
#ifndef KUDZU_SM_20_ATOMIC_FUNCTIONS_H
#define KUDZU_SM_20_ATOMIC_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
