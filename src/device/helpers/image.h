// Texture and surface objects: what the table gives the sampler and surface accesses.
#ifndef KUDZU_DEVICE_IMAGE_H
#define KUDZU_DEVICE_IMAGE_H

#include "device/device.h"

// The object of a handle, while it exists; NULL: there is none, or it is of the other kind.
const struct kd_texture *image_find(uint64_t handle, bool surface);
// enum kd_query of an object, and of any handle.
uint64_t image_query(const struct kd_texture *t, uint32_t query, uint32_t level);
uint64_t image_kind_query(uint64_t handle, uint32_t query);

#endif
