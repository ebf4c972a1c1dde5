#include "device/check/check_sight.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

// What names a thread alone.
static const uint64_t who = ((uint64_t)KD_WARP * KD_MOST_WARPS - 1) << CHECK_THREAD_SHIFT;
static const uint64_t joint = CHECK_SEVERAL | CHECK_LANES; // of more than one thread
static const uint64_t dropped =
    CHECK_STRONG | CHECK_BEFORE | CHECK_LANES; // by weak accesses of more

// ---- lanes one by one -----------------------------------------------------------------------

// seen: how often its warp had synchronised when the thread, and each that it stands for, last took
// part.
static inline bool see(uint64_t *word, const struct check_now *n, uint32_t seen, uint32_t thread) {
    uint64_t was = *word, own = check_sight_own(n, thread);
    uint64_t written = n->writes ? CHECK_WRITTEN : 0, strong = n->strong ? CHECK_STRONG : 0;
    uint32_t by = (uint32_t)was >> CHECK_THREAD_SHIFT;
    if (was >> CHECK_TAG_SHIFT != n->tag) {
        *word = own | written | strong | (!n->many ? 0 : written ? CHECK_SEVERAL : CHECK_LANES);
        return !(written && n->many && !strong);
    }
    own |= (was & CHECK_WRITTEN) | written | (was & strong);
    if (!(was & CHECK_SEVERAL) && by / KD_WARP == thread / KD_WARP && !(written && n->many)) {
        uint64_t then = was >> CHECK_SYNCS_SHIFT & CHECK_MOST_SYNCS;
        bool settled = !(was & CHECK_WRITTEN) || (was & CHECK_BEFORE && then <= seen);
        if (then < seen) { // all of it is ordered before
            uint64_t before = !written && was & CHECK_WRITTEN ? CHECK_BEFORE : 0;
            *word = own | before | (n->many ? CHECK_LANES : 0);
            return true;
        }
        if (by == thread && !(was & CHECK_LANES) && !n->many) {
            *word = own | (written ? 0 : was & CHECK_BEFORE);
            return true;
        }
        if (!written && settled) {
            *word = own | (was & CHECK_BEFORE) | CHECK_LANES;
            return true;
        }
    }
    bool reads = !written && !(was & CHECK_WRITTEN), both = was & strong;
    *word = (was | CHECK_SEVERAL | written) & ~(uint64_t)(CHECK_BEFORE | CHECK_LANES);
    if (!strong)
        *word &= ~(uint64_t)CHECK_STRONG;
    return reads || both;
}

static inline bool see_lane(const struct check_lanes *l, const struct check_now *n, uint32_t lane,
                            uint32_t at) {
    bool right = true;
    for (uint32_t w = at / 4; w <= (at + l->bytes - 1) / 4; w++)
        right &= see(&l->word[w], n, l->seen[lane], l->thread + lane);
    return right;
}

bool check_see_one(const struct check_lanes *l, const struct check_now *n) {
    uint32_t first = (uint32_t)__builtin_ctz(l->mask), seen = l->seen[first];
    bool right = true;
    for (uint32_t m = n->many && n->syncs ? l->mask : 0; m; m &= m - 1) {
        uint32_t of_lane = l->seen[__builtin_ctz(m)];
        seen = of_lane < seen ? of_lane : seen;
    }
    for (uint32_t w = l->offset[0] / 4; w <= (l->offset[0] + l->bytes - 1) / 4; w++)
        right &= see(&l->word[w], n, seen, l->thread + first);
    return right;
}

static bool see_lanes_plain(const struct check_lanes *l, const struct check_now *n) {
    bool right = true;
    for (uint32_t m = l->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        right &= see_lane(l, n, lane, l->offset[lane]);
    }
    return right;
}

#ifdef __x86_64__
// ---- lanes that access four words each --------------------------------------------------------

typedef uint64_t quad __attribute__((vector_size(32)));
typedef int64_t signed_quad __attribute__((vector_size(32)));

