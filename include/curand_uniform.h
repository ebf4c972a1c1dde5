// A part of curand_kernel.h that programs include by name.
#ifndef CURAND_UNIFORM_H_
#define CURAND_UNIFORM_H_

#include "curand_kernel.h"

#endif
