// Races between threads of a launch, and of launches that nothing orders. A cell for each four
// bytes (check_cells.c) names who wrote them last and who read them, and what barriers of the block
// and of the warp these had passed; check_order.c knows what else orders accesses. Kernels that
// order them by asynchronous copies are left alone (passes/check/check.c).
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abi/check_meeting.h"
#include "device/check/check_cells.h"
#include "device/check/check_children.h"
#include "device/check/check_intervals.h"
#include "device/check/check_streams.h"
#include "device/check/check_threads.h"
#include "device/check/check_vector.h"
#include "device/check/host/check_host.h"
#include "device/code/module.h"
#include "device/exec/block.h"
#include "device/exec/cluster.h"
#include "device/helpers/runtime.h"
#include "device/sched/op.h"
#include "isa/isa.h"

enum {
    LOCKS = 1 << 14,
    ROW_BITS = 7,
    ROW_CELLS = 1 << (ROW_BITS - 2)
}; // a lock for a row of bytes
static struct kd_spinlock locks[LOCKS];

// ---- what is a race -----------------------------------------------------------------------

// What a cell tells of an access.
struct record {
    struct check_stamp stamp;
    uint32_t thread;
    uint32_t value; // that a store leaves in the four bytes
};

// Threads that write what another one writes there race, but nobody can see it.
static bool leave_the_same(const struct record *a, const struct record *b) {
    uint32_t mask = 0;
    for (int k = 0; k < 4; k++)
        mask |= a->stamp.bytes & b->stamp.bytes & 1 << k ? 0xffu << 8 * k : 0;
    return a->stamp.has_value && b->stamp.has_value && !((a->value ^ b->value) & mask);
}

static bool is_strong(const struct record *r) {
    return r->stamp.site->flags & KD_CHECK_STRONG;
}

// The number of a block's cluster among the grid's.
static uint32_t cluster_of(const struct kd_block *b, uint32_t block) {
    uint32_t nx = b->nctaid[0], ny = b->nctaid[1];
    uint32_t x = block % nx / b->cluster_dim[0], y = block / nx % ny / b->cluster_dim[1];
    uint32_t z = block / nx / ny / b->cluster_dim[2];
    return x + nx / b->cluster_dim[0] * (y + ny / b->cluster_dim[1] * z);
}

static bool is_one_cluster(const struct kd_block *b, uint32_t one, uint32_t other) {
    return b->cluster_blocks > 1 && cluster_of(b, one) == cluster_of(b, other);
}

// Does an access's scope reach threads of another one's block?
static bool reaches(const struct kd_block *b, const struct check_stamp *s,
                    const struct check_stamp *other) {
    uint32_t scope = s->site->flags >> KD_CHECK_SCOPE_SHIFT;
    if (scope >= ISA_SCOPE_GPU || s->grid != other->grid)
        return scope >= ISA_SCOPE_GPU;
    return s->block == other->block ||
           (scope == ISA_SCOPE_CLUSTER && is_one_cluster(b, s->block, other->block));
}

// Are both atomic, as the other sees it?
static bool are_strong(const struct kd_block *b, const struct record *x, const struct record *y) {
    return is_strong(x) && is_strong(y) && reaches(b, &x->stamp, &y->stamp) &&
           reaches(b, &y->stamp, &x->stamp);
}

// Is it what a copy writes that an mbarrier object tells of?
static bool is_by_object(const struct check_stamp *s) {
    return !(s->site->flags & KD_CHECK_STRONG) && s->site->kind == KD_CHECK_WRITE &&
           s->site->flags & KD_CHECK_BY_OBJECT;
}

// Is it what a product of a warpgroup reads? Its stamp is the first warp's, and has how many groups
// had ended.
static bool is_by_group(const struct check_stamp *s) {
    const uint16_t flags = KD_CHECK_BULK | KD_CHECK_BY_GROUP;
    return s->site->kind == KD_CHECK_READ && !(s->site->flags & KD_CHECK_STRONG) &&
           (s->site->flags & flags) == flags;
}

// Does a thread know of x by more than barriers of the whole block?
static bool knows(const struct check_threads *t, uint32_t thread, const struct record *x) {
    const struct check_stamp *s = &x->stamp;
    if (is_by_group(s))
        return check_order_knows(t, thread, s->block, check_who_multiplies(s->warp), UINT32_MAX,
                                 s->warp_syncs);
    if (is_by_object(s)) // no barrier tells of it
        return check_order_knows(t, thread, s->block, CHECK_WHO_COPIES + x->thread, UINT32_MAX,
                                 s->warp_syncs);
    return check_order_knows(t, thread, s->block, x->thread, s->epoch, s->warp_syncs);
}

// Who has memory.
enum owners { OF_BLOCK, OF_CLUSTER, OF_GRID };

// Are the accesses x, which has been made, and y, which is about to be, of two threads that nothing
// orders?
static bool unordered(const struct kd_block *b, const struct check_threads *t,
                      const struct record *x, const struct record *y, enum owners owners) {
    const struct check_stamp *a = &x->stamp, *n = &y->stamp;
    if (!(a->bytes & n->bytes) || are_strong(b, x, y) || leave_the_same(x, y))
        return false;
    if (a->grid != n->grid) // is_over has looked
        return !check_child_knows(launch_op(b->launch), a, x->thread);
    if (a->goes_on && a->block == n->block)
        return !(is_by_object(a) || is_by_group(a)) || !knows(t, y->thread, x);
    if (a->block != n->block) {
        if (owners == OF_BLOCK || (owners == OF_CLUSTER && !is_one_cluster(b, a->block, n->block)))
            return false;
    } else if (x->thread == y->thread || a->epoch != n->epoch ||
               (a->warp == n->warp && (n->site->flags & KD_CHECK_LOCKSTEP ||
                                       a->warp_syncs < check_known_to(t, y->thread, x->thread)))) {
        return false;
    }
    return !knows(t, y->thread, x);
}