// see() for four words, each by the lane whose mark is `own` and that has seen `seen`: what they
// become. Not 0 in `wrong`: they have to be looked at closer.
static inline __attribute__((always_inline)) void see_marks(const quad *words, const quad *own,
                                                            const quad *seen, quad *now,
                                                            quad *wrong,
                                                            const struct check_now *n) {
    const uint64_t warps = who & ~(((uint64_t)KD_WARP - 1) << CHECK_THREAD_SHIFT);
    const quad zero = {0}, was = *words, apart = was ^ *own;
    uint64_t writes = n->writes ? CHECK_WRITTEN : 0, strong = n->strong ? CHECK_STRONG : 0;
    uint64_t kept = CHECK_WRITTEN | strong | (n->writes ? 0 : CHECK_BEFORE);
    quad fresh = (quad)(was >> CHECK_TAG_SHIFT != n->tag);
    quad single = (quad)((was & CHECK_SEVERAL) == zero);
    quad same = (quad)((apart & who) == zero) & (quad)((was & CHECK_LANES) == zero);
    quad warp = (quad)((apart & warps) == zero) & single;
    signed_quad then = (signed_quad)(was >> CHECK_SYNCS_SHIFT & CHECK_MOST_SYNCS);
    quad before = warp & (quad)(then < (signed_quad)*seen);
    quad alone = fresh | before | (single & same);
    quad mine = *own | writes | (~fresh & was & kept) | (fresh & strong);
    if (!n->writes) {
        quad earlier = ~(quad)((was & CHECK_BEFORE) == zero) & (quad)(then <= (signed_quad)*seen);
        quad settled = (quad)((was & CHECK_WRITTEN) == zero) | earlier;
        quad lanes = ~alone & warp & settled;
        mine |= (before & ~fresh & (was & CHECK_WRITTEN) << 3) | (lanes & CHECK_LANES);
        alone |= lanes;
    }
    quad joined = (was | CHECK_SEVERAL | writes) & ~(strong ^ dropped);
    *now = (alone & mine) | (~alone & joined);
    *wrong = ~alone & (was | writes) & CHECK_WRITTEN & ~((was & strong) >> 1); // CHECK_STRONG
}

// see() for lanes that access four words each.
static inline __attribute__((always_inline)) bool see_quads_body(const struct check_lanes *l,
                                                                 const struct check_now *n) {
    const quad zero = {0};
    quad wrong = zero;
    for (uint32_t m = l->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t *word = &l->word[l->offset[lane] / 4];
        quad own = zero + check_sight_own(n, l->thread + lane);
        quad seen = zero + l->seen[lane], was, now, bad;
        __builtin_memcpy(&was, word, sizeof was);
        see_marks(&was, &own, &seen, &now, &bad, n);
        wrong |= bad;
        __builtin_memcpy(word, &now, sizeof now);
    }
    return !(wrong[0] | wrong[1] | wrong[2] | wrong[3]);
}

// Have lanes accesses of four whole words each?
static bool are_quads(const struct check_lanes *l) {
    uint32_t odd = l->bytes ^ sizeof(uint32_t[4]);
    for (uint32_t m = l->mask; m; m &= m - 1)
        odd |= l->offset[__builtin_ctz(m)] % 4;
    return !odd;
}
#endif

// ---- asynchronous copies ----------------------------------------------------------------------

// What a copy writes is nobody's before its thread has waited. Until then it is to be accessed by
// nobody else.
static inline bool begin_copy(uint64_t *word, const struct check_now *n, uint32_t seen,
                              uint32_t thread) {
    uint64_t was = *word, own = check_sight_own(n, thread);
    bool fresh = was >> CHECK_TAG_SHIFT != n->tag, single = !((was ^ own) & (who | joint));
    uint32_t by = (uint32_t)was >> CHECK_THREAD_SHIFT;
    bool warp = !(was & CHECK_SEVERAL) && by / KD_WARP == thread / KD_WARP;
    bool before = warp && (was >> CHECK_SYNCS_SHIFT & CHECK_MOST_SYNCS) < seen;
    *word = n->tag << CHECK_TAG_SHIFT | CHECK_SEVERAL | CHECK_WRITTEN;
    return fresh || single || before;
}

static bool begin_copies_plain(const struct check_lanes *l, const struct check_now *n, bool same) {
    bool right = true;
    for (uint32_t m = l->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), at = l->offset[same ? 0 : lane];
        for (uint32_t w = at / 4; w <= (at + l->bytes - 1) / 4; w++)
            right &= begin_copy(&l->word[w], n, l->seen[lane], l->thread + lane);
    }
    return right;
}

