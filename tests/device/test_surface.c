// Accesses of groups of lanes to surfaces against accesses lane by lane: the same values and the
// same memory, for random surfaces, forms, coordinates and masks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "device/expect.h"
#include "device/helpers/runtime.h"

enum { MAX_WIDTH = 32, ROWS = 5, SLICES = 3, PITCH = 1024, BYTES = PITCH * ROWS * SLICES };
enum { ROUNDS = 20000, CLAMP_NEAREST = 1 };

static uint64_t state = 1;

static uint32_t below(uint32_t n) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33) % n;
}

static void make_surface(struct kd_texture *t, uint8_t *memory, bool layered) {
    static const uint8_t sizes[] = {1, 2, 4}, channels[] = {1, 2, 4};
    memset(t, 0, sizeof *t);
    t->surface = true;
    t->bytes = sizes[below(3)];
    t->channels = channels[below(3)];
    t->texel = (uint8_t)below(t->bytes == 1 ? 2 : 3);
    t->levels = 1;
    t->layers = layered ? 1 + below(SLICES) : 1;
    struct kd_image_level *l = &t->level[0];
    l->width = 1 + below(PITCH / (t->bytes * t->channels));
    l->height = 1 + below(ROWS);
    l->depth = layered ? 1 : 1 + below(SLICES);
    l->pitch = PITCH;
    l->slice = PITCH * ROWS;
    l->base = (uint64_t)(uintptr_t)memory;
}

// A load or store of one to four components, outside of which loads are zero or the nearest unit's.
static uint32_t make_form(const struct kd_texture *t, uint32_t geometry, uint64_t *unit) {
    uint32_t bytes = below(4), n = bytes == 3 ? below(2) : below(3);
    bool texels = !below(4);
    *unit = texels ? (uint64_t)t->bytes * t->channels : (uint64_t)(1u << bytes) << n;
    if (texels)
        bytes = 2;
    return geometry | (below(2) ? KD_IMAGE_LOAD : KD_IMAGE_STORE) << 4 | bytes << KD_IMAGE_BYTES |
           n << KD_IMAGE_VEC | (CLAMP_NEAREST + below(2)) << KD_IMAGE_CLAMP |
           (texels ? KD_IMAGE_FORMATTED : 0);
}

// Units side by side, some of them beyond an edge, or anywhere.
static void make_coordinates(uint32_t form, uint64_t unit, uint32_t width, uint64_t *in) {
    uint32_t first = kd_image_indices(form), n = first + kd_image_dims(form);
    uint32_t step = form & KD_IMAGE_FORMATTED ? 1 : (uint32_t)unit;
    bool row = below(4);
    uint32_t from = below(PITCH / (uint32_t)unit) - (below(4) ? 0 : 9);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t same = below(ROWS + 2) - 1;
        for (uint32_t l = 0; l < width; l++)
            in[k * width + l] = k != first ? (row ? same : below(ROWS + 2) - 1)
                                : row      ? (from + l) * step
                                           : (below(PITCH / (uint32_t)unit + 9) - 4) * step;
    }
    for (uint32_t k = n * width; k < kd_image_inputs(form) * width; k++)
        in[k] = (uint64_t)below(1u << 30) << 32 | below(1u << 30) << 2;
}

static void compare(struct kd_texture *t, uint32_t form, uint64_t unit, uint32_t width,
                    uint8_t *lanes, uint8_t *each) {
    uint64_t in[KD_IMAGE_MAX_INPUTS * MAX_WIDTH], out[KD_IMAGE_MAX_OUTPUTS * MAX_WIDTH], handles[2];
    uint32_t n = kd_image_inputs(form), outputs = kd_image_outputs(form);
    uint32_t all = UINT32_MAX >> (32 - width), mask = below(3) ? all : below(1u << 30) & all;
    make_coordinates(form, unit, width, in);
    for (unsigned k = 0; k < 2; k++) {
        t->level[0].base = (uint64_t)(uintptr_t)(k ? each : lanes);
        EXPECT(kd_texture_new(t, &handles[k]) == KD_OK);
    }
    memset(out, 0xa5, sizeof out);
    kd_rt_surf_lanes(NULL, 0, handles[0], form, width, mask, in, out);
    for (uint32_t l = 0; l < width; l++) {
        uint64_t one_in[KD_IMAGE_MAX_INPUTS], one[KD_IMAGE_MAX_OUTPUTS] = {0};
        for (uint32_t k = 0; k < n; k++)
            one_in[k] = in[k * width + l];
        if (mask >> l & 1)
            kd_rt_surf(NULL, l, handles[1], form, one_in, one);
        for (uint32_t k = 0; k < outputs; k++)
            EXPECT(out[k * width + l] == one[k]);
    }
    EXPECT(!memcmp(lanes, each, BYTES));
    for (unsigned k = 0; k < 2; k++)
        kd_texture_free(handles[k]);
}

int main(void) {
    static const uint8_t widths[] = {8, 16, 32};
    uint8_t *lanes = malloc(BYTES), *each = malloc(BYTES);
    if (!lanes || !each)
        return 1;
    for (size_t k = 0; k < BYTES; k++)
        lanes[k] = each[k] = (uint8_t)below(256);
    for (int round = 0; round < ROUNDS; round++) {
        struct kd_texture t;
        uint32_t geometry = KD_GEOMETRY_1D + below(5);
        uint64_t unit;
        make_surface(&t, lanes, geometry >= KD_GEOMETRY_1D_LAYERED);
        uint32_t form = make_form(&t, geometry, &unit);
        if (t.level[0].width * t.bytes * t.channels < unit) // no unit fits: that is a fault
            continue;
        compare(&t, form, unit, widths[below(3)], lanes, each);
    }
    free(lanes);
    free(each);
    return expect_done();
}
