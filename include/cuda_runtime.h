// The runtime API and, when a CUDA source is compiled, the device language. `kudzu cc` includes
// this header at the head of every .cu file.
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "host_defines.h"

#if defined(__CUDACC_RTC__) // there is no host code, and no C library
#include "builtin_types.h"

#include "kudzu/rtc_language.h"
#else

#if defined(__CUDA__) && defined(__cplusplus)
#include "kudzu/standard_headers.h"
#endif

#include "builtin_types.h"
#include "cuda_runtime_api.h"
#include "library_types.h"
#include "vector_functions.h"

#if defined(__CUDA__) && defined(__cplusplus)
#include "kudzu/device_language.h"
#endif

#if defined(__cplusplus)
#include "channel_descriptor.h"
#include "driver_functions.h"
#include "surface_indirect_functions.h"
#include "texture_indirect_functions.h"

#include "kudzu/runtime_templates.h"
#endif

#endif

#endif
