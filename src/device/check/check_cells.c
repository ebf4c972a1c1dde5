#include "device/check/check_cells.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/check/check_streams.h"
#include "device/sync.h"

// Page tables, chunks of cells and all stamps live while grids do.
enum { GROUP = 256, CACHED = 64, CHUNK = 64, MOST = 1 << CHECK_STAMP_BITS };
enum { CREDIT = 1 << 14 }; // names of a stamp that its worker has in advance
// Of cells, which are not given back; and where launches are compared with later ones.
static const uint64_t kept_bytes = UINT64_C(64) << 20, followed_bytes = UINT64_C(1) << 30;

struct chunk { // of cells
    struct chunk *next;
    struct check_cells *cells;
    uint32_t used;
    _Atomic(void *) *slots[CHUNK]; // where each page's stand
};
struct user { // a grid
    struct user *next;
    uint64_t grid;
};
static struct kd_spinlock lock; // of what follows
static struct user *users;
static struct chunk *chunks;
static uint64_t chunk_count;
static uint32_t generation = 1; // counts how often all stamps were given back
static struct check_stamp *stamps;
static atomic_uint fresh = GROUP; // stamps from here on are unused

static struct check_pages pages;
enum { NAMES = 1 << 16 }; // pages that are told apart
static check_names names[NAMES];

check_names *check_names_of(uint64_t address) {
    return &names[(address >> CHECK_PAGE_BITS) % NAMES];
}

// ---- stamps -------------------------------------------------------------------------------

struct check_stamps {
    uint32_t generation;
    uint32_t next, end; // unused ones
    uint32_t free;      // one that is named by nobody; the next one is its `grid`
    uint32_t cached[CACHED];
    uint32_t credit[CACHED]; // of those: counted as names, and not given out
};

// With the lock.
static void give_back(void) {
    while (chunks) {
        struct chunk *c = chunks;
        chunks = c->next;
        for (uint32_t k = 0; k < c->used; k++)
            atomic_store_explicit(c->slots[k], NULL, memory_order_relaxed);
        munmap(c->cells, CHUNK * sizeof *c->cells);
        free(c);
    }
    madvise(stamps, fresh * sizeof *stamps, MADV_DONTNEED);
    for (uint32_t k = 0; k < NAMES; k++)
        atomic_store_explicit(&names[k], 0, memory_order_relaxed);
    fresh = GROUP;
    chunk_count = 0;
    generation++;
}

bool check_stamps_enter(struct check_stamps **s, uint64_t grid) {
    if (!*s && !(*s = calloc(1, sizeof **s)))
        return false;
    kd_lock(&lock);
    struct user *u = users;
    while (u && u->grid != grid)
        u = u->next;
    if (!u && (u = malloc(sizeof *u))) {
        *u = (struct user){users, grid};
        users = u;
    }
    if (!stamps)
        stamps = check_pages_zeroed(MOST * sizeof *stamps);
    bool ok = u && stamps;
    if ((*s)->generation != generation)
        **s = (struct check_stamps){.generation = generation};
    kd_unlock(&lock);
    return ok;
}

void check_stamps_leave(uint64_t grid) {
    kd_lock(&lock);
    struct user **at = &users;
    while (*at && (*at)->grid != grid)
        at = &(*at)->next;
    struct user *u = *at;
    if (u) {
        *at = u->next;
        free(u);
        uint64_t most = check_streams_follow() ? followed_bytes : kept_bytes;
        if (!users && chunk_count * CHUNK * sizeof(struct check_cells) > most)
            give_back();
    }
    kd_unlock(&lock);
}

const struct check_stamp *check_stamp_of(uint32_t number) {
    return &stamps[number];
}

static bool equal(const struct check_stamp *a, const struct check_stamp *b) {
    return a->site == b->site && a->grid == b->grid && a->block == b->block &&
           a->epoch == b->epoch && a->warp_syncs == b->warp_syncs && a->warp == b->warp &&
           a->bytes == b->bytes && a->has_value == b->has_value && a->goes_on == b->goes_on;
}

static uint32_t place_of(const struct check_stamp *stamp) {
    uint64_t key = (uint64_t)(uintptr_t)stamp->site + stamp->bytes;
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % CACHED;
}

uint32_t check_stamp_find(const struct check_stamps *s, const struct check_stamp *stamp) {
    uint32_t number = s->cached[place_of(stamp)];
    return number && equal(&stamps[number], stamp) ? number : 0;
}

