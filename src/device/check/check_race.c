// Races between threads of a launch, and of launches that nothing orders. A cell for each four
// bytes (check_cells.c) names who wrote them last and who read them, and what barriers of the block
// and of the warp these had passed; check_order.c knows what else orders accesses.
#include "device/check/check_children.h"
#include "device/check/check_intervals.h"
#include "device/check/check_streams.h"
#include "device/check/race/check_race_report.h"
#include "device/check/race/check_rows.h"
#include "device/code/module.h"
#include "device/exec/block.h"
#include "device/exec/cluster.h"
#include "device/sched/op.h"
#include "isa/isa.h"

// ---- lanes that access memory -------------------------------------------------------------

static void put_with(struct check_visit *v, uint32_t *name, uint8_t bytes) {
    const struct check_stamp *s = &v->now.stamp;
    uint8_t own = s->bytes;
    check_visit_set_stamp(v, s->epoch, s->warp_syncs, bytes);
    check_visit_put(v, name);
    check_visit_set_stamp(v, s->epoch, s->warp_syncs, own);
}

// Does it name a product that the thread knows to have ended?
static bool is_ended_product(const struct check_visit *v, uint32_t name) {
    const struct check_record x = check_record_of(name, 0);
    return (check_is_by_group(&x.stamp) || check_is_by_commit(&x.stamp)) &&
           x.stamp.block == v->now.stamp.block && check_knows(v->t, v->now.thread, &x);
}

static void add_reader(struct check_visit *v, struct check_cells *c, uint32_t k) {
    const struct check_stamp *now = &v->now.stamp;
    for (int n = 0; n < CHECK_READERS; n++) {
        uint32_t *name = &c->readers[n][k];
        check_names_add(v->names, (uint8_t)(CHECK_NAMES_READER << n));
        if (!*name) {
            check_visit_put(v, name);
            return;
        }
        if (v->number && *name == check_visit_named(v))
            return;
        const struct check_stamp *s = check_stamp_of(*name >> CHECK_LANE_BITS);
        bool own = check_visit_is_of_warp(v, s) && *name % KD_WARP == v->now.thread % KD_WARP &&
                   s->goes_on == now->goes_on && check_is_by_group(s) == check_is_by_group(now) &&
                   check_is_by_commit(s) == check_is_by_commit(now);
        if (own && s->epoch == now->epoch) {
            put_with(v, name, now->bytes | s->bytes);
            return;
        }
        if (own || check_visit_is_over(v, s) || is_ended_product(v, *name)) {
            check_visit_put(v, name);
            return;
        }
    }
}

static const char no_fence[] = "no fence of proxies (fence.proxy.async) is between them";

// Does a bulk copy, of the async proxy, read what a thread of its block wrote through the generic
// one, and no thread of the block has made a fence since? Whether the fence is one of proxies is
// not asked. Guide, 10.29.
static bool lacks_fence(const struct check_visit *v, const struct check_cells *c, uint32_t k,
                        struct check_record *racing) {
    const struct check_stamp *now = &v->now.stamp;
    uint32_t name = c->weak[k] ? c->weak[k] : c->strong[k];
    if (!(now->site->flags & KD_CHECK_BULK) || now->site->kind != KD_CHECK_READ ||
        v->owners == CHECK_OF_GRID || !name)
        return false;
    *racing = check_record_of(name, 0);
    const struct check_stamp *s = &racing->stamp;
    return s->grid == now->grid && s->block == now->block && s->bytes & now->bytes &&
           !(s->site->flags & (KD_CHECK_BULK | KD_CHECK_COPY)) && s->epoch >= v->t->fenced;
}

static bool is_read_only(const struct kd_check_site *s) {
    return s->kind == KD_CHECK_READ && s->flags & KD_CHECK_READ_ONLY;
}

