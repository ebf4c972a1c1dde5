// One cooperative launch on several devices (guide 11.9; deprecated since version 11.3): kernels of
// one shape, one on each device, whose blocks can all wait for each other. So all are launched or
// none.
#include <string.h>

#include "driver/code/launch.h"

enum {
    KNOWN_FLAGS = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
                  CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC
};

struct launch {
    struct kd_queue *q;
    struct drv_context *ctx;
    struct kd_event *event;
};

static CUresult check(const CUDA_LAUNCH_PARAMS *list, unsigned n, struct launch *launches) {
    for (unsigned i = 0; i < n; i++) {
        REQUIRE((uintptr_t)list[i].hStream > (uintptr_t)CU_STREAM_PER_THREAD,
                CUDA_ERROR_INVALID_HANDLE, "launch %u: the stream cannot be a default stream", i);
        TRY(drv_stream_find(list[i].hStream, &launches[i].q, &launches[i].ctx));
        for (unsigned k = 0; k < i; k++)
            REQUIRE(launches[k].ctx->device != launches[i].ctx->device, CUDA_ERROR_INVALID_DEVICE,
                    "launches %u and %u are for one device", k, i);
        REQUIRE(!memcmp(&list[i].gridDimX, &list[0].gridDimX, 7 * sizeof(unsigned)),
                CUDA_ERROR_INVALID_VALUE, "launches 0 and %u are not of one shape", i);
    }
    return CUDA_SUCCESS;
}

// Every stream waits for what all of them have done so far.
static CUresult meet(struct launch *launches, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        TRY(drv_status(kd_event_record(launches[i].event, launches[i].q), launches[i].ctx));
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < n; k++)
            if (k != i)
                TRY(drv_status(kd_event_wait_on(launches[i].q, launches[k].event),
                               launches[i].ctx));
    return CUDA_SUCCESS;
}

static CUresult run(const CUDA_LAUNCH_PARAMS *list, unsigned n, unsigned flags,
                    struct launch *launches, struct kd_multi_grid *m) {
    for (unsigned i = 0; i < n; i++)
        TRY(drv_launch_one_of(&list[i], m, i, true));
    if (!(flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC))
        TRY(meet(launches, n));
    for (unsigned i = 0; i < n; i++)
        TRY(drv_launch_one_of(&list[i], m, i, false));
    if (!(flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC))
        TRY(meet(launches, n));
    return CUDA_SUCCESS;
}

// CUDA_ERROR_INVALID_VALUE: shapes that differ; CUDA_ERROR_INVALID_DEVICE: a device twice;
// CUDA_ERROR_INVALID_HANDLE: a default stream.
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launchParamsList,
                                              unsigned int numDevices, unsigned int flags) {
    ENTER();
    struct launch launches[DRV_MAX_DEVICES] = {0};
    REQUIRE_POINTER(launchParamsList);
    REQUIRE(!(flags & ~(unsigned)KNOWN_FLAGS), CUDA_ERROR_INVALID_VALUE,
            "flags %#x are not flags of this launch", flags);
    REQUIRE(numDevices > 0 && (int)numDevices <= drv_device_count(), CUDA_ERROR_INVALID_VALUE,
            "launches for %u devices; there are %d", numDevices, drv_device_count());
    TRY(check(launchParamsList, numDevices, launches));
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < numDevices && result == CUDA_SUCCESS; i++)
        result = drv_status(
            kd_event_new(launches[i].ctx->c, KD_EVENT_NO_TIMING, &launches[i].event), NULL);
    struct kd_multi_grid *m = kd_multi_grid_new(numDevices);
    if (!m)
        result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS)
        result = run(launchParamsList, numDevices, flags, launches, m);
    kd_multi_grid_unref(m);
    for (unsigned i = 0; i < numDevices; i++)
        kd_event_free(launches[i].event);
    return result;
}
