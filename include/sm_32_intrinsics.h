// A name that programs include for read-only loads and funnel shifts: all of it comes with cuda_runtime.h.
#ifndef KUDZU_SM_32_INTRINSICS_H
#define KUDZU_SM_32_INTRINSICS_H

#include "cuda_runtime.h"

#endif
