// Shared memory between two barriers of its block. Most of what threads do there between them is no
// race at first sight: words that one thread alone accesses, or that all only read. A word of eight
// bytes for each four says so at little cost. Calls are kept until the barrier; where something is
// not seen to be right, all of them are looked at by cells, in their order (check_race.c), as if
// they had been made then.
#include "device/check/check_intervals.h"

#include <stdlib.h>
#include <string.h>

#include "device/check/check_sight.h"
#include "device/exec/block.h"
#include "isa/isa.h"

enum {
    LOG_BYTES = 512 << 10,
    MOST_IN_VAIN = 64 // intervals of a grid that had to be looked at again
};

struct check_intervals {
    bool off;        // cells alone count until the block ends
    bool exact;      // until the interval ends
    bool synced;     // warps have synchronised in the interval
    bool marked;     // what asynchronous copies write during the interval is marked
    uint32_t epoch;  // barriers that the interval is behind
    uint64_t number; // of the interval, among all that the worker has had
    int64_t base;    // + epoch: its tag
    uint64_t grid;   // of which `in_vain` is
    uint32_t in_vain;
    uint32_t words;
    uint64_t *word;                            // of the window
    const struct check_sight_functions *sight; // as the machine can
    size_t used;
    uint32_t warp[KD_MOST_WARPS], seen[MAX_UNITS]; // synced: as they were when the interval began
    uint8_t log[LOG_BYTES];
};

// A call. Offsets in the window and, where has_more, what is stored follow it.
struct call {
    const struct kd_check_site *site; // NULL: the lanes have synchronised
    uint32_t thread, mask, code;
    bool has_more, row; // row: lanes access words behind each other; the first one's offset follows
    bool ended;         // a copy of the thread's has: its address follows, and code is its bytes
    bool early;         // ended: it had begun before the interval
};

static uint32_t count(uint32_t code, uint32_t same) {
    return code & same ? 1 : code & KD_CHECK_WIDTH;
}

static uint32_t offsets(const struct call *c) {
    return c->row ? 1 : count(c->code, KD_CHECK_SAME_ADDRESS);
}

static size_t size_of(const struct call *c) {
    size_t n = sizeof *c;
    if (!c->site || c->ended)
        return n + (c->ended ? sizeof(uint64_t) : 0);
    n += (offsets(c) * sizeof(uint32_t) + 7) / 8 * 8;
    return n + (c->has_more ? count(c->code, KD_CHECK_SAME_MORE) * sizeof(uint64_t) : 0);
}

void check_intervals_begin(struct check_threads *t) {
    struct check_intervals *v = t->intervals;
    if (!v && !(v = t->intervals = calloc(1, sizeof *v)))
        return;
    if (!v->sight)
        v->sight = check_sight_of_machine();
    v->base += (int64_t)v->epoch + 1;
    v->in_vain = v->grid == t->grid ? v->in_vain : 0;
    v->grid = t->grid;
    v->off = v->in_vain >= MOST_IN_VAIN;
    v->exact = v->synced = v->marked = false;
    v->epoch = 0;
    v->number++;
    v->used = 0;
}

static void sync_lanes(struct check_threads *t, uint32_t thread, uint32_t mask) {
    uint32_t w = thread / KD_WARP;
    t->warp[w]++;
    for (uint32_t m = mask; m; m &= m - 1)
        t->seen[thread + (uint32_t)__builtin_ctz(m)] = t->warp[w];
}

// Cells have been told of no copy that began at first sight. Those that began before the interval,
// and go on or have ended in it, count as begun now.
static void begin_copies(struct check_intervals *v, struct kd_block *b, struct check_threads *t) {
    check_copies_to_cells(b, t, v->number);
    for (size_t at = 0; at < v->used;) {
        struct call c;
        uint64_t address;
        memcpy(&c, v->log + at, sizeof c);
        memcpy(&address, v->log + at + sizeof c, c.ended ? sizeof address : 0);
        if (c.ended && c.early)
            check_race_begun(b, t, c.thread, c.site, address);
        at += size_of(&c);
    }
}

