// Texture fetches from plain images, eight lanes at a time: AVX-512.
#if defined __x86_64__
#define LANES 8
#include "device/helpers/sampler_plain_body.h"

__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))) void
sampler_plain_eight(const struct group *g, const struct plain *p, uint32_t mask) {
    fetch_dims(g, p, mask);
}
#endif