static void place(const uint32_t *ntid, const uint32_t *nctaid, uint32_t block, uint32_t t,
                  char *text, size_t size) {
    uint32_t x = ntid[0], y = ntid[1], gx = nctaid[0], gy = nctaid[1];
    snprintf(text, size,
             "thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") in block (%" PRIu32 ",%" PRIu32
             ",%" PRIu32 ")",
             t % x, t / x % y, t / x / y, block % gx, block / gx % gy, block / gx / gy);
}

static const char *kind_of(const struct kd_check_site *s) {
    return s->kind == KD_CHECK_READ ? "Read" : s->kind == KD_CHECK_WRITE ? "Write" : "Atomic";
}

// The access that was made is one of another operation.
static void report_other(const struct kd_block *b, const struct record *old,
                         const struct record *new, uint64_t address) {
    const struct check_stamp *then = &old->stamp, *now = &new->stamp;
    struct check_item item, own;
    char what[96], one[128], other[128] = "a copy or set";
    if (!check_streams_item(then->grid, &item) || !check_streams_item(now->grid, &own))
        return;
    bool is_move = check_is_move(then->site);
    struct check_report r = {.what = what,
                             .site = now->site,
                             .thread = new->thread,
                             .b = b,
                             .other = is_move ? item.site : then->site,
                             .call = is_move ? item.call : NULL};
    snprintf(what, sizeof what, "Error: Race reported between %s access and %s access%s",
             kind_of(now->site), kind_of(then->site), is_move ? check_move_words(then->site) : "");
    place(b->ntid, b->nctaid, (uint32_t)now->block, new->thread, one, sizeof one);
    if (!is_move)
        place(item.ntid, item.nctaid, then->block, old->thread, other, sizeof other);
    snprintf(r.lines[0], CHECK_LINE, "by %s, and %s%s", one, other,
             is_move ? "" : " of another launch");
    check_order_line(&own, &item, r.lines[1]);
    snprintf(r.lines[2], CHECK_LINE, "at global memory 0x%" PRIx64, address);
    check_report(&r);
}

static void report(const struct kd_block *b, const struct record *old, const struct record *new,
                   uint64_t address, const char *why) {
    const struct check_stamp *then = &old->stamp, *now = &new->stamp;
    char what[64], one[128], other[128];
    uint64_t shared = address - (uint64_t)(uintptr_t)b->shared;
    struct check_report r = {
        .what = what, .site = now->site, .thread = new->thread, .b = b, .other = then->site};
    snprintf(what, sizeof what, "Error: Race reported between %s access and %s access",
             kind_of(now->site), kind_of(then->site));
    place(b->ntid, b->nctaid, then->block, old->thread, other, sizeof other);
    place(b->ntid, b->nctaid, now->block, new->thread, one, sizeof one);
    snprintf(r.lines[0], CHECK_LINE, "by %s, and %s", one, other);
    if (shared < b->shared_window_bytes)
        snprintf(r.lines[1], CHECK_LINE, "at shared memory + 0x%" PRIx64, shared);
    else if (check_in_cluster(b, address))
        snprintf(r.lines[1], CHECK_LINE, "at shared memory of another block of the cluster");
    else
        snprintf(r.lines[1], CHECK_LINE, "at global memory 0x%" PRIx64, address);
    if (why)
        snprintf(r.lines[2], CHECK_LINE, "%s", why);
    else if (is_strong(old) && is_strong(new))
        snprintf(r.lines[2], CHECK_LINE, "both are atomic, but in a scope without the other block");
    check_report(&r);
}

// ---- lanes that access memory -------------------------------------------------------------

// The lanes of one call, one after the other.
struct visit {
    struct kd_block *b;
    struct check_threads *t;
    struct record now;
    uint32_t number;           // of now.stamp; 0: not made so far
    uint32_t held;             // of it, in advance
    uint32_t gone, gone_times; // another one's that cells have named no more
    uint32_t seen;             // another one, whose access
    bool seen_over, seen_own;  // is none any more, or is of the warp
    struct kd_spinlock *lock;  // that is held; NULL: none
    enum owners owners;        // of what is accessed
    uint64_t page;             // whose cells these are
    bool of_host;              // the host can see it
    struct check_cells *cells;
    check_names *names; // of them
};
enum { HELD = 256 }; // at once

static void settle(struct visit *v) {
    if (v->number)
        check_stamp_release(v->t->stamps, v->number, v->held);
    v->number = v->held = 0;
}

// now.stamp is to be that one; it may be known.
static void set_stamp(struct visit *v, uint32_t epoch, uint32_t syncs, uint8_t bytes) {
    struct check_stamp *s = &v->now.stamp;
    if (s->epoch == epoch && s->warp_syncs == syncs && s->bytes == bytes)
        return;
    settle(v);
    s->epoch = epoch;
    s->warp_syncs = syncs;
    s->bytes = bytes;
    v->number = check_stamp_find(v->t->stamps, s);
}

static uint32_t named(const struct visit *v) {
    return v->number << CHECK_LANE_BITS | v->now.thread % KD_WARP;
}

static void drop(struct visit *v, uint32_t name, uint32_t times) {
    uint32_t number = name >> CHECK_LANE_BITS;
    if (!number)
        return;
    if (v->gone != number) {
        check_stamp_drop(v->t->stamps, v->gone, v->gone_times);
        v->gone = number;
        v->gone_times = 0;
    }
    v->gone_times += times;
}

