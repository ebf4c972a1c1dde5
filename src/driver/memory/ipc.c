// Memory of other processes (guide 6.2.11): handles that any process of the same user can open
// while the process that made them lives and keeps the memory.
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

_Static_assert(sizeof(struct kd_ipc_memory) <= sizeof(CUipcMemHandle), "fits");

// What was opened: the same memory in the same context has one address.
struct opened {
    struct kd_ipc_memory handle;
    uint64_t context; // its id
    uint64_t ptr;
    unsigned count;
    struct opened *next;
};
static struct opened *opened; // under the lock

bool drv_ipc_capable(const struct kd_memory *m) {
    return m->kind == KD_MEMORY_DEVICE &&
           !(m->flags &
             (DRV_MEMORY_POOL | DRV_MEMORY_GRAPH | DRV_MEMORY_MAPPED | DRV_MEMORY_IPC |
              DRV_MEMORY_ARRAY | DRV_MEMORY_GRAPHICS | DRV_MEMORY_IPC_POOL | DRV_MEMORY_EXTERNAL));
}

// dptr: in memory of cuMemAlloc. The handle is that of the whole allocation.
CUresult cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pHandle);
    struct kd_memory m;
    REQUIRE(kd_memory_find(dptr, &m) && drv_ipc_capable(&m), CUDA_ERROR_INVALID_VALUE,
            "%#llx is not in memory that cuMemAlloc gave", dptr);
    struct kd_ipc_memory handle;
    TRY(drv_status(kd_ipc_export(dptr, &handle), ctx));
    memset(pHandle, 0, sizeof *pHandle);
    memcpy(pHandle, &handle, sizeof handle);
    return CUDA_SUCCESS;
}

// Under the lock.
static struct opened **find_opened(bool (*is)(const struct opened *, const void *),
                                   const void *arg) {
    struct opened **at = &opened;
    while (*at && !is(*at, arg))
        at = &(*at)->next;
    return at;
}

static bool has_handle(const struct opened *o, const void *arg) {
    const struct opened *want = arg;
    return o->context == want->context && !memcmp(&o->handle, &want->handle, sizeof o->handle);
}

static bool has_pointer(const struct opened *o, const void *arg) {
    const struct opened *want = arg;
    return o->ptr == want->ptr && o->context == want->context;
}

// One more use of memory that the context has opened already; false: it has not.
static bool reopen(const struct opened *want, uint64_t *ptr) {
    struct kd_memory m;
    drv_lock();
    struct opened *o = *find_opened(has_handle, want);
    bool ok = o && kd_memory_find(o->ptr, &m) && m.base == o->ptr && m.flags & DRV_MEMORY_IPC;
    if (ok) {
        o->count++;
        *ptr = o->ptr;
    }
    drv_unlock();
    return ok;
}

// CUDA_ERROR_INVALID_CONTEXT: in the process that made the handle. CUDA_ERROR_INVALID_HANDLE: it is
// no handle, or the memory or the process is gone. Opened twice in a context: the same address, to
// be closed twice.
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pdptr);
    REQUIRE(!(Flags & ~(unsigned)CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of opening memory", Flags);
    struct opened *o = calloc(1, sizeof *o);
    REQUIRE(o, CUDA_ERROR_OUT_OF_MEMORY, "no memory for a note");
    memcpy(&o->handle, &handle, sizeof o->handle);
    o->context = ctx->id;
    o->count = 1;
    if (reopen(o, &o->ptr)) {
        *pdptr = o->ptr;
        free(o);
        return CUDA_SUCCESS;
    }
    bool own = kd_ipc_is_own(&o->handle.file);
    enum kd_status status =
        own ? KD_NOT_FOUND : kd_ipc_open(ctx->c, &o->handle, DRV_MEMORY_IPC, &o->ptr);
    if (status != KD_OK) {
        free(o);
        REQUIRE(!own, CUDA_ERROR_INVALID_CONTEXT, "the handle is of this process's own memory");
        REQUIRE(status != KD_NOT_FOUND, CUDA_ERROR_INVALID_HANDLE, "%s", kd_reason());
        FAIL(CUDA_ERROR_MAP_FAILED, "%s", kd_reason());
    }
    *pdptr = o->ptr;
    drv_lock();
    o->next = opened;
    opened = o;
    drv_unlock();
    return CUDA_SUCCESS;
}

// Waits for the context in which the memory was opened.
CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
    ENTER_CONTEXT(current);
    struct kd_memory m;
    REQUIRE(kd_memory_find(dptr, &m) && m.base == dptr && m.flags & DRV_MEMORY_IPC,
            CUDA_ERROR_INVALID_VALUE, "%#llx is not what cuIpcOpenMemHandle returned", dptr);
    struct drv_context *ctx = drv_context_of(m.context);
    struct opened want = {.ptr = dptr, .context = ctx ? ctx->id : 0};
    drv_lock();
    struct opened **at = find_opened(has_pointer, &want), *o = *at;
    bool last = !o || --o->count == 0;
    if (o && last)
        *at = o->next;
    drv_unlock();
    if (!last)
        return ctx ? drv_status(kd_context_wait(ctx->c), ctx) : CUDA_SUCCESS;
    CUresult result = drv_memory_retire(&m);
    if (result != CUDA_ERROR_INVALID_VALUE)
        kd_ipc_close(dptr);
    free(o);
    return result;
}
