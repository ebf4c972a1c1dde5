// OpenGL (guide 6.2.15.1): the functions of cuda_gl_interop.h.
#include "runtime/runtime.h"

cudaError_t cudaGLGetDevices(unsigned int *pCudaDeviceCount, int *pCudaDevices,
                             unsigned int cudaDeviceCount, int deviceList) {
    RT_INIT();
    return rt_result(
        RT_CALL(cuGLGetDevices, pCudaDeviceCount, pCudaDevices, cudaDeviceCount, deviceList));
}

cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource, unsigned int image,
                                        unsigned int target, unsigned int flags) {
    RT_REQUIRE(resource, cudaErrorInvalidValue, "resource must not be NULL");
    RT_ENTER();
    return rt_result(
        RT_CALL(cuGraphicsGLRegisterImage, (CUgraphicsResource *)resource, image, target, flags));
}

cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource,
                                         unsigned int buffer, unsigned int flags) {
    RT_REQUIRE(resource, cudaErrorInvalidValue, "resource must not be NULL");
    RT_ENTER();
    return rt_result(
        RT_CALL(cuGraphicsGLRegisterBuffer, (CUgraphicsResource *)resource, buffer, flags));
}

// Any device works with OpenGL.
cudaError_t cudaGLSetGLDevice(int device) {
    return cudaSetDevice(device);
}

cudaError_t cudaGLRegisterBufferObject(unsigned int bufObj) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGLRegisterBufferObject, bufObj));
}

cudaError_t cudaGLMapBufferObject(void **devPtr, unsigned int bufObj) {
    CUdeviceptr address = 0;
    RT_REQUIRE(devPtr, cudaErrorInvalidValue, "devPtr must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuGLMapBufferObject, &address, NULL, bufObj)));
    *devPtr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaGLUnmapBufferObject(unsigned int bufObj) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGLUnmapBufferObject, bufObj));
}

cudaError_t cudaGLUnregisterBufferObject(unsigned int bufObj) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGLUnregisterBufferObject, bufObj));
}

cudaError_t cudaGLSetBufferObjectMapFlags(unsigned int bufObj, unsigned int flags) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGLSetBufferObjectMapFlags, bufObj, flags));
}

cudaError_t cudaGLMapBufferObjectAsync(void **devPtr, unsigned int bufObj, cudaStream_t stream) {
    CUdeviceptr address = 0;
    RT_REQUIRE(devPtr, cudaErrorInvalidValue, "devPtr must not be NULL");
    RT_ENTER();
    RT_TRY(rt_result(RT_CALL(cuGLMapBufferObjectAsync, &address, NULL, bufObj, stream)));
    *devPtr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t cudaGLUnmapBufferObjectAsync(unsigned int bufObj, cudaStream_t stream) {
    RT_ENTER();
    return rt_result(RT_CALL(cuGLUnmapBufferObjectAsync, bufObj, stream));
}
