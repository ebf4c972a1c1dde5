// Copies. The functions without Async wait, unless both sides are device memory; the others
// return at once where memory is page-locked, and for pageable memory as soon as the documented
// behaviour allows (guide 6.2.8.1 and the API's page on synchronisation).
#include "driver/memory/copy.h"

#include <string.h>

#include "driver/graph/capture.h"
#include "driver/graph/graph_memory.h"
#include "driver/memory/sparse.h"
#include "driver/memory/virtual_memory.h"
#include "support/check/check_tools.h"
#include "support/check/host_call.h"

enum { STAGE_BYTES = 64 << 10 }; // a pageable source up to this size is copied at once

// While memory is checked, devices say that they have no access to it.
bool drv_is_system_memory(uint64_t ptr, uint64_t bytes) {
    uint64_t base, size;
    return bytes && !(check_tools() & CHECK_MEMORY) && kd_memory_is_foreign(ptr) &&
           kd_memory_is_foreign(ptr + bytes - 1) && !drv_reserved_range(ptr, &base, &size) &&
           drv_host_mapped(ptr, bytes);
}

CUresult drv_side(uint64_t ptr, uint64_t bytes, enum drv_side_kind kind, bool write,
                  const char *name, struct drv_side *out) {
    struct kd_memory m;
    REQUIRE(ptr, CUDA_ERROR_INVALID_VALUE, "%s cannot be NULL", name);
    out->ptr = (void *)(uintptr_t)ptr;
    out->owner = NULL;
    out->mapped = false;
    out->of_graph = 0;
    if (kd_memory_find(ptr, &m)) {
        if (m.flags & DRV_MEMORY_MAPPED) {
            REQUIRE(drv_mapped_access(ptr, bytes, write, true), CUDA_ERROR_INVALID_VALUE,
                    "%s: %llu bytes from %#llx on are not all mapped with the right to %s them",
                    name, (unsigned long long)bytes, (unsigned long long)ptr,
                    write ? "write" : "read");
            out->device = m.kind == KD_MEMORY_DEVICE;
            out->pageable = false;
            out->mapped = true;
            return CUDA_SUCCESS;
        }
        REQUIRE(!(m.flags & (DRV_MEMORY_POOL | DRV_MEMORY_IPC_POOL)) || drv_pool_access(&m, write),
                CUDA_ERROR_INVALID_VALUE, "%s: the device has no access to the pool of %#llx", name,
                (unsigned long long)ptr);
        REQUIRE(bytes <= m.base + m.size - ptr, CUDA_ERROR_INVALID_VALUE,
                "%s: %llu bytes from %#llx on are more than its allocation of %llu has", name,
                (unsigned long long)bytes, (unsigned long long)ptr, (unsigned long long)m.size);
        out->device = m.kind == KD_MEMORY_DEVICE || m.kind == KD_MEMORY_VARIABLE;
        out->owner = m.context;
        out->pageable = false;
        out->of_graph = m.flags & DRV_MEMORY_GRAPH ? m.base : 0;
        return CUDA_SUCCESS;
    }
    bool there =
        kind == DRV_SIDE_HOST || (kind == DRV_SIDE_UNIFIED && drv_is_system_memory(ptr, bytes));
    REQUIRE(there, CUDA_ERROR_INVALID_VALUE, "%s: there are no %llu bytes of memory at %#llx", name,
            (unsigned long long)bytes, (unsigned long long)ptr);
    out->device = false;
    out->pageable = true;
    return CUDA_SUCCESS;
}

CUresult drv_side_check_live(const struct drv_side *s, const char *name) {
    REQUIRE(!s->of_graph || drv_graph_memory_is_live(s->of_graph), CUDA_ERROR_INVALID_VALUE,
            "%s: %p is memory of a graph that is not allocated", name, s->ptr);
    return CUDA_SUCCESS;
}

