// Words that streams write and wait for: cuStreamWaitValue, cuStreamWriteValue, cuStreamBatchMemOp.
#include "check.h"

#include <stdatomic.h>
#include <unistd.h>

CUresult CUDAAPI cuStreamWriteValue32_v2_ptsz(CUstream, CUdeviceptr, cuuint32_t, unsigned);

static _Atomic uint32_t *word;
static _Atomic uint64_t *wide;
static CUdeviceptr at, at64;

static void writes(CUstream s) {
    OK(cuStreamWriteValue32(s, at, 0xAABBCCDD, 0));
    OK(cuStreamWriteValue64(s, at64, 0x1122334455667788, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
    OK(cuStreamSynchronize(s));
    CHECK(word[0] == 0xAABBCCDD && word[1] == 0);
    CHECK(wide[0] == 0x1122334455667788);
    OK(cuStreamWriteValue32_v2_ptsz(0, at, 5, 0));
    OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    CHECK(word[0] == 5);
}

// The stream stands until the host writes what it waits for.
static void waits(CUstream s, unsigned flags, uint32_t before, uint32_t value, uint32_t after) {
    word[0] = before;
    word[1] = 0;
    OK(cuStreamWaitValue32(s, at, value, flags));
    OK(cuStreamWriteValue32(s, at + 4, 1, 0));
    usleep(2000);
    EXPECT(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
    CHECK(word[1] == 0);
    word[0] = after;
    OK(cuStreamSynchronize(s));
    CHECK(word[1] == 1);
}

static void waits_wide(CUstream s) {
    wide[0] = 1;
    OK(cuStreamWaitValue64(s, at64, 0x100000001, CU_STREAM_WAIT_VALUE_EQ));
    usleep(1000);
    EXPECT(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
    wide[0] = 0x100000001;
    OK(cuStreamSynchronize(s));
}

// One stream's wait is ended by another's write; neither takes part of the device away.
static void between_streams(void) {
    enum { N = 64 };
    CUstream waiting[N], writing;
    word[0] = 0;
    OK(cuStreamCreate(&writing, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < N; i++) {
        OK(cuStreamCreate(&waiting[i], CU_STREAM_NON_BLOCKING));
        OK(cuStreamWaitValue32(waiting[i], at, (unsigned)i + 1, CU_STREAM_WAIT_VALUE_GEQ));
    }
    OK(cuMemsetD32Async(at + 4, 9, 1, writing));
    OK(cuStreamSynchronize(writing));
    CHECK(word[1] == 9);
    for (unsigned i = 0; i < N; i++) {
        OK(cuStreamWriteValue32(writing, at, i + 1, 0));
        OK(cuStreamSynchronize(waiting[i]));
        if (i + 1 < N)
            EXPECT(cuStreamQuery(waiting[i + 1]), CUDA_ERROR_NOT_READY);
    }
    for (int i = 0; i < N; i++)
        OK(cuStreamDestroy(waiting[i]));
    OK(cuStreamDestroy(writing));
}

static void batch(CUstream s) {
    CUstreamBatchMemOpParams p[5];
    memset(p, 0, sizeof p);
    word[0] = word[1] = 0;
    wide[0] = 0;
    p[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    p[0].writeValue.address = at + 4;
    p[0].writeValue.value = 1;
    p[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    p[1].waitValue.address = at;
    p[1].waitValue.value = 3;
    p[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ | CU_STREAM_WAIT_VALUE_FLUSH;
    p[2].operation = CU_STREAM_MEM_OP_BARRIER;
    p[2].memoryBarrier.flags = CU_STREAM_MEMORY_BARRIER_TYPE_GPU;
    p[3].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    p[4].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    p[4].writeValue.address = at64;
    p[4].writeValue.value64 = 1ull << 40;
    OK(cuStreamBatchMemOp(s, 5, p, 0));
    while (word[1] == 0)
        usleep(100);
    CHECK(wide[0] == 0);
    word[0] = 3;
    OK(cuStreamSynchronize(s));
    CHECK(wide[0] == 1ull << 40);
    OK(cuStreamBatchMemOp(s, 0, NULL, 0));
    EXPECT(cuStreamBatchMemOp(s, 1, NULL, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamBatchMemOp(s, 257, p, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamBatchMemOp(s, 1, p, 1), CUDA_ERROR_INVALID_VALUE);
    p[4].operation = (CUstreamBatchMemOpType)77;
    word[1] = 0;
    EXPECT(cuStreamBatchMemOp(s, 5, p, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamSynchronize(s));
    CHECK(word[1] == 0); // all or nothing
}

static void errors(CUstream s) {
    uint32_t own = 0;
    EXPECT(cuStreamWaitValue32(s, at + 2, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWaitValue64(s, at64 + 4, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWaitValue32(s, at, 0, 4), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWriteValue32(s, at, 0, 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWriteValue32(s, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWriteValue32(s, (CUdeviceptr)&own, 0, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWriteValue32((CUstream)0x123400, at, 0, 0), CUDA_ERROR_INVALID_HANDLE);
    CUstream gone;
    OK(cuStreamCreate(&gone, 0));
    OK(cuStreamDestroy(gone));
    EXPECT(cuStreamWaitValue32(gone, at, 0, 0), CUDA_ERROR_INVALID_HANDLE);
}

static void supported(void) {
    static const CUdevice_attribute all[] = {CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
                                             CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR};
    for (int i = 0; i < 2; i++) {
        int yes = 0;
        OK(cuDeviceGetAttribute(&yes, all[i], 0));
        CHECK(yes == 1);
    }
}

int main(void) {
    CUcontext ctx = check_context();
    CUstream s;
    void *host, *host64;
    OK(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostAlloc(&host64, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    memset(host, 0, 64);
    word = host;
    wide = host64;
    OK(cuMemHostGetDevicePointer(&at, host, 0));
    OK(cuMemHostGetDevicePointer(&at64, host64, 0));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    supported();
    writes(s);
    waits(s, CU_STREAM_WAIT_VALUE_GEQ, 4, 5, 6);
    waits(s, CU_STREAM_WAIT_VALUE_GEQ, 0xFFFFFFFF, 1, 2); // the counter wraps around
    waits(s, CU_STREAM_WAIT_VALUE_EQ, 6, 5, 5);
    waits(s, CU_STREAM_WAIT_VALUE_AND, 5, 2, 3);
    waits(s, CU_STREAM_WAIT_VALUE_NOR, 0xFFFFFFF0, 0xF, 0xFFFFFFE0);
    waits_wide(s);
    between_streams();
    batch(s);
    errors(s);
    OK(cuStreamDestroy(s));
    OK(cuMemFreeHost(host));
    OK(cuMemFreeHost(host64));
    OK(cuCtxDestroy(ctx));
    return check_result();
}
