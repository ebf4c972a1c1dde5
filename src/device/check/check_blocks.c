#include "device/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/check/check_streams.h"
#include "device/exec/block.h"
#include "device/internal.h"
#include "device/sched/op.h"

// A table in pieces that come as numbers do. Heap blocks have numbers of their own.
enum { PIECE_BITS = 13, PIECE = 1 << PIECE_BITS, PIECES = 1 << (30 - PIECE_BITS) };
#define FIRST_OF_HEAP UINT32_C(0x20000000)
static _Atomic(struct check_block *) *pieces;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t heap_blocks, most; // how many there were; one more than the largest number

// The same for generated code: those that live and have small numbers.
static struct kd_check_extent extents[KD_CHECK_EXTENTS];

const struct kd_check_extent *check_extents(void) {
    return extents;
}

// How often what addresses lie in has changed, since a block may have asked.
static _Atomic uint32_t changes;

static void set_extent(uint32_t number, uint64_t base, uint64_t size) {
    if (number >= KD_CHECK_EXTENTS)
        return;
    __atomic_store_n(&extents[number].base, base, __ATOMIC_RELAXED);
    __atomic_store_n(&extents[number].size, size, __ATOMIC_RELEASE);
}

static struct check_block *piece_of(uint32_t number, bool make) {
    _Atomic(struct check_block *) *all = pieces;
    struct check_block *p =
        all ? atomic_load_explicit(&all[number >> PIECE_BITS], memory_order_acquire) : NULL;
    if (p || !make)
        return p;
    pthread_mutex_lock(&table_lock);
    if (!pieces)
        pieces = calloc(PIECES, sizeof *pieces);
    p = pieces ? atomic_load(&pieces[number >> PIECE_BITS]) : NULL;
    if (pieces && !p && (p = calloc(PIECE, sizeof *p)))
        atomic_store_explicit(&pieces[number >> PIECE_BITS], p, memory_order_release);
    pthread_mutex_unlock(&table_lock);
    return p;
}

struct check_block *check_block_of(uint32_t number) {
    struct check_block *p = number < KD_CHECK_LOCAL ? piece_of(number, false) : NULL;
    struct check_block *e = p ? &p[number % PIECE] : NULL;
    return e && atomic_load_explicit(&e->state, memory_order_acquire) ? e : NULL;
}

static void set(uint32_t number, uint64_t base, uint64_t size, bool is_heap) {
    struct check_block *p = piece_of(number, true), *e = p ? &p[number % PIECE] : NULL;
    if (!e || atomic_load_explicit(&e->state, memory_order_acquire))
        return;
    atomic_store_explicit(&e->base, base, memory_order_relaxed);
    atomic_store_explicit(&e->size, size, memory_order_relaxed);
    e->is_heap = is_heap;
    atomic_store_explicit(&e->state, CHECK_ALIVE, memory_order_release);
    set_extent(number, base, size);
    uint32_t seen = atomic_load(&most);
    while (!is_heap && seen <= number && !atomic_compare_exchange_weak(&most, &seen, number + 1)) {
    }
}

void check_freed(uint64_t id) {
    struct check_block *e = id < FIRST_OF_HEAP ? check_block_of((uint32_t)id) : NULL;
    atomic_fetch_add(&changes, 1);
    if (!e)
        return;
    atomic_store_explicit(&e->state, CHECK_FREED, memory_order_release);
    set_extent((uint32_t)id, e->base, 0);
}

void check_block_becomes(const struct kd_memory *m, enum check_state state) {
    if (m->id >= FIRST_OF_HEAP)
        return;
    set((uint32_t)m->id, m->base, m->size, false);
    struct check_block *e = check_block_of((uint32_t)m->id);
    if (!e)
        return;
    atomic_store_explicit(&e->state, state, memory_order_release);
    set_extent((uint32_t)m->id, m->base, state == CHECK_ALIVE ? m->size : 0);
    atomic_fetch_add(&changes, 1);
}

// ---- the device's heap --------------------------------------------------------------------

struct heap_node {
    struct range range; // first
    uint32_t number;
    bool freed;
    bool told;                        // as a leak
    const struct kd_check_site *site; // where it was taken; NULL: not known
    struct heap_node *next;           // freed later
};
static struct kd_spinlock heap_lock;
static struct range *heap_nodes;
static struct heap_node *oldest, *newest;
static uint64_t kept;
static const uint64_t MOST_KEPT = 1 << 20;

