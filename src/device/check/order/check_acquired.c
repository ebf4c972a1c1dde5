#include "device/check/order/check_acquired.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/sync.h"

// Of one queue, ascending by place; each knows all that those before it do, and what that led to
// then. Where there are too many, the first two become one that knows the more and comes first: an
// order too many is a race that is missed.
enum { MOST = 64, BUCKETS = 1024 };
struct line {
    uint64_t queue;
    struct line *next;
    uint32_t n, room;
    struct acquired {
        uint32_t at;
        struct check_known *known;
    } * list;
};
static struct line *lines[BUCKETS];
static atomic_bool any;
static struct kd_spinlock lock; // of all

static struct line *line_of(uint64_t queue) {
    struct line *l = lines[queue % BUCKETS];
    while (l && l->queue != queue)
        l = l->next;
    return l;
}

// The last one at or before a place; NULL: there is none.
static struct acquired *last_at(struct line *l, uint32_t at) {
    uint32_t n = l ? l->n : 0;
    while (n && l->list[n - 1].at > at)
        n--;
    return n ? &l->list[n - 1] : NULL;
}

// For one more. False: there is no memory.
static bool make_room(struct line *l) {
    if (l->n == l->room && l->room < MOST) {
        struct acquired *list = realloc(l->list, (l->room * 2 + 1) * sizeof *list);
        l->list = list ? list : l->list;
        l->room = list ? l->room * 2 + 1 : l->room;
    }
    if (l->n < l->room)
        return true;
    if (l->n < 2)
        return false;
    check_known_drop(l->list[0].known);
    l->list[0].known = l->list[1].known;
    memmove(&l->list[1], &l->list[2], (l->n - 2) * sizeof l->list[0]);
    l->n--;
    return true;
}

// With the lock.
static bool add(struct line *l, uint32_t at, struct check_known *k) {
    struct acquired *before = last_at(l, at);
    if (!before || before->at != at) {
        if (!make_room(l))
            return false;
        before = last_at(l, at);
        uint32_t to = before ? (uint32_t)(before - l->list) + 1 : 0;
        memmove(&l->list[to + 1], &l->list[to], (l->n - to) * sizeof l->list[0]);
        l->list[to] =
            (struct acquired){at, before ? check_known_hold(before->known) : check_known_none()};
        l->n++;
    }
    bool ok = true;
    for (uint32_t n = l->n; n && l->list[n - 1].at >= at; n--)
        ok &= check_known_learn(&l->list[n - 1].known, k);
    return ok;
}

bool check_acquired_add(uint64_t queue, uint32_t at, struct check_known *k) {
    kd_lock(&lock);
    struct line *l = line_of(queue);
    if (!l && (l = calloc(1, sizeof *l))) {
        l->queue = queue;
        l->next = lines[queue % BUCKETS];
        lines[queue % BUCKETS] = l;
    }
    bool ok = l && add(l, at, k);
    atomic_store_explicit(&any, true, memory_order_release);
    kd_unlock(&lock);
    return ok;
}

static bool has(uint64_t by, uint32_t by_at, uint64_t queue, uint32_t at, uint32_t number) {
    const struct acquired *a = last_at(line_of(by), by_at);
    return a && check_known_has(a->known, queue, at, number);
}

bool check_acquired_has(const struct check_known *k, uint64_t own, uint32_t own_at, uint64_t queue,
                        uint32_t at, uint32_t number) {
    if (!atomic_load_explicit(&any, memory_order_acquire))
        return false;
    kd_lock(&lock);
    bool found = has(own, own_at, queue, at, number);
    for (uint32_t i = 0; i < k->n && !found; i++)
        found = has(k->places[i].queue, k->places[i].at, queue, at, number);
    kd_unlock(&lock);
    return found;
}

bool check_acquired_close(struct check_known **k) {
    if (!atomic_load_explicit(&any, memory_order_acquire))
        return true;
    struct check_known *from = check_known_hold(*k);
    bool ok = true;
    kd_lock(&lock);
    for (uint32_t i = 0; i < from->n && ok; i++) {
        const struct acquired *a = last_at(line_of(from->places[i].queue), from->places[i].at);
        ok = !a || check_known_learn(k, a->known);
    }
    kd_unlock(&lock);
    check_known_drop(from);
    return ok;
}
