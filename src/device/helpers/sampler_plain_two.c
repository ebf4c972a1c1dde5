// Texture fetches from plain images, two lanes at a time: vectors of 128 bits, which every machine
// has.
#define LANES 2
#include "device/helpers/sampler_plain_body.h"

void sampler_plain_two(const struct group *g, const struct plain *p, uint32_t mask) {
    fetch_dims(g, p, mask);
}
