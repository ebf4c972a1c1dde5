// NVIDIA's device runtime library, where the user has it.
#ifndef KUDZU_CC_DEVICE_RUNTIME_ARCHIVE_H
#define KUDZU_CC_DEVICE_RUNTIME_ARCHIVE_H

#include "cc/options/options.h"

// Whether PTX calls the device runtime (guide 13.3), which a GPU's driver lacks.
bool calls_device_runtime(const char *ptx);

// The path of libcudadevrt.a: in the folders of -L, then below CUDA_HOME and CUDA_PATH; NULL where
// there is none with members, or with -cudadevrt none. kudzu's own has none.
const char *device_runtime_archive(struct arena *arena, const struct cc_options *o);

#endif