// All calls so far, in their order, and from now on until the interval ends each one.
static void look_again(struct check_intervals *v, struct kd_block *b, struct check_threads *t) {
    v->exact = true;
    if (v->synced) {
        memcpy(t->warp, v->warp, sizeof t->warp);
        memcpy(t->seen, v->seen, sizeof t->seen);
    }
    begin_copies(v, b, t);
    for (size_t at = 0; at < v->used;) {
        struct call c;
        uint64_t addresses[KD_WARP], more[KD_WARP];
        uint32_t offset[KD_WARP];
        memcpy(&c, v->log + at, sizeof c);
        if (c.ended) {
            memcpy(addresses, v->log + at + sizeof c, sizeof *addresses);
            check_race_copied(b, t, c.thread, c.site, addresses[0], c.code);
        } else if (c.site) {
            uint32_t n = offsets(&c);
            const uint8_t *behind = v->log + at + sizeof c;
            memcpy(offset, behind, n * sizeof *offset);
            for (uint32_t k = 0; k < (c.row ? KD_WARP : n); k++)
                addresses[k] =
                    (c.row ? offset[0] + k * c.site->bytes : offset[k]) - (uint64_t)c.site->offset;
            behind += (n * sizeof *offset + 7) / 8 * 8;
            if (c.has_more)
                memcpy(more, behind, count(c.code, KD_CHECK_SAME_MORE) * sizeof *more);
            check_race_cells(b, t, c.site, c.thread, c.mask, c.code, addresses,
                             c.has_more ? more : NULL);
        } else {
            sync_lanes(t, c.thread, c.mask);
        }
        at += size_of(&c);
    }
    v->used = 0;
}

void check_intervals_look(struct kd_block *b, struct check_threads *t) {
    struct check_intervals *v = t->intervals;
    if (v && !v->off && !v->exact)
        look_again(v, b, t);
}

void check_intervals_stop(struct kd_block *b, struct check_threads *t) {
    check_intervals_look(b, t);
    if (t->intervals)
        t->intervals->off = true;
}

void check_intervals_passed(struct check_threads *t, uint32_t epoch) {
    struct check_intervals *v = t->intervals;
    if (!v || epoch <= v->epoch)
        return;
    v->epoch = epoch;
    v->number++;
    v->used = 0;
    v->exact = v->synced = v->marked = false;
}

// Room for a call; NULL: there is none.
static uint8_t *append(struct check_intervals *v, const struct call *c) {
    size_t n = size_of(c);
    uint8_t *at = v->log + v->used;
    if (n > LOG_BYTES - v->used)
        return NULL;
    memcpy(at, c, sizeof *c);
    v->used += n;
    return at + sizeof *c;
}

void check_intervals_synced(struct kd_block *b, struct check_threads *t, uint32_t thread,
                            uint32_t mask) {
    struct check_intervals *v = t->intervals;
    struct call c = {.thread = thread, .mask = mask};
    if (!v || v->off || v->exact || !v->used)
        return;
    if (!v->synced) {
        memcpy(v->warp, t->warp, sizeof t->warp);
        memcpy(v->seen, t->seen, sizeof t->seen);
        v->synced = true;
    }
    if (!append(v, &c))
        look_again(v, b, t);
}

// ---- first sight ----------------------------------------------------------------------------

// Is the call, of weak accesses by a warp that has not synchronised, one of a row? *r but for its
// words is set then: field by field, which takes less than clearing it.
static bool is_row(const struct check_intervals *v, const struct kd_block *b,
                   const struct check_threads *t, const struct call *c, bool writes,
                   const uint64_t *addresses, struct check_row *r) {
    uint32_t bytes = c->site->bytes, lanes = check_lanes_of(c->mask);
    uint64_t at = addresses[0] + (uint64_t)c->site->offset, all = (uint64_t)lanes * bytes;
    if (c->code & KD_CHECK_SAME_ADDRESS || lanes < 2 || (bytes != 4 && bytes != 8 && bytes != 16) ||
        at % 4 || all > b->shared_window_bytes || at > b->shared_window_bytes - all ||
        c->thread + lanes > MAX_UNITS || t->epoch[c->thread] != v->epoch)
        return false;
    r->addresses = addresses;
    r->epoch = &t->epoch[c->thread];
    r->n = lanes;
    r->shift = (uint32_t)__builtin_ctz(bytes) - 2;
    r->writes = writes;
    return v->sight->is_row(r);
}

