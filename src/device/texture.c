// Texture objects: their table, and the sampler (guide 6.2.14.1 and chapter 19). The interpreter
// and generated code both call it, so a fetch has the same bits wherever it runs.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "device/reason.h"
#include "device/runtime.h"

// ---- The table --------------------------------------------------------------------------------
// A handle is a slot's index + 1 and, from bit 32, its generation. Looking up takes no lock, and
// slots are never returned to the system: a stale handle is found out, whatever it was.

enum { CHUNK = 256, CHUNKS = 4096 };

struct slot {
    _Atomic(uint64_t) handle; // 0: free
    struct kd_texture texture;
    uint32_t generation, next_free; // next_free: index + 1
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct slot *) chunks[CHUNKS];
static uint32_t used, first_free; // under the lock

static struct slot *slot_at(uint32_t index) {
    struct slot *chunk = index / CHUNK < CHUNKS ? chunks[index / CHUNK] : NULL;
    return chunk ? &chunk[index % CHUNK] : NULL;
}

static struct slot *slot_of(uint64_t handle) {
    struct slot *s = (uint32_t)handle ? slot_at((uint32_t)handle - 1) : NULL;
    return s && atomic_load_explicit(&s->handle, memory_order_acquire) == handle ? s : NULL;
}

// Under the lock: the index of a free slot, or -1.
static int64_t slot_take(void) {
    if (first_free) {
        uint32_t index = first_free - 1;
        first_free = slot_at(index)->next_free;
        return index;
    }
    if (used == (uint32_t)CHUNK * CHUNKS)
        return -1;
    if (used % CHUNK == 0) {
        struct slot *chunk = calloc(CHUNK, sizeof *chunk);
        if (!chunk)
            return -1;
        chunks[used / CHUNK] = chunk;
    }
    return used++;
}

