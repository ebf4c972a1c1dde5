// Shared memory at first sight: calls of lanes at any places race where two threads access a word
// between two barriers and one of them writes it, and only there.
#include "device/check/check_sight.h"

#include <string.h>

#include "device/expect.h"

enum { WORDS = 64, THREADS = 128, INTERVALS = 3000, CALLS = 12 };

// What threads have done to each word since the barrier, and how often their warp had synchronised
// then, plus one; 0: nothing.
static struct { uint32_t read[WORDS][THREADS], written[WORDS][THREADS]; } model;
static uint32_t synced[THREADS / KD_WARP];

static uint32_t random_below(uint32_t n) {
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33) % n;
}

// Does it race with what was before?
static bool races(uint32_t word, uint32_t thread, bool writes) {
    bool race = false;
    uint32_t syncs = synced[thread / KD_WARP];
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t least = t / KD_WARP == thread / KD_WARP ? syncs : 0; // what is below is ordered
        race |= t != thread &&
                (model.written[word][t] > least || (writes && model.read[word][t] > least));
    }
    (writes ? model.written : model.read)[word][thread] = syncs + 1;
    return race;
}

// Offsets of the lanes' elements: rows, steps, one place for some, or anywhere.
static void choose(uint32_t *offset, uint32_t bytes) {
    uint32_t n = WORDS * 4 / bytes, how = random_below(4), from = random_below(n),
             step = random_below(4);
    for (uint32_t l = 0; l < KD_WARP; l++) {
        uint32_t at = how == 0   ? from + l
                      : how == 1 ? from + step * l
                      : how == 2 ? from + l / 4
                                 : random_below(n);
        offset[l] = at % n * bytes;
    }
}

static bool call(const struct check_sight_functions *f, uint64_t *word, struct check_now *n,
                 bool *race) {
    static const uint32_t sizes[] = {4, 8, 16};
    uint32_t offset[KD_WARP], seen[KD_WARP], bytes = sizes[random_below(3)];
    uint32_t warp = random_below(THREADS / KD_WARP);
    struct check_lanes l = {.word = word,
                            .offset = offset,
                            .seen = seen,
                            .thread = warp * KD_WARP,
                            .mask = 1u << random_below(KD_WARP),
                            .bytes = bytes};
    bool same = !random_below(4);
    l.mask |= random_below(2) ? 0xffff : random_below(UINT32_MAX);
    choose(offset, bytes);
    n->syncs = synced[warp];
    n->many = same && l.mask & (l.mask - 1);
    *race = false;
    for (uint32_t k = 0; k < KD_WARP; k++) {
        seen[k] = n->syncs;
        for (uint32_t w = 0; l.mask >> k & 1 && w < bytes / 4; w++)
            *race |= races(offset[same ? 0 : k] / 4 + w, l.thread + k, n->writes);
    }
    return same ? check_see_one(&l, n) : f->see_lanes(&l, n);
}

// syncs: warps synchronise between calls, in one of so many. Returns how often a call that does not
// race was not seen to be right.
static uint32_t try_lanes(uint32_t syncs, uint32_t tag) {
    const struct check_sight_functions *f = check_sight_of_machine();
    static uint64_t word[WORDS];
    uint32_t found = 0, clean = 0, doubted = 0;
    for (uint32_t k = 1; k <= INTERVALS; k++) {
        memset(&model, 0, sizeof model);
        memset(synced, 0, sizeof synced);
        for (uint32_t c = 0; c < CALLS; c++) {
            struct check_now n = {.tag = tag + k, .writes = !random_below(4)};
            bool race, right = call(f, word, &n, &race);
            EXPECT(!(right && race));
            found += race;
            clean += !race && right;
            doubted += !race && !right;
            if (!right || race)
                break;
            if (syncs && !random_below(syncs))
                synced[random_below(THREADS / KD_WARP)]++;
        }
    }
    EXPECT(found > INTERVALS / 10 && clean > INTERVALS / 10);
    return doubted;
}

// A warp's lanes hand words to each other: each writes its own, all read one after the other, and
// once more they write.
static void test_handed_on(void) {
    const struct check_sight_functions *f = check_sight_of_machine();
    uint64_t word[WORDS] = {0};
    uint32_t offset[KD_WARP], seen[KD_WARP] = {0}, one;
    struct check_lanes own = {word, offset, seen, 0, UINT32_MAX, 4};
    struct check_lanes all = {word, &one, seen, 0, UINT32_MAX, 4};
    struct check_now writes = {.tag = 1, .writes = true}, reads = {.tag = 1, .many = true};
    for (uint32_t l = 0; l < KD_WARP; l++)
        offset[l] = 4 * l;
    for (uint32_t round = 0; round < 3; round++) {
        EXPECT(f->see_lanes(&own, &writes));
        for (uint32_t l = 0; l < KD_WARP; l++)
            seen[l] = 2 * round + 1;
        reads.syncs = 2 * round + 1;
        for (uint32_t times = 0; times < 2; times++)
            for (one = 0; one < 4 * KD_WARP; one += 4)
                EXPECT(check_see_one(&all, &reads));
        for (uint32_t l = 0; l < KD_WARP; l++)
            seen[l] = 2 * round + 2;
        writes.syncs = 2 * round + 2;
    }
    // Another warp reads what this one wrote.
    struct check_lanes other = {word, offset, (uint32_t[KD_WARP]){0}, KD_WARP, 1, 4};
    EXPECT(!f->see_lanes(&other, &(struct check_now){.tag = 1}));
}

// Asynchronous copies of a warp's lanes, of so many bytes each, in a step that lets them touch or
// not: what they write is not to be accessed then, and was not to be by others before.
static void try_copies(uint32_t bytes, uint32_t step) {
    const struct check_sight_functions *f = check_sight_of_machine();
    uint32_t offset[KD_WARP], seen[KD_WARP] = {0};
    struct check_now reads = {.tag = 1}, writes = {.tag = 1, .writes = true};
    for (uint32_t l = 0; l < KD_WARP; l++)
        offset[l] = step * l;
    for (uint32_t other = 0; other <= KD_WARP; other += KD_WARP)
        for (uint32_t lane = 0; lane < KD_WARP; lane++) {
            uint64_t word[KD_WARP * 5] = {0};
            struct check_lanes own = {word, offset, seen, 0, UINT32_MAX, bytes};
            struct check_lanes one = {word, offset, seen, other, 1u << lane, bytes};
            // One lane's access before: its own, or that of a thread of another warp.
            EXPECT(f->see_lanes(&one, lane % 2 ? &reads : &writes));
            EXPECT(f->begin_copies(&own, &writes, false) == (!other && step >= bytes));
            EXPECT(!f->see_lanes(&one, &reads));
            EXPECT(!f->begin_copies(&one, &writes, false));
            // Behind the next barrier nothing is left of it.
            EXPECT(f->see_lanes(&one, &(struct check_now){.tag = 2}));
        }
}

static void test_copies(void) {
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2) {
        try_copies(bytes, bytes);
        try_copies(bytes, bytes + 4);
        try_copies(bytes, bytes - 4);
    }
}

static void test_lanes(void) {
    EXPECT(!try_lanes(0, 0));
    EXPECT(!try_lanes(2, INTERVALS));
}

int main(void) {
    test_lanes();
    test_handed_on();
    test_copies();
    return expect_done();
}
