// Fetches of groups of lanes against fetches lane by lane: the same bits, for random textures,
// coordinates and masks.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "device/expect.h"
#include "device/helpers/runtime.h"

enum { MAX_WIDTH = 32, SIDE = 13, TEXELS = SIDE * SIDE * SIDE, ROUNDS = 20000 };

static uint64_t state = 1;

static uint32_t number(void) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33);
}

static uint32_t below(uint32_t n) {
    return number() % n;
}

static uint32_t bits_of(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

// Coordinates inside, at edges, far outside, and none at all.
static uint32_t coordinate(bool integer, bool normalized) {
    static const float odd[] = {0, -0.0f, 0.5f, 1, -1, 1e9f, -3e38f, 3e38f, INFINITY, NAN};
    if (integer)
        return below(8) ? below(SIDE + 6) - 3 : number() * 2;
    if (!below(8))
        return bits_of(odd[below(sizeof odd / sizeof *odd)]);
    float u = ((float)below(100000) / 100000 - 0.25f) * 1.5f;
    return bits_of(normalized ? u : u * SIDE);
}

static uint32_t texel_word(const struct kd_texture *t) {
    if (t->texel != KD_TEXEL_FLOAT || t->bytes != 4 || !below(20))
        return number() * 2;
    return bits_of((float)(int)below(2000) / 7 - 100);
}

// Memory of a random image: rows and slices are longer than their texels.
static void make_texture(struct kd_texture *t, uint32_t *memory, uint32_t geometry) {
    static const uint8_t bytes[] = {1, 2, 4}, channels[] = {1, 2, 4};
    memset(t, 0, sizeof *t);
    bool layered = geometry == KD_GEOMETRY_1D_LAYERED || geometry == KD_GEOMETRY_2D_LAYERED;
    t->bytes = bytes[below(3)];
    t->channels = channels[below(3)];
    t->texel = (uint8_t)below(t->bytes == 1 ? 2 : 3);
    t->levels = 1;
    t->layers = layered ? 1 + below(SIDE) : 1;
    t->as_float = below(2);
    t->filtered = below(2) && (t->texel == KD_TEXEL_FLOAT || (t->as_float && t->bytes < 4));
    t->mip_filtered = !below(4);
    t->normalized = below(2);
    t->srgb = t->as_float && t->bytes == 1 && t->texel == KD_TEXEL_UNSIGNED && !below(3);
    t->indexed = geometry == KD_GEOMETRY_1D && !below(4);
    t->bias = (float)below(3) - 1;
    t->max_level = (float)below(3);
    for (unsigned k = 0; k < 3; k++)
        t->addressing[k] = (uint8_t)below(4);
    for (unsigned k = 0; k < 4; k++)
        t->border[k] = below(2) ? bits_of((float)below(9)) : number();
    struct kd_image_level *l = &t->level[0];
    l->width = 1 + below(SIDE);
    l->height = kd_image_dims(geometry) > 1 ? 1 + below(SIDE) : 1;
    l->depth = kd_image_dims(geometry) > 2 ? 1 + below(SIDE) : 1;
    l->pitch = (SIDE + 1) * 16;
    l->slice = l->pitch * (SIDE + 1);
    l->base = (uint64_t)(uintptr_t)memory;
    for (size_t k = 0; k < l->slice * SIDE / 4; k += below(4) + 1)
        memory[k] = texel_word(t);
}

// Makes the lanes' coordinates those of texels side by side, which are loaded as one.
static void put_in_a_row(const struct kd_texture *t, uint32_t form, uint32_t width, uint32_t *in) {
    uint32_t first = kd_image_indices(form), dims = kd_image_dims(form);
    float from = (float)below(SIDE) - 4 + (float)below(3) / 4;
    float step = t->normalized ? 1 / (float)t->level[0].width : 1;
    for (uint32_t k = 0; k < (first + dims) * width; k++)
        in[k] = in[k / width * width];
    for (uint32_t l = 0; l < width; l++) {
        float u = (from + (float)l) * step;
        in[first * width + l] = form & KD_IMAGE_INTEGER ? (uint32_t)(int)u : bits_of(u);
    }
}

static void compare(const struct kd_texture *t, uint32_t form, uint32_t width) {
    uint32_t in[KD_IMAGE_MAX_INPUTS * MAX_WIDTH], out[KD_IMAGE_MAX_OUTPUTS * MAX_WIDTH];
    uint32_t n = kd_image_inputs(form), outputs = kd_image_outputs(form), mask = number() * 2 + 1;
    uint32_t first = kd_image_indices(form), dims = kd_image_dims(form);
    bool offsets = form & KD_IMAGE_OFFSETS;
    uint64_t handle;
    if (!below(4))
        mask = below(2) ? UINT32_MAX : 1u << below(width);
    for (uint32_t k = 0; k < n * width; k++) {
        uint32_t row = k / width;
        in[k] = row < first                  ? below(2 * SIDE)
                : row < first + dims         ? coordinate(form & KD_IMAGE_INTEGER, t->normalized)
                : offsets && row >= n - dims ? below(16) - 8
                : kd_image_op(form) == KD_IMAGE_LEVEL && form & KD_IMAGE_INTEGER
                    ? below(3)
                    : bits_of((float)below(64) / 16);
    }
    if (!below(3))
        put_in_a_row(t, form, width, in);
    memset(out, 0xa5, sizeof out);
    EXPECT(kd_texture_new(t, &handle) == KD_OK);
    kd_rt_tex_lanes(NULL, 0, handle, form, width, mask, in, out);
    for (uint32_t l = 0; l < width; l++) {
        uint64_t one_in[KD_IMAGE_MAX_INPUTS], one[KD_IMAGE_MAX_OUTPUTS] = {0};
        for (uint32_t k = 0; k < n; k++)
            one_in[k] = in[k * width + l];
        if (mask >> l & 1)
            kd_rt_tex(NULL, l, handle, form, one_in, one);
        for (uint32_t k = 0; k < outputs; k++)
            EXPECT(out[k * width + l] == (uint32_t)one[k]);
    }
    kd_texture_free(handle);
}

// Between an infinity and its opposite lies the NaN of the device's arithmetic.
static void check_nan(void) {
    static float texels[2] = {INFINITY, -INFINITY};
    struct kd_texture t = {.bytes = 4, .channels = 1, .texel = KD_TEXEL_FLOAT, .levels = 1};
    uint32_t in[8], out[KD_IMAGE_MAX_OUTPUTS * 8];
    uint64_t handle;
    t.layers = 1;
    t.filtered = true;
    t.addressing[0] = t.addressing[1] = t.addressing[2] = KD_ADDRESS_CLAMP;
    t.level[0] =
        (struct kd_image_level){.width = 2, .height = 1, .depth = 1, .pitch = 8, .slice = 8};
    t.level[0].base = (uint64_t)(uintptr_t)texels;
    for (unsigned l = 0; l < 8; l++)
        in[l] = bits_of(1);
    EXPECT(kd_texture_new(&t, &handle) == KD_OK);
    kd_rt_tex_lanes(NULL, 0, handle, KD_GEOMETRY_1D | KD_IMAGE_FETCH << 4, 8, 0xff, in, out);
    EXPECT(out[0] == 0x7fffffff);
    uint64_t one_in[KD_IMAGE_MAX_INPUTS] = {in[0]}, one[KD_IMAGE_MAX_OUTPUTS] = {0};
    kd_rt_tex(NULL, 0, handle, KD_GEOMETRY_1D | KD_IMAGE_FETCH << 4, one_in, one);
    EXPECT(one[0] == 0x7fffffff);
    kd_texture_free(handle);
}

int main(void) {
    static const uint8_t widths[] = {8, 16, 32};
    uint32_t *memory = calloc((SIDE + 1) * (SIDE + 1) * (SIDE + 1), 16);
    struct kd_texture t;
    if (!memory)
        return 1;
    check_nan();
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t geometry = KD_GEOMETRY_1D + below(5),
                 op = below(10) < 7 ? KD_IMAGE_FETCH : 1 + below(3);
        uint32_t form = geometry | op << 4;
        if (op == KD_IMAGE_GATHER && geometry != KD_GEOMETRY_2D)
            continue;
        if (!below(3) && op <= KD_IMAGE_LEVEL)
            form |= KD_IMAGE_INTEGER;
        if (!below(3))
            form |= KD_IMAGE_OFFSETS;
        if (!below(10))
            form |= below(2) ? KD_IMAGE_HALF : KD_IMAGE_PAIRS;
        make_texture(&t, memory, geometry);
        compare(&t, form, widths[below(3)]);
    }
    free(memory);
    return expect_done();
}
