// Barriers of the block and synchronisations of the warp that threads have passed.
#include <stdlib.h>
#include <string.h>

#include "device/check/check_cells.h"
#include "device/check/check_intervals.h"
#include "device/check/check_threads.h"
#include "device/exec/block.h"
#include "device/helpers/runtime.h"
#include "device/sched/op.h"

static uint64_t block_number(const struct kd_block *b) {
    return b->ctaid[0] +
           (uint64_t)b->nctaid[0] * (b->ctaid[1] + (uint64_t)b->nctaid[1] * b->ctaid[2]);
}

// What is kept of the block's threads: blocks are many, and most have far fewer than there can be.
static void clear(struct check_threads *t, uint32_t nthreads) {
    uint32_t warps = (nthreads + KD_WARP - 1) / KD_WARP;
    warps = warps < KD_MOST_WARPS ? warps : KD_MOST_WARPS;
    memset(t->epoch, 0, warps * KD_WARP * sizeof *t->epoch);
    memset(t->seen, 0, warps * KD_WARP * sizeof *t->seen);
    memset(t->warp, 0, warps * sizeof *t->warp);
    memset(t->ended, 0, warps * sizeof *t->ended);
    memset(t->apart, 0, warps * sizeof *t->apart);
    memset(t->place, 0, warps * sizeof *t->place);
    memset(t->open, 0, warps * sizeof *t->open);
    memset(t->products, 0, warps * sizeof *t->products);
    memset(t->groups, 0, warps * KD_WARP * sizeof *t->groups);
    memset(t->over, 0, warps * KD_WARP * sizeof *t->over);
    t->order = NULL;
    t->fenced = 0;
    t->last = NULL;
}

struct check_threads *check_threads_begin(struct kd_block *b) {
    struct resident *s = resident_of(b);
    struct check_threads *t = s->checked;
    if (!t && !(t = s->checked = calloc(1, sizeof *t)))
        return NULL;
    check_order_begin(t);
    check_copies_begin(t);
    check_scopes_begin(t);
    check_tensor_begin(t);
    clear(t, b->nthreads);
    t->grid = b->gridid + 1;
    t->block = block_number(b);
    memcpy(t->ctaid, b->ctaid, sizeof t->ctaid);
    t->has_cells = check_tools() & CHECK_RACE && check_stamps_enter(&t->stamps, b->gridid);
    if (t->has_cells)
        check_intervals_begin(t);
    check_init_block(b);
    return t;
}

void check_block_begins(struct kd_block *b) {
    check_threads_of(b);
}

void check_block_leaves(struct kd_block *b) {
    const struct resident *s = resident_of(b);
    struct check_threads *t = s->checked;
    if (t && t->has_cells && t->grid == b->gridid + 1 && t->block == block_number(b))
        check_race_leaves(b, t);
}

// Until then all lanes had met at once.
struct check_clocks *check_set_apart(struct check_threads *t, uint32_t w) {
    if (t->apart[w])
        return &t->clocks[w];
    if (!t->clocks)
        t->clocks = calloc(KD_MOST_WARPS, sizeof *t->clocks);
    struct check_clocks *c = t->clocks ? &t->clocks[w] : NULL;
    for (uint32_t l = 0; c && l < KD_WARP; l++) {
        c->own[l] = t->warp[w];
        for (uint32_t k = 0; k < KD_WARP; k++)
            c->known[l][k] = t->seen[w * KD_WARP + l];
    }
    t->apart[w] = c;
    return c;
}

// `lanes` of a warp, of which those in `here` go on now, have met. What has come and does not go on
// yet counts as one further.
static void join(struct check_clocks *c, uint32_t lanes, uint32_t here) {
    uint32_t most[KD_WARP] = {0};
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint32_t own = c->own[l] + !(here >> l & 1);
        for (uint32_t k = 0; k < KD_WARP; k++)
            most[k] = c->known[l][k] > most[k] ? c->known[l][k] : most[k];
        most[l] = own > most[l] ? own : most[l];
    }
    for (uint32_t m = lanes & here; m; m &= m - 1)
        memcpy(c->known[__builtin_ctz(m)], most, sizeof most);
}

void check_race_synced(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                       const uint64_t *members) {
    struct check_threads *t = mask ? check_threads_of(b) : NULL;
    uint32_t w = thread / KD_WARP, first = thread % KD_WARP, here = mask << first;
    if (t)
        check_intervals_stop(b, t);
    struct check_clocks *c = t && thread < MAX_UNITS ? check_set_apart(t, w) : NULL;
    if (!c)
        return;
    for (uint32_t m = here; m; m &= m - 1)
        c->own[__builtin_ctz(m)]++;
    for (uint32_t left = here; left;) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        uint32_t lanes = (uint32_t)members[code & KD_CHECK_SAME_MORE ? 0 : l - first] | 1u << l;
        join(c, lanes, here);
        check_order_met(t, w, lanes, here);
        left &= ~lanes;
    }
}

uint32_t check_known_to(const struct check_threads *t, uint32_t thread, uint32_t other) {
    uint32_t w = thread / KD_WARP;
    return t->apart[w] ? t->clocks[w].known[thread % KD_WARP][other % KD_WARP] : t->seen[thread];
}

// A lane's number becomes what it was, as far as `keep` says, plus `more`.
static void set_lanes(uint32_t *of, uint32_t thread, uint32_t mask, uint32_t keep, uint32_t more) {
    typedef uint32_t four __attribute__((vector_size(16)));
    uint32_t n = mask & (mask + 1) ? 0 : mask + 1 ? (uint32_t)__builtin_ctz(~mask) : KD_WARP;
    if (n && n % 4 == 0 && thread + n <= MAX_UNITS) {
        for (uint32_t k = thread; k < thread + n; k += 4) {
            four x;
            memcpy(&x, of + k, sizeof x);
            x = (x & keep) + more;
            memcpy(of + k, &x, sizeof x);
        }
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = thread + (uint32_t)__builtin_ctz(m);
        if (lane < MAX_UNITS)
            of[lane] = (of[lane] & keep) + more;
    }
}

void kd_rt_check_sync(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code) {
    struct check_threads *t = check_threads_of(b);
    if (!t || !mask || code == KD_CHECK_SYNC_BEGIN)
        return;
    uint32_t w = thread / KD_WARP;
    if (code == KD_CHECK_SYNC_WARP && t->apart[w]) {
        check_race_synced(b, thread, mask, KD_CHECK_SAME_MORE, &(uint64_t){UINT32_MAX});
        return;
    }
    if (code == KD_CHECK_SYNC_WARP) {
        check_intervals_synced(b, t, thread, mask);
        t->warp[w]++;
        check_order_met(t, w, UINT32_MAX, mask << thread % KD_WARP);
    } else if (thread < MAX_UNITS) {
        check_intervals_passed(t, t->epoch[thread + (uint32_t)__builtin_ctz(mask)] + 1);
        check_order_barrier(t, b->nthreads, t->epoch[thread + (uint32_t)__builtin_ctz(mask)] + 1);
    }
    if (code == KD_CHECK_SYNC_WARP)
        set_lanes(t->seen, thread, mask, 0, t->warp[w]);
    else
        set_lanes(t->epoch, thread, mask, UINT32_MAX, 1);
}
