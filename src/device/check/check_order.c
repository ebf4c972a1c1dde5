// What orders accesses besides barriers of the whole block and of warps: fences, atomic objects,
// barriers for some threads, mbarrier objects, barriers of clusters. The PTX memory model, release
// and acquire patterns: a release leaves what its thread knows at a place, and an acquire takes
// what it finds there. A fence makes releases of the strong writes that follow, and acquires of the
// strong reads before.
//
// What lies at a place stays: a thread may so take more than the value tells it that it has seen,
// and never less.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "abi/check_meeting.h"
#include "device/check/check_intervals.h"
#include "device/check/check_threads.h"
#include "device/check/check_vector.h"
#include "device/exec/block.h"
#include "device/helpers/runtime.h"
#include "device/sync.h"
#include "isa/isa.h"

// A place, and what was left there. Places in memory of the grid have it in one list for all.
struct word {
    struct word *next;
    uint64_t address;
    uint32_t publisher; // the block that left it; MANY: more than one
    struct check_vector *known;
};
static const uint32_t MANY = UINT32_MAX;
enum { GRID_BUCKETS = 1 << 16, BLOCK_BUCKETS = 256, GRID_LOCKS = 64 };

struct grid {
    struct grid *next;
    uint64_t number;
    struct kd_spinlock locks[GRID_LOCKS];
    struct word *buckets[GRID_BUCKETS];
};
static struct grid *grids;
static struct kd_spinlock grids_lock;

// Of a block. Scopes below that of the grid stay inside.
struct check_order {
    struct grid *grid;
    uint32_t epoch;              // barriers at which threads have told each other what they know
    bool has_taken;              // some `taken` is not empty
    struct check_vector *common; // what all threads know
    struct check_vector *taken[MAX_UNITS];
    // What strong reads have found and no fence has acquired: left by the thread's block, by
    // others.
    struct check_vector *found[MAX_UNITS], *found_far[MAX_UNITS];
    // What the thread knew at its last fence, of any scope and of the grid's. Fences count for
    // those who meet the thread at a barrier behind them, too: PTX asks for one of their own, but
    // programs have always had threads fence what they wrote, wait for each other, and one of them
    // tell.
    struct check_vector *fenced[MAX_UNITS], *fenced_far[MAX_UNITS];
    struct check_vector *fenced_common; // of the grid's scope, before barriers
    uint32_t fences[MAX_UNITS];         // one more than the barriers before the last fence
    bool has_fenced;                    // since the last barrier, with the grid's scope
    struct check_vector *barriers[BARRIERS];
    uint8_t cluster_phase[MAX_UNITS]; // of the cluster's barrier: in which the thread has arrived
    struct word *buckets[BLOCK_BUCKETS];
};

// ---- places -------------------------------------------------------------------------------

static void free_words(struct word **buckets, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        while (buckets[k]) {
            struct word *w = buckets[k];
            buckets[k] = w->next;
            check_vector_unref(w->known);
            free(w);
        }
}

static struct grid *grid_of(uint64_t number) {
    kd_lock(&grids_lock);
    struct grid *g = grids;
    while (g && g->number != number)
        g = g->next;
    if (!g && (g = calloc(1, sizeof *g))) {
        g->number = number;
        g->next = grids;
        grids = g;
    }
    kd_unlock(&grids_lock);
    return g;
}

void check_order_forget(uint64_t number) {
    kd_lock(&grids_lock);
    struct grid **at = &grids;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    struct grid *g = *at;
    if (g)
        *at = g->next;
    kd_unlock(&grids_lock);
    if (g)
        free_words(g->buckets, GRID_BUCKETS);
    free(g);
}

