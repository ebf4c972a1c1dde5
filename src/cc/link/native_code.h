// Native code for images: PTX through libkudzu-jit.so, compiled for named processors.
#ifndef KUDZU_CC_NATIVE_CODE_H
#define KUDZU_CC_NATIVE_CODE_H

#include "cc/processes/cc.h"

#include <stdint.h>

// Compiles every kernel of the PTX text in its general form for each level in `levels` (bits
// 1 << enum kd_level) to a native image (image.h). *out is malloc'ed.
bool native_code_build(const char *ptx, size_t size, uint32_t levels, void **out, size_t *out_size);

#endif
