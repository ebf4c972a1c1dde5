// The lanes of one call that access memory, one after the other, and the cells that come to name
// their accesses.
#ifndef KUDZU_DEVICE_CHECK_VISIT_H
#define KUDZU_DEVICE_CHECK_VISIT_H

#include "device/check/race/check_unordered.h"

enum { CHECK_ROW_BITS = 7 }; // there is a lock for a row of so many bytes

struct check_visit {
    struct kd_block *b;
    struct check_threads *t;
    struct check_record now;
    uint32_t number;           // of now.stamp; 0: not made so far
    uint32_t held;             // of it, in advance
    uint32_t gone, gone_times; // another one's that cells have named no more
    uint32_t seen;             // another one, whose access
    bool seen_over, seen_own;  // is none any more, or is of the warp
    struct kd_spinlock *lock;  // that is held; NULL: none
    enum check_owners owners;  // of what is accessed
    uint64_t page;             // whose cells these are
    bool of_host;              // the host can see it
    struct check_cells *cells;
    check_names *names; // of them
};

// The access is made, and now.stamp another one from now on.
void check_visit_settle(struct check_visit *v);
// A cell does not name another access so many times any more.
void check_visit_drop(struct check_visit *v, uint32_t name, uint32_t times);
struct check_record check_record_of(uint32_t name, uint32_t value);
// Is an access none any more for that which is made: of another launch or block, or before a
// barrier of the block?
bool check_visit_is_over(const struct check_visit *v, const struct check_stamp *s);
void check_visit_unlock(struct check_visit *v);
enum check_owners check_owners_of(const struct kd_block *b, uint64_t address);
// How often a thread has synchronised with others of its warp.
uint32_t check_syncs_of(const struct check_threads *t, uint32_t thread);

// As hold, set_stamp, find_cells and lock_row say, where there is something to do.
bool check_visit_hold_more(struct check_visit *v);
void check_visit_change(struct check_visit *v, uint32_t epoch, uint32_t syncs, uint8_t bytes);
void check_visit_turn(struct check_visit *v, uint64_t address);
void check_visit_change_lock(struct check_visit *v, struct kd_spinlock *lock);

static inline uint32_t check_visit_named(const struct check_visit *v) {
    return v->number << CHECK_LANE_BITS | v->now.thread % KD_WARP;
}

// Is it of the warp that accesses now?
static inline bool check_visit_is_of_warp(const struct check_visit *v,
                                          const struct check_stamp *s) {
    const struct check_stamp *now = &v->now.stamp;
    return s->grid == now->grid && s->block == now->block && s->warp == now->warp;
}

// May the array name something?
static inline bool check_visit_may_name(const struct check_visit *v, uint32_t array) {
    return atomic_load_explicit(v->names, memory_order_relaxed) & array;
}

// So many cells can name the access. False: there are too many stamps.
static inline bool check_visit_hold(struct check_visit *v, uint32_t n) {
    return v->held >= n || check_visit_hold_more(v);
}

// now.stamp is to be that one; it may be known.
static inline void check_visit_set_stamp(struct check_visit *v, uint32_t epoch, uint32_t syncs,
                                         uint8_t bytes) {
    const struct check_stamp *s = &v->now.stamp;
    if (s->epoch != epoch || s->warp_syncs != syncs || s->bytes != bytes)
        check_visit_change(v, epoch, syncs, bytes);
}

// A cell's name of an access is to be the one that is made. False: it stays.
static inline bool check_visit_put(struct check_visit *v, uint32_t *name) {
    if (!check_visit_hold(v, 1))
        return false;
    uint32_t old = *name;
    *name = check_visit_named(v);
    v->held--;
    check_visit_drop(v, old, 1);
    return true;
}

// The cells of an address. False: there are none.
static inline bool check_visit_find_cells(struct check_visit *v, uint64_t address) {
    if (address >> CHECK_PAGE_BITS != v->page || !v->cells)
        check_visit_turn(v, address);
    return v->cells;
}

// Cells of memory that several workers may access have a lock for each row.
static inline void check_visit_lock_row(struct check_visit *v, uint64_t at) {
    struct kd_spinlock *lock = v->owners == CHECK_OF_BLOCK ? NULL : check_race_lock(at);
    if (lock != v->lock)
        check_visit_change_lock(v, lock);
}

#endif