static uint32_t bucket_of(uint64_t address, uint32_t n) {
    return (uint32_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % n;
}

static struct word *find(struct word *first, uint64_t address) {
    while (first && first->address != address)
        first = first->next;
    return first;
}

static void leave(struct word **bucket, uint64_t address, uint32_t block, struct check_vector *v) {
    struct word *w = find(*bucket, address);
    if (!w) {
        if (!(w = calloc(1, sizeof *w)))
            return;
        w->address = address;
        w->publisher = block;
        w->next = *bucket;
        *bucket = w;
    }
    if (w->publisher != block)
        w->publisher = MANY;
    check_vector_join(&w->known, v);
}

static void leave_far(struct check_order *o, uint64_t address, uint32_t block,
                      struct check_vector *v) {
    uint32_t k = bucket_of(address, GRID_BUCKETS);
    kd_lock(&o->grid->locks[k % GRID_LOCKS]);
    leave(&o->grid->buckets[k], address, block, v);
    kd_unlock(&o->grid->locks[k % GRID_LOCKS]);
}

static void leave_near(struct check_order *o, uint64_t address, uint32_t block,
                       struct check_vector *v) {
    leave(&o->buckets[bucket_of(address, BLOCK_BUCKETS)], address, block, v);
}

// What lies there, which the caller gives back; *publisher: whose.
static struct check_vector *look_far(struct check_order *o, uint64_t address, uint32_t *publisher) {
    uint32_t k = bucket_of(address, GRID_BUCKETS);
    if (!__atomic_load_n(&o->grid->buckets[k], __ATOMIC_RELAXED))
        return NULL;
    kd_lock(&o->grid->locks[k % GRID_LOCKS]);
    const struct word *w = find(o->grid->buckets[k], address);
    struct check_vector *v = w ? check_vector_ref(w->known) : NULL;
    *publisher = w ? w->publisher : MANY;
    kd_unlock(&o->grid->locks[k % GRID_LOCKS]);
    return v;
}

static struct check_vector *look_near(struct check_order *o, uint64_t address) {
    const struct word *w = find(o->buckets[bucket_of(address, BLOCK_BUCKETS)], address);
    return w ? w->known : NULL;
}

// ---- a block ------------------------------------------------------------------------------

static void drop_all(struct check_vector **v, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        check_vector_drop(&v[k]);
}

void check_order_begin(struct check_threads *t) {
    struct check_order *o = t->order;
    if (!o)
        return;
    check_vector_drop(&o->common);
    drop_all(o->taken, MAX_UNITS);
    drop_all(o->found, MAX_UNITS);
    drop_all(o->found_far, MAX_UNITS);
    drop_all(o->fenced, MAX_UNITS);
    drop_all(o->fenced_far, MAX_UNITS);
    drop_all(o->barriers, BARRIERS);
    check_vector_drop(&o->fenced_common);
    free_words(o->buckets, BLOCK_BUCKETS);
    memset(o, 0, sizeof *o);
    t->no_order = o;
    t->order = NULL;
}

static struct check_order *order_of(struct check_threads *t) {
    if (t->order)
        return t->order;
    struct check_order *o = t->no_order ? t->no_order : calloc(1, sizeof *o);
    if (!o || !(o->grid = grid_of(t->grid - 1))) {
        free(o);
        t->no_order = NULL;
        return NULL;
    }
    t->no_order = NULL;
    return t->order = o;
}

// Adds what the thread knows to *v. What it does from now on is not among it.
static void tell(struct check_threads *t, uint32_t thread, struct check_vector **v) {
    uint32_t w = thread / KD_WARP, l = thread % KD_WARP, block = (uint32_t)t->block;
    struct check_clocks *c = check_set_apart(t, w);
    if (!c)
        return;
    uint32_t least = UINT32_MAX;
    for (uint32_t k = 0; k < KD_WARP; k++)
        least = k != l && c->known[l][k] < least ? c->known[l][k] : least;
    check_vector_join(v, t->order->common);
    check_vector_join(v, t->order->taken[thread]);
    check_vector_put(v, block, thread, ++c->own[l]);
    if (t->epoch[thread])
        check_vector_put(v, block, CHECK_WHO_ALL, t->epoch[thread]);
    if (least)
        check_vector_put(v, block, CHECK_WHO_WARP + w, least);
    for (uint32_t k = 0; k < KD_WARP; k++)
        if (k != l && c->known[l][k] > least)
            check_vector_put(v, block, w * KD_WARP + k, c->known[l][k]);
}

struct check_vector *check_order_told(struct check_threads *t, uint32_t thread) {
    struct check_vector *v = NULL;
    if (order_of(t))
        tell(t, thread, &v);
    return v;
}

static void take(struct check_order *o, uint32_t thread, struct check_vector *v) {
    check_vector_join(&o->taken[thread], v);
    o->has_taken |= v != NULL;
}

// Those who have fenced before barrier number `epoch`; all threads become one entry.
static void join_fences(struct check_threads *t, uint32_t nthreads, uint32_t epoch) {
    struct check_order *o = t->order;
    uint32_t n = 0;
    for (uint32_t k = 0; k < MAX_UNITS; k++)
        n += o->fences[k] == epoch;
    if (n == nthreads) {
        check_vector_join(&o->fenced_common, o->common);
        check_vector_put(&o->fenced_common, (uint32_t)t->block, CHECK_WHO_ALL, epoch);
    }
    for (uint32_t k = 0; n < nthreads && k < MAX_UNITS; k++)
        if (o->fences[k] == epoch)
            check_vector_join(&o->fenced_common, o->fenced_far[k]);
    o->has_fenced = false;
}

void check_order_barrier(struct check_threads *t, uint32_t nthreads, uint32_t epoch) {
    struct check_order *o = t->order;
    if (!o || o->epoch >= epoch)
        return;
    o->epoch = epoch;
    for (uint32_t k = 0; o->has_taken && k < MAX_UNITS; k++) {
        check_vector_join(&o->common, o->taken[k]);
        check_vector_drop(&o->taken[k]);
    }
    o->has_taken = false;
    if (o->has_fenced)
        join_fences(t, nthreads, epoch);
}

// What any of the lanes has becomes what those in `here` have.
static void share(struct check_vector **row, uint32_t lanes, uint32_t here) {
    struct check_vector *all = NULL;
    for (uint32_t m = lanes; m; m &= m - 1)
        check_vector_join(&all, row[__builtin_ctz(m)]);
    for (uint32_t m = all ? lanes & here : 0; m; m &= m - 1)
        check_vector_join(&row[__builtin_ctz(m)], all);
    check_vector_unref(all);
}

void check_order_met(struct check_threads *t, uint32_t warp, uint32_t lanes, uint32_t here) {
    struct check_order *o = t->order;
    uint32_t first = warp * KD_WARP;
    if (!o)
        return;
    if (o->has_taken)
        share(&o->taken[first], lanes, here);
    share(&o->fenced[first], lanes, here);
    share(&o->fenced_far[first], lanes, here);
}

static bool knows(const struct check_vector *v, uint32_t block, uint32_t other, uint32_t epoch,
                  uint32_t time) {
    return v && (check_vector_knows(v, block, CHECK_WHO_ALL, epoch) ||
                 check_vector_knows(v, block, other, time) ||
                 check_vector_knows(v, block, CHECK_WHO_WARP + other / KD_WARP, time));
}

bool check_order_knows(const struct check_threads *t, uint32_t thread, uint32_t block,
                       uint32_t other, uint32_t epoch, uint32_t time) {
    const struct check_order *o = t->order;
    return o && (knows(o->common, block, other, epoch, time) ||
                 knows(o->taken[thread], block, other, epoch, time));
}

// ---- fences and strong accesses -----------------------------------------------------------

// Does a site's scope reach other blocks? That of a cluster counts as the grid's where it has
// several blocks.
static bool is_far(const struct kd_block *b, const struct kd_check_site *site) {
    uint32_t scope = site->flags >> KD_CHECK_SCOPE_SHIFT;
    return scope >= ISA_SCOPE_GPU || (scope == ISA_SCOPE_CLUSTER && b->cluster_blocks > 1);
}

static bool is_own_shared(const struct kd_block *b, uint64_t address) {
    return b->cluster_blocks <= 1 &&
           address - (uint64_t)(uintptr_t)b->shared < b->shared_window_bytes;
}

// A cluster's memory, and its barrier, are another one's later.
static uint64_t of_cluster(const struct kd_block *b, uint64_t address) {
    const uint32_t *d = b->cluster_dim;
    uint64_t nx = b->nctaid[0] / d[0], ny = b->nctaid[1] / d[1];
    uint64_t n = b->ctaid[0] / d[0] + nx * (b->ctaid[1] / d[1] + ny * (b->ctaid[2] / d[2]));
    return address ^ (n + 1) << 47;
}

static uint64_t word_of(const struct kd_block *b, uint64_t address) {
    return check_in_cluster(b, address) ? of_cluster(b, address) : address;
}

static void fence(struct check_order *o, struct check_threads *t, uint32_t thread, bool far,
                  const struct kd_check_site *site) {
    if (site->flags & KD_CHECK_ACQUIRE) {
        take(o, thread, o->found[thread]);
        check_vector_drop(&o->found[thread]);
        if (far) {
            take(o, thread, o->found_far[thread]);
            check_vector_drop(&o->found_far[thread]);
        }
    }
    if (!(site->flags & KD_CHECK_RELEASE))
        return;
    check_vector_drop(&o->fenced[thread]);
    tell(t, thread, &o->fenced[thread]);
    if (far) {
        check_vector_drop(&o->fenced_far[thread]);
        o->fenced_far[thread] = check_vector_ref(o->fenced[thread]);
        o->fences[thread] = t->epoch[thread] + 1;
        o->has_fenced = true;
    }
}

void check_order_write(struct kd_block *b, struct check_threads *t, uint32_t thread,
                       const struct kd_check_site *site, uint64_t address) {
    bool releases = site->flags & KD_CHECK_RELEASE, far = is_far(b, site);
    struct check_order *o = releases ? order_of(t) : t->order;
    uint32_t block = (uint32_t)t->block;
    if (!o || !(releases || o->fenced[thread] || o->fenced_common))
        return;
    bool near = is_own_shared(b, address);
    address = word_of(b, address);
    if (releases) {
        struct check_vector *v = NULL;
        tell(t, thread, &v);
        if (near || !far)
            leave_near(o, address, block, v);
        else
            leave_far(o, address, block, v);
        check_vector_unref(v);
    }
    if (o->fenced_far[thread] && !near)
        leave_far(o, address, block, o->fenced_far[thread]);
    if (o->fenced_common && !near)
        leave_far(o, address, block, o->fenced_common);
    if (o->fenced[thread] && (near || o->fenced[thread] != o->fenced_far[thread]))
        leave_near(o, address, block, o->fenced[thread]);
    atomic_thread_fence(memory_order_release); // in front of the write
}

static void strong_read(const struct kd_block *b, struct check_order *o, uint32_t thread,
                        uint32_t block, const struct kd_check_site *site, uint64_t address) {
    bool acquires = site->flags & KD_CHECK_ACQUIRE;
    uint32_t publisher = MANY;
    atomic_thread_fence(memory_order_acquire); // behind the read
    uint64_t word = word_of(b, address);
    struct check_vector *near = look_near(o, word);
    struct check_vector *far = is_own_shared(b, address) ? NULL : look_far(o, word, &publisher);
    bool own = publisher == block || publisher == MANY;
    if (acquires)
        take(o, thread, near);
    else
        check_vector_join(&o->found[thread], near);
    if (acquires && (own || is_far(b, site)))
        take(o, thread, far);
    else
        check_vector_join(own ? &o->found[thread] : &o->found_far[thread], far);
    check_vector_unref(far);
}

void check_order_read(struct kd_block *b, struct check_threads *t, uint32_t thread,
                      const struct kd_check_site *site, uint64_t address) {
    struct check_order *o = order_of(t);
    if (o)
        strong_read(b, o, thread, (uint32_t)t->block, site, address);
}

// ---- what code tells ----------------------------------------------------------------------

enum { PHASES = 4 }; // of a cluster's barrier that are told apart

// Barriers of clusters and objects in their memory are of the grid, all else of the block.
static uint64_t place_of(const struct kd_block *b, const struct check_order *o, uint32_t thread,
                         const struct kd_check_site *site, uint64_t address) {
    return site->bytes == KD_CHECK_AT_CLUSTER
               ? of_cluster(b, (uint64_t)(uintptr_t)b->cluster_shared - PHASES +
                                   o->cluster_phase[thread])
               : word_of(b, check_generic_address(b, site, address));
}

// What a relaxed arrival publishes: what the thread's last fence kept. Of the block alone it is
// what any fence has kept.
static void leave_fenced(struct kd_block *b, struct check_order *o, struct check_threads *t,
                         uint32_t thread, uint64_t place) {
    uint32_t block = (uint32_t)t->block;
    if (b->cluster_blocks <= 1) {
        leave_near(o, place, block, o->fenced[thread]);
        return;
    }
    leave_far(o, place, block, o->fenced_far[thread]);
    leave_far(o, place, block, o->fenced_common);
}

static void release(struct kd_block *b, struct check_order *o, struct check_threads *t,
                    uint32_t thread, const struct kd_check_site *site, uint64_t address) {
    struct check_vector *v = NULL;
    if (site->bytes == KD_CHECK_AT_BARRIER) {
        if (address < BARRIERS)
            tell(t, thread, &o->barriers[address]);
        return;
    }
    if (site->bytes == KD_CHECK_AT_CLUSTER)
        o->cluster_phase[thread] = (uint8_t)(kd_rt_cluster_phase(b) % PHASES);
    uint64_t place = place_of(b, o, thread, site, address);
    if (!(site->flags & KD_CHECK_RELEASE)) {
        leave_fenced(b, o, t, thread, place);
        return;
    }
    tell(t, thread, &v);
    if (site->flags & KD_CHECK_COMMIT)
        check_vector_put(&v, (uint32_t)t->block, CHECK_WHO_COMMITS + thread, ++t->commits);
    if (site->flags & KD_CHECK_BULK)
        check_vector_put(&v, (uint32_t)t->block, CHECK_WHO_COPIES + thread, ++t->objects_told);
    if (b->cluster_blocks > 1)
        leave_far(o, place, (uint32_t)t->block, v);
    else
        leave_near(o, place, (uint32_t)t->block, v);
    check_vector_unref(v);
}

static void acquire(struct kd_block *b, struct check_order *o, struct check_threads *t,
                    uint32_t thread, const struct kd_check_site *site, uint64_t address) {
    uint32_t publisher;
    if (site->bytes == KD_CHECK_AT_WORD) {
        strong_read(b, o, thread, (uint32_t)t->block, site,
                    check_generic_address(b, site, address));
    } else if (site->bytes == KD_CHECK_AT_BARRIER) {
        take(o, thread, address < BARRIERS ? o->barriers[address] : NULL);
    } else if (b->cluster_blocks > 1) {
        struct check_vector *v = look_far(o, place_of(b, o, thread, site, address), &publisher);
        take(o, thread, v);
        check_vector_unref(v);
    } else {
        take(o, thread, look_near(o, place_of(b, o, thread, site, address)));
    }
}

void check_order_signal(struct kd_block *b, uint32_t thread, uint64_t object, uint16_t of) {
    const struct kd_check_site site = {
        .bytes = KD_CHECK_AT_OBJECT, .space = ISA_SPACE_GENERIC, .flags = KD_CHECK_RELEASE | of};
    struct check_threads *t = check_threads_of(b);
    check_intervals_stop(b, t);
    struct check_order *o = order_of(t);
    if (o)
        release(b, o, t, thread, &site, object);
}

// Groups of asynchronous copies end, and threads wait for some: these are over for the thread then,
// for which cells are asked.
static void tell_copies(struct kd_block *b, struct check_threads *t, uint32_t lane,
                        const struct kd_check_site *site, uint64_t groups) {
    if (site->kind == KD_CHECK_COPY_COMMIT)
        check_copies_commit(t, lane, site);
    else
        check_copies_wait(b, t, lane, site, groups);
}

// All groups of the warpgroup's products but so many are over. A product is the warpgroup's: what
// one of its warps has waited for has ended for all four. PTX ISA, wgmma.wait_group.
static void wait_for_products(struct check_order *o, struct check_threads *t, uint32_t thread,
                              uint64_t left) {
    uint32_t warp = thread / KD_WARP, ended = t->products[warp];
    struct check_vector *v = NULL;
    if (ended <= left)
        return;
    check_vector_put(&v, (uint32_t)t->block, check_who_multiplies(warp), ended - (uint32_t)left);
    take(o, thread, v);
    check_vector_unref(v);
}

void check_order_tell(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                      const struct kd_check_site *site, const uint64_t *addresses,
                      const uint64_t *more) {
    struct check_threads *t = mask ? check_threads_of(b) : NULL;
    bool copies = site->kind == KD_CHECK_COPY_COMMIT || site->kind == KD_CHECK_COPY_WAIT;
    if (t && !copies)
        check_intervals_stop(b, t);
    struct check_order *o = t && !copies ? order_of(t) : NULL;
    for (uint32_t m = o || (t && copies) ? mask : 0; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m), lane = thread + l;
        uint64_t address = addresses[code & KD_CHECK_SAME_ADDRESS ? 0 : l];
        if (lane >= MAX_UNITS || !(more[code & KD_CHECK_SAME_MORE ? 0 : l] & 1))
            continue;
        if (copies) {
            tell_copies(b, t, lane, site, address);
        } else if (site->kind == KD_CHECK_PRODUCTS_COMMIT) {
            t->products[lane / KD_WARP] += lane % KD_WARP == 0; // once for the warp
            check_sums_ended(t, lane);
        } else if (site->kind == KD_CHECK_PRODUCTS_WAIT) {
            wait_for_products(o, t, lane, address);
            check_sums_waited(t, lane, address);
        } else if (site->kind == KD_CHECK_ORDER_FENCE) {
            fence(o, t, lane, is_far(b, site), site);
            t->fenced = t->epoch[lane] >= t->fenced ? t->epoch[lane] + 1 : t->fenced;
        } else if (site->kind == KD_CHECK_ORDER_RELEASE) {
            release(b, o, t, lane, site, address);
        } else {
            acquire(b, o, t, lane, site, address);
        }
    }
}
