// Access between devices. Run with KUDZU_DEVICES=2.
#include "check.h"

int main(void) {
    setenv("KUDZU_DEVICES", "2", 1);
    CUcontext a = check_context(), b;
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
