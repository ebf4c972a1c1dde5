// The addresses of sparse arrays, and of arrays whose memory comes later.
#include "device/memory/sparse.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/internal.h"
#include "device/memory/memory.h"
#include "device/memory/page.h"
#include "device/reason.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kd_sparse *idle; // under the lock

// Texture objects and copies may still name an array that is gone: what they look at is used again
// and never returned.
static struct kd_sparse *take(uint64_t tiles) {
    uint64_t words = (tiles + 63) / 64;
    pthread_mutex_lock(&lock);
    struct kd_sparse **at = &idle;
    while (*at && (*at)->words < words)
        at = &(*at)->next;
    struct kd_sparse *s = *at;
    if (s)
        *at = s->next;
    pthread_mutex_unlock(&lock);
    if (!s) {
        s = calloc(1, sizeof *s);
        if (s)
            s->resident = calloc(words, sizeof *s->resident);
        if (!s || !s->resident) {
            free(s);
            return NULL;
        }
        s->words = words;
    }
    memset(s->level, 0, sizeof s->level);
    for (uint64_t k = 0; k < s->words; k++)
        atomic_init(&s->resident[k], 0);
    return s;
}

static void put_back(struct kd_sparse *s) {
    s->tiles = 0;
    pthread_mutex_lock(&lock);
    s->next = idle;
    idle = s;
    pthread_mutex_unlock(&lock);
}

enum kd_status kd_sparse_new(struct kd_context *c, uint64_t tiles, uint32_t flags,
                             struct kd_sparse **out) {
    struct kd_sparse *s = tiles && tiles < 1ull << 32 ? take(tiles) : NULL;
    if (!s)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for an array of %llu tiles",
                       (unsigned long long)tiles);
    uint64_t bytes = tiles << KD_TILE_SHIFT, base;
    enum kd_status status = kd_range_reserve(bytes, KD_GRANULARITY, 0, &base);
    if (status) {
        put_back(s);
        return status;
    }
    struct pages pages = {.base = base, .size = bytes};
    status =
        memory_adopt(kd_context_device(c), c, KD_MEMORY_DEVICE, base, bytes, flags, false, &pages);
    if (status) {
        kd_range_release(base, bytes);
        put_back(s);
        return status;
    }
    s->base = base;
    s->tiles = tiles;
    *out = s;
    return KD_OK;
}

void kd_sparse_free(struct kd_sparse *s) {
    put_back(s);
}

struct kd_image_level *kd_sparse_level(struct kd_sparse *s, unsigned level) {
    return &s->level[level];
}

uint64_t kd_sparse_base(const struct kd_sparse *s) {
    return s->base;
}

static void mark(struct kd_sparse *s, uint64_t first, uint64_t n, bool resident) {
    for (uint64_t k = first; k < first + n; k++) {
        uint64_t bit = 1ull << k % 64;
        if (resident)
            atomic_fetch_or_explicit(&s->resident[k / 64], bit, memory_order_release);
        else
            atomic_fetch_and_explicit(&s->resident[k / 64], ~bit, memory_order_release);
    }
}

bool kd_sparse_map(struct kd_sparse *s, uint64_t first, uint64_t n, struct kd_physical *p,
                   uint64_t offset) {
    if (first > s->tiles || n > s->tiles - first)
        return false;
    uint64_t at = s->base + (first << KD_TILE_SHIFT), bytes = n << KD_TILE_SHIFT;
    if (!p) {
        mark(s, first, n, false);
        kd_range_clear(at, bytes);
        return true;
    }
    if (!kd_range_place(p, at, bytes, offset))
        return false;
    mark(s, first, n, true);
    return true;
}

void kd_sparse_failed(struct kd_context *c, uint64_t address) {
    if (!context_begin_fault(c))
        return;
    struct kd_fault_record f = {
        .fault = KD_FAULT_OUT_OF_MEMORY, .address_known = true, .address = address};
    strcpy(f.kernel, "(mapping of tiles)");
    strcpy(f.text, "the system does not map the tiles of a sparse array");
    context_end_fault(c, &f);
}
