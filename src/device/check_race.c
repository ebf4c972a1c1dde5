// Races between threads of one launch. A cell for each four bytes holds who wrote them last and who
// read them, as far as barriers of the block and of the warp can order accesses; kernels that order
// them by other means are left alone (passes/check.c).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/block.h"
#include "device/check_pages.h"
#include "device/check_threads.h"
#include "device/module.h"
#include "device/op.h"
#include "device/runtime.h"
#include "isa/isa.h"

// An access: which launch (0: none), block and thread, and what they had passed by then.
struct record {
    uint32_t grid, block;
    uint32_t epoch, warp_syncs;
    uint32_t value; // what a store leaves in the four bytes
    uint16_t thread;
    uint8_t bytes; // of the four, a bit each
    bool has_value;
    const struct kd_check_site *site;
};
enum { READERS = 2 };
struct cell {
    struct record writer, readers[READERS];
};

// ---- cells --------------------------------------------------------------------------------

enum { LOCKS = 1024, CELLS = 1 << (CHECK_PAGE_BITS - 2) };
static struct check_pages pages;
static struct kd_spinlock locks[LOCKS];

static struct cell *cell_of(uint64_t address) {
    _Atomic(void *) *p = check_pages_slot(&pages, address, true);
    void *c = p ? atomic_load_explicit(p, memory_order_acquire) : NULL;
    if (p && !c) {
        void *none = NULL, *made = check_pages_zeroed(CELLS * sizeof(struct cell));
        if (!made)
            return NULL;
        c = atomic_compare_exchange_strong(p, &none, made) ? made : none;
        if (c != made)
            munmap(made, CELLS * sizeof(struct cell));
    }
    return c ? (struct cell *)c + (address >> 2 & (CELLS - 1)) : NULL;
}

// ---- what threads have passed -------------------------------------------------------------

static uint64_t block_number(const struct kd_block *b) {
    return b->ctaid[0] +
           (uint64_t)b->nctaid[0] * (b->ctaid[1] + (uint64_t)b->nctaid[1] * b->ctaid[2]);
}

struct check_threads *check_threads_of(struct kd_block *b) {
    struct resident *s = resident_of(b);
    uint64_t block = block_number(b);
    if (!s->checked && !(s->checked = calloc(1, sizeof *s->checked)))
        return NULL;
    if (s->checked->grid != b->gridid + 1 || s->checked->block != block) {
        struct check_clocks *clocks = s->checked->clocks;
        memset(s->checked, 0, sizeof *s->checked);
        s->checked->clocks = clocks;
        s->checked->grid = b->gridid + 1;
        s->checked->block = block;
        check_init_block(b);
    }
    return s->checked;
}

void check_block_begins(struct kd_block *b) {
    check_threads_of(b);
}

// Until then all lanes had met at once.
static struct check_clocks *set_apart(struct check_threads *t, uint32_t w) {
    if (!t->clocks)
        t->clocks = calloc(KD_MOST_WARPS, sizeof *t->clocks);
    struct check_clocks *c = t->clocks ? &t->clocks[w] : NULL;
    for (uint32_t l = 0; c && !t->apart[w] && l < KD_WARP; l++) {
        c->own[l] = t->warp[w];
        for (uint32_t k = 0; k < KD_WARP; k++)
            c->known[l][k] = t->seen[w * KD_WARP + l];
    }
    t->apart[w] = c;
    return c;
}

// `lanes` of a warp, of which those in `here` go on now, have met. What has come and does not go on
// yet counts as one further.
static void join(struct check_clocks *c, uint32_t lanes, uint32_t here) {
    uint32_t most[KD_WARP] = {0};
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint32_t own = c->own[l] + !(here >> l & 1);
        for (uint32_t k = 0; k < KD_WARP; k++)
            most[k] = c->known[l][k] > most[k] ? c->known[l][k] : most[k];
        most[l] = own > most[l] ? own : most[l];
    }
    for (uint32_t m = lanes & here; m; m &= m - 1)
        memcpy(c->known[__builtin_ctz(m)], most, sizeof most);
}

void check_race_synced(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                       const uint64_t *members) {
    struct check_threads *t = mask ? check_threads_of(b) : NULL;
    uint32_t w = thread / KD_WARP, first = thread % KD_WARP, here = mask << first;
    struct check_clocks *c = t && thread < MAX_UNITS ? set_apart(t, w) : NULL;
    if (!c)
        return;
    for (uint32_t m = here; m; m &= m - 1)
        c->own[__builtin_ctz(m)]++;
    for (uint32_t left = here; left;) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        uint32_t lanes = (uint32_t)members[code & KD_CHECK_SAME_MORE ? 0 : l - first] | 1u << l;
        join(c, lanes, here);
        left &= ~lanes;
    }
}

