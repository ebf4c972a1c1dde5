#include "device/check/order/check_known.h"

#include <stdatomic.h>
#include <stdlib.h>

static struct check_known nothing = {.refs = 1};

struct check_known *check_known_hold(struct check_known *k) {
    __atomic_fetch_add(&k->refs, 1, __ATOMIC_RELAXED);
    return k;
}

void check_known_drop(struct check_known *k) {
    if (k && __atomic_fetch_sub(&k->refs, 1, __ATOMIC_ACQ_REL) == 1)
        free(k);
}

struct check_known *check_known_none(void) {
    return check_known_hold(&nothing);
}

// ---- queues that have ended ---------------------------------------------------------------

// Queues have small numbers: of each, when it was retired, in pieces that come as numbers do.
enum { PIECE_BITS = 12, PIECE = 1 << PIECE_BITS, PIECES = 1 << 14 };
static _Atomic(_Atomic uint32_t *) pieces[PIECES];
static uint32_t times;

static uint32_t retired_at(uint64_t queue) {
    _Atomic uint32_t *p = queue >> PIECE_BITS < PIECES ? pieces[queue >> PIECE_BITS] : NULL;
    return p ? atomic_load_explicit(&p[queue % PIECE], memory_order_acquire) : 0;
}

uint32_t check_known_retire(uint64_t queue) {
    _Atomic(_Atomic uint32_t *) *slot =
        queue >> PIECE_BITS < PIECES ? &pieces[queue >> PIECE_BITS] : NULL;
    if (slot && !*slot)
        *slot = calloc(PIECE, sizeof **slot);
    if (slot && *slot)
        atomic_store_explicit(&(*slot)[queue % PIECE], ++times, memory_order_release);
    return times;
}

bool check_known_is_retired(uint64_t queue) {
    return retired_at(queue) > 0;
}

// ---- lists --------------------------------------------------------------------------------

// UINT32_MAX: the list does not have it.
static uint32_t index_of(const struct check_known *k, uint64_t queue) {
    uint32_t low = 0, high = k->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (k->places[middle].queue < queue)
            low = middle + 1;
        else
            high = middle;
    }
    return low < k->n && k->places[low].queue == queue ? low : UINT32_MAX;
}

static uint32_t place_in(const struct check_known *k, uint64_t queue) {
    uint32_t i = index_of(k, queue);
    return i == UINT32_MAX ? 0 : k->places[i].at;
}

static uint32_t time_of(const struct check_known *k) {
    const struct check_known_place *last = k->n ? &k->places[k->n - 1] : NULL;
    return last && last->queue == CHECK_KNOWN_RETIRED ? last->at : 0;
}

static bool is_covered(uint64_t queue, uint32_t time) {
    uint32_t at = time ? retired_at(queue) : 0;
    return at && at <= time;
}

bool check_known_has(const struct check_known *k, uint64_t queue, uint32_t at, uint32_t number) {
    return place_in(k, queue) >= at || is_covered(queue, time_of(k)) ||
           (number && place_in(k, CHECK_KNOWN_NUMBERS) >= number);
}

bool check_known_has_all(const struct check_known *k, const struct check_known *of) {
    enum { FAR = 16 }; // from one to the next: a search takes less than a walk
    bool few = of->n < k->n / FAR;
    uint32_t time = time_of(k);
    for (uint32_t i = 0, j = 0; i < of->n; i++) {
        const struct check_known_place *p = &of->places[i];
        while (!few && j < k->n && k->places[j].queue < p->queue)
            j++;
        bool there = !few && j < k->n && k->places[j].queue == p->queue;
        uint32_t at = few ? place_in(k, p->queue) : there ? k->places[j].at : 0;
        if (at < p->at && !is_covered(p->queue, time))
            return false;
    }
    return true;
}

static struct check_known *both(const struct check_known *a, const struct check_known *b) {
    struct check_known *k = malloc(sizeof *k + (a->n + b->n) * sizeof *k->places);
    uint32_t one = time_of(a), other = time_of(b), time = one > other ? one : other;
    if (!k)
        return NULL;
    k->refs = 1;
    k->n = 0;
    for (uint32_t i = 0, j = 0; i < a->n || j < b->n;) {
        bool from_a = j == b->n || (i < a->n && a->places[i].queue <= b->places[j].queue);
        struct check_known_place p = from_a ? a->places[i] : b->places[j];
        bool same = from_a && j < b->n && b->places[j].queue == p.queue;
        if (same && b->places[j].at > p.at)
            p.at = b->places[j].at;
        i += from_a;
        j += !from_a || same;
        if (!is_covered(p.queue, time))
            k->places[k->n++] = p;
    }
    return k;
}

bool check_known_learn(struct check_known **k, struct check_known *other) {
    if (!other || *k == other || check_known_has_all(*k, other))
        return true;
    struct check_known *more =
        check_known_has_all(other, *k) ? check_known_hold(other) : both(*k, other);
    if (!more)
        return false;
    check_known_drop(*k);
    *k = more;
    return true;
}

bool check_known_learn_place(struct check_known **k, uint64_t queue, uint32_t at) {
    _Alignas(struct check_known) char
        room[sizeof(struct check_known) + sizeof(struct check_known_place)];
    struct check_known *one = (struct check_known *)room;
    if (check_known_has(*k, queue, at, 0))
        return true;
    *one = (struct check_known){.refs = 1, .n = 1};
    one->places[0] = (struct check_known_place){queue, at};
    struct check_known *more = both(*k, one);
    if (!more)
        return false;
    check_known_drop(*k);
    *k = more;
    return true;
}