static bool see(const struct check_intervals *v, const struct check_threads *t,
                const struct check_now *n, const struct call *c, const uint32_t *offset,
                struct check_row *r) {
    if (c->row) {
        r->word = &v->word[offset[0] / 4];
        r->tag = n->tag;
        r->first = check_sight_own(n, c->thread);
        return v->sight->see_row(r);
    }
    struct check_lanes l = {.word = v->word,
                            .offset = offset,
                            .seen = &t->seen[c->thread],
                            .thread = c->thread,
                            .mask = c->mask,
                            .bytes = c->site->bytes};
    if (c->site->flags & KD_CHECK_COPY)
        return v->sight->begin_copies(&l, n, c->code & KD_CHECK_SAME_ADDRESS);
    // All lanes' accesses to one place are as one thread's that stands for several.
    if (c->code & KD_CHECK_SAME_ADDRESS)
        return check_see_one(&l, n);
    return v->sight->see_lanes(&l, n);
}

// ---- calls ----------------------------------------------------------------------------------

// Words of the window, with no tag that the interval may have.
static bool prepare(struct check_intervals *v, const struct kd_block *b) {
    uint32_t words = (uint32_t)((b->shared_window_bytes + 3) / 4);
    if (words > v->words) {
        free(v->word);
        v->word = calloc(words, sizeof *v->word);
        v->words = v->word ? words : 0;
    }
    if (v->base + v->epoch > CHECK_MOST_TAG) {
        memset(v->word, 0, v->words * sizeof *v->word);
        v->base = 1 - (int64_t)v->epoch;
    }
    return v->word;
}

// What copies that were begun before the interval still write is not to be accessed: a word of
// several threads that is written says so.
static void mark_copies(struct check_intervals *v, const struct kd_block *b,
                        const struct check_threads *t, uint64_t tag) {
    v->marked = true;
    if (t->copies)
        check_copies_mark(t, b->nthreads, (uint64_t)(uintptr_t)b->shared, v->word, v->words,
                          tag << CHECK_TAG_SHIFT | CHECK_SEVERAL | CHECK_WRITTEN);
}

uint64_t check_intervals_number(const struct check_threads *t) {
    const struct check_intervals *v = t->intervals;
    return v && !v->off && !v->exact ? v->number : 0;
}

void check_intervals_room(struct kd_block *b, struct check_threads *t, uint32_t thread,
                          uint32_t n) {
    struct check_intervals *v = t->intervals;
    if (!check_intervals_number(t))
        return;
    if (t->warp[thread / KD_WARP] > CHECK_MOST_SYNCS || !prepare(v, b))
        check_intervals_stop(b, t);
    else if (n * (sizeof(struct call) + sizeof(uint64_t)) > LOG_BYTES - v->used)
        look_again(v, b, t);
}

void check_intervals_copied(struct kd_block *b, struct check_threads *t, uint32_t thread,
                            const struct check_copy *c) {
    struct check_intervals *v = t->intervals;
    uint64_t number = c->site->kind == KD_CHECK_READ ? 0 : check_intervals_number(t);
    struct call call = {.site = c->site,
                        .thread = thread,
                        .code = c->bytes,
                        .ended = true,
                        .early = c->interval < number};
    if (number && c->interval)
        memcpy(append(v, &call), &c->address, sizeof c->address);
    else
        check_race_copied(b, t, thread, c->site, c->address, c->bytes);
    if (!number)
        return;
    // It counts as the thread's own access from now on.
    uint64_t from = c->address - (uint64_t)(uintptr_t)b->shared;
    struct check_now n = {.tag = (uint64_t)(v->base + v->epoch),
                          .syncs = t->warp[thread / KD_WARP]};
    uint64_t own = check_sight_own(&n, thread) | CHECK_WRITTEN;
    for (uint64_t w = from / 4; w < (from + c->bytes + 3) / 4 && w < v->words; w++)
        v->word[w] = own;
}

static bool in_window(const struct kd_block *b, uint32_t mask, bool same, const uint64_t *addresses,
                      int64_t offset) {
    uint64_t from = (uint64_t)offset - (uint64_t)(uintptr_t)b->shared;
    for (uint32_t m = mask; m; m &= same ? 0 : m - 1)
        if (addresses[same ? 0 : __builtin_ctz(m)] + from < b->shared_window_bytes)
            return true;
    return false;
}