#ifdef __x86_64__
// The same for four words of each lane; what is ordered by the warp is looked at closer.
static inline __attribute__((always_inline)) bool begin_quads_body(const struct check_lanes *l,
                                                                   const struct check_now *n) {
    const uint64_t mark = n->tag << CHECK_TAG_SHIFT | CHECK_SEVERAL | CHECK_WRITTEN;
    const quad zero = {0}, begun = zero + mark;
    quad wrong = zero;
    for (uint32_t m = l->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t *word = &l->word[l->offset[lane] / 4];
        uint64_t own = check_sight_own(n, l->thread + lane);
        quad was;
        __builtin_memcpy(&was, word, sizeof was);
        quad single = (quad)(((was ^ own) & (who | joint)) == zero);
        wrong |= (quad)(was >> CHECK_TAG_SHIFT == n->tag) & ~single;
        __builtin_memcpy(word, &begun, sizeof begun);
    }
    return !(wrong[0] | wrong[1] | wrong[2] | wrong[3]);
}
#endif

bool check_place_of_all(const struct check_places *p) {
    uint64_t at = p->addresses[0] + p->from;
    uint32_t later = 0, n = check_lanes_of(p->mask);
    for (uint32_t k = 0; k < n; k++)
        later |= p->epochs[k] ^ p->epoch;
    for (uint32_t m = n ? 0 : p->mask; m; m &= m - 1)
        later |= p->epochs[__builtin_ctz(m)] ^ p->epoch;
    p->offset[0] = (uint32_t)at;
    return at <= p->most && !later;
}

static bool places_plain(const struct check_places *p) {
    for (uint32_t m = p->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t at = p->addresses[l] + p->from;
        if (at > p->most || p->epochs[l] != p->epoch)
            return false;
        p->offset[l] = (uint32_t)at;
    }
    return true;
}

// ---- lanes that access words behind each other ----------------------------------------------

static inline __attribute__((always_inline)) bool is_row_body(const struct check_row *r) {
    uint64_t apart = 0, first = r->addresses[0];
    uint32_t later = 0, epoch = r->epoch[0], n = r->n;
    for (uint32_t k = 0; k < n; k++)
        apart |= (r->addresses[k] - ((uint64_t)(k << r->shift) << 2)) ^ first;
    for (uint32_t k = 0; k < n; k++)
        later |= r->epoch[k] ^ epoch;
    return !apart && !later;
}

// As see(), but that words of several lanes become words of several threads.
static inline __attribute__((always_inline)) bool see_row_body(const struct check_row *r) {
    const uint64_t all = (uint64_t)CHECK_MOST_TAG << CHECK_TAG_SHIFT | who | joint;
    uint64_t bad = 0, first = r->first, tag = r->tag, writes = r->writes ? CHECK_WRITTEN : 0;
    uint32_t words = r->n << r->shift, shift = r->shift;
    uint64_t *word = r->word;
    for (uint32_t k = 0; k < words; k++) {
        uint64_t was = word[k], own = first + ((uint64_t)(k >> shift) << CHECK_THREAD_SHIFT);
        bool fresh = was >> CHECK_TAG_SHIFT != tag, same = !((was ^ own) & all);
        uint64_t joined = (was | CHECK_SEVERAL | writes) & ~dropped;
        uint64_t mine = own | writes | (same ? was & CHECK_WRITTEN : 0);
        bool alone = fresh || same;
        word[k] = alone ? mine : joined;
        bad |= alone ? 0 : (was & CHECK_WRITTEN) | writes;
    }
    return !bad;
}

static bool is_row_plain(const struct check_row *r) {
    return is_row_body(r);
}

static bool see_row_plain(const struct check_row *r) {
    return see_row_body(r);
}

static const struct check_sight_functions plain = {is_row_plain, see_row_plain, see_lanes_plain,
                                                   begin_copies_plain, places_plain};

// ---- vectors of x86 ---------------------------------------------------------------------------

#ifdef __x86_64__
__attribute__((target("avx2"))) static bool is_row_avx2(const struct check_row *r) {
    return is_row_body(r);
}

__attribute__((target("avx2"))) static bool see_row_avx2(const struct check_row *r) {
    return see_row_body(r);
}