static uint32_t take(struct check_stamps *s) {
    uint32_t number = s->free;
    if (number) {
        s->free = stamps[number].grid;
        return number;
    }
    if (s->next == s->end && atomic_load_explicit(&fresh, memory_order_relaxed) <= MOST - GROUP) {
        s->next = atomic_fetch_add_explicit(&fresh, GROUP, memory_order_relaxed);
        s->end = s->next <= MOST - GROUP ? s->next + GROUP : s->next;
    }
    return s->next == s->end ? 0 : s->next++;
}

uint32_t check_stamp_make(struct check_stamps *s, const struct check_stamp *stamp) {
    uint32_t number = check_stamp_find(s, stamp), place = place_of(stamp);
    if (number || !(number = take(s)))
        return number;
    stamps[number] = *stamp;
    atomic_store_explicit(&stamps[number].refs, CREDIT + 1, memory_order_relaxed);
    if (s->cached[place])
        check_stamp_drop(s, s->cached[place], s->credit[place] + 1);
    s->credit[place] = CREDIT;
    return s->cached[place] = number;
}

void check_stamp_hold(struct check_stamps *s, uint32_t number, uint32_t n) {
    uint32_t place = place_of(&stamps[number]);
    if (s->cached[place] == number && s->credit[place] >= n)
        s->credit[place] -= n;
    else
        atomic_fetch_add_explicit(&stamps[number].refs, n, memory_order_relaxed);
}

void check_stamp_release(struct check_stamps *s, uint32_t number, uint32_t n) {
    uint32_t place = place_of(&stamps[number]);
    if (s->cached[place] == number)
        s->credit[place] += n;
    else
        check_stamp_drop(s, number, n);
}

void check_stamp_drop(struct check_stamps *s, uint32_t number, uint32_t n) {
    if (!n || atomic_fetch_sub_explicit(&stamps[number].refs, n, memory_order_acq_rel) != n)
        return;
    stamps[number].grid = s->free;
    s->free = number;
}

// ---- cells --------------------------------------------------------------------------------

// With the lock.
static struct check_cells *make_cells(_Atomic(void *) *slot) {
    if (!chunks || chunks->used == CHUNK) {
        struct chunk *c = calloc(1, sizeof *c);
        struct check_cells *made = c ? check_pages_zeroed(CHUNK * sizeof *made) : NULL;
        if (!made) {
            free(c);
            return NULL;
        }
        madvise(made, CHUNK * sizeof *made, MADV_NOHUGEPAGE); // parts are never touched
        c->cells = made;
        c->next = chunks;
        chunks = c;
        chunk_count++;
    }
    chunks->slots[chunks->used] = slot;
    return &chunks->cells[chunks->used++];
}

struct check_cells *check_cells_of(uint64_t address) {
    _Atomic(void *) *slot = check_pages_slot(&pages, address, true);
    void *c = slot ? atomic_load_explicit(slot, memory_order_acquire) : NULL;
    if (c || !slot)
        return c;
    kd_lock(&lock);
    c = atomic_load_explicit(slot, memory_order_relaxed);
    if (!c && (c = make_cells(slot)))
        atomic_store_explicit(slot, c, memory_order_release);
    kd_unlock(&lock);
    return c;
}

// What named stamps there may still be about to be dropped by somebody else: they stay.
void check_cells_forget(uint64_t address, uint64_t bytes) {
    kd_lock(&lock);
    for (uint64_t at = address & ~(uint64_t)3; at < address + bytes; at += 4) {
        _Atomic(void *) *slot = check_pages_slot(&pages, at, false);
        struct check_cells *c = slot ? atomic_load_explicit(slot, memory_order_relaxed) : NULL;
        uint32_t k = (uint32_t)(at >> 2) % CHECK_CELLS;
        if (!c) { // nor for the rest of the page
            at += 4 * (CHECK_CELLS - 1 - k);
            continue;
        }
        __atomic_store_n(&c->weak[k], 0, __ATOMIC_RELAXED);
        __atomic_store_n(&c->strong[k], 0, __ATOMIC_RELAXED);
        for (int n = 0; n < CHECK_READERS; n++)
            __atomic_store_n(&c->readers[n][k], 0, __ATOMIC_RELAXED);
    }
    kd_unlock(&lock);
}
