// Texture fetches from plain images, four lanes at a time: AVX2.
#if defined __x86_64__
#define LANES 4
#include "device/helpers/sampler_plain_body.h"

__attribute__((target("avx2"))) void sampler_plain_four(const struct group *g,
                                                        const struct plain *p, uint32_t mask) {
    fetch_dims(g, p, mask);
}
#endif
