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
// A thread is about to access `bytes` bytes at an address. Only where races are looked for.
void check_image_access(struct kd_block *b, uint32_t thread, enum check_image how, uint64_t address,
                        uint32_t bytes);

static inline bool check_images(void) {
    return __builtin_expect(check_tools() & CHECK_RACE, 0);
}

#endif
