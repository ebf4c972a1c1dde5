#include "device/check/race/check_visit.h"

#include "device/check/check_children.h"
#include "device/check/check_streams.h"
#include "device/check/host/check_host.h"
#include "device/exec/block.h"
#include "device/sched/op.h"

enum { LOCKS = 1 << 14 };
static struct kd_spinlock locks[LOCKS];
enum { CHECK_HELD = 256 }; // at once

void check_visit_settle(struct check_visit *v) {
    if (v->number)
        check_stamp_release(v->t->stamps, v->number, v->held);
    v->number = v->held = 0;
}

void check_visit_drop(struct check_visit *v, uint32_t name, uint32_t times) {
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

struct check_record check_record_of(uint32_t name, uint32_t value) {
    const struct check_stamp *s = check_stamp_of(name >> CHECK_LANE_BITS);
    return (struct check_record){*s, s->warp * KD_WARP + name % KD_WARP, value};
}

// Is an access of another operation before that which is made?
static bool is_before(const struct check_visit *v, const struct check_stamp *s) {
    const struct op *op = launch_op(v->b->launch);
    bool over;
    if (check_child_related(op, s, &over))
        return over;
    return check_streams_before(op, s->grid);
}

bool check_visit_is_over(const struct check_visit *v, const struct check_stamp *s) {
    const struct check_stamp *now = &v->now.stamp;
    if (s->grid != now->grid)
        return v->owners != CHECK_OF_GRID || is_before(v, s);
    if (s->block == now->block)
        return s->epoch != now->epoch && !s->goes_on;
    return v->owners == CHECK_OF_BLOCK ||
           (v->owners == CHECK_OF_CLUSTER && !check_is_one_cluster(v->b, s->block, now->block));
}

void check_visit_unlock(struct check_visit *v) {
    if (v->lock)
        kd_unlock(v->lock);
    v->lock = NULL;
}

struct kd_spinlock *check_race_lock(uint64_t at) {
    return &locks[(at >> CHECK_ROW_BITS) % LOCKS];
}

enum check_owners check_owners_of(const struct kd_block *b, uint64_t address) {
    return check_in_cluster(b, address)                                        ? CHECK_OF_CLUSTER
           : address - (uint64_t)(uintptr_t)b->shared < b->shared_window_bytes ? CHECK_OF_BLOCK
                                                                               : CHECK_OF_GRID;
}

uint32_t check_syncs_of(const struct check_threads *t, uint32_t thread) {
    uint32_t w = thread / KD_WARP;
    return t->apart[w] ? t->clocks[w].own[thread % KD_WARP] : t->warp[w];
}

bool check_visit_hold_more(struct check_visit *v) {
    uint32_t number = check_stamp_make(v->t->stamps, &v->now.stamp);
    if (!number)
        return false;
    check_stamp_hold(v->t->stamps, number, CHECK_HELD);
    v->number = number;
    v->held += CHECK_HELD;
    return true;
}

void check_visit_change(struct check_visit *v, uint32_t epoch, uint32_t syncs, uint8_t bytes) {
    struct check_stamp *s = &v->now.stamp;
    check_visit_settle(v);
    s->epoch = epoch;
    s->warp_syncs = syncs;
    s->bytes = bytes;
    v->number = check_stamp_find(v->t->stamps, s);
}

void check_visit_turn(struct check_visit *v, uint64_t address) {
    v->page = address >> CHECK_PAGE_BITS;
    v->cells = check_cells_of(address);
    v->names = check_names_of(address);
    v->of_host = check_host_follow() && check_host_touched(address);
}

void check_visit_change_lock(struct check_visit *v, struct kd_spinlock *lock) {
    check_visit_unlock(v);
    v->lock = lock;
    if (lock)
        kd_lock(lock);
}
