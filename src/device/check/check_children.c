// A grid that a thread has launched knows what the thread knew. What the launching grid does
// besides is beside it: only tail launches wait. Grids of one launching grid follow each other in
// streams (check_streams.c). Guide, 13.2.2.1 and 13.3.1.2.
#include "device/check/check_children.h"

#include <stdatomic.h>

#include "device/check/check_cells.h"
#include "device/check/check_intervals.h"
#include "device/check/check_threads.h"
#include "device/check/check_vector.h"
#include "device/sched/nested.h"
#include "device/sched/op.h"
#include "device/sync.h"

enum { DEPTH = NESTED_MAX_DEPTH + 4 };
static atomic_bool any; // a kernel has launched another one

static uint32_t number_of(const struct op *op) {
    return op->kind == OP_LAUNCH ? (uint32_t)op->launch.gridid + 1 : op->number;
}

void check_child_launched(struct kd_block *b, uint32_t thread, struct op *op) {
    struct check_threads *t = check_threads_of(b);
    if (!t)
        return;
    atomic_store(&any, true);
    check_intervals_stop(b, t);
    op->check.launcher = check_order_told(t, thread);
    if (op->kind != OP_LAUNCH)
        op->check.site = t->place[thread / KD_WARP];
}

// ---- what they have told each other -------------------------------------------------------

struct tale {
    uint32_t from, to;
};
enum { TALES = 256 };
static struct tale tales[TALES];
static _Atomic uint32_t ntales;
static struct kd_spinlock lock; // of adding to them

void check_child_told(const struct op *op, uint32_t number) {
    struct tale t = {number, number_of(op)};
    if (!atomic_load_explicit(&any, memory_order_relaxed))
        return;
    kd_lock(&lock);
    uint32_t n = atomic_load(&ntales), k = 0;
    while (k < n && (tales[k].from != t.from || tales[k].to != t.to))
        k++;
    if (k == n && n < TALES) {
        tales[n] = t;
        atomic_store_explicit(&ntales, n + 1, memory_order_release);
    }
    kd_unlock(&lock);
}

// One of the grids knows. With too many tales nobody can tell.
static bool was_told(uint32_t from, const uint32_t *grids, uint32_t n) {
    uint32_t count = atomic_load_explicit(&ntales, memory_order_acquire);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t g = 0; tales[k].from == from && g < n; g++)
            if (tales[k].to == grids[g])
                return true;
    return count == TALES;
}

// ---- who has launched whom ----------------------------------------------------------------

// A grid and those that it was launched by; returns how many.
static uint32_t chain_of(uint32_t number, uint32_t *chain) {
    struct check_item item;
    uint32_t n = 0;
    for (; number && n < DEPTH; number = item.parent) {
        chain[n++] = number;
        if (!check_streams_item(number, &item))
            break;
    }
    return n;
}

static bool is_tail(uint32_t number) {
    struct check_item item;
    return !check_streams_item(number, &item) || item.tail;
}

// The one with a number among op and those that it was launched by.
static const struct op *find(const struct op *op, uint32_t number) {
    while (op && number_of(op) != number)
        op = nested_launcher(op);
    return op;
}

static bool knows(const struct check_vector *v, uint32_t block, uint32_t who, uint32_t time) {
    return check_vector_knows(v, block, who, time);
}

// Of the grids that launched op, down from the innermost one that also launched the other's: which
// is op's own (0: it is that one itself), and which the other's.
struct kin {
    uint32_t own, others;
    uint32_t chain[DEPTH], n;
};

static bool find_kin(const struct op *op, uint32_t number, struct kin *k) {
    uint32_t theirs[DEPTH], n, m;
    if (!atomic_load_explicit(&any, memory_order_relaxed))
        return false;
    n = k->n = chain_of(number_of(op), k->chain);
    m = chain_of(number, theirs);
    if (k->chain[n - 1] != theirs[m - 1])
        return false;
    while (n && m && k->chain[n - 1] == theirs[m - 1]) {
        n--;
        m--;
    }
    k->own = n ? k->chain[n - 1] : 0;
    k->others = m ? theirs[m - 1] : 0;
    return true;
}

bool check_child_related(const struct op *op, const struct check_stamp *s, bool *over) {
    struct kin k;
    struct check_item item;
    if (!find_kin(op, s->grid, &k))
        return false;
    *over = (k.own && is_tail(k.own)) || (k.others && is_tail(k.others)) ||
            was_told(s->grid, k.chain, k.n);
    const struct op *own = !*over && k.own ? find(op, k.own) : NULL;
    if (*over || !k.own) // what a grid does may be beside all that it has launched
        return true;
    if (!own) {
        *over = true;
    } else if (k.others) {
        *over = !check_streams_item(k.others, &item) ||
                check_streams_place_before(&own->check, item.queue, item.at);
    } else {
        const struct check_vector *v = own->check.launcher;
        *over = v && (knows(v, s->block, CHECK_WHO_ALL, s->epoch) ||
                      knows(v, s->block, CHECK_WHO_WARP + s->warp, s->warp_syncs));
    }
    return true;
}

bool check_child_knows(const struct op *op, const struct check_stamp *s, uint32_t thread) {
    struct kin k;
    if (!find_kin(op, s->grid, &k) || !k.own || k.others)
        return false;
    const struct op *own = find(op, k.own);
    return !own ||
           (own->check.launcher && knows(own->check.launcher, s->block, thread, s->warp_syncs));
}

uint32_t check_child_root(uint32_t number) {
    uint32_t chain[DEPTH];
    if (!atomic_load_explicit(&any, memory_order_relaxed))
        return number;
    return chain[chain_of(number, chain) - 1];
}