// So many cells can name the access. False: there are too many stamps.
static bool hold(struct visit *v, uint32_t n) {
    if (v->held >= n)
        return true;
    uint32_t number = check_stamp_make(v->t->stamps, &v->now.stamp);
    if (!number)
        return false;
    check_stamp_hold(v->t->stamps, number, HELD);
    v->number = number;
    v->held += HELD;
    return true;
}

// A cell's name of an access is to be the one that is made. False: it stays.
static bool put(struct visit *v, uint32_t *name) {
    if (!hold(v, 1))
        return false;
    uint32_t old = *name;
    *name = named(v);
    v->held--;
    drop(v, old, 1);
    return true;
}

static void put_with(struct visit *v, uint32_t *name, uint8_t bytes) {
    const struct check_stamp *s = &v->now.stamp;
    uint8_t own = s->bytes;
    set_stamp(v, s->epoch, s->warp_syncs, bytes);
    put(v, name);
    set_stamp(v, s->epoch, s->warp_syncs, own);
}

static struct record record_of(uint32_t name, uint32_t value) {
    const struct check_stamp *s = check_stamp_of(name >> CHECK_LANE_BITS);
    return (struct record){*s, s->warp * KD_WARP + name % KD_WARP, value};
}

// Is an access of another operation before that which is made?
static bool is_before(const struct visit *v, const struct check_stamp *s) {
    const struct op *op = launch_op(v->b->launch);
    bool over;
    if (check_child_related(op, s, &over))
        return over;
    return check_streams_before(op, s->grid);
}

// Is an access none any more for that which is made: of another launch or block, or before a
// barrier of the block?
static bool is_over(const struct visit *v, const struct check_stamp *s) {
    const struct check_stamp *now = &v->now.stamp;
    if (s->grid != now->grid)
        return v->owners != OF_GRID || is_before(v, s);
    if (s->block == now->block)
        return s->epoch != now->epoch && !s->goes_on;
    return v->owners == OF_BLOCK ||
           (v->owners == OF_CLUSTER && !is_one_cluster(v->b, s->block, now->block));
}

// Is it of the warp that accesses now?
static bool is_of_warp(const struct visit *v, const struct check_stamp *s) {
    const struct check_stamp *now = &v->now.stamp;
    return s->grid == now->grid && s->block == now->block && s->warp == now->warp;
}

// May the array name something?
static bool may_name(const struct visit *v, uint32_t array) {
    return atomic_load_explicit(v->names, memory_order_relaxed) & array;
}

// Does it name a product that the thread knows to have ended?
static bool is_ended_product(const struct visit *v, uint32_t name) {
    const struct record x = record_of(name, 0);
    return is_by_group(&x.stamp) && x.stamp.block == v->now.stamp.block &&
           knows(v->t, v->now.thread, &x);
}

static void add_reader(struct visit *v, struct check_cells *c, uint32_t k) {
    const struct check_stamp *now = &v->now.stamp;
    for (int n = 0; n < CHECK_READERS; n++) {
        uint32_t *name = &c->readers[n][k];
        check_names_add(v->names, (uint8_t)(CHECK_NAMES_READER << n));
        if (!*name) {
            put(v, name);
            return;
        }
        if (v->number && *name == named(v))
            return;
        const struct check_stamp *s = check_stamp_of(*name >> CHECK_LANE_BITS);
        bool own = is_of_warp(v, s) && *name % KD_WARP == v->now.thread % KD_WARP &&
                   s->goes_on == now->goes_on && is_by_group(s) == is_by_group(now);
        if (own && s->epoch == now->epoch) {
            put_with(v, name, now->bytes | s->bytes);
            return;
        }
        if (own || is_over(v, s) || is_ended_product(v, *name)) {
            put(v, name);
            return;
        }
    }
}

static void unlock(struct visit *v) {
    if (v->lock)
        kd_unlock(v->lock);
    v->lock = NULL;
}

static const char no_fence[] = "no fence of proxies (fence.proxy.async) is between them";

// Does a bulk copy, of the async proxy, read what a thread of its block wrote through the generic
// one, and no thread of the block has made a fence since? Whether the fence is one of proxies is
// not asked. Guide, 10.29.
static bool lacks_fence(const struct visit *v, const struct check_cells *c, uint32_t k,
                        struct record *racing) {
    const struct check_stamp *now = &v->now.stamp;
    uint32_t name = c->weak[k] ? c->weak[k] : c->strong[k];
    if (!(now->site->flags & KD_CHECK_BULK) || now->site->kind != KD_CHECK_READ ||
        v->owners == OF_GRID || !name)
        return false;
    *racing = record_of(name, 0);
    const struct check_stamp *s = &racing->stamp;
    return s->grid == now->grid && s->block == now->block && s->bytes & now->bytes &&
           !(s->site->flags & (KD_CHECK_BULK | KD_CHECK_COPY)) && s->epoch >= v->t->fenced;
}

static bool is_read_only(const struct kd_check_site *s) {
    return s->kind == KD_CHECK_READ && s->flags & KD_CHECK_READ_ONLY;
}

// Is it read by the read-only cache what another thread of the grid has written, in whatever order?
// Guide, 10.10: nothing writes there as long as the kernel runs.
static bool is_not_read_only(const struct visit *v, const struct check_cells *c, uint32_t k,
                             struct record *racing) {
    const struct check_stamp *now = &v->now.stamp;
    uint32_t name = c->weak[k] ? c->weak[k] : c->strong[k];
    if (!is_read_only(now->site) || !name)
        return false;
    *racing = record_of(name, 0);
    const struct check_stamp *s = &racing->stamp;
    return s->grid == now->grid && s->bytes & now->bytes &&
           (s->block != now->block || racing->thread != v->now.thread);
}

