// Device images that a GPU cannot load as they are.
#ifndef KUDZU_RUNTIME_GPU_IMAGE_H
#define KUDZU_RUNTIME_GPU_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/runtime.h"

// Whether PTX in the container calls the device runtime (guide 13.3), which NVIDIA's driver has no
// part of.
bool gpu_image_calls_device_runtime(const void *container);

// Links the container's PTX for the current device with the device runtime library that the
// container carries (`kudzu cc` put the user's there), and loads that. cudaErrorNotSupported,
// recorded with the reason: it carries none, or the driver cannot link it.
cudaError_t gpu_image_link(const char *function, const void *container, CUlibrary *library);

#endif
