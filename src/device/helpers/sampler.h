// Texture fetches: what the sampler for one thread and the one for a group of lanes share.
#ifndef KUDZU_DEVICE_SAMPLER_H
#define KUDZU_DEVICE_SAMPLER_H

#include "device/device.h"

// Does the texture give floating-point values? Else it gives the texels' bits.
bool sampler_gives_floats(const struct kd_texture *t);
// Does a fetch take several samples, along the longer of its gradients?
bool sampler_is_anisotropic(const struct kd_texture *t, uint32_t form);
// The value of a component of which `bits` are stored, extended to 32 bits.
double sampler_component(const struct kd_texture *t, uint32_t bits, unsigned channel);

#endif
