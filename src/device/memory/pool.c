// Pools: segments cut into blocks. A free block remembers the operation before whose end nobody but
// the queue in which it was freed may have it. Everything is under the lock of memory.c.
#include "device/memory/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/check/check.h"
#include "device/check/host/check_touch.h"
#include "device/internal.h"
#include "device/memory/ipc.h"
#include "device/memory/memory_file.h"
#include "device/memory/rights.h"
#include "device/reason.h"
#include "device/sched/op.h"
#include "support/check/host_call.h"

enum { UNIT = 512, BINS = 160, LOOK_AT = 64 };
static const uint64_t SEGMENT = 2u << 20, SMALL = 1u << 20;
static const uint64_t MAGIC = 0x6c6f6f702d647a6b; // of exported pointers

struct block {
    struct range range; // first: in use, a node of the segment's tree
    struct allocation a;
    struct segment *segment;
    struct block *before, *after;       // neighbours in the segment
    struct block *previous, *next;      // of a free block: in its bin
    struct op *freed;                   // of a free block: what has to end; held; NULL: nothing
    uint64_t freed_queue, freed_number; // the place of the freeing
};

struct segment {
    struct area area; // first: a node of the lookup
    struct kd_pool *pool;
    struct block *first;
    struct range *used; // blocks in use
    uint32_t nused;
    uint64_t offset; // in the file of a shareable pool
    struct segment *previous, *next;
};

struct kd_pool {
    struct kd_device *device;
    struct kd_pool_options options;
    struct kd_pool_state state;
    struct block *bins[BINS];
    uint64_t occupied[(BINS + 63) / 64]; // bins that are not empty, one bit each
    struct block *spare;                 // records that are not in use
    struct segment *segments;
    struct area *imports;  // mappings of memory of the pool, which is another process's
    uint64_t nused, nidle; // blocks in use; segments without any
    int fd;                // of a shareable or imported pool, else -1
    uint64_t file_end;
    bool imported, ending;
    bool unmerged; // blocks were freed since neighbours were last merged, or wait for their queue
    void *owner;
    uint64_t devices, all; // whose kernels may use it, where not all may; else 0
    struct kd_pool *next;  // of all
};

static struct kd_pool *pools;
static atomic_int idle_segments; // of all pools
static atomic_int careful_pools; // that reuse nothing because it happens to be free

// ---- Free blocks --------------------------------------------------------------------------

// Four bins for each power of two, counted in units.
static unsigned bin_of(uint64_t bytes) {
    uint64_t units = bytes / UNIT;
    unsigned log = 63 - (unsigned)__builtin_clzll(units);
    unsigned fraction = log >= 2 ? units >> (log - 2) & 3 : (unsigned)(units << (2 - log) & 3);
    unsigned bin = log * 4 + fraction;
    return bin < BINS ? bin : BINS - 1;
}

static void bin_insert(struct kd_pool *p, struct block *b) {
    unsigned bin = bin_of(b->range.size);
    struct block **head = &p->bins[bin];
    p->occupied[bin / 64] |= 1ull << bin % 64;
    b->previous = NULL;
    b->next = *head;
    if (*head)
        (*head)->previous = b;
    *head = b;
}

static void bin_remove(struct kd_pool *p, struct block *b) {
    unsigned bin = bin_of(b->range.size);
    if (b->previous)
        b->previous->next = b->next;
    else
        p->bins[bin] = b->next;
    if (b->next)
        b->next->previous = b->previous;
    if (!p->bins[bin])
        p->occupied[bin / 64] &= ~(1ull << bin % 64);
}

// The first bin from `bin` on that is not empty, or BINS.
static unsigned next_bin(const struct kd_pool *p, unsigned bin) {
    for (; bin < BINS; bin = (bin / 64 + 1) * 64) {
        uint64_t left = p->occupied[bin / 64] >> bin % 64;
        if (left)
            return bin + (unsigned)__builtin_ctzll(left);
    }
    return BINS;
}

