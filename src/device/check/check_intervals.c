// Shared memory between two barriers of its block. Most of what threads do there between them is no
// race at first sight: words that one thread alone accesses, or that all only read. A word of eight
// bytes for each four says so at little cost. Calls are kept until the barrier; where something is
// not seen to be right, all of them are looked at by cells, in their order (check_race.c), as if
// they had been made then.
#include "device/check/check_intervals.h"

#include <stdlib.h>
#include <string.h>

#include "device/exec/block.h"
#include "isa/isa.h"

// What a word's last accesses were: in which interval (TAG), how often the thread's warp had
// synchronised, the thread, and
enum {
    WRITTEN = 1,
    STRONG = 2,  // by strong accesses alone
    SEVERAL = 4, // by more than this thread
    THREAD_SHIFT = 8,
    SYNCS_SHIFT = 32,
    TAG_SHIFT = 48,
    MOST_TAG = 0xffff,
    MOST_SYNCS = 0xffff
};
enum {
    LOG_BYTES = 512 << 10,
    MOST_IN_VAIN = 64 // intervals of a grid that had to be looked at again
};

struct rows;
struct check_intervals {
    bool off;       // cells alone count until the block ends
    bool exact;     // until the interval ends
    bool synced;    // warps have synchronised in the interval
    uint32_t epoch; // barriers that the interval is behind
    int64_t base;   // + epoch: its tag
    uint64_t grid;  // of which `in_vain` is
    uint32_t in_vain;
    uint32_t words;
    uint64_t *word;          // of the window
    const struct rows *rows; // as the machine can
    size_t used;
    uint32_t warp[KD_MOST_WARPS], seen[MAX_UNITS]; // synced: as they were when the interval began
    uint8_t log[LOG_BYTES];
};

// A call. Offsets in the window and, where has_more, what is stored follow it.
struct call {
    const struct kd_check_site *site; // NULL: the lanes have synchronised
    uint32_t thread, mask, code;
    bool has_more, row; // row: lanes access words behind each other; the first one's offset follows
};

static uint32_t count(uint32_t code, uint32_t same) {
    return code & same ? 1 : code & KD_CHECK_WIDTH;
}

static uint32_t offsets(const struct call *c) {
    return c->row ? 1 : count(c->code, KD_CHECK_SAME_ADDRESS);
}

static size_t size_of(const struct call *c) {
    size_t n = sizeof *c;
    if (!c->site)
        return n;
    n += (offsets(c) * sizeof(uint32_t) + 7) / 8 * 8;
    return n + (c->has_more ? count(c->code, KD_CHECK_SAME_MORE) * sizeof(uint64_t) : 0);
}

static const struct rows *rows_of_machine(void);

void check_intervals_begin(struct check_threads *t) {
    struct check_intervals *v = t->intervals;
    if (!v && !(v = t->intervals = calloc(1, sizeof *v)))
        return;
    if (!v->rows)
        v->rows = rows_of_machine();
    v->base += (int64_t)v->epoch + 1;
    v->in_vain = v->grid == t->grid ? v->in_vain : 0;
    v->grid = t->grid;
    v->off = v->in_vain >= MOST_IN_VAIN;
    v->exact = v->synced = false;
    v->epoch = 0;
    v->used = 0;
}

static void sync_lanes(struct check_threads *t, uint32_t thread, uint32_t mask) {
    uint32_t w = thread / KD_WARP;
    t->warp[w]++;
    for (uint32_t m = mask; m; m &= m - 1)
        t->seen[thread + (uint32_t)__builtin_ctz(m)] = t->warp[w];
}