// What a thread knows of how often another one of its warp has synchronised.
static uint32_t known_to(const struct check_threads *t, uint32_t thread, uint32_t other) {
    uint32_t w = thread / KD_WARP;
    return t->apart[w] ? t->clocks[w].known[thread % KD_WARP][other % KD_WARP] : t->seen[thread];
}

void kd_rt_check_sync(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code) {
    struct check_threads *t = check_threads_of(b);
    if (!t || !mask)
        return;
    uint32_t w = thread / KD_WARP;
    if (code == KD_CHECK_SYNC_WARP && t->apart[w]) {
        check_race_synced(b, thread, mask, KD_CHECK_SAME_MORE, &(uint64_t){UINT32_MAX});
        return;
    }
    if (code == KD_CHECK_SYNC_WARP)
        t->warp[w]++;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = thread + (uint32_t)__builtin_ctz(m);
        if (lane >= MAX_UNITS)
            break;
        if (code == KD_CHECK_SYNC_WARP)
            t->seen[lane] = t->warp[w];
        else
            t->epoch[lane]++;
    }
}

// ---- what is a race -----------------------------------------------------------------------

// Threads that write what another one writes there race, but nobody can see it.
static bool leave_the_same(const struct record *a, const struct record *b) {
    uint32_t mask = 0;
    for (int k = 0; k < 4; k++)
        mask |= a->bytes & b->bytes & 1 << k ? 0xffu << 8 * k : 0;
    return a->has_value && b->has_value && !((a->value ^ b->value) & mask);
}

static bool is_strong(const struct record *r) {
    return r->site->flags & KD_CHECK_STRONG;
}

// Are the accesses a, which has been made, and b, which is about to be, of two threads that nothing
// orders? common: other blocks have the memory, too.
static bool unordered(const struct check_threads *t, const struct record *a, const struct record *b,
                      bool common) {
    if (a->grid != b->grid || !(a->bytes & b->bytes) || (is_strong(a) && is_strong(b)) ||
        leave_the_same(a, b))
        return false;
    if (a->block != b->block)
        return common;
    if (a->thread == b->thread || a->epoch != b->epoch)
        return false;
    return a->thread / KD_WARP != b->thread / KD_WARP ||
           (!(b->site->flags & KD_CHECK_LOCKSTEP) &&
            a->warp_syncs >= known_to(t, b->thread, a->thread));
}

static void place(const struct kd_block *b, uint32_t block, uint32_t t, char *text, size_t size) {
    uint32_t x = b->ntid[0], y = b->ntid[1], gx = b->nctaid[0], gy = b->nctaid[1];
    snprintf(text, size,
             "thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") in block (%" PRIu32 ",%" PRIu32
             ",%" PRIu32 ")",
             t % x, t / x % y, t / x / y, block % gx, block / gx % gy, block / gx / gy);
}

static const char *kind_of(const struct kd_check_site *s) {
    return s->kind == KD_CHECK_READ ? "Read" : s->kind == KD_CHECK_WRITE ? "Write" : "Atomic";
}

static void report(const struct kd_block *b, const struct record *then, const struct record *now,
                   uint64_t address) {
    char what[64], one[128], other[128];
    uint64_t shared = address - (uint64_t)(uintptr_t)b->shared;
    struct check_report r = {
        .what = what, .site = now->site, .thread = now->thread, .b = b, .other = then->site};
    snprintf(what, sizeof what, "Error: Race reported between %s access and %s access",
             kind_of(now->site), kind_of(then->site));
    place(b, then->block, then->thread, other, sizeof other);
    place(b, now->block, now->thread, one, sizeof one);
    snprintf(r.lines[0], CHECK_LINE, "by %s, and %s", one, other);
    if (shared < b->shared_window_bytes)
        snprintf(r.lines[1], CHECK_LINE, "at shared memory + 0x%" PRIx64, shared);
    else
        snprintf(r.lines[1], CHECK_LINE, "at global memory 0x%" PRIx64, address);
    check_report(&r);
}

static bool takes_place_of(const struct record *r, const struct record *now) {
    return r->grid != now->grid ||
           (r->block == now->block && (r->thread == now->thread || r->epoch != now->epoch));
}

