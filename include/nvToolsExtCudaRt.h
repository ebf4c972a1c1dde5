// Older place of nvtx3/nvToolsExtCudaRt.h.
#ifndef NVTOOLSEXT_CUDART_H_
#define NVTOOLSEXT_CUDART_H_

#include "nvtx3/nvToolsExtCudaRt.h"

#endif
