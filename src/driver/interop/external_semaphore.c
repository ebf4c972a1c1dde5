// Semaphores of other APIs on this machine (guide 6.2.16): binary ones are counters of the system
// (eventfd), timelines are files in memory whose first 64-bit word is the value.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/graph/capture.h"
#include "driver/interop/external_semaphore.h"

struct drv_semaphore {
    struct drv_object object;
    int fd;
    uint64_t word;   // address of a timeline's value; 0: a binary semaphore
    atomic_int refs; // one of the handle, one of each executable graph
};

void drv_semaphore_drop(struct drv_semaphore *s) {
    if (--s->refs)
        return;
    if (s->word)
        kd_ipc_close(s->word);
    close(s->fd);
    free(s);
}

static void release(struct drv_object *o) {
    drv_semaphore_drop((struct drv_semaphore *)o);
}

static bool is_counter(int fd) {
    char path[64], name[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, name, sizeof name - 1);
    name[n > 0 ? n : 0] = 0;
    return !strcmp(name, "anon_inode:[eventfd]");
}

static CUresult open_semaphore(struct drv_context *ctx, struct drv_semaphore *s, int fd,
                               bool timeline) {
    if (timeline) {
        enum kd_status status = kd_ipc_words_map(ctx->device->d, fd, sizeof(uint64_t), &s->word);
        REQUIRE(status != KD_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
                "descriptor %d is no file in memory that cannot shrink, with a timeline's value",
                fd);
        TRY(drv_status(status, ctx));
    } else {
        REQUIRE(is_counter(fd), CUDA_ERROR_INVALID_HANDLE, "descriptor %d is no eventfd", fd);
    }
    s->fd = fd;
    return CUDA_SUCCESS;
}

// The descriptor becomes the driver's.
CUresult cuImportExternalSemaphore(CUexternalSemaphore *extSem_out,
                                   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(extSem_out);
    REQUIRE_POINTER(semHandleDesc);
    CUexternalSemaphoreHandleType type = semHandleDesc->type;
    REQUIRE(type >= CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD &&
                type <= CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32,
            CUDA_ERROR_INVALID_VALUE, "%d is no type of external semaphore", (int)type);
    bool timeline = type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    REQUIRE(timeline || type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
            CUDA_ERROR_NOT_SUPPORTED,
            "external semaphores are imported from POSIX file descriptors alone");
    REQUIRE(semHandleDesc->flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
    struct drv_semaphore *s = calloc(1, sizeof *s);
    REQUIRE(s, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a semaphore");
    s->refs = 1;
    CUresult result = open_semaphore(ctx, s, semHandleDesc->handle.fd, timeline);
    if (result != CUDA_SUCCESS) {
        free(s);
        return result;
    }
    if (!drv_object_add(&s->object, DRV_EXTERNAL_SEMAPHORE, ctx, release)) {
        if (s->word)
            kd_ipc_close(s->word);
        free(s);
        FAIL(CUDA_ERROR_OUT_OF_MEMORY, "no handle for a semaphore");
    }
    *extSem_out = s->object.handle;
    return CUDA_SUCCESS;
}

static CUresult find(CUexternalSemaphore handle, struct drv_semaphore **out) {
    *out = drv_object_find(handle, DRV_EXTERNAL_SEMAPHORE);
    REQUIRE(*out, CUDA_ERROR_INVALID_HANDLE, "%p is no external semaphore, or was destroyed",
            (void *)handle);
    return CUDA_SUCCESS;
}

// All semaphores exist, and the stream takes operations.
static CUresult check(const CUexternalSemaphore *list, const void *params, unsigned n,
                      CUstream stream, struct kd_queue **q, struct drv_context **ctx,
                      bool *captured) {
    struct drv_semaphore *s;
    TRY(drv_stream_find(stream, q, ctx));
    TRY(drv_capture_enter(*q, *ctx, captured));
    REQUIRE((list && params) || !n, CUDA_ERROR_INVALID_VALUE,
            "extSemArray and paramsArray cannot be NULL");
    for (unsigned i = 0; i < n; i++)
        TRY(find(list[i], &s));
    return CUDA_SUCCESS;
}

static enum kd_status submit(struct kd_queue *q, const struct drv_semaphore *s, bool signal,
                             uint64_t value) {
    if (!s->word)
        return signal ? kd_submit_file_signal(q, s->fd) : kd_submit_file_wait(q, s->fd);
    struct kd_value_op op = {signal ? KD_VALUE_WRITE : KD_VALUE_WAIT_AT_LEAST, 8, s->word, value};
    return kd_submit_values(q, &op, 1);
}

// A binary semaphore counts one more; a timeline gets the value.
CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                         const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray,
                                         unsigned int numExtSems, CUstream stream) {
    ENTER();
    struct kd_queue *q;
    struct drv_context *ctx;
    struct drv_semaphore *s;
    bool captured;
    TRY(check(extSemArray, paramsArray, numExtSems, stream, &q, &ctx, &captured));
    if (captured && numExtSems) {
        CUgraphNodeParams p = {
            .type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
            .extSemSignal = {(CUexternalSemaphore *)extSemArray, paramsArray, numExtSems}};
        return drv_capture_add(q, &p, NULL);
    }
    for (unsigned i = 0; i < numExtSems; i++) {
        TRY(find(extSemArray[i], &s));
        TRY(drv_status(submit(q, s, true, paramsArray[i].params.fence.value), ctx));
    }
    return CUDA_SUCCESS;
}

// The stream waits until a binary semaphore has counted, and takes the count; or until a timeline's
// value is at least the given one.
CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray,
                                       unsigned int numExtSems, CUstream stream) {
    ENTER();
    struct kd_queue *q;
    struct drv_context *ctx;
    struct drv_semaphore *s;
    bool captured;
    TRY(check(extSemArray, paramsArray, numExtSems, stream, &q, &ctx, &captured));
    if (captured && numExtSems) {
        CUgraphNodeParams p = {
            .type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
            .extSemWait = {(CUexternalSemaphore *)extSemArray, paramsArray, numExtSems}};
        return drv_capture_add(q, &p, NULL);
    }
    for (unsigned i = 0; i < numExtSems; i++) {
        TRY(find(extSemArray[i], &s));
        TRY(drv_status(submit(q, s, false, paramsArray[i].params.fence.value), ctx));
    }
    return CUDA_SUCCESS;
}

