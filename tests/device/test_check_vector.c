// What `kudzu check` keeps of who knows what: entries, joins, and that shared vectors stay as they
// were.
#include <string.h>

#include "device/check/check_vector.h"
#include "device/expect.h"

enum { BLOCKS = 200 };

static void test_entries(void) {
    struct check_vector *v = NULL;
    EXPECT(!check_vector_knows(v, 0, 0, 0));
    for (uint32_t k = BLOCKS; k-- > 0;)
        check_vector_put(&v, k * 7, k % 5, k + 1);
    for (uint32_t k = 0; k < BLOCKS; k++) {
        EXPECT(check_vector_knows(v, k * 7, k % 5, k));
        EXPECT(!check_vector_knows(v, k * 7, k % 5, k + 1));
        EXPECT(!check_vector_knows(v, k * 7 + 1, k % 5, 0));
    }
    check_vector_put(&v, 7, 1, 1); // less than is known
    EXPECT(check_vector_knows(v, 7, 1, 1));
    check_vector_drop(&v);
    EXPECT(!v);
}

static void test_shared(void) {
    struct check_vector *a = NULL, *b;
    check_vector_put(&a, 1, CHECK_WHO_ALL, 5);
    b = check_vector_ref(a);
    check_vector_put(&b, 1, CHECK_WHO_ALL, 9);
    check_vector_put(&b, 2, 3, 1);
    EXPECT(check_vector_knows(b, 1, CHECK_WHO_ALL, 8));
    EXPECT(!check_vector_knows(a, 1, CHECK_WHO_ALL, 5));
    EXPECT(!check_vector_knows(a, 2, 3, 0));
    check_vector_drop(&a);
    EXPECT(check_vector_knows(b, 2, 3, 0));
    check_vector_drop(&b);
}

static void test_join(void) {
    struct check_vector *a = NULL, *b = NULL, *c = NULL;
    for (uint32_t k = 0; k < BLOCKS; k++) {
        check_vector_put(k % 2 ? &a : &b, k, 0, k + 1);
        check_vector_put(&a, BLOCKS + k, 0, k % 3 + 1);
        check_vector_put(&b, BLOCKS + k, 0, k % 5 + 1);
    }
    check_vector_join(&c, NULL);
    EXPECT(!c);
    check_vector_join(&c, a);
    EXPECT(c == a); // the same entries are kept once
    check_vector_join(&c, b);
    EXPECT(c != a && c != b);
    for (uint32_t k = 0; k < BLOCKS; k++) {
        uint32_t most = k % 3 > k % 5 ? k % 3 : k % 5;
        EXPECT(check_vector_knows(c, k, 0, k) && !check_vector_knows(c, k, 0, k + 1));
        EXPECT(check_vector_knows(c, BLOCKS + k, 0, most));
        EXPECT(!check_vector_knows(c, BLOCKS + k, 0, most + 1));
    }
    struct check_vector *before = c;
    check_vector_join(&c, a);
    check_vector_join(&c, b);
    EXPECT(c == before); // it has them all
    check_vector_put(&b, BLOCKS, 0, 100);
    check_vector_join(&c, b);
    EXPECT(check_vector_knows(c, BLOCKS, 0, 99)); // though it had what b was
    check_vector_drop(&a);
    check_vector_drop(&b);
    check_vector_drop(&c);
}

// Puts and joins in any order, beside arrays that have each clock's time.
static void test_as_arrays(void) {
    enum { VECTORS = 6, KEYS = 60, STEPS = 20000 };
    struct check_vector *v[VECTORS] = {0};
    uint32_t times[VECTORS][KEYS] = {0}, seed = 1;
    for (uint32_t step = 0; step < STEPS; step++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t i = (seed >> 8) % VECTORS, j = (seed >> 12) % VECTORS, k = (seed >> 16) % KEYS;
        if (seed >> 28 < 8) {
            check_vector_put(&v[i], k / 7, k % 7, step / 16 + 1);
            times[i][k] = step / 16 + 1;
        } else if (seed >> 28 < 15) {
            check_vector_join(&v[i], v[j]);
            for (uint32_t m = 0; m < KEYS; m++)
                times[i][m] = times[j][m] > times[i][m] ? times[j][m] : times[i][m];
        } else if (step % 8 == 0) {
            check_vector_drop(&v[i]);
            memset(times[i], 0, sizeof times[i]);
        }
        for (uint32_t m = 0; m < KEYS; m++) {
            uint32_t time = times[i][m];
            EXPECT(!time || check_vector_knows(v[i], m / 7, m % 7, time - 1));
            EXPECT(!check_vector_knows(v[i], m / 7, m % 7, time));
        }
    }
    for (uint32_t i = 0; i < VECTORS; i++)
        check_vector_drop(&v[i]);
}

static void test_too_many(void) {
    struct check_vector *v = NULL, *w = NULL;
    for (uint32_t k = 0; k < 100000; k++)
        check_vector_put(&v, k, 0, 1);
    EXPECT(check_vector_knows(v, 3, 0, 0));
    EXPECT(check_vector_knows(v, 200000, 7, 1000)); // everything
    check_vector_put(&w, 1, 1, 1);
    check_vector_join(&w, v);
    EXPECT(w == v);
    check_vector_drop(&v);
    check_vector_drop(&w);
}

int main(void) {
    test_entries();
    test_shared();
    test_join();
    test_as_arrays();
    test_too_many();
    return expect_done();
}
