// What kernels ask about devices (guide 13.3.1.5), answered as on the host.
#include "driver/driver.h"

static bool attribute(int ordinal, int number, int *out) {
    struct drv_device *d;
    return drv_device_find(ordinal, &d) == CUDA_SUCCESS &&
           drv_device_attribute(d, (CUdevice_attribute)number, out) == CUDA_SUCCESS;
}

void drv_answer_kernels(void) {
    static const struct kd_device_queries queries = {drv_device_count, drv_device_ordinal,
                                                     attribute};
    kd_set_device_queries(&queries);
}