// The lane's access to cell k, of which `at` is the first byte.
static void check_cell(struct visit *v, struct check_cells *c, uint32_t k, uint64_t at) {
    bool reads = v->now.stamp.site->kind == KD_CHECK_READ;
    uint32_t own = v->number ? named(v) : 0;
    const uint32_t names[] = {may_name(v, CHECK_NAMES_WEAK) ? c->weak[k] : 0,
                              may_name(v, CHECK_NAMES_STRONG) ? c->strong[k] : 0,
                              !reads && may_name(v, CHECK_NAMES_READER) ? c->readers[0][k] : 0,
                              !reads && may_name(v, CHECK_NAMES_READER << 1) ? c->readers[1][k]
                                                                             : 0};
    struct record racing;
    bool races = false;
    for (int n = 0; n < 4 && !races; n++) {
        if (!names[n] || (names[n] == own && !v->now.stamp.goes_on) ||
            is_over(v, check_stamp_of(names[n] >> CHECK_LANE_BITS)))
            continue;
        racing = record_of(names[n], n ? c->strong_value[k] : c->weak_value[k]);
        races = unordered(v->b, v->t, &racing, &v->now, v->owners);
        if (n == 1 && racing.stamp.grid != v->now.stamp.grid && is_strong(&v->now) &&
            v->now.stamp.site->kind != KD_CHECK_WRITE) {
            check_streams_told(launch_op(v->b->launch), racing.stamp.grid);
            check_child_told(launch_op(v->b->launch), racing.stamp.grid);
        }
    }
    const char *why = NULL;
    if (!races && lacks_fence(v, c, k, &racing)) {
        races = true;
        why = no_fence;
    }
    if (!races && is_not_read_only(v, c, k, &racing)) {
        races = true;
        why = "it is read by the read-only cache, though the kernel writes there";
    }
    if (!reads)
        check_names_add(v->names, is_strong(&v->now) ? CHECK_NAMES_STRONG : CHECK_NAMES_WEAK);
    if (reads)
        add_reader(v, c, k);
    else if (is_strong(&v->now) && put(v, &c->strong[k]) && v->now.stamp.has_value)
        c->strong_value[k] = v->now.value;
    else if (!is_strong(&v->now) && put(v, &c->weak[k]) && v->now.stamp.has_value)
        c->weak_value[k] = v->now.value;
    bool tells = !reads && v->of_host && is_strong(&v->now); // it may be a word to the host
    if (!races && !tells)
        return;
    unlock(v);
    if (tells)
        check_streams_learned(check_streams_of_op(launch_op(v->b->launch)));
    if (!races)
        return;
    if (racing.stamp.grid == v->now.stamp.grid)
        report(v->b, &racing, &v->now, at, why);
    else
        report_other(v->b, &racing, &v->now, at);
}

struct kd_spinlock *check_race_lock(uint64_t at) {
    return &locks[(at >> ROW_BITS) % LOCKS];
}

// Cells of memory that several workers may access have a lock for each row.
static void lock_row(struct visit *v, uint64_t at) {
    struct kd_spinlock *lock = v->owners == OF_BLOCK ? NULL : check_race_lock(at);
    if (lock == v->lock)
        return;
    unlock(v);
    v->lock = lock;
    if (lock)
        kd_lock(lock);
}

// Memory that no other thread is meant to have: local memory, parameters.
static bool is_private(const struct kd_block *b, uint64_t address) {
    uint64_t local = (uint64_t)(uintptr_t)b->local, params = (uint64_t)(uintptr_t)b->params;
    return (b->local && address - local < b->local_stride * b->nthreads) ||
           address - params < b->launch->kernel->info->param_bytes;
}

static enum owners owners_of(const struct kd_block *b, uint64_t address) {
    return check_in_cluster(b, address)                                        ? OF_CLUSTER
           : address - (uint64_t)(uintptr_t)b->shared < b->shared_window_bytes ? OF_BLOCK
                                                                               : OF_GRID;
}

static bool find_cells(struct visit *v, uint64_t address) {
    if (address >> CHECK_PAGE_BITS != v->page || !v->cells) {
        v->page = address >> CHECK_PAGE_BITS;
        v->cells = check_cells_of(address);
        v->names = check_names_of(address);
        v->of_host = check_host_follow() && check_host_touched(address);
    }
    return v->cells;
}

static uint32_t syncs_of(const struct check_threads *t, uint32_t thread) {
    uint32_t w = thread / KD_WARP;
    return t->apart[w] ? t->clocks[w].own[thread % KD_WARP] : t->warp[w];
}

// A thread's access to the shared memory of the block with a number, which ends before it, or could
// have.
static void report_ended(const struct kd_block *b, const struct record *x, uint32_t block,
                         bool has_ended) {
    uint32_t nx = b->nctaid[0], ny = b->nctaid[1], of = x->stamp.block;
    uint32_t ctaid[3] = {of % nx, of / nx % ny, of / nx / ny};
    struct check_report r = {.what = "Invalid access to shared memory of another block of the "
                                     "cluster",
                             .site = x->stamp.site,
                             .thread = x->thread,
                             .b = b,
                             .ctaid = ctaid};
    snprintf(r.lines[0], CHECK_LINE,
             "%s block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), whose memory it is, %s",
             has_ended ? "the" : "nothing keeps the", block % nx, block / nx % ny, block / nx / ny,
             has_ended ? "has ended" : "from ending before");
    check_report(&r);
}