// Is it read by the read-only cache what another thread of the grid has written, in whatever order?
// Guide, 10.10: nothing writes there as long as the kernel runs.
static bool is_not_read_only(const struct check_visit *v, const struct check_cells *c, uint32_t k,
                             struct check_record *racing) {
    const struct check_stamp *now = &v->now.stamp;
    uint32_t name = c->weak[k] ? c->weak[k] : c->strong[k];
    if (!is_read_only(now->site) || !name)
        return false;
    *racing = check_record_of(name, 0);
    const struct check_stamp *s = &racing->stamp;
    return s->grid == now->grid && s->bytes & now->bytes &&
           (s->block != now->block || racing->thread != v->now.thread);
}

// The lane's access to cell k, of which `at` is the first byte.
static void check_cell(struct check_visit *v, struct check_cells *c, uint32_t k, uint64_t at) {
    bool reads = v->now.stamp.site->kind == KD_CHECK_READ;
    uint32_t own = v->number ? check_visit_named(v) : 0;
    const uint32_t names[] = {
        check_visit_may_name(v, CHECK_NAMES_WEAK) ? c->weak[k] : 0,
        check_visit_may_name(v, CHECK_NAMES_STRONG) ? c->strong[k] : 0,
        !reads && check_visit_may_name(v, CHECK_NAMES_READER) ? c->readers[0][k] : 0,
        !reads && check_visit_may_name(v, CHECK_NAMES_READER << 1) ? c->readers[1][k] : 0};
    struct check_record racing;
    bool races = false;
    for (int n = 0; n < 4 && !races; n++) {
        if (!names[n] || (names[n] == own && !v->now.stamp.goes_on) ||
            check_visit_is_over(v, check_stamp_of(names[n] >> CHECK_LANE_BITS)))
            continue;
        racing = check_record_of(names[n], n ? c->strong_value[k] : c->weak_value[k]);
        races = check_unordered(v->b, v->t, &racing, &v->now, v->owners);
        if (n == 1 && racing.stamp.grid != v->now.stamp.grid && check_is_strong(&v->now) &&
            v->now.stamp.site->kind != KD_CHECK_WRITE) {
            check_streams_told(launch_op(v->b->launch), racing.stamp.grid);
            check_child_told(launch_op(v->b->launch), racing.stamp.grid);
        }
    }
    const char *why = NULL;
    if (!races && lacks_fence(v, c, k, &racing)) {
        races = true;
        why = no_fence;
    }
    if (!races && is_not_read_only(v, c, k, &racing)) {
        races = true;
        why = "it is read by the read-only cache, though the kernel writes there";
    }
    if (!reads)
        check_names_add(v->names, check_is_strong(&v->now) ? CHECK_NAMES_STRONG : CHECK_NAMES_WEAK);
    if (reads)
        add_reader(v, c, k);
    else if (check_is_strong(&v->now) && check_visit_put(v, &c->strong[k]) &&
             v->now.stamp.has_value)
        c->strong_value[k] = v->now.value;
    else if (!check_is_strong(&v->now) && check_visit_put(v, &c->weak[k]) && v->now.stamp.has_value)
        c->weak_value[k] = v->now.value;
    bool tells = !reads && v->of_host && check_is_strong(&v->now); // it may be a word to the host
    if (!races && !tells)
        return;
    check_visit_unlock(v);
    if (tells)
        check_streams_learned(check_streams_of_op(launch_op(v->b->launch)));
    if (!races)
        return;
    if (racing.stamp.grid == v->now.stamp.grid)
        check_race_report(v->b, &racing, &v->now, at, why);
    else
        check_race_report_other(v->b, &racing, &v->now, at);
}

// Memory that no other thread is meant to have: local memory, parameters.
static bool is_private(const struct kd_block *b, uint64_t address) {
    uint64_t local = (uint64_t)(uintptr_t)b->local, params = (uint64_t)(uintptr_t)b->params;
    return (b->local && address - local < b->local_stride * b->nthreads) ||
           address - params < b->launch->kernel->info->param_bytes;
}