void check_heap_add(uint64_t ptr, uint64_t size) {
    struct heap_node *n = calloc(1, sizeof *n);
    if (!n)
        return;
    n->range.base = ptr;
    n->range.size = size ? size : 1;
    n->number =
        FIRST_OF_HEAP + atomic_fetch_add(&heap_blocks, 1) % (KD_CHECK_LOCAL - FIRST_OF_HEAP);
    set(n->number, ptr, size, true);
    atomic_fetch_add(&changes, 1);
    if (check_tools() & CHECK_RACE)
        check_race_forget(ptr, size);
    check_init_set(ptr, size, false);
    kd_lock(&heap_lock);
    range_insert(&heap_nodes, &n->range);
    kd_unlock(&heap_lock);
}

// With the lock.
static uint64_t drop_oldest(void) {
    struct heap_node *n = oldest;
    oldest = n->next;
    kept -= n->range.size;
    range_remove(&heap_nodes, &n->range);
    uint64_t ptr = n->range.base;
    free(n);
    return ptr;
}

enum check_heap check_heap_free(uint64_t ptr, uint64_t *give) {
    enum check_heap answer = CHECK_HEAP_INVALID;
    *give = 0;
    kd_lock(&heap_lock);
    struct heap_node *n = (struct heap_node *)range_find(heap_nodes, ptr);
    if (n && n->range.base == ptr && n->freed)
        answer = CHECK_HEAP_TWICE;
    if (n && n->range.base == ptr && !n->freed) {
        answer = CHECK_HEAP_OK;
        struct check_block *e = check_block_of(n->number);
        if (e)
            atomic_store_explicit(&e->state, CHECK_FREED, memory_order_release);
        atomic_fetch_add(&changes, 1);
        n->freed = true;
        if (oldest)
            newest->next = n;
        else
            oldest = n;
        newest = n;
        kept += n->range.size;
        if (kept > MOST_KEPT)
            *give = drop_oldest();
    }
    kd_unlock(&heap_lock);
    return answer;
}

bool check_heap_bad(struct kd_block *b, uint32_t thread, uint64_t ptr,
                    const struct kd_check_site *site) {
    kd_lock(&heap_lock);
    struct heap_node *n = (struct heap_node *)range_find(heap_nodes, ptr);
    bool begins = n && n->range.base == ptr, twice = begins && n->freed;
    uint64_t base = n ? n->range.base : 0;
    kd_unlock(&heap_lock);
    if (!ptr || (begins && !twice))
        return false;
    struct check_report r = {.what = twice
                                         ? "Malloc/Free error encountered: double free"
                                         : "Malloc/Free error encountered: invalid pointer to free",
                             .site = site,
                             .thread = thread,
                             .b = b};
    if (n && !begins)
        snprintf(r.lines[0], CHECK_LINE, "0x%llx is %llu bytes into a block",
                 (unsigned long long)ptr, (unsigned long long)(ptr - base));
    else
        snprintf(r.lines[0], CHECK_LINE, "0x%llx", (unsigned long long)ptr);
    if (site)
        check_report(&r);
    return true;
}

void check_heap_taken(uint64_t ptr, const struct kd_check_site *site) {
    kd_lock(&heap_lock);
    struct heap_node *n = ptr ? (struct heap_node *)range_find(heap_nodes, ptr) : NULL;
    if (n && n->range.base == ptr)
        n->site = site;
    kd_unlock(&heap_lock);
}

static void report_leak(const struct kd_check_site *site, uint64_t first, uint64_t bytes,
                        uint64_t blocks) {
    char what[128];
    struct check_report r = {.what = what, .site = site, .leaked = bytes};
    snprintf(what, sizeof what, "Leaked %llu bytes of the kernels' heap",
             (unsigned long long)bytes);
    snprintf(r.lines[0], CHECK_LINE, "in %llu blocks, of which one is at 0x%llx",
             (unsigned long long)blocks, (unsigned long long)first);
    check_report(&r);
}

void check_heap_leaks(uint64_t base, uint64_t size) {
    for (;;) {
        const struct kd_check_site *site = NULL;
        uint64_t first = 0, bytes = 0, blocks = 0;
        kd_lock(&heap_lock);
        struct range *next;
        for (struct range *at = range_after(heap_nodes, 0); at; at = next) {
            struct heap_node *n = (struct heap_node *)at;
            next = range_after(heap_nodes, at->base);
            if (n->freed || n->told || (size && at->base - base >= size) ||
                (blocks && n->site != site))
                continue;
            site = n->site;
            first = blocks ? first : at->base;
            bytes += at->size;
            blocks++;
            n->told = true;
        }
        kd_unlock(&heap_lock);
        if (!blocks)
            return;
        report_leak(site, first, bytes, blocks);
    }
}

// ---- blocks of pools ----------------------------------------------------------------------

enum { POOL_EVENTS = 4096 }; // that are remembered
static struct kd_spinlock pool_lock;
static struct check_pool_event pool_events[POOL_EVENTS];
static _Atomic uint64_t npool_events; // grows under the lock

