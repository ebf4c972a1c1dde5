// Allocations: pages for large ones, slots of slabs for small ones, one lookup for all.
#include "device/memory/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/check/check.h"
#include "device/check/host/check_host.h"
#include "device/check/host/check_touch.h"
#include "device/check/order/check_values.h"
#include "device/internal.h"
#include "device/memory/ipc.h"
#include "device/memory/page.h"
#include "device/memory/pool.h"
#include "device/reason.h"

enum { SLAB_BYTES = 1 << 20, SLAB_MIN_SHIFT = 8, SLAB_MAX = 32 << 10, PAGE = 4096 };
static const uint64_t HUGE_PAGE = 2u << 20;

struct slab {
    struct area area;
    unsigned shift; // slot size is 1 << shift
    uint32_t nslots, used, hint;
    struct slab *prev, *next; // in the device's list of partial slabs
    struct allocation slots[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range *areas;
static struct device_memory *memories;
static uint64_t next_id = 1;
// Counts the times that the lock was taken by those who may change something.
static _Atomic uint64_t changes = 1;

bool device_memory_open(struct device_memory *m, uint64_t total) {
    memset(m, 0, sizeof *m);
    m->total = m->most = total;
    // Room for alignment, guard pages and pinned memory besides what the device reports.
    if (!address_space_open(&m->space, total * 4))
        return false;
    pthread_mutex_lock(&lock);
    m->next = memories;
    memories = m;
    pthread_mutex_unlock(&lock);
    return true;
}

static bool counted(enum kd_memory_kind kind) {
    return kind == KD_MEMORY_DEVICE || kind == KD_MEMORY_MANAGED || kind == KD_MEMORY_VARIABLE;
}

void memory_lock(void) {
    pthread_mutex_lock(&lock);
    atomic_fetch_add_explicit(&changes, 1, memory_order_acq_rel);
}

void memory_unlock(void) {
    pthread_mutex_unlock(&lock);
}

void memory_add_area(struct area *area) {
    range_insert(&areas, &area->range);
}

void memory_remove_area(struct area *area) {
    range_remove(&areas, &area->range);
}

struct allocation memory_describe(struct kd_context *c, enum kd_memory_kind kind, uint64_t size,
                                  uint32_t flags, bool locked) {
    return (struct allocation){.size = size,
                               .context = c,
                               .id = next_id++,
                               .flags = flags,
                               .kind = (uint8_t)kind,
                               .locked = locked};
}

// ---- Slabs --------------------------------------------------------------------------------

static unsigned slab_shift(uint64_t size) {
    unsigned shift = SLAB_MIN_SHIFT;
    while (((uint64_t)1 << shift) < size)
        shift++;
    return shift;
}

static void link_partial(struct slab *s) {
    struct slab **head = &s->area.memory->partial[s->shift - SLAB_MIN_SHIFT];
    s->prev = NULL;
    s->next = *head;
    if (*head)
        (*head)->prev = s;
    *head = s;
}

static void unlink_partial(struct slab *s) {
    if (s->prev)
        s->prev->next = s->next;
    else
        s->area.memory->partial[s->shift - SLAB_MIN_SHIFT] = s->next;
    if (s->next)
        s->next->prev = s->prev;
}

static struct slab *slab_new(struct device_memory *m, unsigned shift) {
    uint32_t nslots = SLAB_BYTES >> shift;
    struct slab *s = calloc(1, sizeof *s + nslots * sizeof s->slots[0]);
    if (!s)
        return NULL;
    if (!address_space_take(&m->space, SLAB_BYTES, PAGE, &s->area.pages)) {
        free(s);
        return NULL;
    }
    s->shift = shift;
    s->nslots = nslots;
    s->area.range.base = s->area.pages.base;
    s->area.range.size = SLAB_BYTES;
    s->area.memory = m;
    s->area.slab = s;
    range_insert(&areas, &s->area.range);
    link_partial(s);
    return s;
}

static uint64_t slab_take(struct device_memory *m, uint64_t size, const struct allocation *a) {
    unsigned shift = slab_shift(size);
    struct slab *s = m->partial[shift - SLAB_MIN_SHIFT];
    if (!s && !(s = slab_new(m, shift)))
        return 0;
    uint32_t i = s->hint;
    while (s->slots[i].size)
        i = i + 1 == s->nslots ? 0 : i + 1;
    s->slots[i] = *a;
    s->hint = i + 1 == s->nslots ? 0 : i + 1;
    if (++s->used == s->nslots)
        unlink_partial(s);
    return s->area.range.base + ((uint64_t)i << shift);
}

static void slab_give(struct slab *s, uint32_t i) {
    s->slots[i].size = 0;
    s->hint = i;
    if (s->used-- == s->nslots)
        link_partial(s);
    // The last empty slab of a size stays, so that allocate-free loops are cheap.
    if (s->used == 0 && (s->prev || s->next)) {
        unlink_partial(s);
        range_remove(&areas, &s->area.range);
        ipc_drop(&s->area);
        address_space_give(&s->area.memory->space, &s->area.pages);
        free(s);
    }
}

// ---- Allocation ---------------------------------------------------------------------------

// Arrays that began at one place of a page would share the caches' sets wherever a kernel takes the
// same element of each, or elements that lie a power of two apart. (A stencil that marches along z
// takes 0.9 of the time, sums of 24 arrays 0.85.) What has to begin at a larger multiple does.
static uint64_t next_colour(struct device_memory *m, uint64_t size, uint64_t align,
                            const struct allocation *a) {
    enum { COLOURS = 8, APART = 512 };
    bool coloured = a->kind == KD_MEMORY_DEVICE && size >= HUGE_PAGE && align <= APART;
    return coloured ? m->colour++ % COLOURS * APART : 0;
}

static uint64_t area_take(struct device_memory *m, uint64_t size, uint64_t align,
                          const struct allocation *a) {
    struct area *area = calloc(1, sizeof *area);
    if (!area)
        return 0;
    uint64_t colour = next_colour(m, size, align, a);
    if (align < PAGE)
        align = PAGE;
    if (size >= HUGE_PAGE && align < HUGE_PAGE)
        align = HUGE_PAGE;
    if (!address_space_take(&m->space, size + colour, align, &area->pages)) {
        free(area);
        return 0;
    }
    area->range.base = area->pages.base + colour;
    area->range.size = size;
    area->memory = m;
    area->one = *a;
    range_insert(&areas, &area->range);
    return area->range.base;
}

static uint64_t charge(uint64_t size) {
    return size <= SLAB_MAX ? (uint64_t)1 << slab_shift(size) : (size + PAGE - 1) & ~(PAGE - 1ull);
}

enum kd_status memory_alloc(struct kd_context *c, enum kd_memory_kind kind, uint64_t size,
                            uint64_t align, uint32_t flags, bool locked, uint64_t *out) {
    struct device_memory *m = &c->device->memory;
    *out = 0;
    if (size == 0)
        return kd_fail(KD_INVALID_VALUE, "an allocation of 0 bytes");
    uint64_t most = counted(kind) ? m->total : m->most;
    if (size > most)
        return kd_fail(KD_OUT_OF_MEMORY, "%llu bytes were asked for; the device has %llu in all",
                       (unsigned long long)size, (unsigned long long)most);
    uint64_t bytes = counted(kind) ? charge(size) : 0;
    memory_lock();
    uint64_t used = atomic_load(&m->used), ptr = 0;
    if (bytes > m->total - used) {
        pools_reclaim(c->device);
        used = atomic_load(&m->used);
    }
    if (bytes <= m->total - used) {
        struct allocation a = memory_describe(c, kind, size, flags, locked);
        // What is checked lies apart from its neighbours, behind a page that is not there.
        bool small = !check_tools() && size <= SLAB_MAX && align <= (1u << slab_shift(size)) &&
                     align <= PAGE;
        ptr = small ? slab_take(m, size, &a) : area_take(m, size, align, &a);
        if (ptr)
            atomic_fetch_add(&m->used, bytes);
    }
    pthread_mutex_unlock(&lock);
    if (ptr && (kind == KD_MEMORY_MANAGED || kind == KD_MEMORY_PINNED))
        check_host_begin();
    if (ptr && kind == KD_MEMORY_DEVICE)
        check_touch_begin(ptr, size);
    if (ptr && kind == KD_MEMORY_MANAGED && !locked)
        check_init_untouched(ptr, size);
    else if (ptr) // the host may write to what it can see; variables are written when they are made
        check_init_set(ptr, size, kind != KD_MEMORY_DEVICE || locked);
    if (!ptr)
        return kd_fail(KD_OUT_OF_MEMORY, "%llu bytes were asked for; %llu of %llu are in use",
                       (unsigned long long)size, (unsigned long long)used,
                       (unsigned long long)m->total);
    *out = ptr;
    return kd_succeed();
}

enum kd_status kd_memory_alloc(struct kd_context *c, enum kd_memory_kind kind, uint64_t size,
                               uint32_t flags, uint64_t *out) {
    if (kind == KD_MEMORY_REGISTERED)
        return kd_fail(KD_INVALID_VALUE, "host pages are registered, not allocated");
    return memory_alloc(c, kind, size, 1, flags, false, out);
}

void kd_memory_written(uint64_t ptr, uint64_t size) {
    check_init_set(ptr, size, true);
}

// ---- Lookup and release -------------------------------------------------------------------

static struct allocation *find_any(uint64_t ptr, struct area **area, uint64_t *base) {
    *area = (struct area *)range_find(areas, ptr);
    if (!*area)
        return NULL;
    if ((*area)->segment)
        return pool_find((*area)->segment, ptr, base);
    *base = (*area)->range.base;
    struct slab *s = (*area)->slab;
    if (!s)
        return &(*area)->one;
    uint64_t i = (ptr - *base) >> s->shift;
    *base += i << s->shift;
    return ptr - *base < s->slots[i].size ? &s->slots[i] : NULL;
}

struct allocation *memory_find_locked(uint64_t ptr, struct area **area, uint64_t *base) {
    struct allocation *a = find_any(ptr, area, base);
    return a && !a->retired ? a : NULL;
}

// What a thread found lately, good as long as nothing has changed: copies ask for the same few
// allocations again and again.
enum { KNOWN = 4 };
struct known {
    uint64_t as_of; // `changes` then
    struct kd_memory memory;
};
static __thread struct {
    struct known at[KNOWN];
    unsigned next;
} known __attribute__((tls_model("initial-exec")));

static const struct kd_memory *find_known(uint64_t ptr) {
    uint64_t now = atomic_load_explicit(&changes, memory_order_acquire);
    for (unsigned k = 0; k < KNOWN; k++)
        if (known.at[k].as_of == now && ptr - known.at[k].memory.base < known.at[k].memory.size)
            return &known.at[k].memory;
    return NULL;
}

static const struct kd_memory *find_and_keep(uint64_t ptr) {
    struct area *area;
    uint64_t base;
    struct known *k = &known.at[known.next++ % KNOWN];
    pthread_mutex_lock(&lock);
    struct allocation *a = memory_find_locked(ptr, &area, &base);
    k->as_of = 0;
    if (a) {
        k->as_of = atomic_load_explicit(&changes, memory_order_relaxed);
        k->memory = (struct kd_memory){.base = base,
                                       .size = a->size,
                                       .kind = a->kind,
                                       .flags = a->flags,
                                       .id = a->id,
                                       .context = a->context,
                                       .device = area->device ? area->device : a->context->device};
    }
    pthread_mutex_unlock(&lock);
    return a ? &k->memory : NULL;
}

bool kd_memory_find(uint64_t ptr, struct kd_memory *out) {
    const struct kd_memory *m = find_known(ptr);
    if (!m)
        m = find_and_keep(ptr);
    if (m && out)
        *out = *m;
    return m != NULL;
}

bool memory_find_leaving(uint64_t ptr, struct kd_memory *out) {
    struct area *area;
    uint64_t base;
    pthread_mutex_lock(&lock);
    const struct allocation *a = find_any(ptr, &area, &base);
    bool found = a != NULL;
    if (a)
        *out = (struct kd_memory){.base = base, .size = a->size, .id = a->id};
    else if (area && area->segment)
        found = pool_find_leaving(area->segment, ptr, out);
    pthread_mutex_unlock(&lock);
    return found;
}

bool memory_there(uint64_t ptr) {
    struct area *area;
    uint64_t base;
    pthread_mutex_lock(&lock);
    bool there = find_any(ptr, &area, &base) != NULL;
    pthread_mutex_unlock(&lock);
    return there;
}

bool memory_extent(uint64_t ptr, uint64_t *base, uint64_t *size) {
    struct area *area;
    uint64_t from;
    pthread_mutex_lock(&lock);
    const struct allocation *a = memory_find_locked(ptr, &area, &from);
    bool whole = a && (area->memory || area->segment);
    if (whole) {
        *base = from & ~(uint64_t)15;
        *size = (a->size + (from - *base) + 15) & ~(uint64_t)15;
    }
    pthread_mutex_unlock(&lock);
    return whole;
}

bool kd_memory_is_foreign(uint64_t ptr) {
    bool ours = false;
    pthread_mutex_lock(&lock);
    for (const struct device_memory *m = memories; m; m = m->next)
        ours |= ptr - m->space.base < m->space.size;
    ours |= range_find(areas, ptr) != NULL;
    pthread_mutex_unlock(&lock);
    return !ours;
}

uint64_t memory_slot(const struct area *area, uint64_t base, uint64_t *slots) {
    *slots = area->slab ? area->slab->nslots : 1;
    return area->slab ? (base - area->range.base) >> area->slab->shift : 0;
}

static void release(struct area *area, struct allocation *a, uint64_t base) {
    check_freed(a->id);
    check_life_gone(base);
    check_values_gone(base, a->size);
    check_host_gone(base, a->size);
    bool alone = area->memory && !area->segment && !area->slab; // with all of its pages
    check_init_gone(alone ? area->pages.base : base, alone ? area->pages.size : a->size);
    if (area->segment) {
        pool_release(area->segment, a);
        return;
    }
    if (area->memory && counted(a->kind))
        atomic_fetch_sub(&area->memory->used, charge(a->size));
    uint64_t slots;
    ipc_forget(area, memory_slot(area, base, &slots));
    if (area->slab) {
        slab_give(area->slab, (uint32_t)((base - area->range.base) >> area->slab->shift));
        return;
    }
    range_remove(&areas, &area->range);
    if (area->pool)
        pool_import_gone(area);
    ipc_drop(area);
    if (area->memory)
        address_space_give(&area->memory->space, &area->pages);
    else if (area->foreign)
        munmap((void *)area->pages.base, area->pages.size);
    free(area);
}

bool kd_memory_retire(uint64_t ptr, uint64_t id, bool opened) {
    struct area *area;
    uint64_t base;
    memory_lock();
    struct allocation *a = memory_find_locked(ptr, &area, &base);
    bool ok = a && base == ptr && a->id == id && a->locked == opened;
    if (ok)
        a->retired = true;
    pthread_mutex_unlock(&lock);
    return ok;
}

bool kd_memory_foreign(uint64_t ptr) {
    struct area *area;
    uint64_t base;
    pthread_mutex_lock(&lock);
    const struct allocation *a = ptr ? find_any(ptr, &area, &base) : NULL;
    bool foreign = a && a->foreign;
    pthread_mutex_unlock(&lock);
    return foreign;
}

void kd_memory_release(uint64_t ptr) {
    struct area *area;
    uint64_t base;
    memory_lock();
    struct allocation *a = find_any(ptr, &area, &base);
    if (a && base == ptr && a->retired)
        release(area, a, base);
    pthread_mutex_unlock(&lock);
}

void kd_memory_set_foreign(uint64_t ptr) {
    struct area *area;
    uint64_t base;
    pthread_mutex_lock(&lock);
    struct allocation *a = find_any(ptr, &area, &base);
    if (a)
        a->foreign = true;
    pthread_mutex_unlock(&lock);
}

static bool free_at(uint64_t ptr, bool locked) {
    struct area *area;
    uint64_t base;
    memory_lock();
    // What is locked has one owner, who may have retired it.
    struct allocation *a =
        locked ? find_any(ptr, &area, &base) : memory_find_locked(ptr, &area, &base);
    bool ok = a && base == ptr && a->kind != KD_MEMORY_REGISTERED && a->locked == locked;
    if (ok)
        release(area, a, base);
    pthread_mutex_unlock(&lock);
    return ok;
}

void kd_memory_discard(uint64_t ptr) {
    struct kd_memory m;
    if (!kd_memory_find(ptr, &m))
        return;
    uint64_t page = whole_pages(1);
    uint64_t begin = (m.base + page - 1) / page * page, end = (m.base + m.size) / page * page;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED);
}

enum kd_status kd_memory_free(uint64_t ptr) {
    if (!free_at(ptr, false))
        return kd_fail(KD_NOT_FOUND, "0x%llx is not the start of an allocation that can be freed",
                       (unsigned long long)ptr);
    return kd_succeed();
}

void memory_free_locked(uint64_t ptr) {
    if (ptr)
        free_at(ptr, true);
}

bool memory_forget(uint64_t ptr) {
    return free_at(ptr, true);
}

static void free_slots(struct slab *s, struct kd_context *c) {
    uint64_t base = s->area.range.base;
    for (uint32_t i = 0, left = s->used; left; i++) {
        if (!s->slots[i].size)
            continue;
        left--; // counted before: the last slot given back may free the slab
        if (s->slots[i].context == c)
            release(&s->area, &s->slots[i], base + ((uint64_t)i << s->shift));
    }
}

// True: it belongs to the context and is foreign.
static bool retire(struct allocation *a, const struct kd_context *c) {
    bool own = a->size && a->context == c;
    a->retired |= own;
    return own && a->foreign;
}

bool kd_memory_retire_context(struct kd_context *c) {
    bool foreign = false;
    memory_lock();
    uint64_t at = 0;
    for (struct range *r; (r = range_after(areas, at));) {
        struct area *area = (struct area *)r;
        at = r->base;
        if (area->segment)
            foreign |= pool_each(area->segment, c, retire);
        else if (area->slab)
            for (uint32_t i = 0; i < area->slab->nslots; i++)
                foreign |= retire(&area->slab->slots[i], c);
        else
            foreign |= retire(&area->one, c);
    }
    pthread_mutex_unlock(&lock);
    return foreign;
}

void memory_retire_locked(uint64_t ptr) {
    struct area *area;
    uint64_t base;
    memory_lock();
    struct allocation *a = ptr ? find_any(ptr, &area, &base) : NULL;
    if (a && base == ptr && a->locked)
        a->retired = true;
    pthread_mutex_unlock(&lock);
}

void memory_free_context(struct kd_context *c) {
    memory_lock();
    uint64_t at = 0;
    for (struct range *r; (r = range_after(areas, at));) {
        struct area *area = (struct area *)r;
        at = r->base;
        if (area->segment)
            pool_release_context(area->segment, c);
        else if (area->slab)
            free_slots(area->slab, c);
        else if (area->one.context == c)
            release(area, &area->one, r->base);
    }
    pthread_mutex_unlock(&lock);
}

// ---- The host's own pages -----------------------------------------------------------------

static bool overlaps(uint64_t base, uint64_t size) {
    struct range *r = range_floor(areas, base + size - 1);
    return r && r->base + r->size > base;
}

enum kd_status kd_memory_register(struct kd_context *c, void *ptr, uint64_t size, uint32_t flags) {
    uint64_t base = (uint64_t)ptr;
    if (!ptr || size == 0 || base + size < base)
        return kd_fail(KD_INVALID_VALUE, "no memory to register: address %p, %llu bytes", ptr,
                       (unsigned long long)size);
    struct area *area = calloc(1, sizeof *area);
    if (!area)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for the registration's record");
    area->range.base = base;
    area->range.size = size;
    memory_lock();
    bool taken = overlaps(base, size);
    if (!taken) {
        area->one = memory_describe(c, KD_MEMORY_REGISTERED, size, flags, false);
        range_insert(&areas, &area->range);
    }
    pthread_mutex_unlock(&lock);
    if (!taken)
        return kd_succeed();
    free(area);
    return kd_fail(KD_ALREADY_REGISTERED, "part of %p .. +%llu is registered or allocated already",
                   ptr, (unsigned long long)size);
}

enum kd_status kd_memory_unregister(void *ptr) {
    struct area *area;
    uint64_t base;
    memory_lock();
    struct allocation *a = memory_find_locked((uint64_t)ptr, &area, &base);
    bool ok = a && a->kind == KD_MEMORY_REGISTERED && base == (uint64_t)ptr;
    if (ok)
        release(area, a, base);
    pthread_mutex_unlock(&lock);
    if (!ok)
        return kd_fail(KD_NOT_REGISTERED, "%p is not the start of registered memory", ptr);
    return kd_succeed();
}

// ---- Memory that lies elsewhere ------------------------------------------------------------

enum kd_status memory_adopt(struct kd_device *d, struct kd_context *c, enum kd_memory_kind kind,
                            uint64_t base, uint64_t size, uint32_t flags, bool locked,
                            const struct pages *pages) {
    struct area *area = calloc(1, sizeof *area);
    if (!area)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for the record of a mapping");
    area->range.base = base;
    area->range.size = size;
    area->device = d;
    if (pages) {
        area->pages = *pages;
        area->foreign = true;
    }
    memory_lock();
    bool taken = overlaps(base, size);
    if (!taken) {
        area->one = memory_describe(c, kind, size, flags, locked);
        range_insert(&areas, &area->range);
    }
    pthread_mutex_unlock(&lock);
    if (!taken)
        return kd_succeed();
    free(area);
    return kd_fail(KD_INVALID_VALUE, "part of 0x%llx .. +%llu is allocated or registered already",
                   (unsigned long long)base, (unsigned long long)size);
}