__attribute__((target("avx2"))) static bool see_quads_avx2(const struct check_lanes *l,
                                                           const struct check_now *n) {
    return see_quads_body(l, n);
}

// Four lanes, each of which accesses one word; distinct: no two of them access one.
struct four {
    uint64_t *word[4];
    bool row, distinct; // row: the words are behind each other
};

#define AVX2 static inline __attribute__((always_inline, target("avx2")))
AVX2 quad load_four(const struct four *f) {
    quad x = {*f->word[0], *f->word[1], *f->word[2], *f->word[3]};
    if (f->row)
        __builtin_memcpy(&x, f->word[0], sizeof x);
    return x;
}

AVX2 void store_four(const struct four *f, quad x) {
    if (f->row)
        __builtin_memcpy(f->word[0], &x, sizeof x);
    for (int k = 0; k < 4 && !f->row; k++)
        *f->word[k] = x[k];
}

// Lanes that access one word, which has what one of them has left there.
AVX2 quad see_common_four(const struct four *f, quad now, const struct check_now *n) {
    const quad zero = {0};
    quad left = load_four(f), more = (quad)(left != now), both = zero;
    if (n->strong)
        both = ~(quad)((left & CHECK_STRONG) == zero);
    // Reads race with what was there before, which each lane has been compared with, alone.
    if (!n->writes)
        more &= (quad)((left & CHECK_SEVERAL) == zero);
    left |= n->writes ? CHECK_SEVERAL : CHECK_LANES;
    for (int k = 0; k < 4; k++)
        if (more[k])
            *f->word[k] = left[k];
    return n->writes ? more & ~(quad)((left & CHECK_WRITTEN) == zero) & ~both : zero;
}

// see() for four lanes, each to one word. Not 0: they have to be looked at closer.
AVX2 quad see_four(const struct four *f, quad own, quad seen, const struct check_now *n) {
    quad was = load_four(f), now, wrong;
    see_marks(&was, &own, &seen, &now, &wrong, n);
    store_four(f, now);
    return f->distinct ? wrong : wrong | see_common_four(f, now, n);
}

// The words of up to four lanes; where there are fewer, others that nobody has.
AVX2 struct four four_of(const struct check_lanes *l, const uint32_t *lane, uint32_t many,
                         uint64_t *nobody) {
    struct four f;
    for (uint32_t k = 0; k < 4; k++)
        f.word[k] = k < many ? &l->word[l->offset[lane[k]] / 4] : &nobody[k];
    f.row = f.word[1] == f.word[0] + 1 && f.word[2] == f.word[0] + 2 && f.word[3] == f.word[0] + 3;
    f.distinct =
        f.row || (f.word[0] != f.word[1] && f.word[0] != f.word[2] && f.word[0] != f.word[3] &&
                  f.word[1] != f.word[2] && f.word[1] != f.word[3] && f.word[2] != f.word[3]);
    return f;
}

// see() for lanes that access one or two whole words each.
__attribute__((target("avx2"))) static bool see_words_avx2(const struct check_lanes *l,
                                                           const struct check_now *n) {
    uint64_t nobody[5] = {0}, wrong = 0, first = check_sight_own(n, l->thread);
    uint32_t lane[KD_WARP], many = 0, words = (l->bytes + 3) / 4;
    for (uint32_t m = l->mask; m; m &= m - 1)
        lane[many++] = (uint32_t)__builtin_ctz(m);
    uint32_t filled = (many + 3) & ~3u;
    for (uint32_t k = many; k < filled; k++)
        lane[k] = lane[0];
    for (uint32_t k = 0; k < filled; k += 4) {
        struct four f = four_of(l, lane + k, many - k, nobody);
        quad on = {lane[k], lane[k + 1], lane[k + 2], lane[k + 3]};
        quad seen = {l->seen[lane[k]], l->seen[lane[k + 1]], l->seen[lane[k + 2]],
                     l->seen[lane[k + 3]]};
        quad own = first + (on << CHECK_THREAD_SHIFT);
        for (uint32_t w = 0; w < words; w++) {
            quad x = see_four(&f, own, seen, n);
            wrong |= x[0] | x[1] | x[2] | x[3];
            for (uint32_t i = 0; i < 4; i++)
                f.word[i] += k + i < many;
        }
    }
    return !wrong;
}