static struct block *block_new(struct kd_pool *p, struct segment *s, uint64_t base, uint64_t size) {
    struct block *b = p->spare;
    if (b)
        p->spare = b->next;
    else if (!(b = malloc(sizeof *b)))
        return NULL;
    *b = (struct block){.range = {.base = base, .size = size}, .segment = s};
    return b;
}

static void block_drop(struct kd_pool *p, struct block *b) {
    if (b->freed)
        op_unref(b->freed);
    b->next = p->spare;
    p->spare = b;
}

static bool is_free(const struct block *b) {
    return b && b->a.size == 0;
}

// Forgets an operation that has ended.
static void refresh(struct block *b) {
    if (b->freed && op_ended(b->freed)) {
        op_unref(b->freed);
        b->freed = NULL;
    }
}

static bool may_merge(const struct block *a, const struct block *b) {
    return is_free(a) && is_free(b) &&
           ((!a->freed && !b->freed) || (a->freed && b->freed && a->freed_queue == b->freed_queue));
}

// b joins a, its neighbour before; both are in no bin. What was freed later ends later.
static void merge(struct kd_pool *p, struct block *a, struct block *b) {
    if (b->freed && b->freed_number > a->freed_number) {
        struct op *op = a->freed;
        a->freed = b->freed;
        b->freed = op;
        a->freed_number = b->freed_number;
    }
    a->range.size += b->range.size;
    a->after = b->after;
    if (b->after)
        b->after->before = a;
    block_drop(p, b);
}

// ---- Segments -----------------------------------------------------------------------------

static bool back_with_file(struct kd_pool *p, struct segment *s) {
    const struct pages *pages = &s->area.pages;
    s->offset = p->file_end;
    if (ftruncate(p->fd, (off_t)(p->file_end + pages->size)))
        return false;
    if (mmap((void *)pages->base, pages->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             p->fd, (off_t)s->offset) == MAP_FAILED)
        return false;
    madvise((void *)pages->base, pages->size, MADV_HUGEPAGE);
    p->file_end += pages->size;
    return true;
}

static void segment_link(struct kd_pool *p, struct segment *s) {
    s->previous = NULL;
    s->next = p->segments;
    if (s->next)
        s->next->previous = s;
    p->segments = s;
    p->nidle++;
    atomic_fetch_add(&idle_segments, 1);
    p->state.reserved += s->area.range.size;
    if (p->state.reserved > p->state.reserved_high)
        p->state.reserved_high = p->state.reserved;
    memory_add_area(&s->area);
}

// When the system refuses, all devices have access, as without protection keys.
static void enforce(const struct kd_pool *p, const struct pages *pages) {
    if (p->all)
        (void)kd_rights_set(pages->base, pages->size, true, true, p->devices, p->devices, p->all);
    else
        kd_rights_clear(pages->base, pages->size);
}

static struct segment *segment_new(struct kd_pool *p, uint64_t size) {
    struct device_memory *m = &p->device->memory;
    struct segment *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->first = block_new(p, s, 0, size);
    if (!s->first || !address_space_take(&m->space, size, SEGMENT, &s->area.pages)) {
        if (s->first)
            block_drop(p, s->first);
        free(s);
        return NULL;
    }
    s->pool = p;
    s->area.segment = s;
    s->area.memory = m;
    s->area.device = p->device;
    s->area.range.base = s->first->range.base = s->area.pages.base;
    s->area.range.size = size;
    if (p->fd >= 0 && !back_with_file(p, s)) {
        address_space_give(&m->space, &s->area.pages);
        block_drop(p, s->first);
        free(s);
        return NULL;
    }
    if (p->all)
        enforce(p, &s->area.pages);
    else if (!p->options.host && !p->options.managed)
        check_touch_begin(s->area.pages.base, size);
    segment_link(p, s);
    bin_insert(p, s->first);
    return s;
}