// Has the block of the cluster that has the address ended? Its number is *block.
static bool is_of_ended(const struct kd_block *b, uint64_t address, uint32_t *block) {
    const struct cluster *c = resident_of((struct kd_block *)b)->cluster;
    uint64_t rank = (address - (uint64_t)(uintptr_t)b->cluster_shared) / KD_CLUSTER_STRIDE;
    const uint32_t *d = b->cluster_dim;
    uint32_t k = (uint32_t)rank;
    if (rank >= b->cluster_blocks || c->size != b->cluster_blocks || c->members[k])
        return false;
    uint32_t x = b->ctaid[0] / d[0] * d[0] + k % d[0],
             y = b->ctaid[1] / d[1] * d[1] + k / d[0] % d[1];
    uint32_t z = b->ctaid[2] / d[2] * d[2] + k / d[0] / d[1];
    *block = x + b->nctaid[0] * (y + b->nctaid[1] * z);
    return true;
}

static void check_lane(struct check_visit *v, uint64_t address, uint64_t bytes, uint64_t value) {
    const struct kd_block *b = v->b;
    const struct check_threads *t = v->t;
    uint32_t epoch = t->epoch[v->now.thread], ended;
    uint32_t syncs =
        check_is_by_object(&v->now.stamp) ? t->objects_told : check_syncs_of(t, v->now.thread);
    v->owners = check_owners_of(b, address);
    if (v->owners == CHECK_OF_CLUSTER && is_of_ended(b, address, &ended)) {
        check_visit_unlock(v);
        check_race_report_ended(b, &v->now, ended, true);
    }
    for (uint64_t at = address & ~(uint64_t)3; at < address + bytes; at += 4) {
        uint64_t from = at < address ? address - at : 0;
        uint64_t to = address + bytes - at < 4 ? address + bytes - at : 4;
        if (!check_visit_find_cells(v, at))
            continue;
        check_visit_set_stamp(v, epoch, syncs, (uint8_t)((1u << to) - (1u << from)));
        if (v->now.stamp.has_value)
            v->now.value = at < address ? (uint32_t)(value << 8 * from)
                                        : (uint32_t)(value >> 8 * (at - address));
        check_visit_lock_row(v, at);
        check_cell(v, v->cells, (uint32_t)(at >> 2) % CHECK_CELLS, at + from);
    }
}

// ---- lanes that access one word after the other -------------------------------------------

// How many of the lanes, from `thread` on, access words behind each other that are in one row; 0:
// the first one's is no whole word, or of its own.
static uint32_t row_of(const struct check_visit *v, uint32_t thread, uint32_t lanes,
                       const uint64_t *at) {
    const struct kd_check_site *site = v->now.stamp.site;
    const uint32_t *epoch = v->t->epoch;
    uint32_t bytes = site->bytes, n = 1;
    uint64_t address = check_generic_address(v->b, site, at[0]);
    uint32_t most = ((1u << CHECK_ROW_BITS) - (uint32_t)address % (1u << CHECK_ROW_BITS)) / bytes;
    most = lanes < most ? lanes : most;
    most = thread + most <= MAX_UNITS ? most : MAX_UNITS - thread;
    while (n < most && at[n] == at[0] + bytes * n && epoch[thread + n] == epoch[thread])
        n++;
    bool private = site->space == ISA_SPACE_GENERIC &&
                   (is_private(v->b, address) || is_private(v->b, address + bytes * (n - 1)));
    return private || address % bytes ? 0 : n;
}

// The same at once, n lanes that row_of has found. False: nothing was done.
static bool check_lanes(struct check_visit *v, uint32_t thread, uint32_t n, uint64_t at,
                        const uint64_t *values, bool one_value) {
    const struct check_threads *t = v->t;
    const struct kd_check_site *site = v->now.stamp.site;
    uint64_t address = check_generic_address(v->b, site, at);
    struct check_row r = {(uint32_t)(address >> 2) % CHECK_CELLS, n * (site->bytes / 4),
                          thread % KD_WARP, (uint32_t)__builtin_ctz(site->bytes) - 2};
    v->now.thread = thread;
    v->owners = check_owners_of(v->b, address);
    uint32_t ended;
    if (v->owners == CHECK_OF_CLUSTER && is_of_ended(v->b, address, &ended))
        return false;
    v->seen = 0;
    if (!check_visit_find_cells(v, address))
        return true;
    check_visit_set_stamp(v, t->epoch[thread], t->warp[thread / KD_WARP], 15);
    check_visit_lock_row(v, address);
    return check_rows_look(v, &r, values, one_value);
}

