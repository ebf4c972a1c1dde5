// A part of curand_kernel.h that programs include by name.
#ifndef CURAND_PHILOX4X32_X_H_
#define CURAND_PHILOX4X32_X_H_

#include "curand_kernel.h"

#endif
