// Copies in batches: each is checked before any is submitted, and all follow the stream's earlier
// work.
#include <stdint.h>

#include "driver/graph/capture.h"
#include "driver/memory/array.h"
#include "driver/memory/copy.h"

// SIZE_MAX: the failure is no single copy's.
static void set_index(size_t *failIdx, size_t index) {
    if (failIdx)
        *failIdx = index;
}

static CUresult check_order(CUmemcpySrcAccessOrder order) {
    REQUIRE(order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY,
            CUDA_ERROR_INVALID_VALUE, "%d is no order of accesses to a source", (int)order);
    return CUDA_SUCCESS;
}

// Batches do not go to the legacy default stream, nor into graphs.
static CUresult enter_stream(CUstream stream, struct kd_queue **q, struct drv_context **ctx) {
    TRY(drv_stream_find(stream, q, ctx));
    REQUIRE(*q != kd_context_legacy_queue((*ctx)->c), CUDA_ERROR_INVALID_VALUE,
            "batches of copies cannot be submitted to the legacy default stream");
    return drv_capture_refuse(*q, *ctx, "given a batch of copies");
}

// A source that must be read before the call returns is copied aside, or waited for.
struct sides {
    struct drv_side to, from;
};

static CUresult submit(struct kd_queue *q, struct drv_context *ctx, struct kd_copy *c,
                       const struct sides *sides, CUmemcpySrcAccessOrder order) {
    bool pageable = sides->from.pageable;
    drv_side_used(&sides->to, ctx);
    drv_side_used(&sides->from, ctx);
    c->stage = pageable && order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    return drv_status(kd_submit_copy(q, c), ctx);
}

// ---- Along one dimension ------------------------------------------------------------------

static CUresult check_attributes(const CUmemcpyAttributes *attrs, const size_t *first, size_t n,
                                 size_t count) {
    REQUIRE(attrs && first && n && n <= count, CUDA_ERROR_INVALID_VALUE,
            "there must be attributes, %zu at most, not %zu", count, n);
    REQUIRE(first[0] == 0, CUDA_ERROR_INVALID_VALUE, "the first attributes must begin at copy 0");
    for (size_t i = 0; i < n; i++) {
        REQUIRE(first[i] < count && (i == 0 || first[i] > first[i - 1]), CUDA_ERROR_INVALID_VALUE,
                "attrsIdxs must grow, and stay below %zu", count);
        REQUIRE(!(attrs[i].flags & ~(unsigned)CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE),
                CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of a copy", attrs[i].flags);
        TRY(check_order(attrs[i].srcAccessOrder));
    }
    return CUDA_SUCCESS;
}

static CUresult plan(CUdeviceptr dst, CUdeviceptr src, size_t bytes, struct kd_copy *c,
                     struct sides *sides) {
    TRY(drv_side(dst, bytes, DRV_SIDE_HOST, true, "the destination", &sides->to));
    TRY(drv_side(src, bytes, DRV_SIDE_HOST, false, "the source", &sides->from));
    *c = (struct kd_copy){.dst = sides->to.ptr,
                          .src = sides->from.ptr,
                          .width = bytes,
                          .height = 1,
                          .depth = 1,
                          .dst_pitch = bytes,
                          .src_pitch = bytes,
                          .dst_slice = bytes,
                          .src_slice = bytes};
    return CUDA_SUCCESS;
}

// attrs[k] is for the copies from attrsIdxs[k] on. *failIdx: which copy was refused.
static CUresult copy_batch(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                           CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                           size_t *failIdx, CUstream hStream) {
    struct kd_queue *q;
    struct drv_context *ctx;
    struct kd_copy c;
    struct sides sides;
    set_index(failIdx, SIZE_MAX);
    TRY(enter_stream(hStream, &q, &ctx));
    REQUIRE(dsts && srcs && sizes && count, CUDA_ERROR_INVALID_VALUE,
            "dsts, srcs and sizes cannot be NULL, nor count 0");
    TRY(check_attributes(attrs, attrsIdxs, numAttrs, count));
    for (size_t i = 0; i < count; i++) {
        CUresult result = sizes[i] ? plan(dsts[i], srcs[i], sizes[i], &c, &sides) : CUDA_SUCCESS;
        if (result != CUDA_SUCCESS) {
            set_index(failIdx, i);
            return result;
        }
    }
    for (size_t i = 0, k = 0; i < count; i++) {
        if (k + 1 < numAttrs && attrsIdxs[k + 1] == i)
            k++;
        if (!sizes[i])
            continue;
        USE_MEMORY();
        TRY(plan(dsts[i], srcs[i], sizes[i], &c, &sides));
        TRY(submit(q, ctx, &c, &sides, attrs[k].srcAccessOrder));
    }
    return CUDA_SUCCESS;
}

CUresult cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                            size_t *failIdx, CUstream hStream) {
    ENTER();
    return copy_batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, hStream);
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                               CUstream hStream) {
    ENTER();
    return copy_batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, NULL, hStream);
}

