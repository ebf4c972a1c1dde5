// Fetches of a group of lanes from what most images are: one level, in rows.
#ifndef KUDZU_DEVICE_SAMPLER_PLAIN_H
#define KUDZU_DEVICE_SAMPLER_PLAIN_H

#include "device/device.h"

// What a fetch by a group of lanes needs.
struct group {
    const struct kd_texture *t;
    uint32_t form, width;
    const uint32_t *in; // of the group's lanes
    uint32_t *out;
};

// The image and the fetch, as the lanes need them.
struct plain {
    const struct kd_texture *t;
    const uint8_t *base;
    uint32_t stride[3]; // bytes
    double size[3];
    double last[3][8]; // size - 1, for each lane: gcc 12 inserts equal elements one by one
    unsigned mode[3];
    bool integer, floats, exact;
    bool borders;      // texels beyond the image have values of their own
    unsigned channels; // that have to be looked at: 4 with borders
};

// Fetches for the active lanes, where t and the form of the fetch are of this kind; else false. The
// caller has excluded cubes, blocks, several levels and halves as results.
bool sampler_plain_fetch(const struct group *g, uint32_t mask);

// The same in vectors of as many lanes.
typedef void sampler_plain_lanes(const struct group *g, const struct plain *p, uint32_t mask);
sampler_plain_lanes sampler_plain_two, sampler_plain_four, sampler_plain_eight;

#endif