// All calls so far, in their order, and from now on until the interval ends each one.
static void look_again(struct check_intervals *v, struct kd_block *b, struct check_threads *t) {
    v->exact = true;
    if (v->synced) {
        memcpy(t->warp, v->warp, sizeof t->warp);
        memcpy(t->seen, v->seen, sizeof t->seen);
    }
    for (size_t at = 0; at < v->used;) {
        struct call c;
        uint64_t addresses[KD_WARP], more[KD_WARP];
        uint32_t offset[KD_WARP];
        memcpy(&c, v->log + at, sizeof c);
        if (c.site) {
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

void check_intervals_stop(struct kd_block *b, struct check_threads *t) {
    struct check_intervals *v = t->intervals;
    if (!v || v->off)
        return;
    if (!v->exact)
        look_again(v, b, t);
    v->off = true;
}

void check_intervals_passed(struct check_threads *t, uint32_t epoch) {
    struct check_intervals *v = t->intervals;
    if (!v || epoch <= v->epoch)
        return;
    v->epoch = epoch;
    v->used = 0;
    v->exact = v->synced = false;
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

// What accesses by a call's lanes are to words, but for their threads.
struct now {
    uint64_t tag;
    uint32_t syncs;
    bool writes, strong, many;
};

// False: it takes a closer look.
static inline bool see(uint64_t *word, const struct now *n, const struct check_threads *t,
                       uint32_t thread) {
    uint64_t was = *word;
    uint64_t own = n->tag << TAG_SHIFT | (uint64_t)n->syncs << SYNCS_SHIFT |
                   (uint64_t)thread << THREAD_SHIFT | (n->many ? SEVERAL : 0);
    bool fresh = was >> TAG_SHIFT != n->tag;
    uint32_t by = (uint32_t)was >> THREAD_SHIFT;
    bool other = by != thread || was & SEVERAL || n->many;
    // Another lane's access that the warp's synchronisation orders before; not so for other warps.
    if (!fresh && other && !(was & SEVERAL) && !n->many && by / KD_WARP == thread / KD_WARP)
        other = (was >> SYNCS_SHIFT & MOST_SYNCS) >= t->seen[thread];
    if (fresh) {
        *word = own | (n->writes ? WRITTEN : 0) | (n->strong ? STRONG : 0);
        return !(n->writes && n->many && !n->strong);
    }
    if (!other) {
        *word = own | (was & WRITTEN) | (n->writes ? WRITTEN : 0) | (n->strong ? was & STRONG : 0);
        return true;
    }
    bool reads = !n->writes && !(was & WRITTEN), both = n->strong && was & STRONG;
    *word = was | SEVERAL | (n->writes ? WRITTEN : 0);
    if (!n->strong)
        *word &= ~(uint64_t)STRONG;
    return reads || both;
}

static bool see_lanes(struct check_intervals *v, const struct check_threads *t, const struct now *n,
                      const struct call *c, const uint32_t *offset) {
    bool same = c->code & KD_CHECK_SAME_ADDRESS, right = true;
    uint32_t bytes = c->site->bytes;
    for (uint32_t m = c->mask; m; m &= same ? 0 : m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m), at = offset[same ? 0 : l];
        for (uint32_t w = at / 4; w <= (at + bytes - 1) / 4; w++)
            right &= see(&v->word[w], n, t, c->thread + l);
    }
    return right;
}

// ---- the same for lanes that access words behind each other ---------------------------------

// Weak accesses of a warp that has not synchronised, by n lanes from the thread on, each of 1 <<
// shift words.
struct row {
    uint64_t *word;
    const uint64_t *addresses;
    const uint32_t *epoch;
    uint64_t first, tag; // first: what a word becomes by the first thread's access
    uint32_t n, shift;
    bool writes;
};

// Are they behind each other, by lanes that have passed as many barriers?
static inline __attribute__((always_inline)) bool is_row_body(const struct row *r) {
    uint64_t apart = 0, first = r->addresses[0];
    uint32_t later = 0, epoch = r->epoch[0], n = r->n;
    for (uint32_t k = 0; k < n; k++)
        apart |= (r->addresses[k] - ((uint64_t)(k << r->shift) << 2)) ^ first;
    for (uint32_t k = 0; k < n; k++)
        later |= r->epoch[k] ^ epoch;
    return !apart && !later;
}

// As see().
static inline __attribute__((always_inline)) bool see_row_body(const struct row *r) {
    const uint64_t who = (uint64_t)MOST_TAG << TAG_SHIFT |
                         ((uint64_t)KD_WARP * KD_MOST_WARPS - 1) << THREAD_SHIFT | SEVERAL;
    uint64_t bad = 0, first = r->first, tag = r->tag, writes = r->writes ? WRITTEN : 0;
    uint32_t words = r->n << r->shift, shift = r->shift;
    uint64_t *word = r->word;
    for (uint32_t k = 0; k < words; k++) {
        uint64_t was = word[k], own = first + ((uint64_t)(k >> shift) << THREAD_SHIFT);
        bool fresh = was >> TAG_SHIFT != tag, same = !((was ^ own) & who);
        uint64_t joined = (was | SEVERAL | writes) & ~(uint64_t)STRONG;
        uint64_t mine = own | writes | (same ? was & WRITTEN : 0);
        bool alone = fresh || same;
        word[k] = alone ? mine : joined;
        bad |= alone ? 0 : (was & WRITTEN) | writes;
    }
    return !bad;
}

static bool is_row_plain(const struct row *r) {
    return is_row_body(r);
}

static bool see_row_plain(const struct row *r) {
    return see_row_body(r);
}

struct rows {
    bool (*is)(const struct row *), (*see)(const struct row *);
};
static const struct rows plain_rows = {is_row_plain, see_row_plain};

#ifdef __x86_64__
#define AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
__attribute__((target("avx2"))) static bool is_row_avx2(const struct row *r) {
    return is_row_body(r);
}

__attribute__((target("avx2"))) static bool see_row_avx2(const struct row *r) {
    return see_row_body(r);
}

AVX512 static bool is_row_avx512(const struct row *r) {
    return is_row_body(r);
}

AVX512 static bool see_row_avx512(const struct row *r) {
    return see_row_body(r);
}

static const struct rows avx2_rows = {is_row_avx2, see_row_avx2};
static const struct rows avx512_rows = {is_row_avx512, see_row_avx512};
#endif

static const struct rows *rows_of_machine(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return &avx512_rows;
    if (__builtin_cpu_supports("avx2"))
        return &avx2_rows;
#endif
    return &plain_rows;
}

// Is the call one of a row? *r but for its words is set then.
static bool is_row(const struct check_intervals *v, const struct kd_block *b,
                   const struct check_threads *t, const struct call *c, const struct now *n,
                   const uint64_t *addresses, struct row *r) {
    uint32_t bytes = c->site->bytes, lanes = (uint32_t)__builtin_popcount(c->mask);
    uint64_t at = addresses[0] + (uint64_t)c->site->offset, all = (uint64_t)lanes * bytes;
    if (n->strong || n->syncs || c->code & KD_CHECK_SAME_ADDRESS || c->mask & (c->mask + 1) ||
        lanes < 2 || (bytes != 4 && bytes != 8 && bytes != 16) || at % 4 ||
        all > b->shared_window_bytes || at > b->shared_window_bytes - all ||
        c->thread + lanes > MAX_UNITS || t->epoch[c->thread] != v->epoch)
        return false;
    *r = (struct row){.addresses = addresses,
                      .epoch = &t->epoch[c->thread],
                      .n = lanes,
                      .shift = (uint32_t)__builtin_ctz(bytes) - 2,
                      .writes = n->writes};
    return v->rows->is(r);
}

static bool see_row(const struct check_intervals *v, const struct now *n, const struct call *c,
                    uint32_t offset, struct row *r) {
    r->word = &v->word[offset / 4];
    r->tag = n->tag;
    r->first = n->tag << TAG_SHIFT | (uint64_t)c->thread << THREAD_SHIFT;
    return v->rows->see(r);
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
    if (v->base + v->epoch > MOST_TAG) {
        memset(v->word, 0, v->words * sizeof *v->word);
        v->base = 1 - (int64_t)v->epoch;
    }
    return v->word;
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
    for (uint32_t m = c->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t at = addresses[same ? 0 : l] + from;
        if (at > most || c->thread + l >= MAX_UNITS || t->epoch[c->thread + l] != v->epoch)
            return false;
        offset[same ? 0 : l] = (uint32_t)at;
    }
    return true;
}

bool check_intervals_take(struct kd_block *b, struct check_threads *t,
                          const struct kd_check_site *site, uint32_t thread, uint32_t mask,
                          uint32_t code, const uint64_t *addresses, const uint64_t *more) {
    struct check_intervals *v = t->intervals;
    bool same = code & KD_CHECK_SAME_ADDRESS;
    uint32_t offset[KD_WARP];
    if (!v || v->off)
        return false;
    // What a release orders is known from now on, and a copy goes on behind the barrier. Bulk
    // copies ask for what was written in front of it.
    const struct kd_check_module *m =
        (const struct kd_check_module *)((const char *)site + site->module);
    if (m->bulk_copies || site->flags & (KD_CHECK_RELEASE | KD_CHECK_COPY)) {
        check_intervals_stop(b, t);
        return false;
    }
    if (v->exact || site->space == ISA_SPACE_GLOBAL)
        return false;
    if (site->space == ISA_SPACE_GENERIC && !in_window(b, mask, same, addresses, site->offset))
        return false;
    struct call c = {site, thread, mask, code & ~(uint32_t)KD_CHECK_IS_INSIDE, more != NULL, false};
    struct row r;
    struct now n = {.syncs = t->warp[thread / KD_WARP],
                    .writes = site->kind != KD_CHECK_READ,
                    .strong = site->flags & KD_CHECK_STRONG,
                    .many = same && mask & (mask - 1)};
    if (site->space != ISA_SPACE_SHARED || b->cluster_blocks > 1 || t->order ||
        t->apart[thread / KD_WARP] || n.syncs > MOST_SYNCS || !prepare(v, b) ||
        !((c.row = is_row(v, b, t, &c, &n, addresses, &r)) ||
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
    memcpy(behind, offset, lanes * sizeof *offset);
    behind += (lanes * sizeof *offset + 7) / 8 * 8;
    if (more)
        memcpy(behind, more, count(c.code, KD_CHECK_SAME_MORE) * sizeof *more);
    n.tag = (uint64_t)(v->base + v->epoch);
    if (!(c.row ? see_row(v, &n, &c, offset[0], &r) : see_lanes(v, t, &n, &c, offset))) {
        v->in_vain++;
        look_again(v, b, t);
    }
    return true;
}