void check_pool_event(struct check_pool_event e) {
    kd_lock(&pool_lock);
    pool_events[npool_events++ % POOL_EVENTS] = e;
    kd_unlock(&pool_lock);
    atomic_fetch_add(&changes, 1);
    if (!e.id && check_streams_follow()) // taken: what was there before is the pool's affair
        check_race_forget(e.base, e.size);
}

// The freeing of a block at the address in the launch's queue, before the launch was submitted; the
// block had not been taken again then. False: there is none.
static bool freed_before(const struct kd_launch *l, uint64_t address,
                         struct check_pool_event *out) {
    bool found = false;
    if (!atomic_load_explicit(&npool_events, memory_order_acquire))
        return false;
    kd_lock(&pool_lock);
    uint64_t last = npool_events > POOL_EVENTS ? npool_events - POOL_EVENTS : 0;
    for (uint64_t k = npool_events; l->number && k-- > last;) {
        const struct check_pool_event *e = &pool_events[k % POOL_EVENTS];
        if (e->number > l->number || address - e->base >= e->size)
            continue;
        found = e->id && e->queue == l->in_queue;
        *out = *e;
        break;
    }
    kd_unlock(&pool_lock);
    return found;
}

// ---- looking up ---------------------------------------------------------------------------

static bool in_heap(const struct kd_block *b, uint64_t address) {
    const struct kd_launch *l = b->launch;
    const struct heap *h = &launch_op((struct kd_launch *)l)->context->heap;
    return atomic_load_explicit(&heap_blocks, memory_order_relaxed) &&
           address - h->base < (uint64_t)h->npages << 12;
}

// Beside memory that the device's address space does not own others may be mapped, to be used as
// one with it.
static bool is_whole(uint64_t address) {
    uint64_t base, size;
    return memory_extent(address, &base, &size) || !memory_there(address);
}

bool check_there(uint64_t address, uint64_t bytes) {
    return memory_there(address) && memory_there(address + bytes - 1);
}

uint32_t check_find(const struct kd_block *b, uint64_t address) {
    struct kd_memory m;
    if (in_heap(b, address)) {
        kd_lock(&heap_lock);
        struct heap_node *n = (struct heap_node *)range_find(heap_nodes, address);
        uint32_t number = n ? n->number : 0;
        kd_unlock(&heap_lock);
        return number;
    }
    struct check_pool_event freed;
    if (freed_before(b->launch, address, &freed) && freed.id < FIRST_OF_HEAP) {
        set((uint32_t)freed.id, freed.base, freed.size, false);
        check_freed(freed.id);
        return (uint32_t)freed.id;
    }
    // Each block of threads asks for each parameter: what is known takes no lock.
    bool lives = kd_memory_find(address, &m);
    const struct check_block *e = lives ? check_block_of((uint32_t)m.id) : NULL;
    if (e && m.id < FIRST_OF_HEAP && e->state == CHECK_ALIVE && e->base == m.base &&
        e->size == m.size)
        return (uint32_t)m.id;
    if ((!lives && !memory_find_leaving(address, &m)) || m.id >= FIRST_OF_HEAP ||
        !is_whole(address))
        return 0;
    set((uint32_t)m.id, m.base, m.size, false);
    return (uint32_t)m.id;
}

// Allocations are often apart by multiples of a large power of two: so all places are looked at,
// and only what finds none free takes one of its own.
uint32_t check_find_again(struct kd_block *b, uint64_t address) {
    struct kd_check_asked *all = b->check_asked, *to = NULL;
    uint32_t now = atomic_load_explicit(&changes, memory_order_acquire);
    for (uint32_t k = 0; k < KD_CHECK_ASKED; k++) {
        bool is_known = all[k].address && all[k].changes == now;
        if (is_known && all[k].address == address)
            return all[k].number;
        to = is_known ? to : &all[k];
    }
    if (!to)
        to = &all[(address * UINT64_C(0x9e3779b97f4a7c15) >> 32) % KD_CHECK_ASKED];
    *to = (struct kd_check_asked){address, check_find(b, address), now};
    return to->number;
}

bool check_nearest(uint64_t address, uint64_t *base, uint64_t *size) {
    uint64_t best = UINT64_MAX;
    uint32_t n = atomic_load(&most);
    for (uint32_t k = 1; k < n; k++) {
        struct check_block *e = check_block_of(k);
        if (!e || e->state != CHECK_ALIVE)
            continue;
        uint64_t away = address < e->base ? e->base - address : address - (e->base + e->size) + 1;
        if (away >= best)
            continue;
        best = away;
        *base = e->base;
        *size = e->size;
    }
    return best != UINT64_MAX;
}
