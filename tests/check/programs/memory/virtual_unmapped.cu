// Only the first half of a reserved range of addresses is mapped; the kernel writes into the
// second. Guide, 14.4 and 14.6.
// options: -lcuda
#include "../suite.h"
#include <cuda.h>

#define DRIVER(call)                                                                               \
    do                                                                                             \
        if ((call) != CUDA_SUCCESS)                                                                \
            exit(2);                                                                               \
    while (0)

__global__ void set(char *a, size_t at) {
    a[at] = 1; // bug: memory.virtual
}

int main() {
    OK(cudaFree(0));
    CUmemAllocationProp property = {};
    property.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    property.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    size_t grain;
    CUdeviceptr base;
    CUmemGenericAllocationHandle memory;
    DRIVER(cuMemGetAllocationGranularity(&grain, &property, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    DRIVER(cuMemAddressReserve(&base, 2 * grain, 0, 0, 0));
    DRIVER(cuMemCreate(&memory, grain, &property, 0));
    DRIVER(cuMemMap(base, grain, 0, memory, 0));
    CUmemAccessDesc access = {property.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    DRIVER(cuMemSetAccess(base, grain, &access, 1));
#ifdef BUG
    set<<<1, 1>>>((char *)base, grain);
#else
    set<<<1, 1>>>((char *)base, grain - 1);
#endif
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    DRIVER(cuMemUnmap(base, grain));
    DRIVER(cuMemRelease(memory));
    DRIVER(cuMemAddressFree(base, 2 * grain));
    return verdict(true);
}