void kd_pool_set_rights(struct kd_pool *p, uint64_t devices, uint64_t all) {
    memory_lock();
    bool before = p->all;
    p->devices = devices;
    p->all = devices == all ? 0 : all;
    for (struct segment *s = p->segments; s && (before || p->all); s = s->next)
        enforce(p, &s->area.pages);
    for (struct area *a = p->imports; a && (before || p->all); a = a->next)
        enforce(p, &a->pages);
    memory_unlock();
}

// s has no block in use.
static void segment_free(struct segment *s) {
    struct kd_pool *p = s->pool;
    for (struct block *b = s->first, *after; b; b = after) {
        after = b->after;
        bin_remove(p, b);
        block_drop(p, b);
    }
    *(s->previous ? &s->previous->next : &p->segments) = s->next;
    if (s->next)
        s->next->previous = s->previous;
    p->nidle--;
    atomic_fetch_sub(&idle_segments, 1);
    uint64_t size = s->area.range.size;
    p->state.reserved -= size;
    if (!p->options.host)
        atomic_fetch_sub(&p->device->memory.used, size);
    memory_remove_area(&s->area);
    check_init_gone(s->area.pages.base, size);
    if (p->all)
        kd_rights_clear(s->area.pages.base, s->area.pages.size);
    address_space_give(&p->device->memory.space, &s->area.pages);
    if (p->fd >= 0)
        (void)!fallocate(p->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)s->offset,
                         (off_t)size);
    free(s);
}

// No block in use and nothing left to end.
static bool is_idle(struct segment *s) {
    if (s->nused)
        return false;
    for (struct block *b = s->first; b; b = b->after) {
        refresh(b);
        if (b->freed)
            return false;
    }
    return true;
}

static void trim(struct kd_pool *p, uint64_t keep) {
    for (struct segment *s = p->segments, *next; s && p->nidle && p->state.reserved > keep;
         s = next) {
        next = s->next;
        if (p->state.reserved - s->area.range.size >= keep && is_idle(s))
            segment_free(s);
    }
}

void pools_reclaim(struct kd_device *d) {
    for (struct kd_pool *p = pools; p; p = p->next)
        if (p->device == d && p->nidle)
            trim(p, 0);
}

void kd_pools_reclaim(struct kd_device *d) {
    memory_lock();
    pools_reclaim(d);
    memory_unlock();
}

// Makes neighbours one block. Not done at each freeing: as a rule the next allocation is of the
// same size. `ended`: operations that have ended no longer matter, whatever the pool's policy.
static void consolidate(struct kd_pool *p, bool ended) {
    p->unmerged = false;
    ended = ended || p->state.reuse[KD_REUSE_OPPORTUNISTIC];
    for (struct segment *s = p->segments; s; s = s->next) {
        for (struct block *b = s->first; b; b = b->after) {
            if (!is_free(b))
                continue;
            if (ended)
                refresh(b);
            if (ended && is_free(b->after))
                refresh(b->after);
            p->unmerged |= b->freed != NULL;
            while (may_merge(b, b->after)) {
                bin_remove(p, b);
                bin_remove(p, b->after);
                merge(p, b, b->after);
                bin_insert(p, b);
                if (ended && is_free(b->after))
                    refresh(b->after);
            }
        }
    }
}

// ---- Life ---------------------------------------------------------------------------------

static struct kd_pool *pool_make(struct kd_device *d, const struct kd_pool_options *options) {
    struct kd_pool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->device = d;
    p->options = *options;
    if (p->options.max_size && p->options.max_size <= d->memory.total)
        p->options.max_size = (p->options.max_size + SEGMENT - 1) & ~(SEGMENT - 1);
    p->fd = -1;
    for (int i = 0; i < KD_REUSES; i++)
        p->state.reuse[i] = true;
    return p;
}

static void pool_list(struct kd_pool *p) {
    memory_lock();
    p->next = pools;
    pools = p;
    memory_unlock();
}

