// A name that programs include for the functions common to host and device code: all of it comes with cuda_runtime.h.
#ifndef KUDZU_COMMON_FUNCTIONS_H
#define KUDZU_COMMON_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
