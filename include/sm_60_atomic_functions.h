// A name that programs include for double atomics and atomics with a scope: all of it comes with cuda_runtime.h.
#ifndef KUDZU_SM_60_ATOMIC_FUNCTIONS_H
#define KUDZU_SM_60_ATOMIC_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
