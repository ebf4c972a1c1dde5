// Types of pointers to the driver's functions of cudaGL.h, for OpenGL: PFN_<name>_v<version>, and PFN_<name> for the
// newest version. The names that the graphics APIs have for their types stand for those used here.
#ifndef KUDZU_CUDA_GL_TYPEDEFS_H
#define KUDZU_CUDA_GL_TYPEDEFS_H

#include "cuda.h"

#include "cudaTypedefs.h"

#endif