static CUresult submit(struct kd_queue *q, struct drv_context *ctx, struct kd_copy *c,
                       const struct drv_side *dst, const struct drv_side *src, bool async,
                       struct drv_use *use) {
    TRY(drv_side_check_live(dst, "the destination"));
    TRY(drv_side_check_live(src, "the source"));
    bool wait = !async && (drv_sync_memops || !dst->device || !src->device);
    if (async && dst->pageable)
        wait = true;
    if (async && src->pageable) {
        c->stage = c->width * c->height * c->depth <= STAGE_BYTES;
        wait = wait || !c->stage;
    }
    c->dst = dst->ptr;
    c->src = src->ptr;
    if (check_tools() & (CHECK_RACE | CHECK_MEMORY) ||
        (check_tools() & CHECK_INIT && src->device && !dst->device))
        c->call = host_call_keep();
    drv_side_used(dst, ctx);
    drv_side_used(src, ctx);
    TRY(drv_status(kd_submit_copy(q, c), ctx));
    drv_use_end(use);
    return wait ? drv_status(kd_queue_wait(q), ctx) : CUDA_SUCCESS;
}

static CUresult capture_copy(struct kd_queue *q, struct drv_context *ctx, const CUDA_MEMCPY3D *p) {
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEMCPY,
                                .memcpy = {.copyCtx = ctx->handle, .copyParams = *p}};
    return drv_capture_add(q, &params, NULL);
}

// Of linear memory.
static CUresult capture_bytes(struct kd_queue *q, struct drv_context *ctx,
                              const struct drv_side *dst, const struct drv_side *src,
                              size_t bytes) {
    CUDA_MEMCPY3D p = {.srcMemoryType = src->device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                       .dstMemoryType = dst->device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                       .WidthInBytes = bytes,
                       .Height = 1,
                       .Depth = 1};
    if (src->device)
        p.srcDevice = (uintptr_t)src->ptr;
    else
        p.srcHost = src->ptr;
    if (dst->device)
        p.dstDevice = (uintptr_t)dst->ptr;
    else
        p.dstHost = dst->ptr;
    return capture_copy(q, ctx, &p);
}

static CUresult copy_1d(uint64_t dst, enum drv_side_kind dst_kind, uint64_t src,
                        enum drv_side_kind src_kind, size_t bytes, CUstream stream, bool async) {
    struct kd_queue *q;
    struct drv_context *ctx;
    if (!bytes)
        return drv_stream_find(stream, &q, &ctx);
    struct drv_side to, from;
    USE_MEMORY();
    TRY(drv_side(dst, bytes, dst_kind, true, "the destination", &to));
    TRY(drv_side(src, bytes, src_kind, false, "the source", &from));
    bool captured;
    TRY(drv_stream_find(stream, &q, &ctx));
    TRY(drv_capture_enter_copy(q, ctx, async, &captured));
    if (captured)
        return capture_bytes(q, ctx, &to, &from, bytes);
    struct kd_copy c = {.width = bytes,
                        .height = 1,
                        .depth = 1,
                        .dst_pitch = bytes,
                        .src_pitch = bytes,
                        .dst_slice = bytes,
                        .src_slice = bytes};
    return submit(q, ctx, &c, &to, &from, async, &use);
}

// ---- Along one dimension ------------------------------------------------------------------

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
    ENTER_CONTEXT(ctx);
    return copy_1d(dst, DRV_SIDE_HOST, src, DRV_SIDE_HOST, ByteCount, NULL, false);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
    ENTER_STREAM(hStream);
    return copy_1d(dst, DRV_SIDE_HOST, src, DRV_SIDE_HOST, ByteCount, hStream, true);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
    ENTER_CONTEXT(ctx);
    return copy_1d(dstDevice, DRV_SIDE_UNIFIED, (uintptr_t)srcHost, DRV_SIDE_HOST, ByteCount, NULL,
                   false);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                              CUstream hStream) {
    ENTER_STREAM(hStream);
    return copy_1d(dstDevice, DRV_SIDE_UNIFIED, (uintptr_t)srcHost, DRV_SIDE_HOST, ByteCount,
                   hStream, true);
}

CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
    ENTER_CONTEXT(ctx);
    return copy_1d((uintptr_t)dstHost, DRV_SIDE_HOST, srcDevice, DRV_SIDE_UNIFIED, ByteCount, NULL,
                   false);
}

CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
    ENTER_STREAM(hStream);
    return copy_1d((uintptr_t)dstHost, DRV_SIDE_HOST, srcDevice, DRV_SIDE_UNIFIED, ByteCount,
                   hStream, true);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
    ENTER_CONTEXT(ctx);
    return copy_1d(dstDevice, DRV_SIDE_UNIFIED, srcDevice, DRV_SIDE_UNIFIED, ByteCount, NULL,
                   false);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
    ENTER_STREAM(hStream);
    return copy_1d(dstDevice, DRV_SIDE_UNIFIED, srcDevice, DRV_SIDE_UNIFIED, ByteCount, hStream,
                   true);
}

// A copy between devices. All share the address space, so that the contexts tell of order alone: in
// the legacy default stream it begins behind all that either device has, and what either gets later
// waits for it (guide 6.2.9.5).
struct between {
    struct kd_queue *q;
    struct drv_context *ctx, *others[2]; // NULL: the stream's own context, or another stream
};

static CUresult order(struct between *b, struct drv_context *other, bool before) {
    struct kd_event *e;
    TRY(drv_status(kd_event_new(b->ctx->c, KD_EVENT_NO_TIMING, &e), b->ctx));
    enum kd_status status =
        before ? kd_event_record_context(e, other->c) : kd_event_record(e, b->q);
    struct drv_context *at = before ? other : b->ctx;
    if (status == KD_OK) {
        status = before ? kd_event_wait_on(b->q, e) : kd_event_wait_on_context(other->c, e);
        at = before ? b->ctx : other;
    }
    kd_event_free(e);
    return drv_status(status, at);
}

// The stream has been found.
static CUresult between_begin(struct between *b, CUcontext dst, CUcontext src) {
    struct drv_context *to, *from;
    TRY(drv_context_find(dst, &to));
    TRY(drv_context_find(src, &from));
    bool ordered = b->q == kd_context_legacy_queue(b->ctx->c);
    b->others[0] = ordered && to != b->ctx ? to : NULL;
    b->others[1] = ordered && from != b->ctx && from != to ? from : NULL;
    for (int i = 0; i < 2; i++)
        if (b->others[i])
            TRY(order(b, b->others[i], true));
    drv_work_for(to, from);
    return CUDA_SUCCESS;
}

static CUresult between_end(struct between *b, CUresult result) {
    drv_work_for(NULL, NULL);
    for (int i = 0; i < 2; i++)
        if (b->others[i] && result == CUDA_SUCCESS)
            result = order(b, b->others[i], false);
    return result;
}

static CUresult copy_between(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
                             CUcontext src_context, size_t bytes, CUstream stream, bool async) {
    struct between b;
    TRY(drv_stream_find(stream, &b.q, &b.ctx));
    TRY(between_begin(&b, dst_context, src_context));
    return between_end(&b,
                       copy_1d(dst, DRV_SIDE_UNIFIED, src, DRV_SIDE_UNIFIED, bytes, stream, async));
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                      CUcontext srcContext, size_t ByteCount) {
    ENTER_CONTEXT(ctx);
    return copy_between(dstDevice, dstContext, srcDevice, srcContext, ByteCount, NULL, false);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount, CUstream hStream) {
    ENTER_STREAM(hStream);
    return copy_between(dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream, true);
}

// ---- Along two and three ------------------------------------------------------------------

struct box {
    size_t x, y, z, pitch, height; // height: rows from slice to slice
    CUmemorytype type;
    uint64_t host, device;
    CUarray array;
};
struct extent {
    size_t width, height, depth;
};

