// What the grids of a cooperative launch on several devices share.
#ifndef KUDZU_DEVICE_MULTI_GRID_H
#define KUDZU_DEVICE_MULTI_GRID_H

#include "device/device.h"

struct kd_multi_grid *multi_grid_ref(struct kd_multi_grid *m);
// What the blocks of grid `rank` see of it.
struct kd_grid_workspace multi_grid_workspace(struct kd_multi_grid *m, uint32_t rank);

#endif
