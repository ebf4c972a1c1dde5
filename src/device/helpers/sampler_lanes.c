// Texture fetches of a group of lanes, eight at a time in vectors: the same arithmetic as
// sampler.c, so the same bits. What programs seldom do (several levels, cubes, gathers, halves as
// results) goes there lane by lane.
#define LANES 8
#include <float.h>
#include <math.h>
#include <string.h>

#include "device/check/check_image.h"
#include "device/helpers/image.h"
#include "device/helpers/runtime.h"
#include "device/helpers/sampler_plain.h"
#include "device/helpers/sampler_vectors.h"
#include "device/memory/sparse.h"

// What eight lanes ask for, and get.
struct eight {
    const struct kd_texture *t;
    unsigned dims;
    bool integer, filtered, floats;
    bool borders;      // texels beyond the image have values of their own
    unsigned channels; // that have to be looked at: 4 with borders
    i64 gone, absent; // of sparse arrays: nothing is mapped for the last texel, for any that counts
    f64 u[3], offset[3];
    u32 layer;
    u32 bits[4];
    f64 value[4];
};

// ---- Coordinates ------------------------------------------------------------------------------

INLINE double size_of(const struct kd_texture *t, unsigned dim) {
    const struct kd_image_level *l = &t->level[0];
    return (double)(dim == 0 ? l->width : dim == 1 ? l->height : l->depth);
}

INLINE unsigned mode_of(const struct eight *e, unsigned dim) {
    unsigned mode = e->t->indexed || e->integer ? KD_ADDRESS_BORDER : e->t->addressing[dim];
    return !e->t->normalized && mode != KD_ADDRESS_BORDER ? KD_ADDRESS_CLAMP : mode;
}

// The texels that indices stand for along one dimension; in: 0 where that is none.
INLINE f64 remap(const struct eight *e, unsigned dim, f64 i, i64 *in) {
    double n = size_of(e->t, dim);
    f64 to;
    switch (mode_of(e, dim)) {
    case KD_ADDRESS_WRAP:
        return modulo(i, n);
    case KD_ADDRESS_MIRROR:
        i = modulo(i, 2 * n);
        return pick(i < n, i, 2 * n - 1 - i);
    case KD_ADDRESS_BORDER:
        to = limited(i, n);
        *in &= to == i;
        return to;
    default:
        return limited(i, n);
    }
}

// ---- Texels -----------------------------------------------------------------------------------

INLINE u32 load_channel(const struct kd_texture *t, u64 from, unsigned k) {
    u32 v;
    uint16_t half;
    from += k * t->bytes;
    if (t->bytes == 4)
        EACH v[l] = *(const uint32_t *)(uintptr_t)from[l];
    else if (t->bytes == 1)
        EACH v[l] = *(const uint8_t *)(uintptr_t)from[l];
    else
        EACH {
            memcpy(&half, (const void *)(uintptr_t)from[l], sizeof half);
            v[l] = half;
        }
    return extended(t, v);
}

INLINE u64 index_of(f64 i) {
    return __builtin_convertvector(__builtin_convertvector(i, i32), u64);
}

// kd_image_address of a level in tiles.
INLINE u64 places_in_tiles(const struct kd_image_level *l, u64 x, u64 y, u64 n) {
    u64 tile = (n >> l->shift[2]) * l->down + (y >> l->shift[1]);
    tile = tile * l->across + (x >> l->shift[0]);
    u64 in = n & ((1u << l->shift[2]) - 1);
    in = in << l->shift[1] | (y & ((1u << l->shift[1]) - 1));
    in = in << l->shift[0] | (x & ((1u << l->shift[0]) - 1));
    return l->base + (tile << KD_TILE_SHIFT) + in;
}

INLINE u64 places(const struct eight *e, const f64 *i) {
    const struct kd_texture *t = e->t;
    const struct kd_image_level *level = &t->level[0];
    u64 x = index_of(i[0]) * ((uint64_t)t->bytes * t->channels);
    u64 y = e->dims > 1 ? index_of(i[1]) : (u64){0};
    u64 slice = e->dims > 2 ? index_of(i[2]) : __builtin_convertvector(e->layer, u64);
    if (level->tiled)
        return places_in_tiles(level, x, y, slice);
    x += level->base;
    if (e->dims > 1)
        x += y * level->pitch;
    return x + slice * level->slice;
}

// Of a sparse array: addresses of zeros in place of those where nothing is mapped.
INLINE u64 there_or_zeros(struct eight *e, u64 from) {
    static const uint64_t zeros[2];
    const struct kd_sparse *s = e->t->level[0].sparse;
    EACH {
        e->gone[l] = kd_sparse_is_resident(s, from[l]) ? 0 : -1;
        from[l] = e->gone[l] ? (uint64_t)(uintptr_t)zeros : from[l];
    }
    return from;
}

