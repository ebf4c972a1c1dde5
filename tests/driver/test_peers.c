// Access between devices. Run with KUDZU_DEVICES=2.
#include "check.h"

// Memory of one device that both may touch.
static void mapped(void) {
    enum { PAGE = 2 << 20 };
    CUmemAllocationProp prop;
    CUmemGenericAllocationHandle h;
    CUcontext second;
    CUdeviceptr r;
    CUmemAccessDesc desc[2];
    unsigned long long flags[2] = {9, 9};
    int ordinal = 9, value = 0;
    memset(&prop, 0, sizeof prop);
    memset(desc, 0, sizeof desc);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = 1;
    for (int i = 0; i < 2; i++) {
        desc[i].location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        desc[i].location.id = i;
        desc[i].flags = i ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_READ;
    }
    NEED(cuMemCreate(&h, PAGE, &prop, 0));
    NEED(cuMemAddressReserve(&r, PAGE, 0, 0, 0));
    NEED(cuMemMap(r, PAGE, 0, h, 0));
    NEED(cuMemSetAccess(r, PAGE, desc, 2));
    for (int i = 0; i < 2; i++)
        OK(cuMemGetAccess(&flags[i], &desc[i].location, r));
    CHECK(flags[0] == CU_MEM_ACCESS_FLAGS_PROT_READ);
    CHECK(flags[1] == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, r));
    CHECK(ordinal == 1);
    EXPECT(cuMemsetD32(r, 5, 1), CUDA_ERROR_INVALID_VALUE); // the first device may only read
    NEED(cuCtxCreate(&second, 0, 1));
    OK(cuMemsetD32(r, 5, 1));
    OK(cuCtxDestroy(second));
    OK(cuMemcpyDtoH(&value, r, 4));
    CHECK(value == 5);
    OK(cuMemUnmap(r, PAGE));
    OK(cuMemAddressFree(r, PAGE));
    OK(cuMemRelease(h));
}

static void pools(void) {
    CUmemPoolProps props;
    CUmemoryPool pool, default_pool;
    CUmemAccessDesc desc;
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    CUdeviceptr p;
    int ordinal = 9;
    memset(&props, 0, sizeof props);
    memset(&desc, 0, sizeof desc);
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    props.location.id = 1;
    desc.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    desc.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    NEED(cuMemPoolCreate(&pool, &props));
    OK(cuMemPoolGetAccess(&flags, pool, &desc.location));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    OK(cuMemPoolSetAccess(pool, &desc, 1));
    OK(cuMemPoolGetAccess(&flags, pool, &desc.location));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    EXPECT(cuDeviceSetMemPool(0, pool), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceSetMemPool(1, pool));
    // From a stream of device 0, memory of device 1.
    OK(cuMemAllocFromPoolAsync(&p, 1000, pool, NULL));
    OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
    CHECK(ordinal == 1);
    OK(cuMemsetD8Async(p, 1, 1000, NULL));
    OK(cuMemFreeAsync(p, NULL));
    OK(cuStreamSynchronize(NULL));
    desc.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    OK(cuMemPoolSetAccess(pool, &desc, 1));
    OK(cuMemPoolDestroy(pool));
    OK(cuDeviceGetMemPool(&pool, 1));
    OK(cuDeviceGetDefaultMemPool(&default_pool, 1));
    CHECK(pool == default_pool);
}

int main(void) {
    setenv("KUDZU_DEVICES", "2", 1);
    CUcontext a = check_context(), b;
    mapped();
    pools();
    int can = 0, value = 0;
    CUdeviceptr p, q;
    char text[8] = "peers", back[8] = "";
    OK(cuMemAlloc(&p, 8));
    NEED(cuCtxCreate(&b, 0, 1));
    OK(cuMemAlloc(&q, 8));
    OK(cuDeviceCanAccessPeer(&can, 0, 1));
    CHECK(can == 1);
    OK(cuDeviceCanAccessPeer(&can, 1, 1));
    CHECK(can == 0);
    EXPECT(cuDeviceCanAccessPeer(&can, 0, 2), CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuDeviceCanAccessPeer(NULL, 0, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxEnablePeerAccess(a, 0));
    EXPECT(cuCtxEnablePeerAccess(a, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    EXPECT(cuCtxEnablePeerAccess(a, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuCtxEnablePeerAccess(b, 0), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuMemcpyHtoD(q, text, 8));
    OK(cuMemcpyPeer(p, a, q, b, 8));
    OK(cuMemcpyPeerAsync(q, b, p, a, 8, 0));
    OK(cuMemcpyDtoH(back, q, 8));
    CHECK(!strcmp(back, "peers"));
    OK(cuCtxDisablePeerAccess(a));
    EXPECT(cuCtxDisablePeerAccess(a), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    OK(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
    CHECK(value == 1);
    EXPECT(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0),
           CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuDeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)9, 0, 1),
           CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxDestroy(b));
    OK(cuCtxDestroy(a));
    return check_result();
}