static uint32_t first_two(uint32_t mask) {
    uint32_t rest = mask & (mask - 1);
    return mask ^ (rest & (rest - 1));
}

// Lanes have begun to copy. interval: as struct check_copy has it.
static void add_copies(struct kd_block *b, struct check_threads *t,
                       const struct kd_check_site *site, uint32_t thread, uint32_t mask,
                       uint32_t code, const uint64_t *addresses, const uint64_t *more,
                       uint64_t interval) {
    struct check_copy c = {.site = site, .interval = interval};
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        c.address = check_generic_address(b, site, addresses[code & KD_CHECK_SAME_ADDRESS ? 0 : l]);
        c.bytes = site->bytes ? site->bytes : (uint32_t)more[code & KD_CHECK_SAME_MORE ? 0 : l];
        bool private = site->space == ISA_SPACE_GENERIC && is_private(b, c.address);
        if (thread + l < MAX_UNITS && !private)
            check_copies_add(b, t, thread + l, c);
    }
}

void check_races(struct kd_block *b, const struct kd_check_site *site, uint32_t thread,
                 uint32_t mask, uint32_t code, const uint64_t *addresses, const uint64_t *more) {
    struct check_threads *t = check_threads_of(b);
    // Grids of several devices order themselves by more than is followed.
    if (!t || !t->has_cells || b->launch->multi)
        return;
    bool taken = check_intervals_take(b, t, site, thread, mask, code, addresses, more);
    if (!taken)
        check_race_cells(b, t, site, thread, mask, code, addresses, more);
    if (site->flags & KD_CHECK_COPY)
        add_copies(b, t, site, thread, mask, code, addresses, more,
                   taken ? check_intervals_number(t) : 0);
}

void check_race_begun(struct kd_block *b, struct check_threads *t, uint32_t thread,
                      const struct kd_check_site *site, uint64_t address) {
    uint64_t offset = address - check_generic_address(b, site, 0);
    check_race_cells(b, t, site, thread, 1, 0, &offset, NULL);
}

void check_race_cells(struct kd_block *b, struct check_threads *t, const struct kd_check_site *site,
                      uint32_t thread, uint32_t mask, uint32_t code, const uint64_t *addresses,
                      const uint64_t *more) {
    bool generic = site->space == ISA_SPACE_GENERIC;
    bool releases = site->flags & KD_CHECK_STRONG && site->kind != KD_CHECK_READ;
    struct check_visit v = {.b = b,
                            .t = t,
                            .now.stamp = {.site = site,
                                          .grid = (uint32_t)b->gridid + 1,
                                          .block = (uint32_t)t->block,
                                          .warp = (uint16_t)(thread / KD_WARP),
                                          .has_value = more && site->bytes && site->bytes <= 8,
                                          .goes_on = site->flags & KD_CHECK_COPY}};
    v.now.stamp.goes_on |= check_is_by_object(&v.now.stamp);
    bool together = !t->apart[thread / KD_WARP], one = code & KD_CHECK_SAME_ADDRESS;
    // None of the lanes knows more than the others: two stand for all that read one place.
    if (one && together && !t->order && site->kind == KD_CHECK_READ &&
        !(site->flags & KD_CHECK_COPY))
        mask = first_two(mask);
    bool one_value = code & KD_CHECK_SAME_MORE;
    bool words = site->bytes == 4 || site->bytes == 8 || site->bytes == 16;
    bool rows = together && !one && !releases && words && !is_read_only(site) &&
                !(site->flags & KD_CHECK_BULK);
    while (mask) {
        uint32_t l = (uint32_t)__builtin_ctz(mask), lanes = 1;
        while (l + lanes < KD_WARP && mask >> (l + lanes) & 1)
            lanes++;
        uint32_t row = rows ? row_of(&v, thread + l, lanes, addresses + l) : 0;
        uint32_t n = row ? row : rows ? 1 : lanes;
        mask &= ~(((uint32_t)1 << (l + n - 1) << 1) - ((uint32_t)1 << l));
        if (row * site->bytes > sizeof(uint32_t) &&
            check_lanes(&v, thread + l, n, addresses[l], more ? more + (one_value ? 0 : l) : NULL,
                        one_value))
            continue;
        for (uint32_t end = l + n; l < end; l++) {
            uint64_t address = check_generic_address(b, site, addresses[one ? 0 : l]);
            uint64_t of_lane = more ? more[one_value ? 0 : l] : 0;
            v.now.thread = thread + l;
            if (v.now.thread >= MAX_UNITS || (generic && is_private(b, address)))
                continue;
            check_lane(&v, address, site->bytes ? site->bytes : of_lane, of_lane);
            if (releases) {
                check_visit_unlock(&v);
                check_order_write(b, t, v.now.thread, site, address);
            }
        }
    }
    check_visit_unlock(&v);
    check_visit_settle(&v);
    check_stamp_drop(t->stamps, v.gone, v.gone_times);
}