// Has the block of the cluster that has the address ended? Its number is *block.
static bool is_of_ended(const struct kd_block *b, uint64_t address, uint32_t *block) {
    const struct cluster *c = resident_of((struct kd_block *)b)->cluster;
    uint64_t rank = (address - (uint64_t)(uintptr_t)b->cluster_shared) / KD_CLUSTER_STRIDE;
    const uint32_t *d = b->cluster_dim;
    uint32_t k = (uint32_t)rank;
    if (rank >= b->cluster_blocks || c->size != b->cluster_blocks || c->members[k])
        return false;
    uint32_t x = b->ctaid[0] / d[0] * d[0] + k % d[0],
             y = b->ctaid[1] / d[1] * d[1] + k / d[0] % d[1];
    uint32_t z = b->ctaid[2] / d[2] * d[2] + k / d[0] / d[1];
    *block = x + b->nctaid[0] * (y + b->nctaid[1] * z);
    return true;
}

static void check_lane(struct visit *v, uint64_t address, uint64_t bytes, uint64_t value) {
    const struct kd_block *b = v->b;
    const struct check_threads *t = v->t;
    uint32_t epoch = t->epoch[v->now.thread], ended;
    uint32_t syncs = is_by_object(&v->now.stamp) ? t->objects_told : syncs_of(t, v->now.thread);
    v->owners = owners_of(b, address);
    if (v->owners == OF_CLUSTER && is_of_ended(b, address, &ended)) {
        unlock(v);
        report_ended(b, &v->now, ended, true);
    }
    for (uint64_t at = address & ~(uint64_t)3; at < address + bytes; at += 4) {
        uint64_t from = at < address ? address - at : 0;
        uint64_t to = address + bytes - at < 4 ? address + bytes - at : 4;
        if (!find_cells(v, at))
            continue;
        set_stamp(v, epoch, syncs, (uint8_t)((1u << to) - (1u << from)));
        if (v->now.stamp.has_value)
            v->now.value = at < address ? (uint32_t)(value << 8 * from)
                                        : (uint32_t)(value >> 8 * (at - address));
        lock_row(v, at);
        check_cell(v, v->cells, (uint32_t)(at >> 2) % CHECK_CELLS, at + from);
    }
}

// ---- lanes that access one word after the other -------------------------------------------

