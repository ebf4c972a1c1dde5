// A name that programs include for warp shuffles: all of it comes with cuda_runtime.h.
#ifndef KUDZU_SM_30_INTRINSICS_H
#define KUDZU_SM_30_INTRINSICS_H

#include "cuda_runtime.h"

#endif
