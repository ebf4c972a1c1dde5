// The table of texture and surface objects, and what can be asked of them.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/helpers/image.h"
#include "device/helpers/runtime.h"
#include "device/reason.h"
#include "isa/isa.h"

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

const struct kd_texture *image_find(uint64_t handle, bool surface) {
    const struct slot *s = slot_of(handle);
    return s && s->texture.surface == surface ? &s->texture : NULL;
}

// ---- Queries ----------------------------------------------------------------------------------

// The numbers of the PTX manual, which are OpenCL's.
static uint32_t data_type(const struct kd_texture *t) {
    enum { UNORM_INT8 = 0x10d2, SNORM_INT8 = 0x10d0 };
    enum { SIGNED_INT8 = 0x10d7, UNSIGNED_INT8 = 0x10da, HALF_FLOAT = 0x10dd, FLOAT = 0x10de };
    uint32_t size = t->bytes == 4 ? 2 : t->bytes == 2;
    bool is_signed = t->texel == KD_TEXEL_SIGNED;
    if (t->texel == KD_TEXEL_FLOAT)
        return t->bytes == 2 ? HALF_FLOAT : FLOAT;
    if (t->as_float && t->bytes < 4)
        return (is_signed ? SNORM_INT8 : UNORM_INT8) + size;
    return (is_signed ? SIGNED_INT8 : UNSIGNED_INT8) + size;
}

static uint32_t channel_order(const struct kd_texture *t) {
    enum { ORDER_R = 0x10b0, ORDER_RG = 0x10b2, ORDER_RGBA = 0x10b5 };
    return t->channels == 1 ? ORDER_R : t->channels == 2 ? ORDER_RG : ORDER_RGBA;
}

uint64_t image_query(const struct kd_texture *t, uint32_t query, uint32_t level) {
    const struct kd_image_level *l = &t->level[level < t->levels ? level : t->levels - 1];
    switch (query) {
    case KD_QUERY_WIDTH:
        return l->width;
    case KD_QUERY_HEIGHT:
        return l->height;
    case KD_QUERY_DEPTH:
        return l->depth;
    case KD_QUERY_DATA_TYPE:
        return data_type(t);
    case KD_QUERY_ORDER:
        return channel_order(t);
    case KD_QUERY_NORMALIZED:
        return t->normalized;
    case KD_QUERY_LAYERS:
        return t->cube ? t->layers / 6 : t->layers;
    case KD_QUERY_LEVELS:
        return t->levels;
    case KD_QUERY_SAMPLES:
        return 1;
    case KD_QUERY_UNNORMALIZED:
        return !t->normalized;
    case KD_QUERY_FILTER:
        return t->filtered;
    case KD_QUERY_ADDRESSING:
    case KD_QUERY_ADDRESSING + 1:
    case KD_QUERY_ADDRESSING + 2:
        return t->addressing[query - KD_QUERY_ADDRESSING];
    default:
        return 0;
    }
}

uint64_t image_kind_query(uint64_t handle, uint32_t query) {
    const struct slot *s = slot_of(handle);
    if (query == KD_QUERY_IS_SAMPLER)
        return (handle & ISA_SAMPLER) != 0;
    return s && s->texture.surface == (query == KD_QUERY_IS_SURFACE);
}
