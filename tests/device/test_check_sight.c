// Shared memory at first sight: calls of lanes at any places race where two threads access a word
// between two barriers and one of them writes it, and only there.
#include "device/check/check_sight.h"

#include <string.h>

#include "device/expect.h"

enum { WORDS = 64, THREADS = 128, INTERVALS = 3000, CALLS = 12 };

// What threads have done to each word since the barrier.
static struct { bool read[WORDS][THREADS], written[WORDS][THREADS]; } model;

static uint32_t random_below(uint32_t n) {
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33) % n;
}

// Does it race with what was before?
static bool races(uint32_t word, uint32_t thread, bool writes) {
    bool race = false;
    for (uint32_t t = 0; t < THREADS; t++)
        race |= t != thread && (model.written[word][t] || (writes && model.read[word][t]));
    (writes ? model.written : model.read)[word][thread] = true;
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

static bool call(const struct check_sight_functions *f, uint64_t *word, const struct check_now *n,
                 bool *race) {
    static const uint32_t sizes[] = {4, 8, 16};
    uint32_t offset[KD_WARP], seen[KD_WARP] = {0}, bytes = sizes[random_below(3)];
    struct check_lanes l = {.word = word,
                            .offset = offset,
                            .seen = seen,
                            .thread = random_below(THREADS / KD_WARP) * KD_WARP,
                            .mask = 1u << random_below(KD_WARP),
                            .bytes = bytes};
    l.mask |= random_below(2) ? 0xffff : random_below(UINT32_MAX);
    choose(offset, bytes);
    *race = false;
    for (uint32_t k = 0; k < KD_WARP; k++)
        for (uint32_t w = 0; l.mask >> k & 1 && w < bytes / 4; w++)
            *race |= races(offset[k] / 4 + w, l.thread + k, n->writes);
    return f->see_lanes(&l, n);
}

static void test_lanes(void) {
    const struct check_sight_functions *f = check_sight_of_machine();
    uint64_t word[WORDS] = {0};
    uint32_t found = 0, clean = 0;
    for (uint32_t k = 1; k <= INTERVALS; k++) {
        memset(&model, 0, sizeof model);
        for (uint32_t c = 0; c < CALLS; c++) {
            struct check_now n = {.tag = k, .writes = !random_below(4)};
            bool race, right = call(f, word, &n, &race);
            EXPECT(right == !race);
            found += race;
            clean += !race;
            if (race)
                break;
        }
    }
    EXPECT(found > INTERVALS / 10 && clean > INTERVALS / 10);
}

int main(void) {
    test_lanes();
    return expect_done();
}
