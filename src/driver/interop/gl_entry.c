// The functions of cudaGL.h (guide 6.2.15.1), but for those on buffers of CUDA 2.
#include "driver/interop/graphics.h"

// Flags: none, read only, write discard. CUDA_ERROR_INVALID_GRAPHICS_CONTEXT: the thread has no
// current context of OpenGL.
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource *pCudaResource, unsigned int buffer,
                                    unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pCudaResource);
    return drv_gl_register_buffer(ctx, buffer, Flags, pCudaResource);
}

// A texture of target 2D, rectangle, cubemap, 3D or 2D array, or a renderbuffer. Flags: also those
// of surfaces and gathers.
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource *pCudaResource, unsigned int image,
                                   unsigned int target, unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pCudaResource);
    return drv_gl_register_image(ctx, image, target, Flags, pCudaResource);
}

// Every device works with every OpenGL; device 0 is the one of single frames.
CUresult cuGLGetDevices_v2(unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices,
                           unsigned int cudaDeviceCount, int deviceList) {
    enum { ALL = 1, CURRENT_FRAME = 2, NEXT_FRAME = 3 };
    ENTER();
    struct gl gl;
    REQUIRE(pCudaDevices || !cudaDeviceCount, CUDA_ERROR_INVALID_VALUE,
            "pCudaDevices cannot be NULL");
    REQUIRE(deviceList >= ALL && deviceList <= NEXT_FRAME, CUDA_ERROR_INVALID_VALUE,
            "%d is no list of devices", deviceList);
    TRY(drv_gl_current(&gl));
    unsigned n = deviceList == ALL ? (unsigned)drv_device_count() : 1;
    REQUIRE(drv_device_count(), CUDA_ERROR_NO_DEVICE, "there is no device");
    if (pCudaDeviceCount)
        *pCudaDeviceCount = n;
    for (unsigned k = 0; k < n && k < cudaDeviceCount; k++)
        pCudaDevices[k] = (CUdevice)k;
    return CUDA_SUCCESS;
}

// As cuCtxCreate: no context needs to be made for OpenGL.
CUresult cuGLCtxCreate_v2(CUcontext *pCtx, unsigned int Flags, CUdevice device) {
    return cuCtxCreate_v2(pCtx, Flags, device);
}

// There is nothing to be initialised.
CUresult cuGLInit(void) {
    ENTER();
    return CUDA_SUCCESS;
}