// Cells of one row, of which each lane from the first on accesses 1 << shift.
struct row {
    uint32_t k, n, lane, shift;
};
typedef uint32_t four __attribute__((vector_size(16)));
// How many lanes the one that accesses a cell is behind the first.
static const uint32_t lanes_on[3][ROW_CELLS] __attribute__((aligned(16))) = {
    {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
     16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
    {0, 0, 1, 1, 2,  2,  3,  3,  4,  4,  5,  5,  6,  6,  7,  7,
     8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15},
    {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
     4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7},
};

static void look_at(struct visit *v, uint32_t number) {
    const struct check_stamp *s = check_stamp_of(number);
    if (v->seen == number)
        return;
    v->seen = number;
    v->seen_over = is_over(v, s);
    v->seen_own = is_of_warp(v, s) && !s->goes_on;
}

// Is what a cell names none any more, or what the lane itself has done?
static bool is_quiet(struct visit *v, uint32_t name, uint32_t lane) {
    uint32_t number = name >> CHECK_LANE_BITS;
    if (!number)
        return true;
    look_at(v, number);
    return v->seen_over || (v->seen_own && name % KD_WARP == lane);
}

// What the names of a row's cells tell: all are quiet; each is another lane's; they have to be
// looked at one by one. *one: all have one stamp.
enum names { QUIET, BUSY, MIXED };
static enum names look_at_row(struct visit *v, const uint32_t *names, const struct row *r,
                              bool *one) {
    const uint32_t *on = lanes_on[r->shift];
    uint32_t first = names[0], apart = 0, shifted = 0, k = 0;
    four a = {0}, s = {0};
    for (; k + 4 <= r->n; k += 4) {
        four name, lane;
        memcpy(&name, names + k, sizeof name);
        memcpy(&lane, on + k, sizeof lane);
        a |= name ^ first;
        s |= (name - lane) ^ first;
    }
    for (; k < r->n; k++) {
        apart |= names[k] ^ first;
        shifted |= (names[k] - on[k]) ^ first;
    }
    apart |= a[0] | a[1] | a[2] | a[3];
    shifted |= s[0] | s[1] | s[2] | s[3];
    *one = !(apart >> CHECK_LANE_BITS);
    if (!*one)
        return MIXED;
    if (!(first >> CHECK_LANE_BITS))
        return QUIET;
    look_at(v, first >> CHECK_LANE_BITS);
    if (v->seen_over || !v->seen_own)
        return v->seen_over ? QUIET : BUSY;
    return shifted ? MIXED : first % KD_WARP == r->lane ? QUIET : BUSY;
}

// array: of the names.
static bool are_quiet(struct visit *v, uint32_t array, const uint32_t *names, const struct row *r,
                      bool *one) {
    *one = true;
    if (!may_name(v, array))
        return true;
    enum names all = look_at_row(v, names, r, one);
    for (uint32_t k = 0; all == MIXED && k < r->n; k++)
        if (!is_quiet(v, names[k], r->lane + lanes_on[r->shift][k]))
            return false;
    return all != BUSY;
}

static void put_lane(struct visit *v, uint32_t *name, uint32_t lane) {
    uint32_t own = v->number << CHECK_LANE_BITS | lane;
    if (*name == own)
        return;
    drop(v, *name, 1);
    *name = own;
    v->held--;
}

// one: the names have one stamp.
static void put_row(struct visit *v, uint32_t *names, const struct row *r, bool one) {
    const uint32_t *on = lanes_on[r->shift];
    uint32_t own = v->number << CHECK_LANE_BITS | r->lane, k = 0;
    for (; !one && k < r->n; k++)
        put_lane(v, &names[k], r->lane + on[k]);
    if (!one || (names[0] == own && names[r->n - 1] == own + on[r->n - 1]))
        return;
    drop(v, names[0], r->n);
    v->held -= r->n;
    for (; k + 4 <= r->n; k += 4) {
        four lane;
        memcpy(&lane, on + k, sizeof lane);
        lane += own;
        memcpy(names + k, &lane, sizeof lane);
    }
    for (; k < r->n; k++)
        names[k] = own + on[k];
}

static void read_row(struct visit *v, const struct row *r) {
    struct check_cells *c = v->cells;
    bool one;
    for (int n = 0; n < CHECK_READERS; n++) {
        uint32_t *names = &c->readers[n][r->k];
        check_names_add(v->names, (uint8_t)(CHECK_NAMES_READER << n));
        enum names all = look_at_row(v, names, r, &one);
        if (all == QUIET && hold(v, r->n))
            put_row(v, names, r, one);
        if (all == QUIET)
            return;
        if (all == BUSY)
            continue;
        for (uint32_t k = 0; k < r->n; k++) {
            uint32_t lane = r->lane + lanes_on[r->shift][k], *name = &c->readers[0][r->k + k];
            if (!is_quiet(v, *name, lane)) {
                name = &c->readers[1][r->k + k];
                check_names_add(v->names, CHECK_NAMES_READER << 1);
            }
            if (is_quiet(v, *name, lane) && hold(v, 1))
                put_lane(v, name, lane);
        }
        return;
    }
}

// Lanes from now.thread on access cells behind each other. False: they need a closer look.
static bool check_row(struct visit *v, const struct row *r, const uint64_t *values,
                      bool one_value) {
    struct check_cells *c = v->cells;
    bool reads = v->now.stamp.site->kind == KD_CHECK_READ, strong = is_strong(&v->now);
    bool one_weak, one_strong, one;
    if (!are_quiet(v, CHECK_NAMES_WEAK, &c->weak[r->k], r, &one_weak) ||
        !are_quiet(v, CHECK_NAMES_STRONG, &c->strong[r->k], r, &one_strong))
        return false;
    if (reads) {
        read_row(v, r);
        return true;
    }
    for (int n = 0; n < CHECK_READERS; n++)
        if (!are_quiet(v, (uint32_t)CHECK_NAMES_READER << n, &c->readers[n][r->k], r, &one))
            return false;
    if (!hold(v, r->n))
        return true;
    check_names_add(v->names, strong ? CHECK_NAMES_STRONG : CHECK_NAMES_WEAK);
    put_row(v, strong ? &c->strong[r->k] : &c->weak[r->k], r, strong ? one_strong : one_weak);
    uint32_t *left = strong ? &c->strong_value[r->k] : &c->weak_value[r->k];
    for (uint32_t k = 0; v->now.stamp.has_value && k < r->n; k++) {
        uint64_t value = values[one_value ? 0 : lanes_on[r->shift][k]];
        left[k] = (uint32_t)(r->shift && k % 2 ? value >> 32 : value);
    }
    return true;
}

// How many of the lanes, from `thread` on, access words behind each other that are in one row; 0:
// the first one's is no whole word, or of its own.
static uint32_t row_of(const struct visit *v, uint32_t thread, uint32_t lanes, const uint64_t *at) {
    const struct kd_check_site *site = v->now.stamp.site;
    const uint32_t *epoch = v->t->epoch;
    uint32_t bytes = site->bytes, n = 1;
    uint64_t address = check_generic_address(v->b, site, at[0]);
    uint32_t most = ((1u << ROW_BITS) - (uint32_t)address % (1u << ROW_BITS)) / bytes;
    most = lanes < most ? lanes : most;
    most = thread + most <= MAX_UNITS ? most : MAX_UNITS - thread;
    while (n < most && at[n] == at[0] + bytes * n && epoch[thread + n] == epoch[thread])
        n++;
    bool private = site->space == ISA_SPACE_GENERIC &&
                   (is_private(v->b, address) || is_private(v->b, address + bytes * (n - 1)));
    return private || address % bytes ? 0 : n;
}

// The same at once, n lanes that row_of has found. False: nothing was done.
static bool check_lanes(struct visit *v, uint32_t thread, uint32_t n, uint64_t at,
                        const uint64_t *values, bool one_value) {
    const struct check_threads *t = v->t;
    const struct kd_check_site *site = v->now.stamp.site;
    uint64_t address = check_generic_address(v->b, site, at);
    struct row r = {(uint32_t)(address >> 2) % CHECK_CELLS, n * (site->bytes / 4), thread % KD_WARP,
                    (uint32_t)__builtin_ctz(site->bytes) - 2};
    v->now.thread = thread;
    v->owners = owners_of(v->b, address);
    uint32_t ended;
    if (v->owners == OF_CLUSTER && is_of_ended(v->b, address, &ended))
        return false;
    v->seen = 0;
    if (!find_cells(v, address))
        return true;
    set_stamp(v, t->epoch[thread], t->warp[thread / KD_WARP], 15);
    lock_row(v, address);
    return check_row(v, &r, values, one_value);
}

static uint32_t first_two(uint32_t mask) {
    uint32_t rest = mask & (mask - 1);
    return mask ^ (rest & (rest - 1));
}

// Lanes have begun to copy. interval: as struct check_copy has it.
static void add_copies(struct kd_block *b, struct check_threads *t,
                       const struct kd_check_site *site, uint32_t thread, uint32_t mask,
                       uint32_t code, const uint64_t *addresses, const uint64_t *more,
                       uint64_t interval) {
    struct check_copy c = {.site = site, .interval = interval};
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        c.address = check_generic_address(b, site, addresses[code & KD_CHECK_SAME_ADDRESS ? 0 : l]);
        c.bytes = site->bytes ? site->bytes : (uint32_t)more[code & KD_CHECK_SAME_MORE ? 0 : l];
        bool private = site->space == ISA_SPACE_GENERIC && is_private(b, c.address);
        if (thread + l < MAX_UNITS && !private)
            check_copies_add(b, t, thread + l, c);
    }
}

