// What each device may touch (device/memory/rights.h).
#ifndef KUDZU_DRIVER_DEVICE_RIGHTS_H
#define KUDZU_DRIVER_DEVICE_RIGHTS_H

#include <stdint.h>

// The devices with these numbers that programs see, a bit each, as the device layer counts them.
uint64_t drv_device_indices(uint64_t devices);

struct drv_pool;
// A pool's memory gets the rights that the pool has now.
void drv_pool_enforce(struct drv_pool *p);

#endif
