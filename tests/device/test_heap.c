// The kernels' heap: every size, disjoint blocks, reuse, exhaustion, several threads at once.
#include <pthread.h>

#include "device/fake_module.h"
#include "device/internal.h"

static struct kd_context *c;

static void test_sizes(void) {
    static const uint64_t sizes[] = {0,    1,    15,   16,   17,    100,    128,
                                     1000, 1361, 4096, 4097, 10000, 1 << 20};
    enum { N = sizeof sizes / sizeof sizes[0] };
    uint64_t p[N];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            p[i] = heap_take(c, sizes[i]);
            REQUIRE(p[i]);
            EXPECT_EQ(p[i] % 16, 0);
            memset((void *)p[i], i, sizes[i]);
        }
        for (int i = 0; i < N; i++) {
            for (uint64_t b = 0; b < sizes[i]; b++)
                if (((uint8_t *)p[i])[b] != i) {
                    EXPECT(!"blocks overlap");
                    break;
                }
        }
        for (int i = N - 1; i >= 0; i--)
            EXPECT(heap_give(c, p[i]));
    }
}

// All of it, in small and in large pieces, again and again: nothing is lost.
static uint64_t fill(uint64_t size) {
    static uint64_t p[600000];
    uint64_t n = 0;
    while (n < 600000 && (p[n] = heap_take(c, size)))
        n++;
    for (uint64_t i = 0; i < n; i++)
        EXPECT(heap_give(c, p[(i * 7919) % n]) || n % 7919 == 0);
    return n;
}

static void test_exhaustion(void) {
    uint64_t first = fill(16);
    EXPECT(first >= (8 << 20) / 16 * 98 / 100);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(fill(16), first);
    EXPECT_EQ(fill(8 << 20), 1);
    EXPECT_EQ(fill((8 << 20) + 1), 0);
    EXPECT_EQ(fill(4 << 20), 2);
    EXPECT_EQ(heap_take(c, ~0ull), 0);
    EXPECT_EQ(fill(16), first);
}

static void test_bad_frees(void) {
    uint64_t p = heap_take(c, 100), large = heap_take(c, 100000);
    EXPECT(heap_give(c, 0));
    EXPECT(!heap_give(c, p + 8));
    EXPECT(!heap_give(c, large + 16));
    EXPECT(!heap_give(c, large + 8192));
    EXPECT(!heap_give(c, 0x1234));
    EXPECT(heap_give(c, p));
    EXPECT(!heap_give(c, p));
    EXPECT(heap_give(c, large));
    EXPECT(!heap_give(c, large));
}

static void *churn(void *arg) {
    uint32_t state = (uint32_t)(uint64_t)arg * 2654435761u + 1;
    struct {
        uint64_t p;
        uint32_t size, tag;
    } held[64] = {0};
    for (int i = 0; i < 20000; i++) {
        state = state * 1664525 + 1013904223;
        uint32_t k = state >> 26;
        if (held[k].p) {
            uint8_t *b = (uint8_t *)held[k].p;
            EXPECT(b[0] == (uint8_t)held[k].tag && b[held[k].size - 1] == (uint8_t)held[k].tag);
            EXPECT(heap_give(c, held[k].p));
            held[k].p = 0;
        } else {
            held[k].size = 1 + (state >> 8) % 6000;
            held[k].tag = state >> 16;
            held[k].p = heap_take(c, held[k].size);
            if (held[k].p)
                memset((void *)held[k].p, (int)held[k].tag, held[k].size);
        }
    }
    for (int k = 0; k < 64; k++)
        if (held[k].p)
            EXPECT(heap_give(c, held[k].p));
    return NULL;
}

static void test_threads(void) {
    pthread_t t[4];
    for (uint64_t i = 0; i < 4; i++)
        REQUIRE(pthread_create(&t[i], NULL, churn, (void *)i) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    EXPECT_EQ(fill(8 << 20), 1); // all of it came back
}

static void test_limit(void) {
    struct kd_context *small = fake_context();
    EXPECT_EQ(kd_context_get_limit(small, KD_LIMIT_MALLOC_HEAP), 8 << 20);
    EXPECT_EQ(kd_context_set_limit(small, KD_LIMIT_MALLOC_HEAP, 64 << 10), KD_OK);
    EXPECT(heap_take(small, 40000) != 0);
    EXPECT(heap_take(small, 40000) == 0);
    EXPECT_EQ(kd_context_set_limit(small, KD_LIMIT_MALLOC_HEAP, 1 << 20), KD_INVALID_VALUE);
    kd_context_destroy(small);
}

// The bases of large arrays lie at different places of a page; the heap's pages do not.
static void test_behind_large_arrays(void) {
    for (int arrays = 1; arrays < 4; arrays++) {
        struct kd_context *late = fake_context();
        uint64_t array[4];
        for (int i = 0; i < arrays; i++)
            REQUIRE(kd_memory_alloc(late, KD_MEMORY_DEVICE, 2 << 20, 0, &array[i]) == KD_OK);
        EXPECT(heap_take(late, 40) != 0);
        EXPECT(heap_take(late, 40000) != 0);
        for (int i = 0; i < arrays; i++)
            EXPECT_EQ(kd_memory_free(array[i]), KD_OK);
        kd_context_destroy(late);
    }
}

int main(void) {
    c = fake_context();
    test_sizes();
    test_exhaustion();
    test_bad_frees();
    test_threads();
    test_limit();
    test_behind_large_arrays();
    kd_context_destroy(c);
    return expect_done();
}
