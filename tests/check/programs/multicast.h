// What programs with multicast objects share: an object with the memory of one device.
#pragma once
#include "suite.h"
#include <cuda.h>

enum { PAGE = 2 << 20 };
#define DRIVER(call) OK((call) == CUDA_SUCCESS ? cudaSuccess : cudaErrorUnknown)

struct multicast {
    CUmemGenericAllocationHandle object, memory;
    CUdeviceptr all, own; // where the object and the memory alone are mapped
};

static CUdeviceptr mapped(CUmemGenericAllocationHandle h) {
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr p;
    DRIVER(cuMemAddressReserve(&p, PAGE, 0, 0, 0));
    DRIVER(cuMemMap(p, PAGE, 0, h, 0));
    DRIVER(cuMemSetAccess(p, PAGE, &access, 1));
    return p;
}

static void unmapped(CUdeviceptr p) {
    DRIVER(cuMemUnmap(p, PAGE));
    DRIVER(cuMemAddressFree(p, PAGE));
}

static multicast multicast_begin() {
    CUmulticastObjectProp prop = {};
    CUmemAllocationProp plain = {};
    multicast m;
    OK(cudaFree(nullptr));
    prop.numDevices = 1;
    prop.size = PAGE;
    plain.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    plain.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    DRIVER(cuMulticastCreate(&m.object, &prop));
    DRIVER(cuMulticastAddDevice(m.object, 0));
    DRIVER(cuMemCreate(&m.memory, PAGE, &plain, 0));
    m.own = mapped(m.memory);
    DRIVER(cuMulticastBindMem(m.object, 0, m.memory, 0, PAGE, 0));
    m.all = mapped(m.object);
    OK(cudaMemset((void *)m.own, 0, PAGE));
    OK(cudaDeviceSynchronize());
    return m;
}

static void multicast_end(const multicast &m) {
    unmapped(m.all);
    DRIVER(cuMulticastUnbind(m.object, 0, 0, PAGE));
    DRIVER(cuMemRelease(m.object));
    unmapped(m.own);
    DRIVER(cuMemRelease(m.memory));
}