// Do all lanes of the warp lack what orders x before now?
static bool unordered_for_all(struct check_visit *v, const struct check_record *x) {
    struct check_record y = v->now;
    uint32_t first = y.thread / KD_WARP * KD_WARP;
    for (uint32_t l = 0; l < KD_WARP && first + l < v->b->nthreads; l++) {
        y.thread = first + l;
        if (!check_unordered(v->b, v->t, x, &y, v->owners))
            return false;
    }
    return true;
}

// A warp's read as what its warpgroup reads until the group of products has been waited for.
static struct check_visit for_warpgroup(const struct check_visit *v) {
    struct check_visit all = *v;
    uint32_t warp = v->now.stamp.warp, first = warp / CHECK_WARPGROUP * CHECK_WARPGROUP;
    all.now.thread = first * KD_WARP;
    all.now.stamp.warp = (uint16_t)first;
    all.now.stamp.goes_on = true;
    all.now.stamp.epoch = 0;
    all.now.stamp.warp_syncs = v->t->products[warp];
    return all;
}

// A thread's read as what goes on until what it commits is done.
static struct check_visit until_committed(const struct check_visit *v) {
    struct check_visit all = *v;
    all.now.stamp.goes_on = true;
    all.now.stamp.epoch = 0;
    all.now.stamp.warp_syncs = v->t->commits;
    return all;
}

void check_race_by_warp(struct kd_block *b, struct check_threads *t,
                        const struct kd_check_site *site, uint32_t thread, uint64_t address) {
    enum { PIECE = 16 };
    struct check_visit v = {.b = b, .t = t, .owners = check_owners_of(b, address)};
    v.now = (struct check_record){.thread = thread,
                                  .stamp = {.site = site,
                                            .grid = (uint32_t)b->gridid + 1,
                                            .block = (uint32_t)t->block,
                                            .warp = (uint16_t)(thread / KD_WARP),
                                            .epoch = t->epoch[thread],
                                            .warp_syncs = check_syncs_of(t, thread),
                                            .bytes = 15}};
    struct check_visit all = check_is_by_group(&v.now.stamp)    ? for_warpgroup(&v)
                             : check_is_by_commit(&v.now.stamp) ? until_committed(&v)
                                                                : v;
    for (uint64_t at = address; at < address + PIECE; at += 4) {
        if (!check_visit_find_cells(&v, at))
            continue;
        check_visit_lock_row(&v, at);
        all.names = v.names;
        uint32_t k = (uint32_t)(at >> 2) % CHECK_CELLS;
        uint32_t name = v.cells->weak[k] ? v.cells->weak[k] : v.cells->strong[k];
        struct check_record racing = name ? check_record_of(name, 0) : v.now;
        const char *why = NULL;
        bool races =
            name && !check_visit_is_over(&v, &racing.stamp) && unordered_for_all(&v, &racing);
        if (!races && lacks_fence(&v, v.cells, k, &racing)) {
            races = true;
            why = no_fence;
        }
        if (!races)
            add_reader(&all, v.cells, k);
        check_visit_unlock(&v);
        if (races) {
            check_race_report(b, &racing, &v.now, at, why);
            break;
        }
    }
    check_visit_settle(&all);
    check_stamp_drop(t->stamps, all.gone, all.gone_times);
}

