#include "device/check/check_vector.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    uint64_t key; // the block, and who
    uint32_t time;
};
struct check_vector {
    atomic_uint refs;
    uint32_t n, room; // entries, by rising keys
    uint32_t newest;  // the entry that was put last: of those that others lack, most often one
    uint64_t id;      // no two vectors with different entries have the same
    uint64_t holds;   // the id of one whose entries are known to be here, too; 0: none
    struct entry e[];
};

enum { MOST = 1 << 14, FEW = 8 }; // entries of a vector; that are put in one by one
static const uint64_t most_bytes = UINT64_C(512) << 20;
static _Atomic uint64_t ids = 1, bytes;

static struct check_vector everything = {.refs = 1, .id = UINT64_MAX};

static uint64_t size_of(uint32_t room) {
    return sizeof(struct check_vector) + room * sizeof(struct entry);
}

static uint64_t new_id(void) {
    return atomic_fetch_add_explicit(&ids, 1, memory_order_relaxed);
}

// NULL: no memory, or too much of it.
static struct check_vector *make(uint32_t room) {
    uint64_t size = size_of(room);
    struct check_vector *v = NULL;
    if (room <= MOST && atomic_load_explicit(&bytes, memory_order_relaxed) < most_bytes)
        v = malloc(size);
    if (!v)
        return NULL;
    atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
    atomic_init(&v->refs, 1);
    v->n = 0;
    v->newest = 0;
    v->room = room;
    v->id = new_id();
    v->holds = 0;
    return v;
}

struct check_vector *check_vector_ref(struct check_vector *v) {
    if (v)
        atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
    return v;
}

void check_vector_unref(struct check_vector *v) {
    if (!v || atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) != 1)
        return;
    atomic_fetch_sub_explicit(&bytes, size_of(v->room), memory_order_relaxed);
    free(v);
}

void check_vector_drop(struct check_vector **v) {
    check_vector_unref(*v);
    *v = NULL;
}

static void replace(struct check_vector **v, struct check_vector *by) {
    struct check_vector *old = *v;
    *v = by ? by : check_vector_ref(&everything);
    check_vector_unref(old);
}

// The first entry of [low, high) whose key is not below; high: there is none.
static uint32_t find_between(const struct check_vector *v, uint32_t low, uint32_t high,
                             uint64_t key) {
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (v->e[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static uint32_t find(const struct check_vector *v, uint64_t key) {
    return find_between(v, 0, v->n, key);
}

// From `low` on, in as many steps as the distance has digits.
static uint32_t find_from(const struct check_vector *v, uint32_t low, uint64_t key) {
    uint32_t high = low, step = 1;
    while (high < v->n && v->e[high].key < key) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    return find_between(v, low, high < v->n ? high : v->n, key);
}

static bool holds_entry(const struct check_vector *v, uint32_t at, struct entry e) {
    return at < v->n && v->e[at].key == e.key && v->e[at].time >= e.time;
}

// *v as one that nobody else has, with room for one more entry; false: it is everything now.
static bool own(struct check_vector **v) {
    struct check_vector *old = *v, *copy;
    if (old && old->n < old->room && atomic_load_explicit(&old->refs, memory_order_acquire) == 1)
        return true;
    copy = make(old ? old->n + old->n / 2 + 4 : 8);
    if (copy && old) {
        copy->n = old->n;
        copy->newest = old->newest;
        copy->holds = old->id;
        memcpy(copy->e, old->e, old->n * sizeof *old->e);
    }
    replace(v, copy);
    return copy != NULL;
}

void check_vector_put(struct check_vector **v, uint32_t block, uint32_t who, uint32_t time) {
    uint64_t key = (uint64_t)block << 32 | who;
    if (*v == &everything)
        return;
    uint32_t at = *v ? find(*v, key) : 0;
    bool there = *v && at < (*v)->n && (*v)->e[at].key == key;
    if ((there && (*v)->e[at].time >= time) || !own(v))
        return;
    struct check_vector *o = *v;
    if (!there) {
        memmove(&o->e[at + 1], &o->e[at], (o->n - at) * sizeof *o->e);
        o->n++;
    }
    o->e[at] = (struct entry){key, time};
    o->newest = at;
    o->id = new_id();
}

// Is all of b in a?
static bool covers(const struct check_vector *a, const struct check_vector *b) {
    if (a == b || a == &everything || a->holds == b->id)
        return true;
    if (b == &everything || b->n > a->n)
        return false;
    const struct entry newest = b->n ? b->e[b->newest] : (struct entry){0};
    if (b->n && !holds_entry(a, find(a, newest.key), newest))
        return false;
    for (uint32_t k = 0, at = 0; k < b->n; k++) {
        at = find_from(a, at, b->e[k].key);
        if (!holds_entry(a, at, b->e[k]))
            return false;
    }
    return true;
}

static struct check_vector *merge(const struct check_vector *a, const struct check_vector *b) {
    struct check_vector *m = make(a->n + b->n);
    if (!m)
        return NULL;
    const struct entry *x = a->e, *x_end = x + a->n, *y = b->e, *y_end = y + b->n;
    const struct entry *newest = &b->e[b->newest];
    struct entry *to = m->e;
    while (x < x_end && y < y_end) { // most keys are in both: no branch on which
        uint64_t first = x->key, second = y->key;
        uint32_t of_x = first <= second ? x->time : 0, of_y = second <= first ? y->time : 0;
        to->key = first < second ? first : second;
        to->time = of_x > of_y ? of_x : of_y;
        m->newest = y == newest && second <= first ? (uint32_t)(to - m->e) : m->newest;
        to++;
        x += first <= second;
        y += second <= first;
    }
    if (newest >= y)
        m->newest = (uint32_t)(to - m->e + (newest - y));
    memcpy(to, x, (size_t)(x_end - x) * sizeof *x);
    to += x_end - x;
    memcpy(to, y, (size_t)(y_end - y) * sizeof *y);
    to += y_end - y;
    m->n = (uint32_t)(to - m->e);
    m->holds = b->id;
    return m;
}

void check_vector_join(struct check_vector **v, struct check_vector *from) {
    if (!from || (*v && covers(*v, from)))
        return;
    if (!*v || covers(from, *v)) {
        replace(v, check_vector_ref(from));
    } else if (from->n > FEW) {
        replace(v, merge(*v, from));
    } else {
        for (uint32_t k = 0; k < from->n; k++)
            check_vector_put(v, (uint32_t)(from->e[k].key >> 32), (uint32_t)from->e[k].key,
                             from->e[k].time);
        if (*v != &everything)
            (*v)->holds = from->id;
    }
}

bool check_vector_knows(const struct check_vector *v, uint32_t block, uint32_t who, uint32_t time) {
    uint64_t key = (uint64_t)block << 32 | who;
    if (!v || v == &everything)
        return v != NULL;
    uint32_t at = find(v, key);
    return at < v->n && v->e[at].key == key && time < v->e[at].time;
}
