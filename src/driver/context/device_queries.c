// What kernels ask about devices (guide 13.3.1.5), answered as on the host.
#include "driver/driver.h"
#include "driver/graph/graph_exec.h"
#include "driver/graph/graph_updatable.h"

static bool attribute(int ordinal, int number, int *out) {
    struct drv_device *d;
    return drv_device_find(ordinal, &d) == CUDA_SUCCESS &&
           drv_device_attribute(d, (CUdevice_attribute)number, out) == CUDA_SUCCESS;
}

// One that was instantiated for launches from the device, and uploaded.
static struct kd_graph *graph(uint64_t handle) {
    DEVICE_CALL();
    struct drv_exec *exec = drv_object_find((void *)(uintptr_t)handle, DRV_GRAPH_EXEC);
    return exec && exec->uploaded && (exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
               ? kd_graph_ref(exec->k)
               : NULL;
}

void drv_answer_kernels(void) {
    static const struct kd_device_queries queries = {drv_device_count, drv_device_ordinal,
                                                     attribute, graph, drv_updatable_change};
    kd_set_device_queries(&queries);
}
