// Compiled alone, as C and as C++: the public headers of the driver, and the layouts of the
// documented interface.
#ifdef TYPEDEFS
#include <cudaEGLTypedefs.h>
#include <cudaGLTypedefs.h>
#include <cudaProfilerTypedefs.h>
#include <cudaTypedefs.h>
#include <cudaVDPAUTypedefs.h>
// As programs name them.
extern PFN_cuProfilerStart profiler_start;
extern PFN_cuGLGetDevices gl_devices;
extern PFN_cuGraphicsGLRegisterBuffer_v3000 gl_register;
extern PFN_cuVDPAUGetDevice vdpau_device;
extern PFN_cuEGLStreamConsumerConnect egl_connect;
#else
#include <cuda.h>
#endif
#ifndef KUDZU_CUDA_H
#error "another cuda.h was found first"
#endif

#define SIZE(type, bytes) typedef char size_of_##type[sizeof(type) == (bytes) ? 1 : -1]

SIZE(CUdeviceptr, 8);
SIZE(CUdevice, 4);
SIZE(CUuuid, 16);
SIZE(CUdevprop, 56);
SIZE(CUDA_MEMCPY2D, 128);
SIZE(CUDA_MEMCPY3D, 200);
SIZE(CUDA_MEMCPY3D_PEER, 200);
SIZE(CUDA_ARRAY_DESCRIPTOR, 24);
SIZE(CUDA_ARRAY3D_DESCRIPTOR, 40);
SIZE(CUDA_RESOURCE_DESC, 144);
SIZE(CUDA_TEXTURE_DESC, 104);
SIZE(CUDA_RESOURCE_VIEW_DESC, 112);
SIZE(CUlaunchAttribute, 72);
SIZE(CUlaunchAttributeValue, 64);
SIZE(CUlaunchConfig, 56);
SIZE(CUmemPoolProps, 88);
SIZE(CUmemAllocationProp, 32);
SIZE(CUmemLocation_v1, 8);
SIZE(CUmemPoolProps_v1, 88);
SIZE(CUkernelNodeAttrValue_v1, 64);
SIZE(CUipcMemHandle_v1, 64);
SIZE(CUipcMemHandle, 64);
SIZE(CUstreamBatchMemOpParams, 48);
SIZE(CUtensorMap, 128);
SIZE(CUDA_KERNEL_NODE_PARAMS, 72);
SIZE(CUgraphNodeParams, 256);
SIZE(CUgraphEdgeData, 8);

#ifdef TYPEDEFS
SIZE(CUDA_MEMCPY2D_v1, 96);
SIZE(CUDA_ARRAY_DESCRIPTOR_v1, 16);
SIZE(CUDA_KERNEL_NODE_PARAMS_v1, 56);
#endif

CUresult use(CUdeviceptr *p, CUstream s);
CUresult use(CUdeviceptr *p, CUstream s) {
    CUresult r = cuMemAlloc(p, 16);
    return r == CUDA_SUCCESS ? cuMemsetD8Async(*p, 0, 16, s) : r;
}

// One attribute has two names.
typedef char one_value[(int)CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ==
                               (int)CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED
                           ? 1
                           : -1];