// One copy, into any stream.
CUresult cuMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size,
                                     CUmemcpyAttributes *attr, CUstream hStream) {
    ENTER();
    struct kd_queue *q;
    struct drv_context *ctx;
    struct kd_copy c;
    struct sides sides;
    const size_t first = 0;
    TRY(drv_stream_find(hStream, &q, &ctx));
    TRY(drv_capture_refuse(q, ctx, "given a copy with attributes"));
    TRY(check_attributes(attr, &first, 1, 1));
    if (!size)
        return CUDA_SUCCESS;
    USE_MEMORY();
    TRY(plan(dst, src, size, &c, &sides));
    return submit(q, ctx, &c, &sides, attr->srcAccessOrder);
}

// ---- Along three --------------------------------------------------------------------------

struct side {
    size_t x, y, z, pitch, height;
    CUmemorytype type;
    CUdeviceptr ptr;
    CUarray array;
};

// Extents and offsets count elements where an array takes part, else bytes. `side`: texels along
// each edge of an element, 4 where they lie in blocks.
static CUresult element_of(const CUmemcpy3DOperand *o, size_t *bytes, size_t *side) {
    struct drv_array *a;
    REQUIRE(o->type == CU_MEMCPY_OPERAND_TYPE_POINTER || o->type == CU_MEMCPY_OPERAND_TYPE_ARRAY,
            CUDA_ERROR_INVALID_VALUE, "%d is no type of operand", (int)o->type);
    if (o->type == CU_MEMCPY_OPERAND_TYPE_POINTER)
        return CUDA_SUCCESS;
    TRY(drv_array_find(o->op.array.array, &a));
    *bytes = drv_element_bytes(&a->descriptor);
    *side = drv_block_side(a->descriptor.Format);
    return CUDA_SUCCESS;
}

static size_t blocks_of(size_t texels, size_t side) {
    return texels / side + (texels % side != 0);
}

static CUresult side_of(const CUmemcpy3DOperand *o, const CUextent3D *e, size_t element,
                        size_t texels, struct side *out) {
    if (o->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        REQUIRE(o->op.array.offset.x % texels == 0 && o->op.array.offset.y % texels == 0,
                CUDA_ERROR_INVALID_VALUE,
                "offsets in an array of compressed blocks are multiples of 4 texels");
        *out = (struct side){.x = o->op.array.offset.x / texels * element,
                             .y = o->op.array.offset.y / texels,
                             .z = o->op.array.offset.z,
                             .type = CU_MEMORYTYPE_ARRAY,
                             .array = o->op.array.array};
        return CUDA_SUCCESS;
    }
    size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : e->width;
    size_t height = o->op.ptr.layerHeight ? o->op.ptr.layerHeight : e->height;
    *out = (struct side){.pitch = blocks_of(row, texels) * element,
                         .height = blocks_of(height, texels),
                         .type = CU_MEMORYTYPE_UNIFIED,
                         .ptr = o->op.ptr.ptr};
    return CUDA_SUCCESS;
}

