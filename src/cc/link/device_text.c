#include "cc/link/device_text.h"

#include "cc/compat/cluster_dims.h"
#include "ptx/max_registers.h"

const char *device_text(struct arena *arena, const struct cc_options *o, const char *ptx,
                        size_t *size) {
    return max_registers_apply(arena, cluster_dims_apply(arena, ptx, size), o->max_registers, size);
}
