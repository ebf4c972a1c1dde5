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

// The first entry whose key is not below.
static uint32_t find(const struct check_vector *v, uint64_t key) {
    uint32_t low = 0, high = v->n;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (v->e[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

// *v as one that nobody else has, with room for one more entry; false: it is everything now.
static bool own(struct check_vector **v) {
    struct check_vector *old = *v, *copy;
    if (old && old->n < old->room && atomic_load_explicit(&old->refs, memory_order_acquire) == 1)
        return true;
    copy = make(old ? old->n + old->n / 2 + 4 : 8);
    if (copy && old) {
        copy->n = old->n;
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
    o->id = new_id();
}

// Is all of b in a?
static bool covers(const struct check_vector *a, const struct check_vector *b) {
    if (a == b || a == &everything || a->holds == b->id)
        return true;
    if (b == &everything || b->n > a->n)
        return false;
    for (uint32_t k = 0; k < b->n; k++) {
        uint32_t at = find(a, b->e[k].key);
        if (at == a->n || a->e[at].key != b->e[k].key || a->e[at].time < b->e[k].time)
            return false;
    }
    return true;
}

static struct check_vector *merge(const struct check_vector *a, const struct check_vector *b) {
    struct check_vector *m = make(a->n + b->n);
    for (uint32_t i = 0, k = 0; m && (i < a->n || k < b->n);) {
        const struct entry *x = i < a->n ? &a->e[i] : NULL, *y = k < b->n ? &b->e[k] : NULL;
        bool first = x && (!y || x->key <= y->key), second = y && (!x || y->key <= x->key);
        m->e[m->n++] = first && (!second || x->time >= y->time) ? *x : *y;
        i += first;
        k += second;
    }
    if (m)
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