// The texels at indices; their values too where the texture gives some.
INLINE void fetch(struct eight *e, const f64 *at) {
    const struct kd_texture *t = e->t;
    f64 i[3] = {{0}};
    i64 in = (i64)all(0) == 0;
    for (unsigned k = 0; k < e->dims; k++)
        i[k] = remap(e, k, at[k], &in);
    u64 from = places(e, i);
    if (t->level[0].sparse) {
        from = there_or_zeros(e, from);
        e->gone &= in; // what lies beyond the image is not asked for
    }
    i32 in_bits = __builtin_convertvector(in, i32);
    for (unsigned k = 0; k < e->channels; k++) {
        uint32_t border = t->indexed || e->integer ? 0 : t->border[k];
        u32 bits = (u32){0};
        f64 value = all(0);
        if (k < t->channels) {
            bits = load_channel(t, from, k);
            value = e->floats ? convert_channel(t, bits, k) : value;
        }
        if (e->borders) {
            bits = (bits & (u32)in_bits) | (~(u32)in_bits & border);
            value = pick(in, value, all(double_of(border)));
        }
        e->bits[k] = bits;
        e->value[k] = value;
    }
}

INLINE void nearest(struct eight *e) {
    f64 at[3];
    for (unsigned k = 0; k < e->dims; k++)
        at[k] = floor_index(e->u[k]) + e->offset[k];
    fetch(e, at);
    if (e->t->level[0].sparse)
        e->absent = e->gone;
}

INLINE void filter(struct eight *e) {
    f64 first[3], weight[3], sum[4] = {{0}};
    for (unsigned k = 0; k < e->dims; k++) {
        f64 u = e->u[k] - 0.5, i = floor_index(u);
        weight[k] = eighths(u - i);
        first[k] = i + e->offset[k];
    }
    for (unsigned corner = 0; corner < 1u << e->dims; corner++) {
        f64 at[3], w = all(1);
        for (unsigned k = 0; k < e->dims; k++) {
            unsigned high = corner >> k & 1;
            w *= high ? weight[k] : 1 - weight[k];
            at[k] = first[k] + high;
        }
        fetch(e, at);
        if (e->t->level[0].sparse)
            e->absent |= e->gone & (w != 0);
        for (unsigned c = 0; c < e->channels; c++) // a texel that has no part cannot make a NaN
            sum[c] += pick(w == 0, all(0), w * e->value[c]);
    }
    double nan;
    memcpy(&nan, &(uint64_t){0x7fffffffe0000000}, sizeof nan);
    for (unsigned c = 0; c < e->channels; c++) // device_nan of sampler.c
        e->value[c] = pick(sum[c] != sum[c], all(nan), sum[c]);
}

// ---- A group ----------------------------------------------------------------------------------

// coordinate of sampler.c
INLINE f64 coordinate(const struct eight *e, unsigned dim, f64 x) {
    unsigned mode = mode_of(e, dim);
    f64 size = pick(x < 0, -x, x);
    i64 is_number = (x == x) & (size >= (double)FLT_MIN);
    if (mode == KD_ADDRESS_WRAP || mode == KD_ADDRESS_MIRROR)
        is_number &= size < 0x1p25;
    return pick(is_number, x, all(0));
}

INLINE void read_coordinates(const struct group *g, unsigned first, struct eight *e) {
    const uint32_t *in = g->in + first, width = g->width;
    uint32_t dims = e->dims, op = kd_image_op(g->form);
    e->layer = (u32){0};
    if (kd_image_indices(g->form)) {
        u32 layer = load(in), last = (u32){0} + (g->t->layers - 1);
        u32 beyond = (u32)(layer > last); // that is the last layer
        e->layer = (beyond & last) | (~beyond & layer);
        in += width;
    }
    for (unsigned k = 0; k < dims; k++, in += width)
        if (e->integer)
            e->u[k] = __builtin_convertvector((i32)load(in), f64);
        else
            e->u[k] = coordinate(e, k, __builtin_convertvector((f32)load(in), f64)) *
                      (g->t->normalized ? size_of(g->t, k) : 1);
    in += op == KD_IMAGE_LEVEL ? width : op == KD_IMAGE_GRAD ? 2 * dims * width : 0;
    for (unsigned k = 0; k < dims; k++, in += width)
        e->offset[k] =
            g->form & KD_IMAGE_OFFSETS ? __builtin_convertvector((i32)load(in), f64) : all(0);
}

INLINE void put(const struct group *g, unsigned first, uint32_t mask, const struct eight *e) {
    const struct kd_texture *t = g->t;
    bool exact = t->texel == KD_TEXEL_FLOAT && t->bytes == 4 && !t->filtered && !t->mip_filtered;
    const u32 lane_bits = {1, 2, 4, 8, 16, 32, 64, 128};
    u32 active = (u32)((lane_bits & mask) != 0);
    for (unsigned k = 0; k < 4; k++) {
        u32 bits;
        if (k >= e->channels)
            bits = (u32){0};
        else if (!e->floats || (exact && k < t->channels))
            bits = e->bits[k];
        else
            bits = (u32) __builtin_convertvector(e->value[k], f32);
        bits &= active;
        memcpy(g->out + k * g->width + first, &bits, sizeof bits);
    }
    if (g->form & KD_IMAGE_RESIDENT) {
        i32 there = t->level[0].sparse ? __builtin_convertvector(~e->absent, i32) : (i32){0} - 1;
        u32 bits = (u32)there & active & 1;
        memcpy(g->out + 4 * g->width + first, &bits, sizeof bits);
    }
}

