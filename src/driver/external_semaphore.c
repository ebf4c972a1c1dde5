// Semaphores of other APIs on this machine (guide 6.2.16): binary ones are counters of the system
// (eventfd), timelines are files in memory whose first 64-bit word is the value.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/capture.h"

struct semaphore {
    struct drv_object object;
    int fd;
    uint64_t word; // address of a timeline's value; 0: a binary semaphore
};

static void release(struct drv_object *o) {
    struct semaphore *s = (struct semaphore *)o;
    if (s->word)
        kd_ipc_close(s->word);
    close(s->fd);
    free(s);
}

static bool is_counter(int fd) {
    char path[64], name[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, name, sizeof name - 1);
    name[n > 0 ? n : 0] = 0;
    return !strcmp(name, "anon_inode:[eventfd]");
}

static CUresult open_semaphore(struct drv_context *ctx, struct semaphore *s, int fd,
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
    struct semaphore *s = calloc(1, sizeof *s);
    REQUIRE(s, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a semaphore");
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

static CUresult find(CUexternalSemaphore handle, struct semaphore **out) {
    *out = drv_object_find(handle, DRV_EXTERNAL_SEMAPHORE);
    REQUIRE(*out, CUDA_ERROR_INVALID_HANDLE, "%p is no external semaphore, or was destroyed",
            (void *)handle);
    return CUDA_SUCCESS;
}

// All semaphores exist, and the stream takes operations.
static CUresult check(const CUexternalSemaphore *list, const void *params, unsigned n,
                      CUstream stream, struct kd_queue **q, struct drv_context **ctx) {
    struct semaphore *s;
    TRY(drv_stream_find(stream, q, ctx));
    TRY(drv_capture_refuse(*q, *ctx, "given semaphores"));
    REQUIRE((list && params) || !n, CUDA_ERROR_INVALID_VALUE,
            "extSemArray and paramsArray cannot be NULL");
    for (unsigned i = 0; i < n; i++)
        TRY(find(list[i], &s));
    return CUDA_SUCCESS;
}

static enum kd_status submit(struct kd_queue *q, const struct semaphore *s, bool signal,
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
    struct semaphore *s;
    TRY(check(extSemArray, paramsArray, numExtSems, stream, &q, &ctx));
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
    struct semaphore *s;
    TRY(check(extSemArray, paramsArray, numExtSems, stream, &q, &ctx));
    for (unsigned i = 0; i < numExtSems; i++) {
        TRY(find(extSemArray[i], &s));
        TRY(drv_status(submit(q, s, false, paramsArray[i].params.fence.value), ctx));
    }
    return CUDA_SUCCESS;
}

// No stream may still have to come to a use of it.
CUresult cuDestroyExternalSemaphore(CUexternalSemaphore extSem) {
    ENTER_CONTEXT(ctx);
    struct semaphore *s;
    TRY(find(extSem, &s));
    drv_object_destroy(&s->object);
    return CUDA_SUCCESS;
}