// Bytes from the first to behind the last that the box touches; false: more than 64 bits.
static bool box_bytes(const struct box *b, const struct extent *e, uint64_t slice, uint64_t *begin,
                      uint64_t *bytes) {
    uint64_t rows, slices, first_rows, first_slices;
    return !(__builtin_mul_overflow(b->pitch, e->height - 1, &rows) ||
             __builtin_mul_overflow(slice, e->depth - 1, &slices) ||
             __builtin_add_overflow(rows, slices, bytes) ||
             __builtin_add_overflow(*bytes, e->width, bytes) ||
             __builtin_mul_overflow(b->pitch, b->y, &first_rows) ||
             __builtin_mul_overflow(slice, b->z, &first_slices) ||
             __builtin_add_overflow(first_rows, first_slices, begin) ||
             __builtin_add_overflow(*begin, b->x, begin));
}

// How the rows of one side lie, as in struct kd_copy.
struct rows {
    uint64_t pitch, slice;
    const struct kd_image_level *level;
    uint32_t from[3];
};

// A box within an array: its rows are the array's, whatever pitch was given.
static CUresult array_side(const struct box *b, const struct extent *e, bool write,
                           const char *name, struct rows *rows, struct drv_side *side) {
    struct drv_array *a;
    TRY(drv_array_find(b->array, &a));
    REQUIRE(e->width <= a->row && b->x <= a->row - e->width && e->height <= a->rows &&
                b->y <= a->rows - e->height && e->depth <= a->slices &&
                b->z <= a->slices - e->depth,
            CUDA_ERROR_INVALID_VALUE,
            "%s: %zu slices of %zu rows of %zu bytes from slice %zu, row %zu, byte %zu on are more "
            "than the array has",
            name, e->depth, e->height, e->width, b->z, b->y, b->x);
    rows->pitch = a->pitch;
    rows->slice = a->slice;
    rows->level = drv_array_level(a);
    if (rows->level) {
        rows->from[0] = (uint32_t)b->x;
        rows->from[1] = (uint32_t)b->y;
        rows->from[2] = (uint32_t)b->z;
        return drv_side(a->base, 1, DRV_SIDE_UNIFIED, write, name, side);
    }
    uint64_t begin = a->base + b->z * a->slice + b->y * a->pitch + b->x;
    return drv_side(begin, (e->depth - 1) * a->slice + (e->height - 1) * a->pitch + e->width,
                    DRV_SIDE_UNIFIED, write, name, side);
}

static CUresult box_side(struct box *b, const struct extent *e, bool write, const char *name,
                         struct rows *rows, struct drv_side *side) {
    *rows = (struct rows){0};
    REQUIRE(b->type >= CU_MEMORYTYPE_HOST && b->type <= CU_MEMORYTYPE_UNIFIED,
            CUDA_ERROR_INVALID_VALUE, "%s: %d is no type of memory", name, (int)b->type);
    if (b->type == CU_MEMORYTYPE_ARRAY)
        return array_side(b, e, write, name, rows, side);
    if (!b->pitch && e->height == 1 && e->depth == 1)
        b->pitch = b->x + e->width;
    REQUIRE(b->pitch >= e->width && b->pitch - e->width >= b->x, CUDA_ERROR_INVALID_VALUE,
            "%s: a pitch of %zu bytes is less than rows of %zu bytes from byte %zu on need", name,
            b->pitch, e->width, b->x);
    REQUIRE(e->depth == 1 || b->height >= e->height, CUDA_ERROR_INVALID_VALUE,
            "%s: a height of %zu rows is less than the %zu to copy", name, b->height, e->height);
    rows->pitch = b->pitch;
    uint64_t begin, bytes;
    REQUIRE(!__builtin_mul_overflow(b->pitch, b->height, &rows->slice) &&
                box_bytes(b, e, rows->slice, &begin, &bytes),
            CUDA_ERROR_INVALID_VALUE, "%s: the sizes are beyond 64 bits", name);
    uint64_t base = b->type == CU_MEMORYTYPE_HOST ? b->host : b->device;
    REQUIRE(base, CUDA_ERROR_INVALID_VALUE, "%s cannot be NULL", name);
    return drv_side(base + begin, bytes,
                    b->type == CU_MEMORYTYPE_DEVICE ? DRV_SIDE_UNIFIED : DRV_SIDE_HOST, write, name,
                    side);
}