enum kd_status kd_pool_new(struct kd_device *d, const struct kd_pool_options *options,
                           struct kd_pool **out) {
    struct kd_pool *p = pool_make(d, options);
    if (!p)
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a pool");
    int device = options->host ? -1 : d->index;
    if (options->shareable && (p->fd = memory_file_new(MEMORY_FILE_POOL, device, 0)) < 0) {
        free(p);
        return kd_fail(KD_SYSTEM, "no file for a pool that other processes can use: %s",
                       strerror(errno));
    }
    pool_list(p);
    *out = p;
    return kd_succeed();
}

// With the lock: the pool ends when it is to, nothing of it is in use and the queues have come to
// the freeing of all blocks.
static void end_if_due(struct kd_pool *p) {
    if (!p->ending || p->nused)
        return;
    for (struct segment *s = p->segments; s; s = s->next)
        if (!is_idle(s))
            return;
    while (p->segments)
        segment_free(p->segments);
    for (struct area *a = p->imports; a; a = a->next) // they keep the rights that they have
        a->pool = NULL;
    atomic_fetch_sub(&careful_pools, !p->state.reuse[KD_REUSE_OPPORTUNISTIC]);
    struct kd_pool **at = &pools;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    for (struct block *b = p->spare, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    if (p->fd >= 0)
        close(p->fd);
    free(p);
}

void kd_pool_free(struct kd_pool *p) {
    memory_lock();
    p->ending = true;
    p->owner = NULL;
    end_if_due(p);
    memory_unlock();
}

// ---- Allocation ---------------------------------------------------------------------------

static bool usable(const struct kd_pool *p, struct block *b, struct kd_queue *q) {
    if (!b->freed || b->freed_queue == kd_queue_id(q))
        return true;
    if (p->state.reuse[KD_REUSE_OPPORTUNISTIC])
        refresh(b);
    return !b->freed || (p->state.reuse[KD_REUSE_EVENTS] &&
                         queue_has_passed(q, b->freed_queue, b->freed_number));
}

// A free block for q; `any`: also one whose freeing q would have to wait for.
static struct block *find_block(struct kd_pool *p, uint64_t size, struct kd_queue *q, bool any) {
    for (unsigned bin = bin_of(size); (bin = next_bin(p, bin)) < BINS; bin++) {
        int looked = 0;
        for (struct block *b = p->bins[bin]; b && looked++ < LOOK_AT; b = b->next)
            if (b->range.size >= size && (any || usable(p, b, q)))
                return b;
    }
    return NULL;
}

static bool has_room(const struct kd_pool *p, uint64_t size) {
    const struct device_memory *m = &p->device->memory;
    if (p->options.max_size && size > p->options.max_size - p->state.reserved)
        return false;
    return p->options.host || size <= m->total - atomic_load(&m->used);
}

static struct block *grow(struct kd_pool *p, uint64_t size) {
    uint64_t bytes = size <= SMALL ? SEGMENT : (size + SEGMENT - 1) & ~(SEGMENT - 1);
    if (!has_room(p, bytes))
        pools_reclaim(p->device);
    if (!has_room(p, bytes))
        return NULL;
    struct segment *s = segment_new(p, bytes);
    if (s && !p->options.host)
        atomic_fetch_add(&p->device->memory.used, bytes);
    return s ? s->first : NULL;
}

// Cuts what is not needed off a block that is in no bin.
static void split(struct kd_pool *p, struct block *b, uint64_t size) {
    struct block *rest;
    if (b->range.size == size ||
        !(rest = block_new(p, b->segment, b->range.base + size, b->range.size - size)))
        return;
    b->range.size = size;
    rest->before = b;
    rest->after = b->after;
    if (rest->after)
        rest->after->before = rest;
    b->after = rest;
    rest->freed = b->freed;
    rest->freed_queue = b->freed_queue;
    rest->freed_number = b->freed_number;
    if (rest->freed)
        op_ref(rest->freed);
    bin_insert(p, rest);
}

// What is checked has room behind it that belongs to nobody: the end of one block is not the
// beginning of the next.
static uint64_t room_for(uint64_t size) {
    return ((size + UNIT - 1) & ~(uint64_t)(UNIT - 1)) + (check_tools() ? UNIT : 0);
}

// Makes a free block one in use. *wait: the operation that the queue has to wait for, held, or
// NULL.
static void take(struct kd_pool *p, struct block *b, struct allocation a, struct op **wait) {
    struct segment *s = b->segment;
    bin_remove(p, b);
    split(p, b, room_for(a.size));
    if (wait) {
        *wait = b->freed;
        b->freed = NULL;
    }
    if (b->freed)
        op_unref(b->freed);
    b->freed = NULL;
    check_freed(b->a.id);
    b->a = a;
    range_insert(&s->used, &b->range);
    if (s->nused++ == 0) {
        p->nidle--;
        atomic_fetch_sub(&idle_segments, 1);
    }
    p->nused++;
    p->state.used += a.size;
    if (p->state.used > p->state.used_high)
        p->state.used_high = p->state.used;
}

// With the lock. NULL: no memory.
static struct block *allocate(struct kd_pool *p, struct kd_queue *q, uint64_t size, uint32_t flags,
                              struct op **wait) {
    uint64_t bytes = room_for(size);
    struct block *b = find_block(p, bytes, q, false);
    if (!b && p->unmerged) {
        consolidate(p, false);
        b = find_block(p, bytes, q, false);
    }
    if (!b)
        b = grow(p, bytes);
    bool internal = !b && p->state.reuse[KD_REUSE_INTERNAL];
    if (internal)
        b = find_block(p, bytes, q, true);
    if (!b)
        return NULL;
    enum kd_memory_kind kind = p->options.host      ? KD_MEMORY_PINNED
                               : p->options.managed ? KD_MEMORY_MANAGED
                                                    : KD_MEMORY_DEVICE;
    refresh(b);
    // What was there before may still be written to while something has to end.
    bool waits = b->freed;
    take(p, b, memory_describe(q->context, kind, size, flags, false), internal ? wait : NULL);
    check_init_set(b->range.base, size, kind != KD_MEMORY_DEVICE || waits);
    if (check_tools())
        check_pool_event((struct check_pool_event){
            .base = b->range.base, .size = size, .number = queue_number()});
    return b;
}

static enum kd_status wait_for(struct kd_queue *q, struct op *before) {
    struct op *op = op_new(q->context, OP_MARK);
    enum kd_status status = KD_OUT_OF_MEMORY;
    if (op) {
        op->immediate = true;
        status = queue_submit_after(q, op, before);
    }
    op_unref(before);
    return status;
}

// A block changes hands in a queue, as races are looked for.
static void check_change(uint64_t ptr, uint64_t size, struct kd_queue *q, enum check_pool how) {
    struct kd_set set = {.dst = (void *)(uintptr_t)ptr,
                         .value = how,
                         .element = 1,
                         .width = size,
                         .height = 1,
                         .depth = 1,
                         .call = host_call_keep(),
                         .frees = true};
    if (size)
        kd_submit_set(q, &set);
}

// Who uses the block has to be behind its taking. Its beginning is followed.
static void check_take(uint64_t ptr, uint64_t size, struct kd_queue *q) {
    enum { MOST = 1 << 20 };
    check_change(ptr, size < MOST ? size : MOST, q, CHECK_POOL_TAKES);
}

enum kd_status kd_pool_alloc(struct kd_pool *p, struct kd_queue *q, uint64_t size, uint32_t flags,
                             uint64_t *out) {
    *out = 0;
    if (size == 0)
        return kd_fail(KD_INVALID_VALUE, "an allocation of 0 bytes");
    if (p->imported)
        return kd_fail(KD_INVALID_VALUE,
                       "the pool is another process's: nothing can be allocated from it");
    if (size > p->device->memory.total)
        return kd_fail(KD_OUT_OF_MEMORY, "%llu bytes were asked for; the device has %llu in all",
                       (unsigned long long)size, (unsigned long long)p->device->memory.total);
    struct op *wait = NULL;
    memory_lock();
    struct block *b = allocate(p, q, size, flags, &wait);
    uint64_t ptr = b ? b->range.base : 0;
    memory_unlock();
    if (!ptr)
        return kd_fail(
            KD_OUT_OF_MEMORY,
            "the pool cannot grow by what %llu bytes need: %llu of it are reserved, %llu "
            "in use",
            (unsigned long long)size, (unsigned long long)p->state.reserved,
            (unsigned long long)p->state.used);
    if (wait && wait_for(q, wait) != KD_OK) {
        kd_memory_free(ptr);
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a dependency");
    }
    if (check_streams_follow())
        check_take(ptr, size, q);
    *out = ptr;
    return kd_succeed();
}

// ---- Freeing ------------------------------------------------------------------------------

// With the lock. `point` (held, or NULL) is what has to end first.
static void give(struct block *b, struct op *point, uint64_t queue, uint64_t number) {
    struct segment *s = b->segment;
    struct kd_pool *p = s->pool;
    if (!point) // else when others have it, since what was submitted before may still use it
        check_freed(b->a.id);
    range_remove(&s->used, &b->range);
    p->state.used -= b->a.size;
    p->nused--;
    if (--s->nused == 0) {
        p->nidle++;
        atomic_fetch_add(&idle_segments, 1);
    }
    b->a.size = 0;
    b->freed = point;
    b->freed_queue = queue;
    b->freed_number = number;
    bin_insert(p, b);
    p->unmerged = true;
    end_if_due(p);
}

struct allocation *pool_find(struct segment *s, uint64_t ptr, uint64_t *base) {
    struct block *b = (struct block *)range_find(s->used, ptr);
    if (!b || ptr - b->range.base >= b->a.size)
        return NULL;
    *base = b->range.base;
    return &b->a;
}

bool pool_find_leaving(struct segment *s, uint64_t ptr, struct kd_memory *out) {
    for (struct block *b = s->first; b; b = b->after) {
        if (ptr - b->range.base >= b->range.size)
            continue;
        *out = (struct kd_memory){.base = b->range.base, .size = b->range.size, .id = b->a.id};
        return is_free(b) && b->freed && !op_ended(b->freed);
    }
    return false;
}

static struct block *block_of(struct allocation *a) {
    return (struct block *)((char *)a - offsetof(struct block, a));
}

void pool_release(struct segment *s, struct allocation *a) {
    (void)s;
    give(block_of(a), NULL, 0, 0);
}

bool pool_each(struct segment *s, const struct kd_context *c,
               bool (*fn)(struct allocation *, const struct kd_context *)) {
    bool any = false;
    uint64_t at = 0;
    for (struct range *r; (r = range_after(s->used, at)); at = r->base)
        any |= fn(&((struct block *)r)->a, c);
    return any;
}

void pool_release_context(struct segment *s, struct kd_context *c) {
    struct kd_pool *p = s->pool;
    uint64_t at = 0;
    p->nused++; // the pool does not end meanwhile
    for (struct range *r; (r = range_after(s->used, at));) {
        at = r->base;
        if (((struct block *)r)->a.context == c)
            give((struct block *)r, NULL, 0, 0);
    }
    p->nused--;
    end_if_due(p);
}

// With the lock: the block in use that begins at ptr; NULL: none.
static struct block *block_at(uint64_t ptr) {
    struct area *area;
    uint64_t base;
    struct allocation *a = memory_find_locked(ptr, &area, &base);
    return a && area->segment && base == ptr ? block_of(a) : NULL;
}

// Races of the freeing are looked for where it stands in its queue.
static void check_free(uint64_t ptr, struct kd_queue *q) {
    memory_lock();
    struct block *b = block_at(ptr);
    uint64_t size = b ? b->a.size : 0;
    memory_unlock();
    check_change(ptr, size, q, CHECK_POOL_FREES);
}

enum kd_status kd_pool_give(uint64_t ptr, struct kd_queue *q) {
    struct op *point;
    if (check_streams_follow())
        check_free(ptr, q);
    // That the queue happens to have nothing to do must not decide what such a pool reuses.
    bool careful = atomic_load_explicit(&careful_pools, memory_order_relaxed) > 0;
    enum kd_status status = queue_point(q, careful, &point);
    if (status)
        return status;
    memory_lock();
    struct block *b = block_at(ptr);
    if (b && check_tools())
        check_pool_event((struct check_pool_event){.base = b->range.base,
                                                   .size = b->a.size,
                                                   .number = queue_number(),
                                                   .queue = kd_queue_id(q),
                                                   .id = b->a.id});
    if (b)
        give(b, point, kd_queue_id(q), queue_number());
    memory_unlock();
    if (b)
        return kd_succeed();
    if (point)
        op_unref(point);
    return kd_fail(KD_NOT_FOUND, "0x%llx is not the start of an allocation of a pool",
                   (unsigned long long)ptr);
}

void kd_pool_set_owner(struct kd_pool *p, void *owner) {
    memory_lock();
    p->owner = owner;
    memory_unlock();
}

void *kd_pool_owner(uint64_t ptr) {
    struct area *area;
    uint64_t base;
    memory_lock();
    struct allocation *a = memory_find_locked(ptr, &area, &base);
    void *owner = a && area->segment ? area->segment->pool->owner
                  : a && area->pool  ? area->pool->owner
                                     : NULL;
    memory_unlock();
    return owner;
}

// ---- State --------------------------------------------------------------------------------

struct kd_pool_state kd_pool_state(struct kd_pool *p) {
    memory_lock();
    struct kd_pool_state s = p->state;
    memory_unlock();
    return s;
}

void kd_pool_set_reuse(struct kd_pool *p, enum kd_reuse which, bool allowed) {
    memory_lock();
    if (which == KD_REUSE_OPPORTUNISTIC)
        atomic_fetch_add(&careful_pools, p->state.reuse[which] - allowed);
    p->state.reuse[which] = allowed;
    memory_unlock();
}

void kd_pool_set_threshold(struct kd_pool *p, uint64_t threshold) {
    memory_lock();
    p->state.threshold = threshold;
    memory_unlock();
}

void kd_pool_reset_high(struct kd_pool *p, bool reserved, bool used) {
    memory_lock();
    if (reserved)
        p->state.reserved_high = p->state.reserved;
    if (used)
        p->state.used_high = p->state.used;
    memory_unlock();
}

void kd_pool_trim(struct kd_pool *p, uint64_t keep) {
    memory_lock();
    trim(p, keep);
    memory_unlock();
}

void kd_pools_settle(void) {
    if (!atomic_load_explicit(&idle_segments, memory_order_relaxed) &&
        !atomic_load_explicit(&careful_pools, memory_order_relaxed))
        return;
    memory_lock();
    for (struct kd_pool *p = pools, *next; p; p = next) {
        next = p->next;
        if (!p->state.reuse[KD_REUSE_OPPORTUNISTIC] && p->unmerged)
            consolidate(p, true);
        if (p->nidle && p->state.reserved > p->state.threshold)
            trim(p, p->state.threshold);
        end_if_due(p);
    }
    memory_unlock();
}

// ---- Between processes --------------------------------------------------------------------

int kd_pool_export(struct kd_pool *p) {
    if (p->fd < 0 || p->imported) {
        kd_fail(KD_INVALID_VALUE, "the pool was not made to be exported");
        return -1;
    }
    int fd = memory_file_duplicate(p->fd);
    if (fd < 0)
        kd_fail(KD_SYSTEM, "no descriptor for the pool: %s", strerror(errno));
    return fd;
}

// The descriptor becomes the pool's, on failure too.
static enum kd_status import_file(int fd, struct kd_pool **out) {
    struct kd_pool_options options = {.shareable = true};
    struct kd_device *d = ipc_device(fd);
    struct kd_pool *p = d ? pool_make(d, &options) : NULL;
    if (!p) {
        close(fd);
        if (!d)
            return KD_INVALID_VALUE;
        return kd_fail(KD_OUT_OF_MEMORY, "no memory for a pool");
    }
    p->imported = true;
    p->options.host = memory_file_device(fd) < 0;
    p->fd = fd;
    pool_list(p);
    *out = p;
    return kd_succeed();
}

enum kd_status kd_pool_import(int fd, struct kd_pool **out) {
    uint64_t size;
    if (!memory_file_check(fd, MEMORY_FILE_POOL, &size))
        return kd_fail(KD_INVALID_VALUE, "descriptor %d is no exported pool", fd);
    int own = memory_file_duplicate(fd);
    if (own < 0)
        return kd_fail(KD_SYSTEM, "no descriptor for the pool: %s", strerror(errno));
    return import_file(own, out);
}

void kd_pool_describe(struct kd_pool *p, struct kd_physical_handle *out) {
    *out = (struct kd_physical_handle){.file = ipc_describe(p->fd)};
    out->check = memory_file_sign(p->fd, out, offsetof(struct kd_physical_handle, check));
}

enum kd_status kd_pool_open(const struct kd_physical_handle *in, struct kd_pool **out) {
    int fd = ipc_open(&in->file, MEMORY_FILE_POOL, 0);
    if (fd < 0)
        return KD_NOT_FOUND;
    if (in->check != memory_file_sign(fd, in, offsetof(struct kd_physical_handle, check))) {
        close(fd);
        return kd_fail(KD_NOT_FOUND, "this is no handle that process %u gave", in->file.pid);
    }
    return import_file(fd, out);
}

enum kd_status kd_pool_export_pointer(uint64_t ptr, struct kd_pool_pointer *out) {
    memory_lock();
    struct block *b = block_at(ptr);
    bool ok = b && b->segment->pool->fd >= 0;
    if (ok) {
        struct segment *s = b->segment;
        *out = (struct kd_pool_pointer){.magic = MAGIC,
                                        .inode = memory_file_inode(s->pool->fd),
                                        .offset = s->offset + (ptr - s->area.range.base),
                                        .size = b->a.size};
        out->check = memory_file_sign(s->pool->fd, out, offsetof(struct kd_pool_pointer, check));
    }
    memory_unlock();
    return ok ? kd_succeed()
              : kd_fail(KD_INVALID_VALUE,
                        "0x%llx is not the start of an allocation of a pool that "
                        "can be exported",
                        (unsigned long long)ptr);
}

enum kd_status kd_pool_import_pointer(struct kd_pool *p, uint32_t flags,
                                      const struct kd_pool_pointer *in, uint64_t *out) {
    uint64_t end, size;
    if (!p->imported)
        return kd_fail(KD_INVALID_VALUE, "the pool is not one that was imported");
    if (!memory_file_check(p->fd, MEMORY_FILE_POOL, &size) || in->magic != MAGIC ||
        in->check != memory_file_sign(p->fd, in, offsetof(struct kd_pool_pointer, check)) ||
        in->inode != memory_file_inode(p->fd) || !in->size ||
        __builtin_add_overflow(in->offset, in->size, &end) || end > size)
        return kd_fail(KD_INVALID_VALUE, "the data describe no allocation of this pool");
    uint64_t ptr, base;
    struct area *area;
    enum kd_status status =
        kd_memory_map_file(p->device, NULL, p->fd, in->offset, in->size, flags, &ptr);
    if (status)
        return status;
    memory_lock();
    memory_find_locked(ptr, &area, &base);
    area->pool = p;
    area->previous = NULL;
    area->next = p->imports;
    if (p->imports)
        p->imports->previous = area;
    p->imports = area;
    if (p->all)
        enforce(p, &area->pages);
    memory_unlock();
    *out = ptr;
    return KD_OK;
}

void pool_import_gone(struct area *area) {
    *(area->previous ? &area->previous->next : &area->pool->imports) = area->next;
    if (area->next)
        area->next->previous = area->previous;
}

struct kd_device *kd_pool_device(const struct kd_pool *p) {
    return p->options.host ? NULL : p->device;
}
