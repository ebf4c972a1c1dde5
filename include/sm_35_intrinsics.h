// A name that programs include for read-only loads: all of it comes with cuda_runtime.h.
#ifndef KUDZU_SM_35_INTRINSICS_H
#define KUDZU_SM_35_INTRINSICS_H

#include "cuda_runtime.h"

#endif
