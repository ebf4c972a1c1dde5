// Setting memory. Device memory is set without waiting; other memory, which the host can see, is
// set before the functions without Async return.
#include "driver/graph/capture.h"
#include "driver/memory/copy.h"
#include "driver/memory/virtual_memory.h"
#include "support/check/check_tools.h"
#include "support/check/host_call.h"

// Memory that is mapped, which the device may write that sets it.
static CUresult find_side(CUdeviceptr ptr, uint64_t bytes, const struct drv_context *ctx,
                          struct drv_side *side) {
    drv_work_for(ctx, ctx);
    CUresult result = drv_side(ptr, bytes, DRV_SIDE_UNIFIED, true, "the destination", side);
    bool refused = !result && side->mapped && !drv_mapped_access(ptr, bytes, true, false);
    drv_work_for(NULL, NULL);
    REQUIRE(!refused, CUDA_ERROR_INVALID_VALUE,
            "the device has no right to write all of the %llu bytes from %#llx on",
            (unsigned long long)bytes, ptr);
    return result;
}

CUresult drv_set_plan(CUdeviceptr ptr, uint64_t pitch, uint32_t value, uint32_t element,
                      size_t width, size_t height, const struct drv_context *ctx,
                      struct kd_set *set, struct drv_side *side) {
    uint64_t row, rows, bytes;
    REQUIRE(!__builtin_mul_overflow(width, (uint64_t)element, &row), CUDA_ERROR_INVALID_VALUE,
            "the sizes are beyond 64 bits");
    if (height == 1)
        pitch = row;
    REQUIRE(pitch >= row, CUDA_ERROR_INVALID_VALUE,
            "a pitch of %llu bytes is less than rows of %llu bytes need", (unsigned long long)pitch,
            (unsigned long long)row);
    REQUIRE(ptr % element == 0 && pitch % element == 0, CUDA_ERROR_INVALID_VALUE,
            "address and pitch must be multiples of %u bytes", element);
    REQUIRE(!__builtin_mul_overflow(pitch, height - 1, &rows) &&
                !__builtin_add_overflow(rows, row, &bytes),
            CUDA_ERROR_INVALID_VALUE, "the sizes are beyond 64 bits");
    TRY(find_side(ptr, bytes, ctx, side));
    *set = (struct kd_set){
        .dst = side->ptr,
        .value = value,
        .element = element,
        .width = width,
        .height = height,
        .depth = 1,
        .pitch = pitch,
        .slice = pitch * height,
        .call = check_tools() & (CHECK_RACE | CHECK_MEMORY) ? host_call_keep() : NULL,
    };
    return CUDA_SUCCESS;
}

static CUresult capture_set(struct kd_queue *q, struct drv_context *ctx,
                            const CUDA_MEMSET_NODE_PARAMS_v2 *set) {
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEMSET, .memset = *set};
    params.memset.ctx = ctx->handle;
    return drv_capture_add(q, &params, NULL);
}

// `pitch` is in bytes and counts when height is above 1.
static CUresult set(CUdeviceptr ptr, uint64_t pitch, uint32_t value, uint32_t element, size_t width,
                    size_t height, CUstream stream, bool async) {
    struct kd_queue *q;
    struct drv_context *ctx;
    TRY(drv_stream_find(stream, &q, &ctx));
    if (!width || !height)
        return CUDA_SUCCESS;
    struct drv_side side;
    struct kd_set s;
    USE_MEMORY();
    TRY(drv_set_plan(ptr, pitch, value, element, width, height, ctx, &s, &side));
    bool captured;
    TRY(drv_capture_enter_copy(q, ctx, async, &captured));
    if (captured)
        return capture_set(
            q, ctx,
            &(CUDA_MEMSET_NODE_PARAMS_v2){ptr, s.pitch, value, element, width, height, NULL});
    TRY(drv_side_check_live(&side, "the destination"));
    drv_side_used(&side, ctx);
    TRY(drv_status(kd_submit_set(q, &s), ctx));
    drv_use_end(&use);
    bool wait = !async && (drv_sync_memops || !side.device);
    return wait ? drv_status(kd_queue_wait(q), ctx) : CUDA_SUCCESS;
}

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
    ENTER_CONTEXT(ctx);
    return set(dstDevice, 0, uc, 1, N, 1, NULL, false);
}

CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) {
    ENTER_CONTEXT(ctx);
    return set(dstDevice, 0, us, 2, N, 1, NULL, false);
}

CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
    ENTER_CONTEXT(ctx);
    return set(dstDevice, 0, ui, 4, N, 1, NULL, false);
}

CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                         size_t Height) {
    ENTER_CONTEXT(ctx);
    return set(dstDevice, dstPitch, uc, 1, Width, Height, NULL, false);
}

CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                          size_t Height) {
    ENTER_CONTEXT(ctx);
    return set(dstDevice, dstPitch, us, 2, Width, Height, NULL, false);
}

CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                          size_t Height) {
    ENTER_CONTEXT(ctx);
    return set(dstDevice, dstPitch, ui, 4, Width, Height, NULL, false);
}

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
    ENTER_STREAM(hStream);
    return set(dstDevice, 0, uc, 1, N, 1, hStream, true);
}

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
    ENTER_STREAM(hStream);
    return set(dstDevice, 0, us, 2, N, 1, hStream, true);
}

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
    ENTER_STREAM(hStream);
    return set(dstDevice, 0, ui, 4, N, 1, hStream, true);
}

CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                           size_t Height, CUstream hStream) {
    ENTER_STREAM(hStream);
    return set(dstDevice, dstPitch, uc, 1, Width, Height, hStream, true);
}

CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                            size_t Height, CUstream hStream) {
    ENTER_STREAM(hStream);
    return set(dstDevice, dstPitch, us, 2, Width, Height, hStream, true);
}

CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                            size_t Height, CUstream hStream) {
    ENTER_STREAM(hStream);
    return set(dstDevice, dstPitch, ui, 4, Width, Height, hStream, true);
}
