// Events of other processes (guide 6.2.11).
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"

_Static_assert(sizeof(struct kd_ipc_file) <= sizeof(CUipcEventHandle), "fits");

// Of an event that was created with CU_EVENT_INTERPROCESS.
CUresult cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(pHandle);
    struct drv_event *e;
    struct kd_ipc_file file;
    TRY(drv_event_find(event, &e));
    REQUIRE(e->flags & CU_EVENT_INTERPROCESS, CUDA_ERROR_INVALID_HANDLE,
            "the event was not created with CU_EVENT_INTERPROCESS");
    TRY(drv_status(kd_event_export(e->e, &file), ctx));
    memset(pHandle, 0, sizeof *pHandle);
    memcpy(pHandle, &file, sizeof file);
    return CUDA_SUCCESS;
}

// CUDA_ERROR_INVALID_CONTEXT: in the process that made the handle. CUDA_ERROR_INVALID_HANDLE: it is
// no handle, or the event or its process is gone.
CUresult cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle) {
    ENTER_CONTEXT(ctx);
    REQUIRE_POINTER(phEvent);
    struct kd_ipc_file file;
    memcpy(&file, &handle, sizeof file);
    REQUIRE(!kd_ipc_is_own(&file), CUDA_ERROR_INVALID_CONTEXT,
            "the handle is of this process's own event");
    struct kd_event *opened;
    enum kd_status status = kd_event_import(ctx->c, &file, &opened);
    REQUIRE(status != KD_NOT_FOUND && status != KD_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE, "%s",
            kd_reason());
    TRY(drv_status(status, ctx));
    return drv_event_add(ctx, opened, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING, phEvent);
}
