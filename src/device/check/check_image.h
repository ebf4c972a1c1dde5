// Accesses by textures and surfaces, for races: texels are memory as any other.
#ifndef KUDZU_DEVICE_CHECK_IMAGE_H
#define KUDZU_DEVICE_CHECK_IMAGE_H

#include "device/check/check.h"

enum check_image {
    CHECK_TEXTURE_READ, // of what nobody writes to as long as the kernel runs
    CHECK_SURFACE_READ,
    CHECK_SURFACE_WRITE,
    CHECK_SURFACE_ATOMIC
};
// A thread is about to access `bytes` bytes at an address. Only where check_images.
void check_image_access(struct kd_block *b, uint32_t thread, enum check_image how, uint64_t address,
                        uint32_t bytes);

// Results of the thread's fetch follow from these bytes: a bit for each of four. For init.
enum { CHECK_ALL_RESULTS = 15 };
void check_image_fetched(struct kd_block *b, uint32_t thread, uint64_t address, uint32_t bytes,
                         uint32_t results);
// As kd_rt_check_origin with KD_CHECK_TEXELS, and forgets the fetches.
void check_image_texels(struct kd_block *b, uint32_t thread, uint32_t mask, uint64_t *bits);

static inline bool check_images(void) {
    return __builtin_expect(check_tools() & (CHECK_RACE | CHECK_INIT), 0);
}

#endif