// ---- In graphs ------------------------------------------------------------------------------

CUresult drv_semaphore_hold(CUexternalSemaphore handle, struct drv_semaphore **out) {
    TRY(find(handle, out));
    (*out)->refs++;
    return CUDA_SUCCESS;
}

static CUresult operation(CUexternalSemaphore handle, bool signal, uint64_t value,
                          struct kd_value_op *out, struct drv_context **ctx) {
    struct drv_semaphore *s;
    TRY(find(handle, &s));
    *ctx = s->object.context;
    if (s->word)
        *out = (struct kd_value_op){signal ? KD_VALUE_WRITE : KD_VALUE_WAIT_AT_LEAST, 8, s->word,
                                    value};
    else
        *out = (struct kd_value_op){signal ? KD_VALUE_FILE_SIGNAL : KD_VALUE_FILE_WAIT, 8,
                                    (uint64_t)s->fd, 0};
    return CUDA_SUCCESS;
}

static CUresult check_count(unsigned n) {
    REQUIRE(n <= DRV_MAX_VALUE_OPS, CUDA_ERROR_INVALID_VALUE,
            "a node with %u semaphores; %d are possible", n, DRV_MAX_VALUE_OPS);
    return CUDA_SUCCESS;
}

CUresult drv_semaphore_signals(const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *p, struct kd_value_op *out,
                               struct drv_context **ctx) {
    TRY(check_count(p->numExtSems));
    for (unsigned i = 0; i < p->numExtSems; i++)
        TRY(operation(p->extSemArray[i], true, p->paramsArray[i].params.fence.value, &out[i], ctx));
    return CUDA_SUCCESS;
}

CUresult drv_semaphore_waits(const CUDA_EXT_SEM_WAIT_NODE_PARAMS *p, struct kd_value_op *out,
                             struct drv_context **ctx) {
    TRY(check_count(p->numExtSems));
    for (unsigned i = 0; i < p->numExtSems; i++)
        TRY(operation(p->extSemArray[i], false, p->paramsArray[i].params.fence.value, &out[i],
                      ctx));
    return CUDA_SUCCESS;
}

// ---- Ends -----------------------------------------------------------------------------------

// No stream may still have to come to a use of it.
CUresult cuDestroyExternalSemaphore(CUexternalSemaphore extSem) {
    ENTER_CONTEXT(ctx);
    struct drv_semaphore *s;
    TRY(find(extSem, &s));
    REQUIRE(drv_object_destroy(&s->object), CUDA_ERROR_INVALID_HANDLE,
            "%p was destroyed by another thread", (void *)extSem);
    return CUDA_SUCCESS;
}