void check_races(struct kd_block *b, const struct kd_check_site *site, uint32_t thread,
                 uint32_t mask, uint32_t code, const uint64_t *addresses, const uint64_t *more) {
    struct check_threads *t = check_threads_of(b);
    // Grids of several devices order themselves by more than is followed.
    if (!t || !t->has_cells || b->launch->multi)
        return;
    bool taken = check_intervals_take(b, t, site, thread, mask, code, addresses, more);
    if (!taken)
        check_race_cells(b, t, site, thread, mask, code, addresses, more);
    if (site->flags & KD_CHECK_COPY)
        add_copies(b, t, site, thread, mask, code, addresses, more,
                   taken ? check_intervals_number(t) : 0);
}

void check_race_begun(struct kd_block *b, struct check_threads *t, uint32_t thread,
                      const struct kd_check_site *site, uint64_t address) {
    uint64_t offset = address - check_generic_address(b, site, 0);
    check_race_cells(b, t, site, thread, 1, 0, &offset, NULL);
}

void check_race_cells(struct kd_block *b, struct check_threads *t, const struct kd_check_site *site,
                      uint32_t thread, uint32_t mask, uint32_t code, const uint64_t *addresses,
                      const uint64_t *more) {
    bool generic = site->space == ISA_SPACE_GENERIC;
    bool releases = site->flags & KD_CHECK_STRONG && site->kind != KD_CHECK_READ;
    struct visit v = {.b = b,
                      .t = t,
                      .now.stamp = {.site = site,
                                    .grid = (uint32_t)b->gridid + 1,
                                    .block = (uint32_t)t->block,
                                    .warp = (uint16_t)(thread / KD_WARP),
                                    .has_value = more && site->bytes && site->bytes <= 8,
                                    .goes_on = site->flags & KD_CHECK_COPY}};
    v.now.stamp.goes_on |= is_by_object(&v.now.stamp);
    bool together = !t->apart[thread / KD_WARP], one = code & KD_CHECK_SAME_ADDRESS;
    // None of the lanes knows more than the others: two stand for all that read one place.
    if (one && together && !t->order && site->kind == KD_CHECK_READ &&
        !(site->flags & KD_CHECK_COPY))
        mask = first_two(mask);
    bool one_value = code & KD_CHECK_SAME_MORE;
    bool words = site->bytes == 4 || site->bytes == 8 || site->bytes == 16;
    bool rows = together && !one && !releases && words && !is_read_only(site) &&
                !(site->flags & KD_CHECK_BULK);
    while (mask) {
        uint32_t l = (uint32_t)__builtin_ctz(mask), lanes = 1;
        while (l + lanes < KD_WARP && mask >> (l + lanes) & 1)
            lanes++;
        uint32_t row = rows ? row_of(&v, thread + l, lanes, addresses + l) : 0;
        uint32_t n = row ? row : rows ? 1 : lanes;
        mask &= ~(((uint32_t)1 << (l + n - 1) << 1) - ((uint32_t)1 << l));
        if (row * site->bytes > sizeof(uint32_t) &&
            check_lanes(&v, thread + l, n, addresses[l], more ? more + (one_value ? 0 : l) : NULL,
                        one_value))
            continue;
        for (uint32_t end = l + n; l < end; l++) {
            uint64_t address = check_generic_address(b, site, addresses[one ? 0 : l]);
            uint64_t of_lane = more ? more[one_value ? 0 : l] : 0;
            v.now.thread = thread + l;
            if (v.now.thread >= MAX_UNITS || (generic && is_private(b, address)))
                continue;
            check_lane(&v, address, site->bytes ? site->bytes : of_lane, of_lane);
            if (releases) {
                unlock(&v);
                check_order_write(b, t, v.now.thread, site, address);
            }
        }
    }
    unlock(&v);
    settle(&v);
    check_stamp_drop(t->stamps, v.gone, v.gone_times);
}

// Do all lanes of the warp lack what orders x before now?
static bool unordered_for_all(struct visit *v, const struct record *x) {
    struct record y = v->now;
    uint32_t first = y.thread / KD_WARP * KD_WARP;
    for (uint32_t l = 0; l < KD_WARP && first + l < v->b->nthreads; l++) {
        y.thread = first + l;
        if (!unordered(v->b, v->t, x, &y, v->owners))
            return false;
    }
    return true;
}

// A warp's read as what its warpgroup reads until the group of products has been waited for.
static struct visit for_warpgroup(const struct visit *v) {
    struct visit all = *v;
    uint32_t warp = v->now.stamp.warp, first = warp / CHECK_WARPGROUP * CHECK_WARPGROUP;
    all.now.thread = first * KD_WARP;
    all.now.stamp.warp = (uint16_t)first;
    all.now.stamp.goes_on = true;
    all.now.stamp.epoch = 0;
    all.now.stamp.warp_syncs = v->t->products[warp];
    return all;
}

