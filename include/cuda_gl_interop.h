// The runtime and OpenGL (guide 6.2.15.1). A context of OpenGL is current to the calling thread.
#ifndef KUDZU_CUDA_GL_INTEROP_H
#define KUDZU_CUDA_GL_INTEROP_H

#include <GL/gl.h>

#include "cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cudaGLDeviceList {
    cudaGLDeviceListAll = 1,
    cudaGLDeviceListCurrentFrame = 2,
    cudaGLDeviceListNextFrame = 3
};

enum cudaGLMapFlags {
    cudaGLMapFlagsNone = 0,
    cudaGLMapFlagsReadOnly = 1,
    cudaGLMapFlagsWriteDiscard = 2
};

cudaError_t CUDARTAPI cudaGLGetDevices(unsigned int *pCudaDeviceCount, int *pCudaDevices,
                                       unsigned int cudaDeviceCount,
                                       enum cudaGLDeviceList deviceList);
cudaError_t CUDARTAPI cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource,
                                                  GLuint image, GLenum target, unsigned int flags);
cudaError_t CUDARTAPI cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource,
                                                   GLuint buffer, unsigned int flags);
cudaError_t CUDARTAPI cudaGLSetGLDevice(int device);
cudaError_t CUDARTAPI cudaGLRegisterBufferObject(GLuint bufObj);
cudaError_t CUDARTAPI cudaGLMapBufferObject(void **devPtr, GLuint bufObj);
cudaError_t CUDARTAPI cudaGLUnmapBufferObject(GLuint bufObj);
cudaError_t CUDARTAPI cudaGLUnregisterBufferObject(GLuint bufObj);
cudaError_t CUDARTAPI cudaGLSetBufferObjectMapFlags(GLuint bufObj, unsigned int flags);
cudaError_t CUDARTAPI cudaGLMapBufferObjectAsync(void **devPtr, GLuint bufObj, cudaStream_t stream);
cudaError_t CUDARTAPI cudaGLUnmapBufferObjectAsync(GLuint bufObj, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
