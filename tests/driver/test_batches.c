// Copies in batches.
#include "array_copy.h"
#include "check.h"

#include <stdint.h>

enum { N = 5, BYTES = 3000 };

static void along_one(CUstream s) {
    unsigned char *source[N], back[N][BYTES];
    CUdeviceptr device, dsts[N], srcs[N];
    size_t sizes[N], first[2] = {0, 3}, fail = 99;
    CUmemcpyAttributes attrs[2];
    memset(attrs, 0, sizeof attrs);
    attrs[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    attrs[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    NEED(cuMemAlloc(&device, N * BYTES));
    for (int i = 0; i < N; i++) {
        source[i] = malloc(BYTES);
        memset(source[i], 10 + i, BYTES);
        sizes[i] = BYTES - (size_t)i;
        dsts[i] = device + (size_t)i * BYTES;
        srcs[i] = (CUdeviceptr)(uintptr_t)source[i];
    }
    OK(cuMemsetD8Async(device, 1, N * BYTES, s));
    OK(cuMemcpyBatchAsync(dsts, srcs, sizes, N, attrs, first, 2, &fail, s));
    CHECK(fail == SIZE_MAX);
    memset(source[3], 0, BYTES); // read during the call
    memset(source[4], 0, BYTES);
    for (int i = 0; i < N; i++)
        OK(cuMemcpyDtoHAsync(back[i], dsts[i], BYTES, s));
    OK(cuStreamSynchronize(s));
    for (int i = 0; i < N; i++) {
        CHECK(back[i][0] == 10 + i && back[i][BYTES - i - 1] == 10 + i);
        CHECK(i == 0 || back[i][BYTES - i] == 1);
    }
    // One bad copy: nothing is submitted, and its index is told.
    CUdeviceptr good = dsts[2];
    dsts[2] = device + N * BYTES - 10;
    OK(cuMemsetD8(device, 2, N * BYTES));
    EXPECT(cuMemcpyBatchAsync(dsts, srcs, sizes, N, attrs, first, 2, &fail, s),
           CUDA_ERROR_INVALID_VALUE);
    CHECK(fail == 2);
    OK(cuMemcpyDtoH(back[0], device, BYTES));
    CHECK(back[0][0] == 2);
    dsts[2] = good;
    EXPECT(cuMemcpyBatchAsync(dsts, srcs, sizes, N, attrs, first, 2, &fail, NULL),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyBatchAsync(dsts, srcs, sizes, 0, attrs, first, 2, &fail, s),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyBatchAsync(NULL, srcs, sizes, N, attrs, first, 2, &fail, s),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyBatchAsync(dsts, srcs, sizes, N, attrs, first, 0, &fail, s),
           CUDA_ERROR_INVALID_VALUE);
    first[0] = 1;
    EXPECT(cuMemcpyBatchAsync(dsts, srcs, sizes, N, attrs, first, 2, &fail, s),
           CUDA_ERROR_INVALID_VALUE);
    first[0] = 0;
    first[1] = N;
    EXPECT(cuMemcpyBatchAsync(dsts, srcs, sizes, N, attrs, first, 2, NULL, s),
           CUDA_ERROR_INVALID_VALUE);
    attrs[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
    EXPECT(cuMemcpyBatchAsync(dsts, srcs, sizes, N, attrs, first, 1, &fail, s),
           CUDA_ERROR_INVALID_VALUE);
    CHECK(fail == SIZE_MAX);
    for (int i = 0; i < N; i++)
        free(source[i]);
    OK(cuMemFree(device));
}

// A box of host memory into an array, and a part of that back.
static void along_three(CUstream s) {
    enum { W = 8, H = 4, D = 3 };
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = W,
                                 .Height = H,
                                 .Depth = D,
                                 .Format = CU_AD_FORMAT_UNSIGNED_INT32,
                                 .NumChannels = 1};
    CUarray array;
    unsigned from[D][H][W], to[2][2][4];
    size_t fail = 99;
    for (unsigned i = 0; i < W * H * D; i++)
        ((unsigned *)from)[i] = i;
    memset(to, 0xFF, sizeof to);
    NEED(cuArray3DCreate(&array, &d));
    CUDA_MEMCPY3D_BATCH_OP op[2];
    memset(op, 0, sizeof op);
    op[0].src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    op[0].src.op.ptr.ptr = (CUdeviceptr)(uintptr_t)from;
    op[0].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    op[0].dst.op.array.array = array;
    op[0].extent = (CUextent3D){W, H, D};
    op[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
    op[1].src.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    op[1].src.op.array.array = array;
    op[1].src.op.array.offset = (CUoffset3D){3, 1, 1};
    op[1].dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    op[1].dst.op.ptr.ptr = (CUdeviceptr)(uintptr_t)to;
    op[1].dst.op.ptr.rowLength = 4;
    op[1].dst.op.ptr.layerHeight = 2;
    op[1].extent = (CUextent3D){3, 2, 2};
    op[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    OK(cuMemcpy3DBatchAsync(1, &op[0], &fail, 0, s));
    OK(cuMemcpy3DBatchAsync(1, &op[1], &fail, 0, s));
    OK(cuStreamSynchronize(s));
    CHECK(fail == SIZE_MAX);
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 4; x++)
                CHECK(to[z][y][x] == (x < 3 ? from[z + 1][y + 1][x + 3] : ~0u));
    op[1].src.op.array.offset.x = 6;
    EXPECT(cuMemcpy3DBatchAsync(2, op, &fail, 0, s), CUDA_ERROR_INVALID_VALUE);
    CHECK(fail == 1);
    op[1].src.type = (CUmemcpy3DOperandType)9;
    EXPECT(cuMemcpy3DBatchAsync(2, op, &fail, 0, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpy3DBatchAsync(1, op, &fail, 1, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpy3DBatchAsync(0, op, &fail, 0, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpy3DBatchAsync(1, NULL, &fail, 0, s), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpy3DBatchAsync(1, op, &fail, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(array));
    EXPECT(cuMemcpy3DBatchAsync(1, op, &fail, 0, s), CUDA_ERROR_INVALID_HANDLE);
    CHECK(fail == 0);
}

// An array of compressed blocks of 4 by 4 texels, 8 bytes each: extents, offsets and the memory's
// rows are in texels.
static void blocks(CUstream s) {
    CUarray array;
    CUDA_ARRAY3D_DESCRIPTOR d = {
        .Width = 14, .Height = 8, .Format = CU_AD_FORMAT_BC1_UNORM, .NumChannels = 4};
    unsigned long long from[2][4], to[2][3] = {{0}};
    size_t fail;
    for (int i = 0; i < 8; i++)
        from[i / 4][i % 4] = 0x0101010101010101ull * (unsigned)i;
    OK(cuArray3DCreate(&array, &d));
    OK(array_write(array, from, 4 * 8, 2, 1));
    CUDA_MEMCPY3D_BATCH_OP op = {.src.type = CU_MEMCPY_OPERAND_TYPE_ARRAY,
                                 .dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER,
                                 .extent = {6, 4, 1},
                                 .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    op.src.op.array.array = array;
    op.src.op.array.offset = (CUoffset3D){8, 4, 0};
    op.dst.op.ptr.ptr = (CUdeviceptr)(uintptr_t)to;
    op.dst.op.ptr.rowLength = 12;
    op.dst.op.ptr.layerHeight = 8;
    OK(cuMemcpy3DBatchAsync(1, &op, &fail, 0, s));
    OK(cuStreamSynchronize(s));
    CHECK(to[0][0] == from[1][2] && to[0][1] == from[1][3] && !to[0][2] && !to[1][0]);
    op.src.op.array.offset.x = 6;
    EXPECT(cuMemcpy3DBatchAsync(1, &op, &fail, 0, s), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(array));
}

int main(void) {
    CUcontext ctx = check_context();
    CUstream s;
    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    along_one(s);
    along_three(s);
    blocks(s);
    OK(cuCtxDestroy(ctx));
    return check_result();
}
