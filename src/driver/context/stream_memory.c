// Stream memory operations: words that a stream writes or waits for.
#include "driver/graph/capture.h"
#include "driver/memory/virtual_memory.h"

static CUresult check_word(CUdeviceptr address, uint32_t bytes, bool write) {
    struct kd_memory m;
    REQUIRE(address % bytes == 0, CUDA_ERROR_INVALID_VALUE, "address %#llx is no multiple of %u",
            address, bytes);
    REQUIRE(kd_memory_find(address, &m) && address + bytes <= m.base + m.size,
            CUDA_ERROR_INVALID_VALUE,
            "%#llx is not in memory that the device has, or that the host has registered", address);
    REQUIRE(!(m.flags & DRV_MEMORY_MAPPED) || drv_mapped_access(address, bytes, write, false),
            CUDA_ERROR_INVALID_VALUE, "%#llx is not mapped with the right to %s it", address,
            write ? "write" : "read");
    return CUDA_SUCCESS;
}

static CUresult wait_op(struct kd_value_op *out, CUdeviceptr address, uint64_t value,
                        uint32_t bytes, unsigned flags) {
    // Writes of other devices are seen without a flush.
    unsigned condition = flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH;
    REQUIRE(condition <= CU_STREAM_WAIT_VALUE_NOR, CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of a wait for a value", flags);
    TRY(check_word(address, bytes, false));
    *out = (struct kd_value_op){(enum kd_value_kind)(KD_VALUE_WAIT_AT_LEAST + condition), bytes,
                                address, value};
    return CUDA_SUCCESS;
}

static CUresult write_op(struct kd_value_op *out, CUdeviceptr address, uint64_t value,
                         uint32_t bytes, unsigned flags) {
    REQUIRE(!(flags & ~(unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER), CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of a write of a value", flags);
    TRY(check_word(address, bytes, true));
    *out = (struct kd_value_op){KD_VALUE_WRITE, bytes, address, value};
    return CUDA_SUCCESS;
}

static CUresult batch_op(struct kd_value_op *out, const CUstreamBatchMemOpParams *p) {
    switch (p->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        return wait_op(out, p->waitValue.address, p->waitValue.value, 4, p->waitValue.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        return wait_op(out, p->waitValue.address, p->waitValue.value64, 8, p->waitValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        return write_op(out, p->writeValue.address, p->writeValue.value, 4, p->writeValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return write_op(out, p->writeValue.address, p->writeValue.value64, 8, p->writeValue.flags);
    case CU_STREAM_MEM_OP_BARRIER:
        REQUIRE(p->memoryBarrier.flags <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU,
                CUDA_ERROR_INVALID_VALUE, "%#x is no scope of a barrier", p->memoryBarrier.flags);
        *out = (struct kd_value_op){.kind = KD_VALUE_BARRIER};
        return CUDA_SUCCESS;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        REQUIRE(p->flushRemoteWrites.flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
        *out = (struct kd_value_op){.kind = KD_VALUE_BARRIER};
        return CUDA_SUCCESS;
    }
    FAIL(CUDA_ERROR_INVALID_VALUE, "%d is no memory operation of a stream", (int)p->operation);
}

CUresult drv_value_ops(const CUstreamBatchMemOpParams *params, unsigned count, unsigned flags,
                       struct kd_value_op *out) {
    REQUIRE(params || !count, CUDA_ERROR_INVALID_VALUE, "paramArray cannot be NULL");
    REQUIRE(count <= DRV_MAX_VALUE_OPS, CUDA_ERROR_INVALID_VALUE,
            "%u memory operations are more than 256", count);
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    for (unsigned i = 0; i < count; i++)
        TRY(batch_op(&out[i], &params[i]));
    return CUDA_SUCCESS;
}

static CUresult submit(CUstream stream, CUstreamBatchMemOpParams *params, unsigned n,
                       unsigned flags) {
    struct kd_value_op ops[DRV_MAX_VALUE_OPS];
    struct kd_queue *q;
    struct drv_context *ctx;
    bool captured;
    TRY(drv_stream_find(stream, &q, &ctx));
    USE_MEMORY();
    TRY(drv_value_ops(params, n, flags, ops));
    TRY(drv_capture_enter(q, ctx, &captured));
    if (captured) {
        CUgraphNodeParams node = {.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
                                  .memOp = {ctx->handle, n, params, flags}};
        return drv_capture_add(q, &node, NULL);
    }
    struct kd_memory m;
    for (unsigned i = 0; i < n; i++)
        if (ops[i].kind != KD_VALUE_BARRIER && kd_memory_find(ops[i].address, &m))
            drv_memory_used(ops[i].address, m.context, ctx);
    return drv_status(kd_submit_values(q, ops, n), ctx);
}

static CUresult wait_for(CUstream stream, CUstreamBatchMemOpType type, CUdeviceptr address,
                         cuuint64_t value, unsigned flags) {
    CUstreamBatchMemOpParams p = {.operation = type};
    p.waitValue.address = address;
    p.waitValue.value64 = value;
    p.waitValue.flags = flags;
    return submit(stream, &p, 1, 0);
}

static CUresult write(CUstream stream, CUstreamBatchMemOpType type, CUdeviceptr address,
                      cuuint64_t value, unsigned flags) {
    CUstreamBatchMemOpParams p = {.operation = type};
    p.writeValue.address = address;
    p.writeValue.value64 = value;
    p.writeValue.flags = flags;
    return submit(stream, &p, 1, 0);
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                unsigned int flags) {
    ENTER();
    return wait_for(stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, addr, value, flags);
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                unsigned int flags) {
    ENTER();
    return wait_for(stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, addr, value, flags);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                 unsigned int flags) {
    ENTER();
    return write(stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, addr, value, flags);
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                 unsigned int flags) {
    ENTER();
    return write(stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, addr, value, flags);
}

// At most 256 operations, which run one after the other.
CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                               CUstreamBatchMemOpParams *paramArray, unsigned int flags) {
    ENTER();
    return submit(stream, paramArray, count, flags);
}
