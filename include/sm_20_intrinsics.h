// A name that programs include for intrinsics from compute capability 2.0 on: all of it comes with cuda_runtime.h.
#ifndef KUDZU_SM_20_INTRINSICS_H
#define KUDZU_SM_20_INTRINSICS_H

#include "cuda_runtime.h"

#endif