static void add_reader(struct cell *c, const struct record *now) {
    for (int k = 0; k < READERS; k++)
        if (takes_place_of(&c->readers[k], now)) {
            uint8_t same = c->readers[k].grid == now->grid && c->readers[k].block == now->block &&
                                   c->readers[k].thread == now->thread &&
                                   c->readers[k].epoch == now->epoch
                               ? c->readers[k].bytes
                               : 0;
            c->readers[k] = *now;
            c->readers[k].bytes |= same;
            return;
        }
}

static void check_cell(struct kd_block *b, const struct check_threads *t, struct cell *c,
                       const struct record *now, uint64_t address, bool common) {
    struct record racing = {0};
    struct kd_spinlock *lock = &locks[(address >> 2) % LOCKS];
    if (common) // a block's shared memory belongs to the thread that runs it
        kd_lock(lock);
    bool reads = now->site->kind == KD_CHECK_READ;
    if (unordered(t, &c->writer, now, common))
        racing = c->writer;
    for (int k = 0; k < READERS && !reads && !racing.grid; k++)
        if (unordered(t, &c->readers[k], now, common))
            racing = c->readers[k];
    if (reads)
        add_reader(c, now);
    else
        c->writer = *now;
    if (common)
        kd_unlock(lock);
    if (racing.grid)
        report(b, &racing, now, address);
}

// Memory that no other thread is meant to have: local memory, parameters.
static bool is_private(const struct kd_block *b, uint64_t address) {
    uint64_t local = (uint64_t)(uintptr_t)b->local, params = (uint64_t)(uintptr_t)b->params;
    return (b->local && address - local < b->local_stride * b->nthreads) ||
           address - params < b->launch->kernel->info->param_bytes;
}

// One lane: the cells that it touches.
static void check_lane(struct kd_block *b, const struct check_threads *t, struct record *now,
                       uint64_t address, uint64_t bytes, uint64_t value) {
    bool common = address - (uint64_t)(uintptr_t)b->shared >= b->shared_window_bytes;
    for (uint64_t at = address & ~(uint64_t)3; at < address + bytes; at += 4) {
        uint64_t from = at < address ? address - at : 0;
        uint64_t to = address + bytes - at < 4 ? address + bytes - at : 4;
        struct cell *c = cell_of(at);
        now->bytes = (uint8_t)((1u << to) - (1u << from));
        if (now->has_value)
            now->value = at < address ? (uint32_t)(value << 8 * from)
                                      : (uint32_t)(value >> 8 * (at - address));
        if (c)
            check_cell(b, t, c, now, at + from, common);
    }
}

void check_races(struct kd_block *b, const struct kd_check_site *site, uint32_t thread,
                 uint32_t mask, uint32_t code, const uint64_t *addresses, const uint64_t *more) {
    const struct check_threads *t = check_threads_of(b);
    bool generic = site->space == ISA_SPACE_GENERIC, shared = site->space == ISA_SPACE_SHARED;
    // Grids that start others, and those of several devices, order themselves by more than
    // barriers.
    if (!t || b->launch->kernel->module->launches || b->launch->multi ||
        (b->cluster_blocks > 1 && site->space != ISA_SPACE_GLOBAL))
        return;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m), lane = thread + l;
        uint64_t address = addresses[code & KD_CHECK_SAME_ADDRESS ? 0 : l] + (uint64_t)site->offset;
        uint64_t of_lane = more ? more[code & KD_CHECK_SAME_MORE ? 0 : l] : 0;
        if (shared)
            address += (uint64_t)(uintptr_t)b->shared;
        if (lane >= MAX_UNITS || (generic && is_private(b, address)))
            continue;
        struct record now = {.grid = (uint32_t)b->gridid + 1,
                             .block = (uint32_t)t->block,
                             .thread = (uint16_t)lane,
                             .warp_syncs = t->apart[lane / KD_WARP]
                                               ? t->clocks[lane / KD_WARP].own[lane % KD_WARP]
                                               : t->warp[lane / KD_WARP],
                             .epoch = t->epoch[lane],
                             .has_value = more && site->bytes && site->bytes <= 8,
                             .site = site};
        check_lane(b, t, &now, address, site->bytes ? site->bytes : of_lane, of_lane);
    }
}

void check_race_forget(uint64_t address, uint64_t bytes) {
    for (uint64_t at = address & ~(uint64_t)3; at < address + bytes; at += 4) {
        struct cell *c = cell_of(at);
        struct kd_spinlock *lock = &locks[(at >> 2) % LOCKS];
        if (!c)
            return;
        kd_lock(lock);
        memset(c, 0, sizeof *c);
        kd_unlock(lock);
    }
}
