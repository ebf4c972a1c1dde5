// Texture fetches (guide 6.2.14.1 and chapter 19). The interpreter and generated code both call
// this, so a fetch has the same bits wherever it runs.
#include <float.h>
#include <math.h>
#include <string.h>

#include "device/check/check_image.h"
#include "device/helpers/block_texel.h"
#include "device/helpers/image.h"
#include "device/helpers/runtime.h"
#include "device/helpers/sampler.h"
#include "device/memory/sparse.h"
#include "isa/isa.h"

// ---- Texels -----------------------------------------------------------------------------------

// A texel, as numbers where the texture gives floating-point values, else as bits.
struct texel {
    double value[4];
    uint32_t bits[4];
    bool absent; // or one of those that it was made of: of a sparse array, where nothing is mapped
};

bool sampler_gives_floats(const struct kd_texture *t) {
    return t->texel == KD_TEXEL_FLOAT || (t->as_float && t->bytes < 4);
}

bool sampler_is_anisotropic(const struct kd_texture *t, uint32_t form) {
    return kd_image_op(form) == KD_IMAGE_GRAD && t->anisotropy > 1 && t->filtered && !t->cube &&
           !t->indexed && kd_image_dims(form) == 2;
}

static uint32_t float_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static float bits_float(uint32_t u) {
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static double half_value(uint16_t h) {
    double magnitude;
    int exponent = h >> 10 & 31;
    if (exponent == 31)
        magnitude = h & 1023 ? NAN : INFINITY;
    else
        magnitude = exponent ? ldexp(1024 + (h & 1023), exponent - 25) : ldexp(h & 1023, -24);
    return h & 0x8000 ? -magnitude : magnitude;
}

// To nearest, ties to even; a NaN becomes the canonical one.
static uint16_t half_bits(double v) {
    enum { INFINITE = 0x7c00, CANONICAL_NAN = 0x7fff };
    double m = fabs(v);
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    int exponent;
    if (isnan(v))
        return CANONICAL_NAN;
    if (m >= 65520)
        return sign | INFINITE;
    if (m < 0x1p-14)
        return (uint16_t)(sign | (unsigned)nearbyint(m * 0x1p24));
    frexp(m, &exponent); // 2^(exponent - 1) <= m; a carry out of the fraction is right
    unsigned magnitude = (unsigned)(exponent + 13) << 10;
    return (uint16_t)(sign | (magnitude + (unsigned)nearbyint(ldexp(m, 11 - exponent))));
}

// Component of `bytes` bytes, extended to 32 bits.
static uint32_t load_component(const struct kd_texture *t, const uint8_t *p) {
    bool is_signed = t->texel == KD_TEXEL_SIGNED;
    uint16_t half;
    uint32_t word;
    switch (t->bytes) {
    case 1:
        return is_signed ? (uint32_t)(int32_t)(int8_t)*p : *p;
    case 2:
        memcpy(&half, p, sizeof half);
        return is_signed ? (uint32_t)(int32_t)(int16_t)half : half;
    default:
        memcpy(&word, p, sizeof word);
        return word;
    }
}

static double linear_of_srgb(double v) {
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static void load_block_texel(const struct kd_texture *t, const uint8_t *block, const int64_t at[3],
                             struct texel *out) {
    unsigned side = kd_block_side(t->block);
    kd_block_texel(t->block, block, (unsigned)at[0] % side, (unsigned)at[1] % side, out->value);
    for (unsigned k = 0; k < 3 && t->srgb; k++)
        out->value[k] = linear_of_srgb(out->value[k]);
}

double sampler_component(const struct kd_texture *t, uint32_t bits, unsigned channel) {
    if (t->texel == KD_TEXEL_FLOAT)
        return t->bytes == 2 ? half_value((uint16_t)bits) : bits_float(bits);
    if (t->texel == KD_TEXEL_UNSIGNED) {
        double v = bits / (t->bytes == 1 ? 255.0 : 65535.0);
        return t->srgb && t->bytes == 1 && channel < 3 ? linear_of_srgb(v) : v;
    }
    double v = (int32_t)bits / (t->bytes == 1 ? 127.0 : 32767.0);
    return v < -1 ? -1 : v;
}

// The components that a texture lacks are 0; the fourth of a compressed format is 1 (recorded on an
// H200).
static void fill_missing(const struct kd_texture *t, struct texel *out) {
    for (unsigned k = t->channels; k < 4; k++) {
        out->value[k] = t->block && k == 3;
        out->bits[k] = t->block && k == 3;
    }
}

static void outside(const struct kd_texture *t, bool zero, struct texel *out) {
    out->absent = false;
    for (unsigned k = 0; k < 4; k++) {
        out->bits[k] = zero ? 0 : t->border[k];
        out->value[k] = bits_float(out->bits[k]);
    }
}

// ---- Coordinates ------------------------------------------------------------------------------

// Where a fetch looks: a level of an array, a layer (or face), and texels along each dimension.
struct place {
    const struct kd_texture *t;
    const struct kd_image_level *l;
    uint64_t layer;     // of all: a face of a cube too
    unsigned dims;      // 1 to 3, 2 within a face
    bool integer;       // texel numbers, not positions
    struct kd_block *b; // `kudzu check`: whose thread fetches; NULL: nobody asks
    uint32_t thread;
    unsigned gathers, component; // of a gather: one more than the result that the texel is; else 0
};

static void load_texel(const struct place *p, const int64_t at[3], struct texel *out) {
    const struct kd_texture *t = p->t;
    const struct kd_image_level *l = p->l;
    uint64_t number = p->dims == 3 ? (uint64_t)at[2] : p->layer;
    uint64_t x = (uint64_t)at[0] * t->bytes * t->channels, y = (uint64_t)at[1];
    if (t->block) {
        unsigned side = kd_block_side(t->block);
        x = (uint64_t)at[0] / side * kd_block_bytes(t->block);
        y /= side;
    }
    uint64_t address = kd_image_address(l, x, y, number);
    const uint8_t *from = (const uint8_t *)(uintptr_t)address;
    bool floats = sampler_gives_floats(t);
    fill_missing(t, out);
    out->absent = l->sparse && !kd_sparse_is_resident(l->sparse, address);
    if (out->absent) {
        for (unsigned k = 0; k < t->channels; k++)
            out->value[k] = out->bits[k] = 0;
        return;
    }
    if (p->b && !t->block)
        check_image_access(p->b, p->thread, CHECK_TEXTURE_READ, (uint64_t)(uintptr_t)from,
                           t->bytes * t->channels);
    for (unsigned k = 0; p->b && !t->block && k < t->channels; k++)
        if (!p->gathers || k == p->component)
            check_image_fetched(p->b, p->thread, (uint64_t)(uintptr_t)from + k * t->bytes, t->bytes,
                                1u << (p->gathers ? p->gathers - 1 : k));
    if (t->block) {
        load_block_texel(t, from, at, out);
        return;
    }
    for (unsigned k = 0; k < t->channels; k++) {
        out->bits[k] = load_component(t, from + k * t->bytes);
        out->value[k] = floats ? sampler_component(t, out->bits[k], k) : 0;
    }
}

static int64_t modulo(int64_t i, int64_t n) {
    int64_t r = i % n;
    return r < 0 ? r + n : r;
}

static int64_t limited(int64_t i, int64_t n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// The texel that index i stands for along one dimension of n texels; -1: the border.
static int64_t remap(const struct place *p, unsigned dim, int64_t i, int64_t n) {
    unsigned mode = p->t->cube ? KD_ADDRESS_CLAMP : p->t->addressing[dim];
    // Texels by number lie in the image or are 0 (recorded on an H200). Wrapping needs normalized
    // coordinates (guide 6.2.14.1): without them it clamps.
    if (p->integer)
        mode = KD_ADDRESS_BORDER;
    else if (!p->t->normalized && mode != KD_ADDRESS_BORDER)
        mode = KD_ADDRESS_CLAMP;
    switch (mode) {
    case KD_ADDRESS_WRAP:
        return modulo(i, n);
    case KD_ADDRESS_MIRROR:
        i = modulo(i, 2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case KD_ADDRESS_BORDER:
        return i < 0 || i >= n ? -1 : i;
    default:
        return limited(i, n);
    }
}

static int64_t size_of(const struct place *p, unsigned dim) {
    return (int64_t)(dim == 0 ? p->l->width : dim == 1 ? p->l->height : p->l->depth);
}

// ---- Cubes ------------------------------------------------------------------------------------

// The face that a direction meets, and where on it: from -1 to 1 (guide 6.2.14.1.6).
static unsigned face_of(const double d[3], double st[2]) {
    static const struct {
        int8_t s, t; // 1 + axis, negative where it is turned
    } faces[6] = {{-3, -2}, {3, -2}, {1, 3}, {1, -3}, {1, -2}, {-1, -2}};
    double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
    unsigned axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2, face = 2 * axis + (d[axis] < 0);
    double m = fabs(d[axis]);
    int s = faces[face].s, t = faces[face].t;
    st[0] = m > 0 ? (s < 0 ? -d[-s - 1] : d[s - 1]) / m : 0;
    st[1] = m > 0 ? (t < 0 ? -d[-t - 1] : d[t - 1]) / m : 0;
    return face;
}

// The direction through a point of a face's plane, which may lie beyond its edges.
static void direction_of(unsigned face, double s, double t, double d[3]) {
    static const int8_t axes[6][2] = {{-3, -2}, {3, -2}, {1, 3}, {1, -3}, {1, -2}, {-1, -2}};
    const double st[2] = {s, t};
    d[face / 2] = face & 1 ? -1 : 1;
    for (unsigned k = 0; k < 2; k++) {
        int a = axes[face][k];
        d[a < 0 ? -a - 1 : a - 1] = a < 0 ? -st[k] : st[k];
    }
}

// A texel beyond the edge of a face is one of the face that it meets there.
static void cross_edge(struct place *p, int64_t at[3]) {
    int64_t n = (int64_t)p->l->width;
    double d[3], st[2];
    if (at[0] >= 0 && at[0] < n && at[1] >= 0 && at[1] < n)
        return;
    direction_of((unsigned)(p->layer % 6), (2 * (double)at[0] + 1) / (double)n - 1,
                 (2 * (double)at[1] + 1) / (double)n - 1, d);
    p->layer = p->layer / 6 * 6 + face_of(d, st);
    for (unsigned k = 0; k < 2; k++)
        at[k] = limited((int64_t)floor((st[k] + 1) / 2 * (double)n), n);
}

// ---- One level --------------------------------------------------------------------------------

static void fetch(const struct place *from, const int64_t at[3], struct texel *out) {
    struct place p = *from;
    const struct kd_texture *t = p.t;
    int64_t i[3] = {at[0], at[1], at[2]};
    if (t->indexed) {
        if (at[0] < 0 || (uint64_t)at[0] >= p.l->width)
            outside(t, true, out);
        else
            load_texel(&p, (const int64_t[3]){at[0], 0, 0}, out);
        return;
    }
    if (t->cube && t->seamless)
        cross_edge(&p, i);
    for (unsigned k = 0; k < 3; k++) {
        i[k] = k < p.dims ? remap(&p, k, i[k], size_of(&p, k)) : 0;
        if (i[k] < 0) {
            outside(t, p.integer, out);
            return;
        }
    }
    load_texel(&p, i, out);
}

// Floor as an integer; what is beyond any texture stays beyond it, and no number is 0.
static int64_t floor_index(double u) {
    const double limit = 1e15;
    return isnan(u)     ? 0
           : u < -limit ? (int64_t)-limit
           : u > limit  ? (int64_t)limit
                        : (int64_t)floor(u);
}

// A number with 8 bits of fraction, as filtering weights are stored (9 bits).
static double eighths(double fraction) {
    return fraction >= 0 && fraction <= 1 ? floor(fraction * 256 + 0.5) / 256 : 0;
}

// Index and weight of the second texel of a pair.
static int64_t split(double u, double *weight) {
    int64_t i = floor_index(u);
    *weight = eighths(u - (double)i);
    return i;
}

// The first texel of a pair, by coordinates with 8 bits of fraction: what filtering would take with
// a weight of 0 is not it.
static int64_t first_of_pair(double u) {
    double weight;
    int64_t i = split(u, &weight);
    return weight == 1 ? i + 1 : i;
}

// A NaN that a sum gives, whose sign and payload depend on the order of its operands, becomes the
// one that arithmetic of the device gives: 0x7fffffff as a float.
static double device_nan(double v) {
    static const uint64_t bits = 0x7fffffffe0000000;
    if (isnan(v))
        memcpy(&v, &bits, sizeof v);
    return v;
}

static void filter(const struct place *p, const double u[3], const int64_t offset[3],
                   struct texel *out) {
    double weight[3] = {0, 0, 0};
    int64_t first[3] = {0, 0, 0};
    for (unsigned k = 0; k < p->dims; k++)
        first[k] = split(u[k] - 0.5, &weight[k]) + offset[k];
    memset(out, 0, sizeof *out);
    for (unsigned corner = 0; corner < 1u << p->dims; corner++) {
        double w = 1;
        int64_t at[3];
        struct texel one;
        for (unsigned k = 0; k < 3; k++) {
            unsigned high = corner >> k & 1;
            w *= high ? weight[k] : 1 - weight[k];
            at[k] = first[k] + high;
        }
        if (w == 0) // a texel that has no part cannot make the sum a NaN
            continue;
        fetch(p, at, &one);
        out->absent |= one.absent;
        for (unsigned k = 0; k < 4; k++)
            out->value[k] += w * one.value[k];
    }
    for (unsigned k = 0; k < 4; k++)
        out->value[k] = device_nan(out->value[k]);
}

// ---- A fetch ----------------------------------------------------------------------------------

// What an instruction asks for.
struct request {
    const struct kd_texture *t;
    uint32_t form;
    uint64_t layer;
    unsigned dims;      // within a face: 2
    double u[3];        // coordinates as they were given; on a face from 0 to 1
    int64_t index[3];   // the same where they are integers
    int64_t offset[3];  // in texels
    struct kd_block *b; // as in struct place
    uint32_t thread;
};

// A coordinate as the hardware takes it (recorded on an H200): NaNs and numbers too small to be
// normal are 0. Where images repeat its fraction alone counts, which large floats do not have.
static double coordinate(const struct request *r, unsigned dim) {
    unsigned mode = r->t->addressing[dim];
    bool repeats = !r->t->cube && !r->t->indexed && r->t->normalized &&
                   (mode == KD_ADDRESS_WRAP || mode == KD_ADDRESS_MIRROR);
    double x = r->u[dim];
    return isnan(x) || fabs(x) < FLT_MIN || (repeats && fabs(x) >= 0x1p25) ? 0 : x;
}

static struct place place_at(const struct request *r, unsigned level, double u[3]) {
    struct place p = {.t = r->t,
                      .l = &r->t->level[level],
                      .layer = r->layer,
                      .dims = r->dims,
                      .integer = (r->form & KD_IMAGE_INTEGER) != 0,
                      .b = r->b,
                      .thread = r->thread};
    bool scaled = r->t->normalized || r->t->cube;
    for (unsigned k = 0; k < 3; k++)
        u[k] = k < r->dims ? coordinate(r, k) * (scaled ? (double)size_of(&p, k) : 1) : 0;
    return p;
}

static void sample_level(const struct request *r, unsigned level, struct texel *out) {
    double u[3];
    int64_t at[3];
    struct place p = place_at(r, level, u);
    if (r->t->filtered && !p.integer && !r->t->indexed) {
        filter(&p, u, r->offset, out);
        return;
    }
    for (unsigned k = 0; k < 3; k++)
        at[k] = (p.integer ? r->index[k] : floor_index(u[k])) + r->offset[k];
    fetch(&p, at, out);
}

// Levels between which a level of detail lies; the second has a weight.
static void sample(const struct request *r, double lod, struct texel *out) {
    const struct kd_texture *t = r->t;
    double top = t->levels - 1, low = fmax(t->min_level, 0), high = fmin(t->max_level, top);
    lod = isnan(lod) ? 0 : lod + t->bias;
    lod = fmin(fmax(lod, low), fmax(high, low));
    lod = fmin(lod, top);
    if (!t->mip_filtered) {
        sample_level(r, (unsigned)floor(lod + 0.5), out);
        return;
    }
    unsigned level = (unsigned)floor(lod);
    double weight = eighths(lod - level);
    struct texel next;
    struct request lower = *r;
    if (weight == 1 && level + 1 < t->levels) // the value does not follow from it
        lower.b = NULL;
    sample_level(&lower, level, out);
    if (weight == 0 || level + 1 >= t->levels)
        return;
    sample_level(r, level + 1, &next);
    out->absent |= next.absent;
    for (unsigned k = 0; k < 4; k++)
        out->value[k] = device_nan((1 - weight) * out->value[k] + weight * next.value[k]);
}

// The squares of the lengths of two steps, in texels of level 0.
static void squared_steps(const struct request *r, const uint64_t *in, double out[2]) {
    unsigned n = kd_image_dims(r->form);
    for (unsigned k = 0; k < 2; k++) {
        out[k] = 0;
        for (unsigned j = 0; j < n; j++) {
            const struct kd_image_level *l = &r->t->level[0];
            double size = (double)(j == 0 || r->t->cube ? l->width : j == 1 ? l->height : l->depth);
            // A face spans two units of the direction's largest component.
            double scale = r->t->cube ? size / 2 : r->t->normalized ? size : 1;
            double d = bits_float((uint32_t)in[k * n + j]) * scale;
            out[k] += d * d;
        }
    }
}

// The level of detail of gradients: of the longer of two steps.
static double lod_of(const struct request *r, const uint64_t *in) {
    double steps[2];
    squared_steps(r, in, steps);
    double longest = fmax(fmax(steps[0], steps[1]), 0);
    return longest > 0 ? log2(longest) / 2 : 0;
}

// As many samples along the longer step as the shorter one goes into it, at the level of detail
// that they leave (OpenGL's GL_EXT_texture_filter_anisotropic).
static void sample_anisotropic(const struct request *r, const uint64_t *in, struct texel *out) {
    double steps[2];
    squared_steps(r, in, steps);
    unsigned longer = steps[1] > steps[0];
    double most = r->t->anisotropy, ratio = sqrt(steps[longer] / steps[!longer]);
    // No steps, or numbers that are none: one sample.
    double n = steps[longer] > 0 ? ceil(fmin(ratio, most)) : 1;
    double lod = steps[longer] > 0 ? log2(sqrt(steps[longer]) / n) : 0;
    memset(out, 0, sizeof *out);
    for (unsigned i = 1; i <= (unsigned)n; i++) {
        struct request at = *r;
        struct texel one = {0};
        for (unsigned k = 0; k < r->dims; k++)
            at.u[k] += (i / (n + 1) - 0.5) * bits_float((uint32_t)in[longer * r->dims + k]);
        sample(&at, lod, &one);
        out->absent |= one.absent;
        for (unsigned k = 0; k < 4; k++)
            out->value[k] += one.value[k] / n;
    }
    for (unsigned k = 0; k < 4; k++)
        out->value[k] = device_nan(out->value[k]);
}

// tld4: one component of the texels that linear filtering would mix, counterclockwise from the
// one below on the left.
static void gather(const struct request *r, struct texel *out) {
    static const uint8_t corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    unsigned component = r->form >> KD_IMAGE_ARG & 3;
    double u[3];
    struct place p = place_at(r, 0, u);
    int64_t x = first_of_pair(u[0] - 0.5) + r->offset[0];
    int64_t y = first_of_pair(u[1] - 0.5) + r->offset[1];
    p.component = component;
    for (unsigned k = 0; k < 4; k++) {
        struct texel one;
        p.gathers = k + 1;
        int64_t at[3] = {x + corners[k][0], y + corners[k][1], 0};
        fetch(&p, at, &one);
        out->absent |= one.absent;
        out->value[k] = one.value[component];
        out->bits[k] = one.bits[component];
    }
}

static void read_coordinates(struct request *r, const uint64_t *in) {
    double d[3] = {0, 0, 0}, st[2];
    bool integer = r->form & KD_IMAGE_INTEGER;
    for (unsigned k = 0; k < kd_image_dims(r->form) && k < 3; k++) {
        r->index[k] = (int32_t)(uint32_t)in[k];
        d[k] = integer ? (double)r->index[k] : bits_float((uint32_t)in[k]);
        r->u[k] = d[k];
    }
    if (!r->t->cube)
        return;
    r->layer = 6 * r->layer + face_of(d, st);
    r->dims = 2;
    for (unsigned k = 0; k < 2; k++)
        r->u[k] = (st[k] + 1) / 2;
    r->form &= ~(uint32_t)KD_IMAGE_INTEGER;
}

// The layer, an unsigned number: what is beyond the last is that one. So is -1, on GPUs too.
static uint64_t layer_of(const struct kd_texture *t, uint64_t in) {
    int64_t layers = t->cube ? t->layers / 6 : t->layers;
    return (uint64_t)limited((uint32_t)in, layers);
}

static void put(const struct request *r, const struct texel *from, uint64_t *out) {
    bool floats = sampler_gives_floats(r->t);
    // Single-precision texels that nothing was computed from keep their bits, NaNs too.
    bool exact =
        r->t->texel == KD_TEXEL_FLOAT && r->t->bytes == 4 && !r->t->filtered && !r->t->mip_filtered;
    bool gathered = kd_image_op(r->form) == KD_IMAGE_GATHER;
    bool halves = r->form & (KD_IMAGE_HALF | KD_IMAGE_PAIRS);
    uint16_t half[4];
    for (unsigned k = 0; k < 4; k++) {
        bool raw = !floats || (exact && (gathered || k < r->t->channels));
        float f = raw ? bits_float(from->bits[k]) : (float)from->value[k];
        half[k] = halves ? half_bits(floats ? (double)f : (double)(int32_t)from->bits[k]) : 0;
        out[k] = r->form & KD_IMAGE_HALF ? half[k] : raw ? from->bits[k] : float_bits(f);
    }
    if (r->form & KD_IMAGE_RESIDENT)
        out[r->form & KD_IMAGE_PAIRS ? 2 : 4] = !from->absent;
    if (!(r->form & KD_IMAGE_PAIRS))
        return;
    out[0] = half[0] | (uint32_t)half[1] << 16;
    out[1] = half[2] | (uint32_t)half[3] << 16;
}

// ---- Samplers apart from textures -------------------------------------------------------------

static unsigned sampler_addressing(uint64_t sampler, unsigned dim) {
    return sampler >> (ISA_SAMPLER_ADDRESSING + 2 * dim) & 3;
}

// Samples t as another texture is sampled, or as PTX says; false: there is no such sampler.
static bool use_sampler(struct kd_texture *t, uint64_t sampler) {
    if (!sampler)
        return true;
    if (sampler & ISA_SAMPLER) {
        t->filtered = sampler_gives_floats(t) && sampler & ISA_SAMPLER_LINEAR;
        t->normalized &= !(sampler & ISA_SAMPLER_UNNORMALIZED);
        for (unsigned k = 0; k < 3; k++)
            t->addressing[k] = (uint8_t)sampler_addressing(sampler, k);
        return true;
    }
    const struct kd_texture *s = image_find(sampler, false);
    if (!s)
        return false;
    t->filtered = s->filtered && sampler_gives_floats(t);
    t->mip_filtered = s->mip_filtered;
    memcpy(t->addressing, s->addressing, sizeof t->addressing);
    memcpy(t->border, s->border, sizeof t->border);
    t->bias = s->bias;
    t->anisotropy = s->anisotropy;
    t->min_level = s->min_level;
    t->max_level = s->max_level;
    return true;
}

static uint64_t sampler_query(uint64_t sampler, uint32_t query) {
    switch (query) {
    case KD_QUERY_FILTER:
        return sampler & ISA_SAMPLER_LINEAR;
    case KD_QUERY_UNNORMALIZED:
        return (sampler & ISA_SAMPLER_UNNORMALIZED) != 0;
    case KD_QUERY_ADDRESSING:
    case KD_QUERY_ADDRESSING + 1:
    case KD_QUERY_ADDRESSING + 2:
        return sampler_addressing(sampler, query - KD_QUERY_ADDRESSING);
    default:
        return 0;
    }
}

// tex1Dfetch, which programs call most: a texel of linear memory by its number. False: another
// fetch.
static bool fetch_indexed(const struct kd_texture *t, uint32_t form, uint64_t in, uint64_t *out) {
    const uint32_t other =
        KD_IMAGE_HALF | KD_IMAGE_PAIRS | KD_IMAGE_OFFSETS | KD_IMAGE_SAMPLER | KD_IMAGE_RESIDENT;
    if (!t->indexed || t->filtered || t->mip_filtered || kd_image_op(form) != KD_IMAGE_FETCH ||
        (form & 15) != KD_GEOMETRY_1D || !(form & KD_IMAGE_INTEGER) || form & other)
        return false;
    int64_t i = (int32_t)(uint32_t)in;
    bool inside = i >= 0 && (uint64_t)i < t->level[0].width, floats = sampler_gives_floats(t);
    bool raw = !floats || (t->texel == KD_TEXEL_FLOAT && t->bytes == 4);
    const uint8_t *p =
        (const uint8_t *)(uintptr_t)(t->level[0].base + (uint64_t)i * t->bytes * t->channels);
    for (unsigned k = 0; k < 4; k++) {
        uint32_t bits = inside && k < t->channels ? load_component(t, p + k * t->bytes) : 0;
        bool convert = inside && !raw && k < t->channels;
        out[k] = convert ? float_bits((float)sampler_component(t, bits, k)) : bits;
    }
    return true;
}

void kd_rt_tex(struct kd_block *b, uint32_t thread, uint64_t object, uint32_t form,
               const uint64_t *in, uint64_t *out) {
    uint32_t op = kd_image_op(form), query = form >> KD_IMAGE_ARG & 31, geometry = form & 15;
    if (op == KD_IMAGE_QUERY && query >= KD_QUERY_IS_TEXTURE) {
        out[0] = image_kind_query(object, query);
        return;
    }
    bool is_query = op == KD_IMAGE_QUERY || op == KD_IMAGE_QUERY_LEVEL;
    if (is_query && object & ISA_SAMPLER) {
        out[0] = sampler_query(object, query);
        return;
    }
    const struct kd_texture *t = image_find(object, false);
    struct kd_texture sampled;
    if (t && form & KD_IMAGE_SAMPLER) {
        sampled = *t;
        t = use_sampler(&sampled, *in++) ? &sampled : NULL;
        form &= ~(uint32_t)KD_IMAGE_SAMPLER;
    }
    if (t && !is_query && !check_images() && fetch_indexed(t, form, in[0], out))
        return;
    bool cube = geometry == KD_GEOMETRY_CUBE || geometry == KD_GEOMETRY_CUBE_LAYERED;
    bool samples = geometry == KD_GEOMETRY_2D_SAMPLES || geometry == KD_GEOMETRY_2D_LAYERED_SAMPLES;
    // There are no objects with several samples. Faces are addressed as such alone.
    if (!t && is_query)
        t = image_find(object, true); // suq
    if (!t || samples || (!is_query && cube != t->cube))
        kd_rt_fault(b, thread, KD_FAULT_ILLEGAL_ADDRESS);
    if (is_query) {
        out[0] = image_query(t, query, op == KD_IMAGE_QUERY_LEVEL ? (uint32_t)in[0] : 0);
        return;
    }
    uint32_t indices = kd_image_indices(form), dims = kd_image_dims(form);
    struct request r = {.t = t, .form = form, .dims = dims, .layer = 0};
    struct texel texel = {0};
    if (check_images()) {
        r.b = b;
        r.thread = thread;
    }
    if (indices)
        r.layer = layer_of(t, in[0]);
    read_coordinates(&r, in + indices);
    in += indices + dims;
    double lod = 0;
    const uint64_t *gradients = sampler_is_anisotropic(t, form) ? in : NULL;
    if (op == KD_IMAGE_LEVEL)
        lod = form & KD_IMAGE_INTEGER ? (int32_t)(uint32_t)in[0] : bits_float((uint32_t)in[0]);
    else if (op == KD_IMAGE_GRAD)
        lod = lod_of(&r, in);
    in += op == KD_IMAGE_LEVEL ? 1 : op == KD_IMAGE_GRAD ? 2 * dims : 0;
    for (unsigned k = 0; k < dims && form & KD_IMAGE_OFFSETS; k++)
        r.offset[k] = (int32_t)(uint32_t)in[k];
    if (op == KD_IMAGE_GATHER)
        gather(&r, &texel);
    else if (gradients)
        sample_anisotropic(&r, gradients, &texel);
    else
        sample(&r, lod, &texel);
    put(&r, &texel, out);
}
