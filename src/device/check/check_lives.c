// Memory of graphs has addresses before its allocation node has run and behind its freeing (guide
// 16.3). How often it was taken and not freed is counted as operations run: calls that launch and
// free may come in another order.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/check/check.h"
#include "device/check/check_streams.h"
#include "device/internal.h"
#include "device/memory/range_tree.h"
#include "device/sched/op.h"
#include "device/sync.h"

struct life {
    struct range range; // first
    int taken;
    bool began;
    const struct host_call *freed; // that freed it last; NULL: not known
};
static struct kd_spinlock lock;
static struct range *lives;
static _Atomic uint32_t nlives;

static bool any(void) {
    return __builtin_expect(atomic_load_explicit(&nlives, memory_order_acquire) > 0, 0);
}

// With the lock.
static struct life *life_of(uint64_t address) {
    return (struct life *)range_find(lives, address);
}

void kd_graph_memory_new(uint64_t ptr) {
    struct kd_memory m;
    struct life *l = kd_memory_find(ptr, &m) ? calloc(1, sizeof *l) : NULL;
    if (!l)
        return;
    l->range = (struct range){.base = m.base, .size = m.size};
    check_block_becomes(&m, CHECK_PLANNED);
    kd_lock(&lock);
    range_insert(&lives, &l->range);
    kd_unlock(&lock);
    atomic_fetch_add(&nlives, 1);
}

void check_life_gone(uint64_t base) {
    if (!any())
        return;
    kd_lock(&lock);
    struct life *l = life_of(base);
    if (l) {
        range_remove(&lives, &l->range);
        atomic_fetch_sub(&nlives, 1);
    }
    kd_unlock(&lock);
    free(l);
}

// True: the memory was not taken, and is now.
static bool change(const struct kd_memory *m, bool takes, const struct host_call *call) {
    kd_lock(&lock);
    struct life *l = life_of(m->base);
    bool begins = l && takes && l->taken++ == 0, ends = l && !takes && --l->taken == 0;
    if (l && takes)
        l->began = true;
    if (ends)
        l->freed = call;
    if (begins || ends)
        check_block_becomes(m, begins ? CHECK_ALIVE : CHECK_FREED);
    kd_unlock(&lock);
    return begins;
}

struct kd_set kd_graph_memory_set(uint64_t ptr, bool takes, const struct host_call *call) {
    enum { MOST = 1 << 20 }; // of memory that is taken races are looked for at its beginning
    struct kd_memory m;
    uint64_t size = kd_memory_find(ptr, &m) ? m.size : 1;
    return (struct kd_set){.dst = (void *)(uintptr_t)ptr,
                           .value = takes ? CHECK_GRAPH_TAKES : CHECK_GRAPH_FREES,
                           .element = 1,
                           .width = takes && size > MOST ? MOST : size,
                           .height = 1,
                           .depth = 1,
                           .call = call,
                           .frees = true};
}

void kd_graph_memory_freed(uint64_t ptr, const struct host_call *call) {
    struct kd_memory m;
    if (kd_memory_find(ptr, &m))
        change(&m, false, call);
}

void check_life_changes(const struct op *op, uint64_t address, uint64_t bytes) {
    bool takes = op->set.value == CHECK_GRAPH_TAKES;
    struct kd_memory m;
    bool first = kd_memory_find(address, &m) && m.base == address;
    if (first && change(&m, takes, op->set.call)) {
        check_init_set(m.base, m.size, m.kind != KD_MEMORY_DEVICE);
        if (check_streams_follow())
            check_race_forget(m.base, m.size);
    }
    check_moved_pool(op, takes ? CHECK_POOL_TAKES : CHECK_POOL_FREES, address, bytes);
}

const struct host_call *check_life_freed_by(uint64_t base) {
    const struct host_call *call = NULL;
    if (!any())
        return NULL;
    kd_lock(&lock);
    struct life *l = life_of(base);
    if (l)
        call = l->freed;
    kd_unlock(&lock);
    return call;
}

void check_life_used(uint64_t address, uint64_t bytes, bool writes, const struct host_call *call) {
    if (!any() || !(check_tools() & CHECK_MEMORY))
        return;
    kd_lock(&lock);
    const struct life *l = life_of(address);
    bool bad = l && !l->taken, began = l && l->began;
    uint64_t base = l ? l->range.base : 0, size = l ? l->range.size : 0;
    kd_unlock(&lock);
    if (!bad)
        return;
    char what[96];
    struct check_report r = {.what = what, .call = call};
    snprintf(what, sizeof what, "Invalid __global__ %s of size %" PRIu64 " bytes by a copy or set",
             writes ? "write" : "read", bytes);
    snprintf(r.lines[0], CHECK_LINE, "Access at 0x%" PRIx64 " is to memory that %s", address,
             began ? "has been freed" : "its graph has not allocated");
    snprintf(r.lines[1], CHECK_LINE,
             "and is %" PRIu64 " bytes into the %s allocation of a graph at 0x%" PRIx64
             " of size %" PRIu64 " bytes",
             address - base, began ? "freed" : "planned", base, size);
    check_report(&r);
}