static CUresult plan_box(struct box *dst, struct box *src, const struct extent *e,
                         struct kd_copy *c, struct drv_side *to, struct drv_side *from) {
    struct rows dst_rows, src_rows;
    TRY(box_side(dst, e, true, "the destination", &dst_rows, to));
    TRY(box_side(src, e, false, "the source", &src_rows, from));
    *c = (struct kd_copy){.width = e->width,
                          .height = e->height,
                          .depth = e->depth,
                          .dst_pitch = dst_rows.pitch,
                          .src_pitch = src_rows.pitch,
                          .dst_slice = dst_rows.slice,
                          .src_slice = src_rows.slice,
                          .dst_level = dst_rows.level,
                          .src_level = src_rows.level};
    memcpy(c->dst_from, dst_rows.from, sizeof c->dst_from);
    memcpy(c->src_from, src_rows.from, sizeof c->src_from);
    return CUDA_SUCCESS;
}

static CUDA_MEMCPY3D boxes_as_params(const struct box *dst, const struct box *src,
                                     const struct extent *e) {
    return (CUDA_MEMCPY3D){.srcXInBytes = src->x,
                           .srcY = src->y,
                           .srcZ = src->z,
                           .srcMemoryType = src->type,
                           .srcHost = (void *)(uintptr_t)src->host,
                           .srcDevice = src->device,
                           .srcArray = src->array,
                           .srcPitch = src->pitch,
                           .srcHeight = src->height,
                           .dstXInBytes = dst->x,
                           .dstY = dst->y,
                           .dstZ = dst->z,
                           .dstMemoryType = dst->type,
                           .dstHost = (void *)(uintptr_t)dst->host,
                           .dstDevice = dst->device,
                           .dstArray = dst->array,
                           .dstPitch = dst->pitch,
                           .dstHeight = dst->height,
                           .WidthInBytes = e->width,
                           .Height = e->height,
                           .Depth = e->depth};
}

static CUresult copy_box(struct box *dst, struct box *src, const struct extent *e, CUstream stream,
                         bool async) {
    if (!e->width || !e->height || !e->depth)
        return CUDA_SUCCESS;
    struct kd_queue *q;
    struct drv_context *ctx;
    struct drv_side to, from;
    struct kd_copy c;
    bool captured;
    USE_MEMORY();
    TRY(plan_box(dst, src, e, &c, &to, &from));
    TRY(drv_stream_find(stream, &q, &ctx));
    TRY(drv_capture_enter_copy(q, ctx, async, &captured));
    if (captured) {
        CUDA_MEMCPY3D p = boxes_as_params(dst, src, e);
        return capture_copy(q, ctx, &p);
    }
    return submit(q, ctx, &c, &to, &from, async, &use);
}

// ---- The first row of arrays ----------------------------------------------------------------

// What is copied whole: blocks of compressed texels, and bytes of others.
static size_t unit_of(const struct drv_array *a) {
    const CUDA_ARRAY3D_DESCRIPTOR *d = &a->descriptor;
    return drv_block_side(d->Format) > 1 ? drv_element_bytes(d) : 1;
}

// `bytes` from `offset` on of an array's first row: others are not copied without their row and
// slice. No bytes may begin anywhere.
static CUresult row_of(CUarray array, size_t offset, size_t bytes, struct box *out, size_t *unit) {
    struct drv_array *a;
    TRY(drv_array_find(array, &a));
    *unit = unit_of(a);
    REQUIRE(!bytes || (offset <= a->row && bytes <= a->row - offset), CUDA_ERROR_INVALID_VALUE,
            "%zu bytes from byte %zu on are more than the array's first row of %llu has", bytes,
            offset, (unsigned long long)a->row);
    REQUIRE(!bytes || (offset % *unit == 0 && bytes % *unit == 0), CUDA_ERROR_INVALID_VALUE,
            "%zu bytes from byte %zu on are not whole blocks of %zu bytes", bytes, offset, *unit);
    *out = (struct box){.x = offset, .type = CU_MEMORYTYPE_ARRAY, .array = array};
    return CUDA_SUCCESS;
}