// Are all accesses to whole words, or in one?
static bool are_words(const struct check_lanes *l) {
    uint32_t odd = l->bytes & (l->bytes - 1), within = (l->bytes < 4 ? l->bytes : 4) - 1;
    for (uint32_t m = l->mask; m; m &= m - 1)
        odd |= l->offset[__builtin_ctz(m)] & within;
    return !odd && l->bytes <= sizeof(uint64_t);
}

static bool see_lanes_avx2(const struct check_lanes *l, const struct check_now *n) {
    return are_quads(l)   ? see_quads_avx2(l, n)
           : are_words(l) ? see_words_avx2(l, n)
                          : see_lanes_plain(l, n);
}

// Four lanes at a time, as long as all four are there.
__attribute__((target("avx2"))) static bool places_avx2(const struct check_places *p) {
    typedef uint32_t four_words __attribute__((vector_size(16)));
    quad wrong = {0};
    four_words later = {0};
    for (uint32_t k = 0; p->mask >> k; k += 4) {
        uint32_t m = p->mask >> k & 15;
        for (uint32_t l = k; m != 15 && l < k + 4; l++) {
            uint64_t at = p->mask >> l & 1 ? p->addresses[l] + p->from : 0;
            if (at > p->most || (p->mask >> l & 1 && p->epochs[l] != p->epoch))
                return false;
            if (p->mask >> l & 1)
                p->offset[l] = (uint32_t)at;
        }
        if (m == 15) {
            quad at;
            four_words epochs, low;
            __builtin_memcpy(&at, p->addresses + k, sizeof at);
            __builtin_memcpy(&epochs, p->epochs + k, sizeof epochs);
            at += p->from;
            wrong |= (quad)(at > p->most);
            later |= epochs ^ p->epoch;
            low = __builtin_convertvector(at, four_words);
            __builtin_memcpy(p->offset + k, &low, sizeof low);
        }
        if (k == KD_WARP - 4)
            break;
    }
    return !(wrong[0] | wrong[1] | wrong[2] | wrong[3]) &&
           !(later[0] | later[1] | later[2] | later[3]);
}

__attribute__((target("avx2"))) static bool begin_quads_avx2(const struct check_lanes *l,
                                                             const struct check_now *n) {
    return begin_quads_body(l, n);
}

static bool begin_copies_avx2(const struct check_lanes *l, const struct check_now *n, bool same) {
    return !same && are_quads(l) ? begin_quads_avx2(l, n) : begin_copies_plain(l, n, same);
}

static const struct check_sight_functions avx2 = {is_row_avx2, see_row_avx2, see_lanes_avx2,
                                                  begin_copies_avx2, places_avx2};

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
AVX512 static bool is_row_avx512(const struct check_row *r) {
    return is_row_body(r);
}

AVX512 static bool see_row_avx512(const struct check_row *r) {
    return see_row_body(r);
}

AVX512 static bool places_avx512(const struct check_places *p) {
    __m512i from = _mm512_set1_epi64((int64_t)p->from), most = _mm512_set1_epi64((int64_t)p->most);
    __m256i epoch = _mm256_set1_epi32((int32_t)p->epoch);
    __mmask8 wrong = 0;
    for (uint32_t k = 0; k < KD_WARP; k += 8) {
        __mmask8 m = (__mmask8)(p->mask >> k);
        if (!m)
            continue;
        __m512i at = _mm512_add_epi64(_mm512_maskz_loadu_epi64(m, p->addresses + k), from);
        __m256i passed = _mm256_maskz_loadu_epi32(m, p->epochs + k);
        wrong |= _mm512_mask_cmpgt_epu64_mask(m, at, most) |
                 _mm256_mask_cmpneq_epi32_mask(m, passed, epoch);
        _mm256_mask_storeu_epi32(p->offset + k, m, _mm512_cvtepi64_epi32(at));
    }
    return !wrong;
}

// What is alike for all lanes of a call.
struct alike {
    __m512i tag, writes, kept, strong, dropped, syncs;
    bool is_strong, reads;
};

// Eight lanes, each of which accesses one word.
struct eight {
    uint64_t *word;
    __mmask8 lanes;
    __m256i at;
    bool row;      // the lanes' words are behind each other, from `first` on
    bool distinct; // no two of them access one
    int64_t first;
};

