// A name that programs include for dot products of packed integers: all of it comes with cuda_runtime.h.
#ifndef KUDZU_SM_61_INTRINSICS_H
#define KUDZU_SM_61_INTRINSICS_H

#include "cuda_runtime.h"

#endif
