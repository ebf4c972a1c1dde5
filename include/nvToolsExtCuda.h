// Older place of nvtx3/nvToolsExtCuda.h.
#ifndef NVTOOLSEXT_CUDA_H_
#define NVTOOLSEXT_CUDA_H_

#include "nvtx3/nvToolsExtCuda.h"

#endif
