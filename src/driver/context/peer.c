// Access to the memory of other devices. All devices share the address space, so that access works
// in any case; what is enabled is kept for the documented errors.
#include "driver/driver.h"

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev) {
    ENTER();
    REQUIRE_POINTER(canAccessPeer);
    struct drv_device *a, *b;
    TRY(drv_device_find(dev, &a));
    TRY(drv_device_find(peerDev, &b));
    *canAccessPeer = a != b;
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    struct drv_context *peer;
    REQUIRE(Flags == 0, CUDA_ERROR_INVALID_VALUE, "Flags must be 0");
    TRY(drv_context_find(peerContext, &peer));
    REQUIRE(peer != ctx, CUDA_ERROR_INVALID_CONTEXT, "a context is no peer of itself");
    REQUIRE(peer->device != ctx->device, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
            "both contexts are of device %d", ctx->device->ordinal);
    uint64_t bit = 1ull << peer->device->ordinal;
    drv_lock();
    bool already = ctx->peers & bit;
    ctx->peers |= bit;
    drv_unlock();
    REQUIRE(!already, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
            "access to device %d was enabled before", peer->device->ordinal);
    return CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
    ENTER_CONTEXT(ctx);
    struct drv_context *peer;
    TRY(drv_context_find(peerContext, &peer));
    uint64_t bit = 1ull << peer->device->ordinal;
    drv_lock();
    bool enabled = ctx->peers & bit;
    ctx->peers &= ~bit;
    drv_unlock();
    REQUIRE(enabled, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "access to device %d is not enabled",
            peer->device->ordinal);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                 CUdevice dstDevice) {
    ENTER();
    REQUIRE_POINTER(value);
    struct drv_device *a, *b;
    TRY(drv_device_find(srcDevice, &a));
    TRY(drv_device_find(dstDevice, &b));
    REQUIRE(a != b, CUDA_ERROR_INVALID_DEVICE, "a device is no peer of itself");
    switch (attrib) {
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
        *value = 1;
        return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_ACCESS_SUPPORTED: // arrays
    case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
        *value = 0;
        return CUDA_SUCCESS;
    }
    FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no attribute of peers", (int)attrib);
}
