// Texture fetches of a group of lanes from one level whose texels lie in rows: indices are 32 bits
// wide, and neighbouring texels are loaded as one. sampler_lanes.c fetches from the others.
#include "device/helpers/sampler_plain.h"

#include "abi/generated_code.h"
#include "device/helpers/sampler.h"

static bool in_rows(const struct group *g) {
    const struct kd_image_level *l = &g->t->level[0];
    uint64_t numbers = l->depth > g->t->layers ? l->depth : g->t->layers;
    unsigned dims = kd_image_dims(g->form);
    uint64_t end = l->width * g->t->bytes * g->t->channels;
    if (g->form & KD_IMAGE_OFFSETS || l->sparse || l->tiled)
        return false;
    if (dims > 1)
        end += l->height * l->pitch;
    if (dims > 2 || kd_image_indices(g->form))
        end += numbers * l->slice;
    return end <= INT32_MAX && l->pitch <= INT32_MAX && l->slice <= INT32_MAX;
}

static void describe(const struct group *g, struct plain *p) {
    const struct kd_texture *t = g->t;
    const struct kd_image_level *l = &t->level[0];
    p->t = t;
    p->base = (const uint8_t *)(uintptr_t)l->base;
    p->stride[0] = (uint32_t)t->bytes * t->channels;
    p->stride[1] = (uint32_t)l->pitch;
    p->stride[2] = (uint32_t)l->slice;
    p->size[0] = (double)l->width;
    p->size[1] = (double)l->height;
    p->size[2] = (double)l->depth;
    p->integer = g->form & KD_IMAGE_INTEGER;
    p->floats = sampler_gives_floats(t);
    p->exact = t->texel == KD_TEXEL_FLOAT && t->bytes == 4 && !t->filtered && !t->mip_filtered;
    p->borders = t->indexed;
    for (unsigned k = 0; k < kd_image_dims(g->form); k++) {
        for (unsigned l = 0; l < 8; l++)
            p->last[k][l] = p->size[k] - 1;
        unsigned mode = t->indexed || p->integer ? KD_ADDRESS_BORDER : t->addressing[k];
        p->mode[k] = !t->normalized && mode != KD_ADDRESS_BORDER ? KD_ADDRESS_CLAMP : mode;
        p->borders |= mode == KD_ADDRESS_BORDER;
    }
    p->channels = p->borders ? 4 : t->channels;
}

static sampler_plain_lanes *best_lanes(void) {
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return sampler_plain_eight;
    if (__builtin_cpu_supports("avx2"))
        return sampler_plain_four;
#endif
    return sampler_plain_two;
}

bool sampler_plain_fetch(const struct group *g, uint32_t mask) {
    struct plain p;
    if (!in_rows(g))
        return false;
    describe(g, &p);
    best_lanes()(g, &p, mask);
    return true;
}
