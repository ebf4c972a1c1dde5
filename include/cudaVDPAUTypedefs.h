// Types of pointers to the driver's functions for VDPAU: PFN_<name>_v<version>, and PFN_<name> for the
// newest version. The names that the graphics APIs have for their types stand for those used here.
#ifndef KUDZU_CUDA_VDPAU_TYPEDEFS_H
#define KUDZU_CUDA_VDPAU_TYPEDEFS_H

#include "cuda.h"

#include "cudaTypedefs.h"

#endif
