// Texture fetches of a group of lanes from a plain image, LANES at a time: included once by each
// file that has them for one kind of machine, which then calls fetch_dims.
#include <float.h>

#include "abi/generated_code.h"
#include "device/helpers/sampler_plain.h"
#include "device/helpers/sampler_vectors.h"

// ---- Places -----------------------------------------------------------------------------------

// coordinate of sampler.c
INLINE f64 number_of(unsigned mode, f64 x) {
    f64 size = pick(x < 0, -x, x);
    i64 is_number = size >= (double)FLT_MIN; // a NaN is not
    if (mode == KD_ADDRESS_WRAP || mode == KD_ADDRESS_MIRROR)
        is_number &= size < 0x1p25;
    return (f64)(is_number & (i64)x);
}

// Where the texels of indices lie along one dimension, in bytes; in: 0 where that is none.
INLINE u32 place_along(const struct plain *p, unsigned dim, f64 i, i64 *in) {
    double n = p->size[dim];
    unsigned mode = p->mode[dim];
    if (mode == KD_ADDRESS_WRAP) {
        i = modulo(i, n);
    } else if (mode == KD_ADDRESS_MIRROR) {
        i = modulo(i, 2 * n);
        i = pick(i < n, i, 2 * n - 1 - i);
    } else {
        f64 to = (f64)((i > 0) & (i64)i); // no number is 0
        f64 last;
        memcpy(&last, p->last[dim], sizeof last);
        to = pick(to > last, last, to);
        if (mode == KD_ADDRESS_BORDER)
            *in &= to == i;
        i = to;
    }
    return (u32) __builtin_convertvector(i, i32) * p->stride[dim];
}

// ---- Texels -----------------------------------------------------------------------------------

INLINE bool are_neighbours(u32 from, uint32_t bytes) {
    static const uint32_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};
    u32 differ = from ^ (load(numbers) * bytes + from[0]);
    uint64_t pairs[LANES / 2], any = 0;
    memcpy(pairs, &differ, sizeof pairs);
    for (unsigned k = 0; k < LANES / 2; k++)
        any |= pairs[k];
    return !any;
}

INLINE u32 load_words(const uint8_t *base, u32 from) {
    u32 v;
    EACH memcpy((char *)&v + 4 * l, base + from[l], 4);
    return v;
}

INLINE u32 load_channel(const struct plain *p, u32 from, bool neighbours, unsigned k) {
    const struct kd_texture *t = p->t;
    const uint8_t *base = p->base + k * t->bytes;
    u32 v;
    uint16_t half;
    if (t->bytes == 4) {
        if (!neighbours || t->channels > 1)
            return load_words(base, from);
        memcpy(&v, base + from[0], sizeof v);
        return v;
    }
    if (t->bytes == 1)
        EACH v[l] = base[from[l]];
    else
        EACH {
            memcpy(&half, base + from[l], sizeof half);
            v[l] = half;
        }
    return extended(t, v);
}

struct texels {
    u32 bits[4];
    f64 value[4]; // where the texture gives some
};

INLINE void load_texels(const struct plain *p, u32 from, i64 in, struct texels *out) {
    const struct kd_texture *t = p->t;
    bool neighbours = t->bytes == 4 && t->channels == 1 && are_neighbours(from, 4);
    i32 in_bits = __builtin_convertvector(in, i32);
    for (unsigned k = 0; k < p->channels; k++) {
        u32 bits = (u32){0};
        f64 value = all(0);
        if (k < t->channels) {
            bits = load_channel(p, from, neighbours, k);
            if (p->floats && !p->exact)
                value = convert_channel(t, bits, k);
        }
        if (p->borders) {
            uint32_t border = t->indexed || p->integer ? 0 : t->border[k];
            bits = (bits & (u32)in_bits) | (~(u32)in_bits & border);
            value = pick(in, value, all(double_of(border)));
        }
        out->bits[k] = bits;
        out->value[k] = value;
    }
}

INLINE void nearest(const struct plain *p, unsigned dims, const f64 *u, u32 layer,
                    struct texels *out) {
    i64 in = (i64)all(0) == 0;
    u32 from = layer;
    for (unsigned k = 0; k < dims; k++)
        from += place_along(p, k, p->integer ? u[k] : floor_of(u[k]), &in);
    load_texels(p, from, in, out);
}