INLINE void fetch_group(const struct group *g, uint32_t mask, unsigned dims) {
    const struct kd_texture *t = g->t;
    struct eight e; // its vectors are written before they are read
    e.t = t;
    e.dims = dims;
    e.integer = g->form & KD_IMAGE_INTEGER;
    e.floats = sampler_gives_floats(t);
    e.filtered = t->filtered && !e.integer && !t->indexed;
    e.borders = t->indexed;
    for (unsigned k = 0; k < e.dims; k++)
        e.borders |= mode_of(&e, k) == KD_ADDRESS_BORDER;
    e.channels = e.borders ? 4 : t->channels;
    unsigned outputs = kd_image_outputs(g->form);
    for (unsigned first = 0; first < g->width; first += LANES) {
        uint32_t eight = mask >> first & 0xff;
        if (!eight) {
            for (unsigned k = 0; k < outputs; k++)
                memset(g->out + k * g->width + first, 0, LANES * sizeof *g->out);
            continue;
        }
        e.absent = e.gone = (i64){0};
        read_coordinates(g, first, &e);
        if (e.filtered)
            filter(&e);
        else
            nearest(&e);
        put(g, first, eight, &e);
    }
}

// Code of its own for each number of dimensions.
INLINE void fetch_dims(const struct group *g, uint32_t mask) {
    uint32_t dims = kd_image_dims(g->form);
    if (dims == 1)
        fetch_group(g, mask, 1);
    else if (dims == 2)
        fetch_group(g, mask, 2);
    else
        fetch_group(g, mask, 3);
}

#if defined __x86_64__
// Vectors in small pieces, for old machines: the compiler takes long over each copy of it.
static void fetch_any(const struct group *g, uint32_t mask) {
    fetch_group(g, mask, kd_image_dims(g->form));
}

__attribute__((target("avx2"))) static void fetch_avx2(const struct group *g, uint32_t mask) {
    fetch_dims(g, mask);
}

__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))) static void
fetch_avx512(const struct group *g, uint32_t mask) {
    fetch_dims(g, mask);
}
#else
static void fetch_any(const struct group *g, uint32_t mask) {
    fetch_dims(g, mask);
}
#endif

typedef void fetcher(const struct group *, uint32_t);

static fetcher *best_fetcher(void) {
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return fetch_avx512;
    if (__builtin_cpu_supports("avx2"))
        return fetch_avx2;
#endif
    return fetch_any;
}

// Is it a fetch of one level, from an image that is addressed by 32-bit indices?
static bool is_plain(const struct kd_texture *t, uint32_t form) {
    uint32_t geometry = form & 15;
    const struct kd_image_level *l = t ? &t->level[0] : NULL;
    return t && !t->cube && !t->block && t->levels == 1 && kd_image_op(form) <= KD_IMAGE_GRAD &&
           geometry >= KD_GEOMETRY_1D && geometry <= KD_GEOMETRY_2D_LAYERED &&
           !(form & (KD_IMAGE_HALF | KD_IMAGE_PAIRS)) && !sampler_is_anisotropic(t, form) &&
           (!t->filtered || sampler_gives_floats(t)) && l->width <= INT32_MAX &&
           l->height <= INT32_MAX && l->depth <= INT32_MAX;
}

static void fetch_each(struct kd_block *b, uint32_t thread, uint64_t object, const struct group *g,
                       uint32_t mask) {
    uint32_t inputs = kd_image_inputs(g->form), outputs = kd_image_outputs(g->form);
    uint64_t in[KD_IMAGE_MAX_INPUTS], out[KD_IMAGE_MAX_OUTPUTS];
    memset(g->out, 0, sizeof(uint32_t) * outputs * g->width);
    for (uint32_t l = 0; l < g->width; l++) {
        if (!(mask >> l & 1))
            continue;
        for (uint32_t k = 0; k < inputs; k++)
            in[k] = g->in[k * g->width + l];
        kd_rt_tex(b, thread + l, object, g->form, in, out);
        for (uint32_t k = 0; k < outputs; k++)
            g->out[k * g->width + l] = (uint32_t)out[k];
    }
}

void kd_rt_tex_lanes(struct kd_block *b, uint32_t thread, uint64_t object, uint32_t form,
                     uint32_t width, uint32_t mask, const uint32_t *in, uint32_t *out) {
    struct group g = {image_find(object, false), form, width, in, out};
    if (is_plain(g.t, form) && !check_images()) {
        if (!sampler_plain_fetch(&g, mask))
            best_fetcher()(&g, mask);
    } else
        fetch_each(b, thread, object, &g, mask);
}