void check_race_by_warp(struct kd_block *b, struct check_threads *t,
                        const struct kd_check_site *site, uint32_t thread, uint64_t address) {
    enum { PIECE = 16 };
    struct visit v = {.b = b, .t = t, .owners = owners_of(b, address)};
    v.now = (struct record){.thread = thread,
                            .stamp = {.site = site,
                                      .grid = (uint32_t)b->gridid + 1,
                                      .block = (uint32_t)t->block,
                                      .warp = (uint16_t)(thread / KD_WARP),
                                      .epoch = t->epoch[thread],
                                      .warp_syncs = syncs_of(t, thread),
                                      .bytes = 15}};
    struct visit all = for_warpgroup(&v);
    for (uint64_t at = address; at < address + PIECE; at += 4) {
        if (!find_cells(&v, at))
            continue;
        lock_row(&v, at);
        all.names = v.names;
        uint32_t k = (uint32_t)(at >> 2) % CHECK_CELLS;
        uint32_t name = v.cells->weak[k] ? v.cells->weak[k] : v.cells->strong[k];
        struct record racing = name ? record_of(name, 0) : v.now;
        const char *why = NULL;
        bool races = name && !is_over(&v, &racing.stamp) && unordered_for_all(&v, &racing);
        if (!races && lacks_fence(&v, v.cells, k, &racing)) {
            races = true;
            why = no_fence;
        }
        if (!races)
            add_reader(&all, v.cells, k);
        unlock(&v);
        if (races) {
            report(b, &racing, &v.now, at, why);
            break;
        }
    }
    settle(&all);
    check_stamp_drop(t->stamps, all.gone, all.gone_times);
}

// Names that say that this thread's access goes on are to be that which is made.
static void end_access(struct visit *v, uint32_t *names, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        uint32_t name = names[k], number = name >> CHECK_LANE_BITS;
        if (!number || name % KD_WARP != v->now.thread % KD_WARP)
            continue;
        if (v->seen != number) {
            const struct check_stamp *s = check_stamp_of(number);
            v->seen = number;
            v->seen_own = is_of_warp(v, s) && s->goes_on && !is_by_object(s) && !is_by_group(s);
        }
        if (v->seen_own)
            put(v, &names[k]);
    }
}

void check_race_copied(struct kd_block *b, struct check_threads *t, uint32_t thread,
                       const struct kd_check_site *site, uint64_t address, uint64_t bytes) {
    struct visit v = {.b = b, .t = t, .owners = owners_of(b, address)};
    v.now.thread = thread;
    v.now.stamp = (struct check_stamp){.site = site,
                                       .grid = (uint32_t)b->gridid + 1,
                                       .block = (uint32_t)t->block,
                                       .warp = (uint16_t)(thread / KD_WARP)};
    set_stamp(&v, t->epoch[thread], syncs_of(t, thread), 15);
    for (uint64_t at = address & ~(uint64_t)3, next; at < address + bytes; at = next) {
        uint32_t k = (uint32_t)(at >> 2) % CHECK_CELLS;
        next = ((at >> ROW_BITS) + 1) << ROW_BITS;
        uint64_t end = next < address + bytes ? next : address + bytes;
        uint32_t n = (uint32_t)((end - at + 3) / 4);
        if (!find_cells(&v, at))
            continue;
        lock_row(&v, at);
        if (site->kind != KD_CHECK_READ)
            end_access(&v, &v.cells->weak[k], n);
        for (int r = 0; r < CHECK_READERS && site->kind == KD_CHECK_READ; r++)
            end_access(&v, &v.cells->readers[r][k], n);
    }
    unlock(&v);
    settle(&v);
    check_stamp_drop(t->stamps, v.gone, v.gone_times);
}

// Does some thread of the block know of an access by another block?
static bool block_knows(const struct check_threads *t, uint32_t nthreads, const struct record *x) {
    for (uint32_t k = 0; k < nthreads && k < MAX_UNITS; k++)
        if (knows(t, k, x))
            return true;
    return false;
}

// Guide, 6.2.5: a block of a cluster must exist until others have accessed its shared memory.
void check_race_leaves(struct kd_block *b, struct check_threads *t) {
    uint32_t known = 0; // a stamp of which all is known
    for (uint64_t at = 0; at < b->shared_window_bytes; at += 4) {
        uint64_t address = (uint64_t)(uintptr_t)b->shared + at;
        struct check_cells *c = check_cells_of(address);
        uint32_t k = (uint32_t)(address >> 2) % CHECK_CELLS;
        const uint32_t names[] = {c ? c->weak[k] : 0, c ? c->strong[k] : 0,
                                  c ? c->readers[0][k] : 0, c ? c->readers[1][k] : 0};
        for (int n = 0; n < 4; n++) {
            uint32_t number = names[n] >> CHECK_LANE_BITS;
            if (!number || number == known)
                continue;
            struct record x = record_of(names[n], 0);
            bool other = x.stamp.grid == (uint32_t)b->gridid + 1 && x.stamp.block != t->block &&
                         is_one_cluster(b, x.stamp.block, (uint32_t)t->block);
            if (other && !block_knows(t, b->nthreads, &x)) {
                report_ended(b, &x, (uint32_t)t->block, false);
                return;
            }
            known = number;
        }
    }
}

void check_race_forget(uint64_t address, uint64_t bytes) {
    check_cells_forget(address, bytes);
}

void check_race_ended(uint64_t grid) {
    check_order_forget(grid);
    check_stamps_leave(grid);
}
