// Access between devices (guide 6.2.9.4). A device is no peer of itself.
#include "runtime/runtime.h"

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice) {
    RT_REQUIRE(canAccessPeer, cudaErrorInvalidValue, "canAccessPeer must not be NULL");
    RT_TRY(rt_check_device(__func__, device));
    RT_TRY(rt_check_device(__func__, peerDevice));
    *canAccessPeer = 0;
    if (device == peerDevice)
        return cudaSuccess;
    return rt_result(RT_CALL(cuDeviceCanAccessPeer, canAccessPeer, device, peerDevice));
}

static cudaError_t peer_context(const char *function, int peer, CUcontext *context) {
    RT_TRY(rt_check_device(function, peer));
    if (peer == rt_thread.context_device)
        return rt_fail(function, cudaErrorInvalidDevice, "device %d is the current one", peer);
    return rt_primary_context(peer, context);
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
    CUcontext peer;
    RT_ENTER();
    RT_REQUIRE(flags == 0, cudaErrorInvalidValue, "flags is reserved and must be 0");
    RT_TRY(peer_context(__func__, peerDevice, &peer));
    return rt_result(RT_CALL(cuCtxEnablePeerAccess, peer, flags));
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
    CUcontext peer;
    RT_ENTER();
    RT_TRY(peer_context(__func__, peerDevice, &peer));
    return rt_result(RT_CALL(cuCtxDisablePeerAccess, peer));
}

cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                                const enum cudaAtomicOperation *operations,
                                                unsigned int count, int device) {
    RT_TRY(rt_check_device(__func__, device));
    return rt_result(RT_CALL(cuDeviceGetHostAtomicCapabilities, capabilities,
                             (const CUatomicOperation *)operations, count, device));
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                               const enum cudaAtomicOperation *operations,
                                               unsigned int count, int srcDevice, int dstDevice) {
    RT_TRY(rt_check_device(__func__, srcDevice));
    RT_TRY(rt_check_device(__func__, dstDevice));
    return rt_result(RT_CALL(cuDeviceGetP2PAtomicCapabilities, capabilities,
                             (const CUatomicOperation *)operations, count, srcDevice, dstDevice));
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice,
                                      int dstDevice) {
    RT_REQUIRE(value, cudaErrorInvalidValue, "value must not be NULL");
    RT_TRY(rt_check_device(__func__, srcDevice));
    RT_TRY(rt_check_device(__func__, dstDevice));
    RT_REQUIRE(srcDevice != dstDevice, cudaErrorInvalidDevice,
               "srcDevice and dstDevice must be different devices");
    return rt_result(
        RT_CALL(cuDeviceGetP2PAttribute, value, (CUdevice_P2PAttribute)attr, srcDevice, dstDevice));
}
