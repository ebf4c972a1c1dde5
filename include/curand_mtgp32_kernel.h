// A part of curand_kernel.h that programs include by name.
#ifndef CURAND_MTGP32_KERNEL_H_
#define CURAND_MTGP32_KERNEL_H_

#include "curand_kernel.h"

#endif