// Names that say that this thread's access goes on are to be that which is made.
static void end_access(struct check_visit *v, uint32_t *names, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        uint32_t name = names[k], number = name >> CHECK_LANE_BITS;
        if (!number || name % KD_WARP != v->now.thread % KD_WARP)
            continue;
        if (v->seen != number) {
            const struct check_stamp *s = check_stamp_of(number);
            v->seen = number;
            v->seen_own = check_visit_is_of_warp(v, s) && s->goes_on && !check_is_by_object(s) &&
                          !check_is_by_group(s) && !check_is_by_commit(s);
        }
        if (v->seen_own)
            check_visit_put(v, &names[k]);
    }
}

void check_race_copied(struct kd_block *b, struct check_threads *t, uint32_t thread,
                       const struct kd_check_site *site, uint64_t address, uint64_t bytes) {
    struct check_visit v = {.b = b, .t = t, .owners = check_owners_of(b, address)};
    v.now.thread = thread;
    v.now.stamp = (struct check_stamp){.site = site,
                                       .grid = (uint32_t)b->gridid + 1,
                                       .block = (uint32_t)t->block,
                                       .warp = (uint16_t)(thread / KD_WARP)};
    check_visit_set_stamp(&v, t->epoch[thread], check_syncs_of(t, thread), 15);
    for (uint64_t at = address & ~(uint64_t)3, next; at < address + bytes; at = next) {
        uint32_t k = (uint32_t)(at >> 2) % CHECK_CELLS;
        next = ((at >> CHECK_ROW_BITS) + 1) << CHECK_ROW_BITS;
        uint64_t end = next < address + bytes ? next : address + bytes;
        uint32_t n = (uint32_t)((end - at + 3) / 4);
        if (!check_visit_find_cells(&v, at))
            continue;
        check_visit_lock_row(&v, at);
        if (site->kind != KD_CHECK_READ)
            end_access(&v, &v.cells->weak[k], n);
        for (int r = 0; r < CHECK_READERS && site->kind == KD_CHECK_READ; r++)
            end_access(&v, &v.cells->readers[r][k], n);
    }
    check_visit_unlock(&v);
    check_visit_settle(&v);
    check_stamp_drop(t->stamps, v.gone, v.gone_times);
}

// Does some thread of the block know of an access by another block?
static bool block_knows(const struct check_threads *t, uint32_t nthreads,
                        const struct check_record *x) {
    for (uint32_t k = 0; k < nthreads && k < MAX_UNITS; k++)
        if (check_knows(t, k, x))
            return true;
    return false;
}

// Guide, 6.2.5: a block of a cluster must exist until others have accessed its shared memory.
void check_race_leaves(struct kd_block *b, struct check_threads *t) {
    uint32_t known = 0; // a stamp of which all is known
    for (uint64_t at = 0; at < b->shared_window_bytes; at += 4) {
        uint64_t address = (uint64_t)(uintptr_t)b->shared + at;
        struct check_cells *c = check_cells_of(address);
        uint32_t k = (uint32_t)(address >> 2) % CHECK_CELLS;
        const uint32_t names[] = {c ? c->weak[k] : 0, c ? c->strong[k] : 0,
                                  c ? c->readers[0][k] : 0, c ? c->readers[1][k] : 0};
        for (int n = 0; n < 4; n++) {
            uint32_t number = names[n] >> CHECK_LANE_BITS;
            if (!number || number == known)
                continue;
            struct check_record x = check_record_of(names[n], 0);
            bool other = x.stamp.grid == (uint32_t)b->gridid + 1 && x.stamp.block != t->block &&
                         check_is_one_cluster(b, x.stamp.block, (uint32_t)t->block);
            if (other && !block_knows(t, b->nthreads, &x)) {
                check_race_report_ended(b, &x, (uint32_t)t->block, false);
                return;
            }
            known = number;
        }
    }
}

void check_race_forget(uint64_t address, uint64_t bytes) {
    check_cells_forget(address, bytes);
}

void check_race_ended(uint64_t grid) {
    check_order_forget(grid);
    check_stamps_leave(grid);
}
