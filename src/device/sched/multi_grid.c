#include "device/sched/multi_grid.h"

#include <stdatomic.h>
#include <stdlib.h>

struct kd_multi_grid {
    _Alignas(64) uint32_t word; // the kernels' own
    uint32_t grids;
    atomic_uint refs;
};

struct kd_multi_grid *kd_multi_grid_new(uint32_t grids) {
    struct kd_multi_grid *m = aligned_alloc(64, sizeof *m);
    if (!m)
        return NULL;
    m->word = 0;
    m->grids = grids;
    atomic_init(&m->refs, 1);
    return m;
}

struct kd_multi_grid *multi_grid_ref(struct kd_multi_grid *m) {
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

void kd_multi_grid_unref(struct kd_multi_grid *m) {
    if (m && atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) == 1)
        free(m);
}

struct kd_grid_workspace multi_grid_workspace(struct kd_multi_grid *m, uint32_t rank) {
    return (struct kd_grid_workspace){
        .across = (uint64_t)(uintptr_t)&m->word, .grid = rank, .grids = m->grids};
}
