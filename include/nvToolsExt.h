// Older place of nvtx3/nvToolsExt.h.
#ifndef NVTOOLSEXT_H_
#define NVTOOLSEXT_H_

#include "nvtx3/nvToolsExt.h"

#endif