static struct box memory_row(uint64_t address, enum drv_side_kind kind) {
    return (struct box){.host = address,
                        .device = address,
                        .type = kind == DRV_SIDE_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE};
}

static CUresult copy_row(struct box *dst, struct box *src, size_t bytes, CUstream stream,
                         bool async) {
    struct extent e = {bytes, 1, 1};
    return copy_box(dst, src, &e, stream, async);
}

static CUresult copy_to_array(CUarray array, size_t offset, uint64_t src, enum drv_side_kind kind,
                              size_t bytes, CUstream stream, bool async) {
    struct box to, from = memory_row(src, kind);
    size_t unit;
    TRY(row_of(array, offset, bytes, &to, &unit));
    return copy_row(&to, &from, bytes, stream, async);
}

static CUresult copy_from_array(uint64_t dst, enum drv_side_kind kind, CUarray array, size_t offset,
                                size_t bytes, CUstream stream, bool async) {
    struct box from, to = memory_row(dst, kind);
    size_t unit;
    TRY(row_of(array, offset, bytes, &from, &unit));
    return copy_row(&to, &from, bytes, stream, async);
}

CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                         size_t ByteCount) {
    ENTER_CONTEXT(ctx);
    return copy_to_array(dstArray, dstOffset, srcDevice, DRV_SIDE_UNIFIED, ByteCount, NULL, false);
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
    ENTER_CONTEXT(ctx);
    return copy_from_array(dstDevice, DRV_SIDE_UNIFIED, srcArray, srcOffset, ByteCount, NULL,
                           false);
}

CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                         size_t ByteCount) {
    ENTER_CONTEXT(ctx);
    return copy_to_array(dstArray, dstOffset, (uintptr_t)srcHost, DRV_SIDE_HOST, ByteCount, NULL,
                         false);
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                              size_t ByteCount, CUstream hStream) {
    ENTER_STREAM(hStream);
    return copy_to_array(dstArray, dstOffset, (uintptr_t)srcHost, DRV_SIDE_HOST, ByteCount, hStream,
                         true);
}

CUresult cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
    ENTER_CONTEXT(ctx);
    return copy_from_array((uintptr_t)dstHost, DRV_SIDE_HOST, srcArray, srcOffset, ByteCount, NULL,
                           false);
}

CUresult cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                              CUstream hStream) {
    ENTER_STREAM(hStream);
    return copy_from_array((uintptr_t)dstHost, DRV_SIDE_HOST, srcArray, srcOffset, ByteCount,
                           hStream, true);
}

CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
    ENTER_CONTEXT(ctx);
    struct box to, from;
    size_t dst_unit, src_unit;
    TRY(row_of(dstArray, dstOffset, ByteCount, &to, &dst_unit));
    TRY(row_of(srcArray, srcOffset, ByteCount, &from, &src_unit));
    REQUIRE(!ByteCount || dst_unit == src_unit, CUDA_ERROR_INVALID_VALUE,
            "one array's texels are compressed, and the other's are not, or in other blocks");
    return copy_row(&to, &from, ByteCount, NULL, false);
}

static CUresult copy_2d(const CUDA_MEMCPY2D *p, CUstream stream, bool async) {
    REQUIRE(p != NULL, CUDA_ERROR_INVALID_VALUE, "pCopy cannot be NULL");
    struct box src = {
        p->srcXInBytes,        p->srcY,      0,          p->srcPitch, 0, p->srcMemoryType,
        (uintptr_t)p->srcHost, p->srcDevice, p->srcArray};
    struct box dst = {
        p->dstXInBytes,        p->dstY,      0,          p->dstPitch, 0, p->dstMemoryType,
        (uintptr_t)p->dstHost, p->dstDevice, p->dstArray};
    struct extent e = {p->WidthInBytes, p->Height, 1};
    return copy_box(&dst, &src, &e, stream, async);
}

// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER have the same fields; the contexts have no effect.
#define BOXES_3D(p, dst, src, e)                                                                   \
    REQUIRE((p) != NULL, CUDA_ERROR_INVALID_VALUE, "pCopy cannot be NULL");                        \
    REQUIRE(!(p)->srcLOD && !(p)->dstLOD, CUDA_ERROR_INVALID_VALUE, "srcLOD, dstLOD must be 0");   \
    struct box src = {(p)->srcXInBytes,        (p)->srcY,      (p)->srcZ,                          \
                      (p)->srcPitch,           (p)->srcHeight, (p)->srcMemoryType,                 \
                      (uintptr_t)(p)->srcHost, (p)->srcDevice, (p)->srcArray};                     \
    struct box dst = {(p)->dstXInBytes,        (p)->dstY,      (p)->dstZ,                          \
                      (p)->dstPitch,           (p)->dstHeight, (p)->dstMemoryType,                 \
                      (uintptr_t)(p)->dstHost, (p)->dstDevice, (p)->dstArray};                     \
    struct extent e = {(p)->WidthInBytes, (p)->Height, (p)->Depth}
#define COPY_3D(p, stream, async)                                                                  \
    do {                                                                                           \
        BOXES_3D(p, dst, src, e);                                                                  \
        return copy_box(&dst, &src, &e, stream, async);                                            \
    } while (0)

CUresult drv_copy_plan(const CUDA_MEMCPY3D *p, const struct drv_context *ctx, struct kd_copy *copy,
                       struct drv_side *to, struct drv_side *from) {
    BOXES_3D(p, dst, src, e);
    drv_work_for(ctx, ctx);
    CUresult result = plan_box(&dst, &src, &e, copy, to, from);
    drv_work_for(NULL, NULL);
    TRY(result);
    copy->dst = to->ptr;
    copy->src = from->ptr;
    if (check_tools() & (CHECK_RACE | CHECK_MEMORY))
        copy->call = host_call_keep();
    return CUDA_SUCCESS;
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy) {
    ENTER_CONTEXT(ctx);
    return copy_2d(pCopy, NULL, false);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy) {
    ENTER_CONTEXT(ctx);
    return copy_2d(pCopy, NULL, false);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream) {
    ENTER_STREAM(hStream);
    return copy_2d(pCopy, hStream, true);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy) {
    ENTER_CONTEXT(ctx);
    COPY_3D(pCopy, NULL, false);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream) {
    ENTER_STREAM(hStream);
    COPY_3D(pCopy, hStream, true);
}

// Arrays know their context; NULL stands for the stream's (an H200's driver 580 takes it).
static CUcontext side_context(CUcontext given, CUmemorytype type, CUarray array, CUcontext own) {
    struct drv_array *a;
    if (type == CU_MEMORYTYPE_ARRAY && drv_array_find(array, &a) == CUDA_SUCCESS)
        return a->object.context->handle;
    return given ? given : own;
}

static CUresult copy_3d_between(const CUDA_MEMCPY3D_PEER *p, CUstream stream, bool async) {
    struct between b;
    TRY(drv_stream_find(stream, &b.q, &b.ctx));
    CUcontext own = b.ctx->handle;
    TRY(between_begin(&b, side_context(p->dstContext, p->dstMemoryType, p->dstArray, own),
                      side_context(p->srcContext, p->srcMemoryType, p->srcArray, own)));
    BOXES_3D(p, dst, src, e);
    return between_end(&b, copy_box(&dst, &src, &e, stream, async));
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pCopy);
    return copy_3d_between(pCopy, NULL, false);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream) {
    ENTER_STREAM(hStream);
    REQUIRE_POINTER(pCopy);
    return copy_3d_between(pCopy, hStream, true);
}