static CUresult plan_3d(const CUDA_MEMCPY3D_BATCH_OP *op, struct kd_copy *c, struct sides *sides) {
    size_t element = 1, texels = 1;
    struct side src, dst;
    TRY(check_order(op->srcAccessOrder));
    REQUIRE(!(op->flags & ~(unsigned)CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE),
            CUDA_ERROR_INVALID_VALUE, "flags %#x are not flags of a copy", op->flags);
    TRY(element_of(&op->src, &element, &texels));
    TRY(element_of(&op->dst, &element, &texels));
    REQUIRE(op->extent.width && op->extent.height && op->extent.depth, CUDA_ERROR_INVALID_VALUE,
            "an extent of 0 cannot be copied");
    REQUIRE(op->extent.width <= SIZE_MAX / element, CUDA_ERROR_INVALID_VALUE,
            "the sizes are beyond 64 bits");
    TRY(side_of(&op->src, &op->extent, element, texels, &src));
    TRY(side_of(&op->dst, &op->extent, element, texels, &dst));
    CUDA_MEMCPY3D p = {.srcXInBytes = src.x,
                       .srcY = src.y,
                       .srcZ = src.z,
                       .srcMemoryType = src.type,
                       .srcDevice = src.ptr,
                       .srcArray = src.array,
                       .srcPitch = src.pitch,
                       .srcHeight = src.height,
                       .dstXInBytes = dst.x,
                       .dstY = dst.y,
                       .dstZ = dst.z,
                       .dstMemoryType = dst.type,
                       .dstDevice = dst.ptr,
                       .dstArray = dst.array,
                       .dstPitch = dst.pitch,
                       .dstHeight = dst.height,
                       .WidthInBytes = blocks_of(op->extent.width, texels) * element,
                       .Height = blocks_of(op->extent.height, texels),
                       .Depth = op->extent.depth};
    return drv_copy_plan(&p, NULL, c, &sides->to, &sides->from);
}

static CUresult copy_batch_3d(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                              unsigned long long flags, CUstream hStream) {
    struct kd_queue *q;
    struct drv_context *ctx;
    struct kd_copy c;
    struct sides sides;
    set_index(failIdx, SIZE_MAX);
    TRY(enter_stream(hStream, &q, &ctx));
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    REQUIRE(opList && numOps, CUDA_ERROR_INVALID_VALUE, "opList cannot be NULL, nor numOps 0");
    for (size_t i = 0; i < numOps; i++) {
        CUresult result = plan_3d(&opList[i], &c, &sides);
        if (result != CUDA_SUCCESS) {
            set_index(failIdx, i);
            return result;
        }
    }
    for (size_t i = 0; i < numOps; i++) {
        USE_MEMORY();
        TRY(plan_3d(&opList[i], &c, &sides));
        TRY(submit(q, ctx, &c, &sides, opList[i].srcAccessOrder));
    }
    return CUDA_SUCCESS;
}

CUresult cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                              unsigned long long flags, CUstream hStream) {
    ENTER();
    return copy_batch_3d(numOps, opList, failIdx, flags, hStream);
}

CUresult cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
                                 unsigned long long flags, CUstream hStream) {
    ENTER();
    return copy_batch_3d(numOps, opList, NULL, flags, hStream);
}

CUresult cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags,
                                       CUstream hStream) {
    ENTER();
    struct kd_queue *q;
    struct drv_context *ctx;
    struct kd_copy c;
    struct sides sides;
    TRY(drv_stream_find(hStream, &q, &ctx));
    TRY(drv_capture_refuse(q, ctx, "given a copy with attributes"));
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    REQUIRE_POINTER(op);
    USE_MEMORY();
    TRY(plan_3d(op, &c, &sides));
    return submit(q, ctx, &c, &sides, op->srcAccessOrder);
}