INLINE void filter(const struct plain *p, unsigned dims, const f64 *u, u32 layer,
                   struct texels *out) {
    f64 weight[3], sum[4] = {{0}};
    u32 from[3][2];
    i64 in[3][2];
    for (unsigned k = 0; k < dims; k++) {
        f64 middle = u[k] - 0.5, first = floor_index(middle);
        weight[k] = eighths(middle - first);
        for (unsigned high = 0; high < 2; high++) {
            in[k][high] = (i64)all(0) == 0;
            from[k][high] = place_along(p, k, first + high, &in[k][high]);
        }
    }
    for (unsigned corner = 0; corner < 1u << dims; corner++) {
        struct texels one;
        f64 w = all(1);
        u32 at = layer;
        i64 inside = (i64)all(0) == 0;
        for (unsigned k = 0; k < dims; k++) {
            unsigned high = corner >> k & 1;
            w *= high ? weight[k] : 1 - weight[k];
            at += from[k][high];
            inside &= in[k][high];
        }
        load_texels(p, at, inside, &one);
        for (unsigned c = 0; c < p->channels; c++) // a texel that has no part cannot make a NaN
            sum[c] += (f64)((w != 0) & (i64)(w * one.value[c]));
    }
    double nan;
    memcpy(&nan, &(uint64_t){0x7fffffffe0000000}, sizeof nan);
    for (unsigned c = 0; c < p->channels; c++) // device_nan of sampler.c
        out->value[c] = pick(sum[c] != sum[c], all(nan), sum[c]);
}

// ---- A group ----------------------------------------------------------------------------------

INLINE void put(const struct group *g, const struct plain *p, unsigned first, uint32_t mask,
                bool filtered, const struct texels *texels) {
    static const uint32_t lane_bits[] = {1, 2, 4, 8, 16, 32, 64, 128};
    u32 active = (u32)((load(lane_bits) & mask) != 0);
    for (unsigned k = 0; k < 4; k++) {
        u32 bits;
        if (k >= p->channels)
            bits = (u32){0};
        else if (!filtered && (!p->floats || p->exact))
            bits = texels->bits[k];
        else
            bits = (u32) __builtin_convertvector(texels->value[k], f32);
        bits &= active;
        memcpy(g->out + k * g->width + first, &bits, sizeof bits);
    }
    if (g->form & KD_IMAGE_RESIDENT) {
        u32 bits = active & 1;
        memcpy(g->out + 4 * g->width + first, &bits, sizeof bits);
    }
}

INLINE void fetch_some(const struct group *g, const struct plain *p, unsigned first, uint32_t mask,
                       unsigned dims, bool filtered) {
    const struct kd_texture *t = p->t;
    const uint32_t *in = g->in + first, width = g->width;
    struct texels texels;
    f64 u[3];
    u32 layer = (u32){0};
    if (kd_image_indices(g->form)) {
        u32 last = (u32){0} + (t->layers - 1), beyond;
        layer = load(in);
        beyond = (u32)(layer > last); // that is the last layer
        layer = ((beyond & last) | (~beyond & layer)) * (uint32_t)t->level[0].slice;
        in += width;
    }
    for (unsigned k = 0; k < dims; k++, in += width)
        if (p->integer)
            u[k] = __builtin_convertvector((i32)load(in), f64);
        else
            u[k] = number_of(p->mode[k], __builtin_convertvector((f32)load(in), f64)) *
                   (t->normalized ? p->size[k] : 1);
    if (filtered)
        filter(p, dims, u, layer, &texels);
    else
        nearest(p, dims, u, layer, &texels);
    put(g, p, first, mask, filtered, &texels);
}

INLINE void fetch_all(const struct group *g, const struct plain *p, uint32_t mask, unsigned dims,
                      bool filtered) {
    for (unsigned first = 0; first < g->width; first += LANES) {
        uint32_t some = mask >> first & ((1u << LANES) - 1);
        if (some)
            fetch_some(g, p, first, some, dims, filtered);
        else
            for (unsigned k = 0; k < kd_image_outputs(g->form); k++)
                memset(g->out + k * g->width + first, 0, LANES * sizeof *g->out);
    }
}

// Code of its own for each number of dimensions, filtered or not.
INLINE void fetch_dims(const struct group *g, const struct plain *p, uint32_t mask) {
    bool filtered = p->t->filtered && !p->integer && !p->t->indexed;
    switch (kd_image_dims(g->form) * 2 + filtered) {
    case 2:
        fetch_all(g, p, mask, 1, false);
        return;
    case 3:
        fetch_all(g, p, mask, 1, true);
        return;
    case 4:
        fetch_all(g, p, mask, 2, false);
        return;
    case 5:
        fetch_all(g, p, mask, 2, true);
        return;
    case 6:
        fetch_all(g, p, mask, 3, false);
        return;
    default:
        fetch_all(g, p, mask, 3, true);
    }
}