AVX512 static inline struct eight eight_of(uint64_t *word, __mmask8 m, const uint32_t *offset,
                                           __m256i at) {
    const __m256i on = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    uint32_t one = (uint32_t)__builtin_ctz(m), rest = m & (m - 1u);
    uint32_t two = rest ? (uint32_t)__builtin_ctz(rest) : one + 1;
    int32_t first = (int32_t)(offset[one] / 4);
    int32_t apart = rest ? (int32_t)(offset[two] / 4) - first : 1;
    int32_t by = apart >> __builtin_ctz(two - one);
    __m256i expected = _mm256_add_epi32(_mm256_set1_epi32(first - by * (int32_t)one),
                                        _mm256_mullo_epi32(on, _mm256_set1_epi32(by)));
    bool steps = !_mm256_mask_cmpneq_epi32_mask(m, at, expected);
    return (struct eight){word, m, at, steps && by == 1, steps && by, first - (int64_t)one};
}

AVX512 static inline __m512i load_eight(const struct eight *e) {
    if (e->row)
        return _mm512_maskz_loadu_epi64(e->lanes, e->word + e->first);
    return _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), e->lanes, e->at, e->word, 8);
}

AVX512 static inline void store_eight(const struct eight *e, __m512i x) {
    if (e->row)
        _mm512_mask_storeu_epi64(e->word + e->first, e->lanes, x);
    else
        _mm512_mask_i32scatter_epi64(e->word, e->lanes, e->at, x, 8);
}

// Lanes that access one word, which has what one of them has left there.
AVX512 static __mmask8 see_common(const struct eight *e, __m512i now, const struct alike *a) {
    __m512i left = load_eight(e);
    __mmask8 more = _mm512_mask_cmpneq_epi64_mask(e->lanes, left, now);
    __mmask8 both = a->is_strong ? _mm512_test_epi64_mask(left, a->strong) : 0;
    // Reads race with what was there before, which each lane has been compared with, alone.
    if (a->reads)
        more &= _mm512_testn_epi64_mask(left, _mm512_set1_epi64(CHECK_SEVERAL));
    left = _mm512_or_si512(left, _mm512_set1_epi64(a->reads ? CHECK_LANES : CHECK_SEVERAL));
    _mm512_mask_i32scatter_epi64(e->word, more, e->at, left, 8);
    if (a->reads)
        return 0;
    return more & _mm512_test_epi64_mask(left, _mm512_set1_epi64(CHECK_WRITTEN)) & (__mmask8)~both;
}

// see() for eight lanes, each to one word; those in the result have to be looked at closer.
AVX512 static inline __mmask8 see_eight(const struct eight *e, __m512i own, __m512i seen,
                                        const struct alike *a) {
    const __m512i written = _mm512_set1_epi64(CHECK_WRITTEN),
                  several = _mm512_set1_epi64(CHECK_SEVERAL);
    __m512i was = load_eight(e);
    __mmask8 fresh = _mm512_cmpneq_epi64_mask(_mm512_srli_epi64(was, CHECK_TAG_SHIFT), a->tag);
    __m512i apart = _mm512_xor_si512(was, own);
    __mmask8 single = _mm512_testn_epi64_mask(was, several);
    __mmask8 same = _mm512_testn_epi64_mask(apart, _mm512_set1_epi64((int64_t)who));
    __mmask8 warp = _mm512_testn_epi64_mask(
        apart,
        _mm512_set1_epi64((int64_t)(who & ~(((uint64_t)KD_WARP - 1) << CHECK_THREAD_SHIFT))));
    __m512i then = _mm512_and_si512(_mm512_srli_epi64(was, CHECK_SYNCS_SHIFT), a->syncs);
    __mmask8 before = single & warp & _mm512_cmplt_epu64_mask(then, seen);
    __mmask8 alone = fresh | before |
                     (single & same & _mm512_testn_epi64_mask(was, _mm512_set1_epi64(CHECK_LANES)));
    __m512i mine = _mm512_or_si512(_mm512_or_si512(own, a->writes),
                                   _mm512_maskz_and_epi64((__mmask8)~fresh, was, a->kept));
    mine = _mm512_mask_or_epi64(mine, fresh, mine, a->strong);
    if (a->reads) {
        __mmask8 settled = _mm512_testn_epi64_mask(was, written) |
                           (_mm512_test_epi64_mask(was, _mm512_set1_epi64(CHECK_BEFORE)) &
                            _mm512_cmple_epu64_mask(then, seen));
        __mmask8 lanes = (__mmask8)~alone & single & warp & settled;
        __m512i earlier = _mm512_slli_epi64(_mm512_and_si512(was, written), 3); // CHECK_BEFORE
        mine = _mm512_mask_or_epi64(mine, before & (__mmask8)~fresh, mine, earlier);
        mine = _mm512_mask_or_epi64(mine, lanes, mine, _mm512_set1_epi64(CHECK_LANES));
        alone |= lanes;
    }
    __m512i joined = _mm512_or_si512(_mm512_or_si512(was, several), a->writes);
    __m512i now = _mm512_mask_mov_epi64(_mm512_andnot_si512(a->dropped, joined), alone, mine);
    __mmask8 changed = _mm512_test_epi64_mask(_mm512_or_si512(was, a->writes), written);
    __mmask8 both = a->is_strong ? _mm512_test_epi64_mask(was, a->strong) : 0;
    __mmask8 wrong = e->lanes & (__mmask8)~alone & changed & (__mmask8)~both;
    store_eight(e, now);
    return e->distinct ? wrong : wrong | see_common(e, now, a);
}

