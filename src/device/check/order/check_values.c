// Of each word the last values are kept, with what their writers were behind. A wait could have
// been met by the first value that fits and that is not over when it begins: it knows what that
// one's writer was behind, and nothing of later ones. Kernels and the host write, too: where the
// word is not what the last writer made it, a wait is taken to know all that there was so far.
#include "device/check/order/check_values.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/check/check.h"
#include "device/check/check_streams.h"
#include "device/check/host/check_host.h"
#include "device/check/order/check_known.h"
#include "device/internal.h"
#include "device/sched/op.h"

enum { HISTORY = 16, BUCKETS = 1024, WORDS = 1 << 16 };
struct entry {
    uint64_t value;
    struct check_known *known; // all that is over then; NULL: nobody knows who wrote it
    uint64_t queue;            // the writer's place
    uint32_t at, number;
    struct check_writers writers; // by the cells
};
struct word {
    struct word *next;
    uint64_t address;
    uint32_t bytes, n;
    struct entry list[HISTORY];
};
static struct word *words[BUCKETS];
static _Atomic uint32_t nwords;
static uint64_t lowest = UINT64_MAX, highest; // where there are any
static struct kd_spinlock lock;               // of all

static struct word **bucket_of(uint64_t address) {
    return &words[(address >> 2) % BUCKETS];
}

// With the lock. NULL: there is no memory, or there are too many.
static struct word *word_of(uint64_t address, uint32_t bytes) {
    struct word *w = *bucket_of(address);
    while (w && (w->address != address || w->bytes != bytes))
        w = w->next;
    if (w)
        return w;
    w = atomic_load(&nwords) < WORDS ? calloc(1, sizeof *w) : NULL;
    if (!w) {
        check_streams_give_up();
        return NULL;
    }
    w->address = address;
    w->bytes = bytes;
    w->next = *bucket_of(address);
    *bucket_of(address) = w;
    lowest = address < lowest ? address : lowest;
    highest = address + bytes > highest ? address + bytes : highest;
    atomic_fetch_add(&nwords, 1);
    return w;
}

static uint64_t value_of(const struct word *w) {
    return w->bytes == 4 ? __atomic_load_n((const uint32_t *)w->address, __ATOMIC_ACQUIRE)
                         : __atomic_load_n((const uint64_t *)w->address, __ATOMIC_ACQUIRE);
}

static void add(struct word *w, const struct entry *e) {
    if (w->n == HISTORY) {
        check_known_drop(w->list[0].known);
        memmove(&w->list[0], &w->list[1], (HISTORY - 1) * sizeof w->list[0]);
        w->n--;
    }
    w->list[w->n++] = *e;
}

// With the lock: notes that somebody else wrote, if so, and returns the last entry.
static struct entry *look(struct word *w, const struct op *op) {
    uint64_t value = value_of(w);
    struct check_writers by = check_moved_writers(op, w->address);
    struct entry *last = w->n ? &w->list[w->n - 1] : NULL;
    if (!last || last->value != value || last->writers.weak != by.weak ||
        last->writers.strong != by.strong) {
        add(w, &(struct entry){.value = value, .writers = by});
        last = &w->list[w->n - 1];
    }
    return last;
}

static struct entry entry_of(const struct op *op, struct check_known *released) {
    const struct check_place *p = check_streams_place(op);
    return (struct entry){.known = released, .queue = p->queue, .at = p->at, .number = op->number};
}

// The host may look at the word, and knows then what the writer is behind.
static void tell_host(uint64_t address, struct check_known *released) {
    struct kd_memory m;
    if (!kd_memory_find(address, &m) || m.kind != KD_MEMORY_DEVICE)
        check_streams_learned(check_known_hold(released));
}

void check_values_write(const struct op *op, const struct kd_value_op *v,
                        void (*store)(const struct kd_value_op *)) {
    struct check_known *released = check_streams_released(op);
    if (!released) {
        store(v);
        return;
    }
    tell_host(v->address, released);
    if (check_host_follow())
        check_host_touched(v->address);
    kd_lock(&lock);
    struct word *w = word_of(v->address, v->bytes);
    if (w)
        look(w, op);
    check_moved_value(op, v->address, v->bytes); // before a kernel can see it
    store(v);
    if (w) {
        struct entry e = entry_of(op, released);
        e.value = value_of(w);
        e.writers = check_moved_writers(op, v->address);
        add(w, &e);
    } else {
        check_known_drop(released);
    }
    kd_unlock(&lock);
}

// The entry whose writer a wait is behind; NULL: nobody knows. With the lock.
static struct entry *met(struct word *w, const struct op *op, const struct kd_value_op *v,
                         bool (*holds)(const struct kd_value_op *, uint64_t)) {
    if (!look(w, op)->known)
        return NULL;
    uint32_t from = w->n - 1;
    while (from && w->list[from - 1].known)
        from--;
    for (uint32_t k = from; k < w->n; k++)
        if (check_streams_op_knows(op, w->list[k].queue, w->list[k].at, w->list[k].number))
            from = k;
    while (from < w->n && !holds(v, w->list[from].value))
        from++;
    return from < w->n ? &w->list[from] : NULL;
}

void check_values_met(const struct op *op, const struct kd_value_op *v,
                      bool (*holds)(const struct kd_value_op *, uint64_t)) {
    kd_lock(&lock);
    struct word *w = word_of(v->address, v->bytes);
    const struct entry *e = w ? met(w, op, v, holds) : NULL;
    check_streams_acquired(op, e ? e->known : NULL);
    kd_unlock(&lock);
}

void check_values_changed(const struct op *op, uint64_t address, uint64_t bytes) {
    if (!atomic_load_explicit(&nwords, memory_order_acquire))
        return;
    kd_lock(&lock);
    bool far = address >= highest || address + bytes <= lowest;
    for (uint32_t k = 0; k < BUCKETS && !far; k++)
        for (struct word *w = words[k]; w; w = w->next) {
            if (w->address - address >= bytes)
                continue;
            struct check_known *released = check_streams_released(op);
            struct entry e = {0};
            if (released)
                e = entry_of(op, released);
            e.value = value_of(w);
            e.writers = check_moved_writers(op, w->address);
            add(w, &e);
        }
    kd_unlock(&lock);
}

void check_values_gone(uint64_t address, uint64_t bytes) {
    if (!atomic_load_explicit(&nwords, memory_order_acquire))
        return;
    kd_lock(&lock);
    bool far = address >= highest || address + bytes <= lowest;
    for (uint32_t k = 0; k < BUCKETS && !far; k++)
        for (struct word **at = &words[k], *w; (w = *at);) {
            if (w->address - address >= bytes) {
                at = &w->next;
                continue;
            }
            *at = w->next;
            for (uint32_t i = 0; i < w->n; i++)
                check_known_drop(w->list[i].known);
            free(w);
            atomic_fetch_sub(&nwords, 1);
        }
    kd_unlock(&lock);
}