enum kd_status kd_texture_new(const struct kd_texture *t, uint64_t *handle) {
    pthread_mutex_lock(&lock);
    int64_t index = slot_take();
    if (index >= 0) {
        struct slot *s = slot_at((uint32_t)index);
        s->texture = *t;
        *handle = (uint64_t)++s->generation << 32 | (uint64_t)(index + 1);
        atomic_store_explicit(&s->handle, *handle, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return index >= 0 ? kd_succeed() : kd_fail(KD_OUT_OF_MEMORY, "too many texture objects");
}

void kd_texture_free(uint64_t handle) {
    pthread_mutex_lock(&lock);
    struct slot *s = slot_of(handle);
    if (s) {
        atomic_store(&s->handle, 0);
        s->next_free = first_free;
        first_free = (uint32_t)handle;
    }
    pthread_mutex_unlock(&lock);
}

bool kd_texture_find(uint64_t handle, struct kd_texture *out) {
    pthread_mutex_lock(&lock);
    const struct slot *s = slot_of(handle);
    if (s)
        *out = s->texture;
    pthread_mutex_unlock(&lock);
    return s != NULL;
}

// ---- Texels -----------------------------------------------------------------------------------

// A texel, as numbers where the texture gives floating-point values, else as bits.
struct texel {
    double value[4];
    uint32_t bits[4];
};

static bool gives_floats(const struct kd_texture *t) {
    return t->texel == KD_TEXEL_FLOAT || (t->as_float && t->bytes < 4);
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

static double component_value(const struct kd_texture *t, uint32_t bits) {
    if (t->texel == KD_TEXEL_FLOAT)
        return t->bytes == 2 ? half_value((uint16_t)bits) : bits_float(bits);
    if (t->texel == KD_TEXEL_UNSIGNED)
        return bits / (t->bytes == 1 ? 255.0 : 65535.0);
    double v = (int32_t)bits / (t->bytes == 1 ? 127.0 : 32767.0);
    return v < -1 ? -1 : v;
}

// The components that a texture lacks are 0, 0 and, for the fourth, 1.
static void fill_missing(struct texel *out, unsigned channels) {
    for (unsigned k = channels; k < 4; k++) {
        out->value[k] = k == 3;
        out->bits[k] = k == 3;
    }
}

static void outside(const struct kd_texture *t, bool zero, struct texel *out) {
    for (unsigned k = 0; k < 4; k++) {
        out->bits[k] = zero ? 0 : t->border[k];
        out->value[k] = bits_float(out->bits[k]);
    }
}

static void load_texel(const struct kd_texture *t, uint64_t x, uint64_t y, struct texel *out) {
    const uint8_t *p =
        (const uint8_t *)(uintptr_t)(t->base + y * t->pitch + x * t->bytes * t->channels);
    bool floats = gives_floats(t);
    for (unsigned k = 0; k < t->channels; k++) {
        out->bits[k] = load_component(t, p + k * t->bytes);
        out->value[k] = floats ? component_value(t, out->bits[k]) : 0;
    }
    fill_missing(out, t->channels);
}

// ---- Coordinates ------------------------------------------------------------------------------

static int64_t modulo(int64_t i, int64_t n) {
    int64_t r = i % n;
    return r < 0 ? r + n : r;
}

// The texel that index i stands for along one dimension of n texels; -1: the border.
static int64_t remap(const struct kd_texture *t, unsigned dim, int64_t i, int64_t n) {
    unsigned mode = t->addressing[dim];
    // Wrapping needs normalized coordinates (guide 6.2.14.1): without them it clamps.
    if (!t->normalized && mode != KD_ADDRESS_BORDER)
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
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

static void fetch(const struct kd_texture *t, const int64_t at[2], struct texel *out) {
    if (t->indexed) {
        if (at[0] < 0 || (uint64_t)at[0] >= t->width)
            outside(t, true, out);
        else
            load_texel(t, (uint64_t)at[0], 0, out);
        return;
    }
    int64_t x = remap(t, 0, at[0], (int64_t)t->width);
    int64_t y = remap(t, 1, at[1], (int64_t)t->height);
    if (x < 0 || y < 0)
        outside(t, false, out);
    else
        load_texel(t, (uint64_t)x, (uint64_t)y, out);
}

// Floor as an integer; what is beyond any texture stays beyond it, and no number is 0.
static int64_t floor_index(double u) {
    const double limit = 1e15;
    return isnan(u)     ? 0
           : u < -limit ? (int64_t)-limit
           : u > limit  ? (int64_t)limit
                        : (int64_t)floor(u);
}

// ---- Filtering --------------------------------------------------------------------------------

// Index and weight of the second texel of a pair: 9 bits, of which 8 are fraction.
static int64_t split(double u, double *weight) {
    int64_t i = floor_index(u);
    double fraction = u - (double)i;
    *weight = fraction >= 0 && fraction <= 1 ? floor(fraction * 256 + 0.5) / 256 : 0;
    return i;
}

static void filter(const struct kd_texture *t, const double u[2], unsigned dims,
                   struct texel *out) {
    double weight[2] = {0, 0};
    int64_t first[2] = {0, 0};
    for (unsigned k = 0; k < dims; k++)
        first[k] = split(u[k] - 0.5, &weight[k]);
    memset(out, 0, sizeof *out);
    for (unsigned corner = 0; corner < 1u << dims; corner++) {
        unsigned dx = corner & 1, dy = corner >> 1;
        double w = (dx ? weight[0] : 1 - weight[0]) * (dy ? weight[1] : 1 - weight[1]);
        int64_t at[2] = {first[0] + dx, first[1] + dy};
        struct texel one;
        if (w == 0) // a texel that has no part cannot make the sum a NaN
            continue;
        fetch(t, at, &one);
        for (unsigned k = 0; k < 4; k++)
            out->value[k] += w * one.value[k];
    }
}

static void sample(const struct kd_texture *t, uint32_t form, const uint32_t *coords,
                   struct texel *out) {
    unsigned dims = form & KD_TEX_DIMS;
    dims = dims > 2 ? 2 : dims;
    double u[2] = {0, 0};
    int64_t at[2] = {0, 0};
    for (unsigned k = 0; k < dims; k++) {
        double size = (double)(k ? t->height : t->width);
        u[k] = bits_float(coords[k]) * (t->normalized ? size : 1);
        at[k] = form & KD_TEX_INTEGER ? (int32_t)coords[k] : floor_index(u[k]);
    }
    if (t->filtered && !(form & KD_TEX_INTEGER) && !t->indexed)
        filter(t, u, dims, out);
    else
        fetch(t, at, out);
}

void kd_rt_tex(struct kd_block *b, uint32_t thread, uint64_t object, uint32_t form,
               const uint32_t *coords, uint32_t *texel) {
    const struct slot *s = slot_of(object);
    struct texel out;
    if (!s)
        kd_rt_fault(b, thread, KD_FAULT_ILLEGAL_ADDRESS);
    sample(&s->texture, form, coords, &out);
    bool floats = gives_floats(&s->texture);
    // Single-precision texels that nothing was computed from keep their bits, NaNs too.
    bool exact =
        s->texture.texel == KD_TEXEL_FLOAT && s->texture.bytes == 4 && !s->texture.filtered;
    for (unsigned k = 0; k < 4; k++) {
        bool raw = !floats || (exact && k < s->texture.channels);
        texel[k] = raw ? out.bits[k] : float_bits((float)out.value[k]);
    }
}