AVX512 static bool see_quads_avx512(const struct check_lanes *l, const struct check_now *n) {
    return see_quads_body(l, n);
}

AVX512 static bool see_lanes_avx512(const struct check_lanes *l, const struct check_now *n) {
    uint32_t within = (l->bytes < 4 ? l->bytes : 4) - 1, words = (l->bytes + 3) / 4;
    const __m512i eight = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    uint64_t strong = n->strong ? CHECK_STRONG : 0;
    struct alike a = {.tag = _mm512_set1_epi64((int64_t)n->tag),
                      .writes = _mm512_set1_epi64(n->writes ? CHECK_WRITTEN : 0),
                      .kept = _mm512_set1_epi64(
                          (int64_t)(CHECK_WRITTEN | strong | (n->writes ? 0 : CHECK_BEFORE))),
                      .strong = _mm512_set1_epi64((int64_t)strong),
                      .dropped = _mm512_set1_epi64((int64_t)(strong ^ dropped)),
                      .reads = !n->writes,
                      .syncs = _mm512_set1_epi64(CHECK_MOST_SYNCS),
                      .is_strong = n->strong};
    __mmask8 odd = 0, wrong = 0;
    for (uint32_t k = 0; k < KD_WARP; k += 8) {
        __mmask8 m = (__mmask8)(l->mask >> k);
        __m256i at = _mm256_maskz_loadu_epi32(m, l->offset + k);
        odd |= _mm256_test_epi32_mask(at, _mm256_set1_epi32((int32_t)within));
    }
    if (odd || l->bytes & (l->bytes - 1))
        return see_lanes_plain(l, n);
    if (words == 4)
        return see_quads_avx512(l, n);
    for (uint32_t k = 0; k < KD_WARP; k += 8) {
        __mmask8 m = (__mmask8)(l->mask >> k);
        if (!m)
            continue;
        __m256i at = _mm256_srli_epi32(_mm256_maskz_loadu_epi32(m, l->offset + k), 2);
        __m512i seen = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(m, l->seen + k));
        __m512i thread = _mm512_slli_epi64(eight, CHECK_THREAD_SHIFT);
        thread =
            _mm512_add_epi64(thread, _mm512_set1_epi64((int64_t)check_sight_own(n, l->thread + k)));
        struct eight e = eight_of(l->word, m, l->offset + k, at);
        for (uint32_t w = 0; w < words; w++) {
            wrong |= see_eight(&e, thread, seen, &a);
            e.at = _mm256_add_epi32(e.at, _mm256_set1_epi32(1));
            e.first++;
        }
    }
    return !wrong;
}

static const struct check_sight_functions avx512 = {is_row_avx512, see_row_avx512, see_lanes_avx512,
                                                    begin_copies_avx2, places_avx512};
#endif

const struct check_sight_functions *check_sight_of_machine(void) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return &avx512;
    if (__builtin_cpu_supports("avx2"))
        return &avx2;
#endif
    return &plain;
}
