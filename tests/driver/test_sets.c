// Setting memory.
#include "check.h"

enum { N = 64 };

static CUdeviceptr d;

static int all_32(unsigned value, int from, int to) {
    unsigned back[N];
    OK(cuMemcpyDtoH(back, d, sizeof back));
    for (int i = 0; i < N; i++)
        if ((i >= from && i < to) != (back[i] == value))
            return 0;
    return 1;
}

static void linear(CUstream s) {
    OK(cuMemsetD8(d, 0x11, N * 4));
    CHECK(all_32(0x11111111, 0, N));
    OK(cuMemsetD16(d + 8, 0x2233, 8));
    CHECK(all_32(0x22332233, 2, 6));
    OK(cuMemsetD32(d + 16, 0xABCDEF01, 3));
    CHECK(all_32(0xABCDEF01, 4, 7));
    OK(cuMemsetD8Async(d, 0x44, N * 4, s));
    OK(cuMemsetD16Async(d, 0x5555, 4, s));
    OK(cuMemsetD32Async(d + 240, 7, 4, s));
    OK(cuStreamSynchronize(s));
    CHECK(all_32(0x55555555, 0, 2));
    CHECK(all_32(7, 60, 64));
    OK(cuMemsetD8(d, 9, 0));
}

static void rectangle(CUstream s) {
    unsigned char back[N * 4];
    OK(cuMemsetD8(d, 0, N * 4));
    OK(cuMemsetD2D8(d + 1, 16, 5, 3, 4));
    OK(cuMemcpyDtoH(back, d, sizeof back));
    int good = 1;
    for (int i = 0; i < N * 4; i++)
        good &= back[i] == (i / 16 < 4 && i % 16 >= 1 && i % 16 < 4 ? 5 : 0);
    CHECK(good);
    OK(cuMemsetD2D16(d, 16, 0x0102, 2, 2));
    OK(cuMemsetD2D32(d, 16, 0x01020304, 2, 2));
    OK(cuMemsetD2D8Async(d, 16, 1, 2, 2, s));
    OK(cuMemsetD2D16Async(d, 16, 1, 2, 2, s));
    OK(cuMemsetD2D32Async(d, 16, 3, 1, 2, s));
    OK(cuStreamSynchronize(s));
    OK(cuMemcpyDtoH(back, d, sizeof back));
    CHECK(back[0] == 3 && back[16] == 3 && back[4] == 4);
}

static void errors(void) {
    EXPECT(cuMemsetD8(d, 0, N * 4 + 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemsetD32(d, 0, (size_t)1 << 62), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemsetD32(d + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemsetD16(d + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemsetD8(0, 0, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemsetD2D32(d, 6, 0, 1, 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemsetD2D32(d, 4, 0, 2, 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemsetD2D8(d, 16, 0, 16, 17), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemsetD8Async(d, 0, 1, (CUstream)0x999), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuMemsetD8(4096, 0, 8), CUDA_ERROR_INVALID_VALUE);
    char local[8] = "abcdefg"; // memory of the system is unified memory
    OK(cuMemsetD8((CUdeviceptr)(size_t)local, 'x', 7));
    CHECK(!strcmp(local, "xxxxxxx"));
}

// The host sees memory that it shares as soon as the call returns.
static void shared_with_host(void) {
    void *p;
    CUdeviceptr m;
    OK(cuMemAllocHost(&p, 100));
    OK(cuMemsetD8((CUdeviceptr)(size_t)p, 3, 100));
    CHECK(((char *)p)[99] == 3);
    OK(cuMemAllocManaged(&m, 100, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemsetD8(m, 4, 100));
    CHECK(((char *)(size_t)m)[99] == 4);
    OK(cuMemFree(m));
    OK(cuMemFreeHost(p));
}

int main(void) {
    CUcontext ctx = check_context();
    CUstream s;
    NEED(cuStreamCreate(&s, 0));
    NEED(cuMemAlloc(&d, N * 4));
    linear(s);
    linear(0);
    rectangle(s);
    errors();
    shared_with_host();
    OK(cuCtxDestroy(ctx));
    return check_result();
}
