// Copies in one to three dimensions, between all kinds of memory.
#include "check.h"

enum { N = 1000 };

static unsigned char host[N], back[N];

static void fill_host(void) {
    for (int i = 0; i < N; i++)
        host[i] = (unsigned char)(i * 7 + 3);
    memset(back, 0, sizeof back);
}

static void linear(CUstream stream) {
    CUdeviceptr a, b;
    OK(cuMemAlloc(&a, N));
    OK(cuMemAlloc(&b, N));
    fill_host();
    OK(cuMemcpyHtoD(a, host, N));
    OK(cuMemcpyDtoD(b, a, N));
    OK(cuMemcpyDtoH(back, b, N));
    CHECK(!memcmp(host, back, N));
    fill_host();
    OK(cuMemsetD8(a, 0, N));
    OK(cuMemcpyHtoDAsync(a, host, N, stream));
    OK(cuMemcpyDtoDAsync(b, a, N, stream));
    OK(cuMemcpyDtoHAsync(back, b, N, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(!memcmp(host, back, N));
    // Any direction, from the addresses alone.
    fill_host();
    OK(cuMemcpy(a, (CUdeviceptr)(size_t)host, N));
    OK(cuMemcpy((CUdeviceptr)(size_t)back, a + 10, N - 10));
    CHECK(!memcmp(host + 10, back, N - 10));
    OK(cuMemcpyAsync((CUdeviceptr)(size_t)back, (CUdeviceptr)(size_t)host, N, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(!memcmp(host, back, N));
    OK(cuMemFree(a));
    OK(cuMemFree(b));
}

// A pageable source may change as soon as the call returns.
static void staged(CUstream stream) {
    CUdeviceptr a;
    OK(cuMemAlloc(&a, N));
    fill_host();
    OK(cuMemcpyHtoDAsync(a, host, N, stream));
    memset(host, 0xEE, N);
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(back, a, N));
    fill_host();
    unsigned char want[N];
    for (int i = 0; i < N; i++)
        want[i] = (unsigned char)(i * 7 + 3);
    OK(cuMemcpyDtoH(back, a, N));
    CHECK(!memcmp(want, back, N));
    OK(cuMemFree(a));
}

// Memory of the system is unified memory, whatever the direction that the call names.
static void system_memory(CUstream stream) {
    CUdeviceptr a, h = (CUdeviceptr)(size_t)host, b = (CUdeviceptr)(size_t)back;
    OK(cuMemAlloc(&a, N));
    fill_host();
    memset(back, 0, N);
    OK(cuMemcpyHtoD(b, host, N));
    CHECK(!memcmp(host, back, N));
    memset(back, 0, N);
    OK(cuMemcpyDtoH(back, h, N));
    CHECK(!memcmp(host, back, N));
    OK(cuMemcpyDtoDAsync(a, h, N, stream));
    memset(back, 0, N);
    OK(cuMemcpyDtoDAsync(b, a, N, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(!memcmp(host, back, N));
    OK(cuMemFree(a));
    EXPECT(cuMemcpyDtoD(b, a, 4), CUDA_ERROR_INVALID_VALUE);
}

static void errors(CUstream stream) {
    CUdeviceptr a;
    OK(cuMemAlloc(&a, N));
    EXPECT(cuMemcpyHtoD(a, host, N + 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyHtoD(a + 1, host, N), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyHtoD(a, host, (size_t)-1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyHtoD(0, host, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyHtoD(a, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyDtoH(NULL, a, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyHtoD(4096, host, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyDtoH(back, 4096, 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemcpyHtoD(a, host, 0));
    EXPECT(cuMemcpyHtoDAsync(a, host, 4, (CUstream)0x777), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuMemcpyPeer(a, NULL, a, NULL, 4), CUDA_ERROR_INVALID_CONTEXT);
    CUdeviceptr stale = a;
    OK(cuMemFree(a));
    EXPECT(cuMemcpyHtoD(stale, host, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyDtoHAsync(back, stale, 4, stream), CUDA_ERROR_INVALID_VALUE);
}

static void rectangle(CUstream stream) {
    enum { W = 20, H = 12, PITCH = 32 };
    CUdeviceptr d;
    size_t pitch;
    OK(cuMemAllocPitch(&d, &pitch, W, H, 4));
    fill_host();
    CUDA_MEMCPY2D up = {0};
    up.srcMemoryType = CU_MEMORYTYPE_HOST;
    up.srcHost = host;
    up.srcPitch = PITCH;
    up.srcXInBytes = 3;
    up.srcY = 2;
    up.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    up.dstDevice = d;
    up.dstPitch = pitch;
    up.WidthInBytes = W;
    up.Height = H;
    OK(cuMemcpy2D(&up));
    CUDA_MEMCPY2D down = {0};
    down.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    down.srcDevice = d;
    down.srcPitch = pitch;
    down.dstMemoryType = CU_MEMORYTYPE_HOST;
    down.dstHost = back;
    down.dstPitch = W;
    down.WidthInBytes = W;
    down.Height = H;
    OK(cuMemcpy2DAsync(&down, stream));
    OK(cuStreamSynchronize(stream));
    int good = 1;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            good &= back[y * W + x] == host[(y + 2) * PITCH + x + 3];
    CHECK(good);
    up.Height = 0;
    OK(cuMemcpy2D(&up));
    up.Height = H;
    up.srcPitch = W + 2; // with srcXInBytes 3: too small
    EXPECT(cuMemcpy2D(&up), CUDA_ERROR_INVALID_VALUE);
    up.srcPitch = PITCH;
    up.dstY = 1; // one row beyond the allocation
    EXPECT(cuMemcpy2DUnaligned(&up), CUDA_ERROR_INVALID_VALUE);
    up.dstY = (size_t)1 << 60;
    EXPECT(cuMemcpy2D(&up), CUDA_ERROR_INVALID_VALUE);
    up.dstY = 0;
    up.dstMemoryType = (CUmemorytype)9;
    EXPECT(cuMemcpy2D(&up), CUDA_ERROR_INVALID_VALUE);
    up.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    EXPECT(cuMemcpy2D(&up), CUDA_ERROR_INVALID_HANDLE);
    up.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    up.srcHost = NULL;
    EXPECT(cuMemcpy2D(&up), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpy2D(NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(d));
}

static void box(CUcontext ctx, CUstream stream) {
    enum { W = 5, H = 4, D = 3, PITCH = 8, ROWS = 6 };
    CUdeviceptr d;
    OK(cuMemAlloc(&d, PITCH * ROWS * D));
    fill_host();
    CUDA_MEMCPY3D up = {0};
    up.srcMemoryType = CU_MEMORYTYPE_HOST;
    up.srcHost = host;
    up.srcPitch = W;
    up.srcHeight = H;
    up.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    up.dstDevice = d;
    up.dstPitch = PITCH;
    up.dstHeight = ROWS;
    up.dstXInBytes = 2;
    up.dstY = 1;
    up.WidthInBytes = W;
    up.Height = H;
    up.Depth = D;
    OK(cuMemcpy3D(&up));
    OK(cuMemcpyDtoH(back, d, PITCH * ROWS * D));
    int good = 1;
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                good &= back[(z * ROWS + y + 1) * PITCH + x + 2] == host[(z * H + y) * W + x];
    CHECK(good);
    CUDA_MEMCPY3D_PEER down = {0};
    memset(back, 0, sizeof back);
    down.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    down.srcDevice = d;
    down.srcContext = ctx;
    down.srcPitch = PITCH;
    down.srcHeight = ROWS;
    down.srcXInBytes = 2;
    down.srcY = 1;
    down.dstMemoryType = CU_MEMORYTYPE_HOST;
    down.dstHost = back;
    down.dstContext = ctx;
    down.dstPitch = W;
    down.dstHeight = H;
    down.WidthInBytes = W;
    down.Height = H;
    down.Depth = D;
    OK(cuMemcpy3DPeerAsync(&down, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(!memcmp(back, host, W * H * D));
    up.dstHeight = H - 1;
    EXPECT(cuMemcpy3D(&up), CUDA_ERROR_INVALID_VALUE);
    up.dstHeight = ROWS;
    up.dstZ = 1;
    EXPECT(cuMemcpy3D(&up), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpy3D(NULL), CUDA_ERROR_INVALID_VALUE);
    down.srcContext = NULL;
    OK(cuMemcpy3DPeer(&down)); // as an H200's driver 580: NULL stands for the stream's
    OK(cuMemFree(d));
}

int main(void) {
    CUcontext ctx = check_context();
    CUstream stream;
    NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    linear(0);
    linear(stream);
    linear(CU_STREAM_LEGACY);
    linear(CU_STREAM_PER_THREAD);
    staged(stream);
    system_memory(stream);
    errors(stream);
    rectangle(stream);
    box(ctx, stream);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
