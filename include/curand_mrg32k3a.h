// A part of curand_kernel.h that programs include by name.
#ifndef CURAND_MRG32K3A_H_
#define CURAND_MRG32K3A_H_

#include "curand_kernel.h"

#endif