// Offsets in the window. False: some are outside, or lanes have not passed the same barriers.
static bool offsets_of(const struct check_intervals *v, const struct kd_block *b,
                       const struct check_threads *t, const struct call *c,
                       const uint64_t *addresses, uint32_t *offset) {
    uint64_t from = (uint64_t)c->site->offset, bytes = c->site->bytes;
    uint64_t most = b->shared_window_bytes - bytes;
    bool same = c->code & KD_CHECK_SAME_ADDRESS;
    if (!bytes || bytes > b->shared_window_bytes)
        return false;
    struct check_places p = {.addresses = addresses,
                             .from = from,
                             .most = most,
                             .mask = c->mask,
                             .epoch = v->epoch,
                             .epochs = &t->epoch[c->thread],
                             .offset = offset};
    if (c->thread + KD_WARP - (uint32_t)__builtin_clz(c->mask) > MAX_UNITS)
        return false;
    return same ? check_place_of_all(&p) : v->sight->places(&p);
}

// So many words of 64 bits. Where the compiler knows of no least number it takes an instruction
// that is for many.
static inline void copy_words(uint8_t *to, const void *from, uint32_t n) {
    uint32_t k = 0;
    for (; k + 2 <= n; k += 2)
        __builtin_memcpy(to + 8 * k, (const uint8_t *)from + 8 * k, 16);
    if (k < n)
        __builtin_memcpy(to + 8 * k, (const uint8_t *)from + 8 * k, 8);
}

bool check_intervals_take(struct kd_block *b, struct check_threads *t,
                          const struct kd_check_site *site, uint32_t thread, uint32_t mask,
                          uint32_t code, const uint64_t *addresses, const uint64_t *more) {
    struct check_intervals *v = t->intervals;
    bool same = code & KD_CHECK_SAME_ADDRESS;
    uint32_t offset[KD_WARP] __attribute__((aligned(8)));
    if (!v || v->off)
        return false;
    // What a release orders is known from now on, and bulk copies ask for what was written in front
    // of the barrier.
    const struct kd_check_module *m =
        (const struct kd_check_module *)((const char *)site + site->module);
    if (m->bulk_copies || site->flags & KD_CHECK_RELEASE) {
        check_intervals_stop(b, t);
        return false;
    }
    if (v->exact || site->space == ISA_SPACE_GLOBAL)
        return false;
    bool copies = site->flags & KD_CHECK_COPY;
    if (copies && (site->kind != KD_CHECK_WRITE || site->space != ISA_SPACE_SHARED)) {
        check_intervals_look(b, t);
        return false;
    }
    if (site->space == ISA_SPACE_GENERIC && !in_window(b, mask, same, addresses, site->offset))
        return false;
    struct call c = {.site = site,
                     .thread = thread,
                     .mask = mask,
                     .code = code & ~(uint32_t)KD_CHECK_IS_INSIDE,
                     .has_more = more != NULL};
    struct check_row r;
    uint32_t syncs = t->warp[thread / KD_WARP];
    bool writes = site->kind != KD_CHECK_READ, strong = site->flags & KD_CHECK_STRONG;
    struct check_now n = {
        .syncs = syncs, .writes = writes, .strong = strong, .many = same && mask & (mask - 1)};
    if (site->space != ISA_SPACE_SHARED || b->cluster_blocks > 1 || t->order ||
        t->apart[thread / KD_WARP] || syncs > CHECK_MOST_SYNCS || !prepare(v, b) ||
        !((c.row = !strong && !syncs && !copies && is_row(v, b, t, &c, writes, addresses, &r)) ||
          offsets_of(v, b, t, &c, addresses, offset))) {
        check_intervals_stop(b, t);
        return false;
    }
    uint8_t *behind = append(v, &c);
    if (!behind) {
        look_again(v, b, t);
        return false;
    }
    uint32_t lanes = offsets(&c);
    if (c.row)
        offset[0] = (uint32_t)(addresses[0] + (uint64_t)site->offset);
    copy_words(behind, offset, (lanes + 1) / 2);
    behind += (lanes * sizeof *offset + 7) / 8 * 8;
    if (more)
        copy_words(behind, more, count(c.code, KD_CHECK_SAME_MORE));
    n.tag = (uint64_t)(v->base + v->epoch);
    if (!v->marked)
        mark_copies(v, b, t, n.tag);
    if (!see(v, t, &n, &c, offset, &r)) {
        v->in_vain++;
        look_again(v, b, t);
    }
    return true;
}
