// Device memory: allocation, lookup, guards, accounting, registration.
#include <unistd.h>

#include "device/fake_module.h"

static struct kd_context *c;

static uint64_t alloc(uint64_t size) {
    uint64_t p;
    REQUIRE(kd_memory_alloc(c, KD_MEMORY_DEVICE, size, 7, &p) == KD_OK);
    return p;
}

static void test_lookup(void) {
    static const uint64_t sizes[] = {1, 255, 256, 257, 5000, 32768, 32769, 100000, 3 << 20};
    struct kd_memory m;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t size = sizes[i], p = alloc(size);
        EXPECT_EQ(p % 256, 0);
        EXPECT(size < 512 || p % 512 == 0);
        EXPECT(size < 4096 || size >= 2 << 20 || p % 4096 == 0);
        memset((void *)p, 1, size);
        EXPECT(kd_memory_find(p, &m) && m.base == p && m.size == size);
        EXPECT(kd_memory_find(p + size - 1, &m) && m.base == p && m.flags == 7);
        EXPECT(m.kind == KD_MEMORY_DEVICE && m.context == c);
        EXPECT(!kd_memory_find(p + size, &m) || m.base != p);
        EXPECT_EQ(kd_memory_free(p + (size > 1)), size > 1 ? KD_NOT_FOUND : KD_OK);
        if (size > 1)
            EXPECT_EQ(kd_memory_free(p), KD_OK);
        EXPECT(!kd_memory_find(p, &m));
        EXPECT_EQ(kd_memory_free(p), KD_NOT_FOUND);
    }
    int here;
    EXPECT(!kd_memory_find((uint64_t)&here, &m));
    EXPECT(!kd_memory_find(0, &m));
}

// Large arrays do not begin at one place of a page.
static void test_places(void) {
    static const enum kd_memory_kind kinds[] = {KD_MEMORY_PINNED, KD_MEMORY_MANAGED};
    enum { N = 8 };
    uint64_t p[N], q, seen = 0;
    struct kd_memory m;
    for (int k = 0; k < N; k++) {
        uint64_t size = (4 << 20) + k % 2 * 100;
        p[k] = alloc(size);
        EXPECT_EQ(p[k] % 512, 0);
        EXPECT(kd_memory_find(p[k] + size - 1, &m) && m.base == p[k] && m.size == size);
        EXPECT(!kd_memory_find(p[k] - 1, &m) && !kd_memory_find(p[k] + size, &m));
        memset((void *)p[k], 1, size);
        seen |= 1ull << p[k] % 4096 / 512;
    }
    EXPECT_EQ(seen, 255);
    for (int k = 0; k < N; k++)
        EXPECT_EQ(kd_memory_free(p[k]), KD_OK);
    for (int k = 0; k < 2; k++) {
        REQUIRE(kd_memory_alloc(c, kinds[k], 4 << 20, 0, &q) == KD_OK);
        EXPECT_EQ(q % 4096, 0);
        EXPECT_EQ(kd_memory_free(q), KD_OK);
    }
}

static void test_many(void) {
    enum { N = 100000 };
    uint64_t *p = malloc(N * sizeof *p), used, total, again;
    kd_device_memory(kd_context_device(c), &used, &total);
    for (uint32_t i = 0; i < N; i++) {
        p[i] = alloc(1 + i * 37 % 3000);
        *(uint32_t *)p[i] = i;
    }
    struct kd_memory m;
    bool ok = true;
    for (uint32_t i = 0; i < N; i++)
        ok &= *(uint8_t *)p[i] == (uint8_t)i && kd_memory_find(p[i] + i * 37 % 3000, &m) &&
              m.base == p[i];
    EXPECT(ok);
    for (uint32_t i = 0; i < N; i++)
        ok &= kd_memory_free(p[(uint64_t)i * 7919 % N]) == KD_OK;
    EXPECT(ok);
    kd_device_memory(kd_context_device(c), &again, &total);
    EXPECT_EQ(again, used);
    free(p);
}

// More than the system has mappings for guard pages.
static void test_many_large(void) {
    enum { N = 40000 };
    uint64_t *p = malloc(N * sizeof *p);
    bool ok = true;
    for (uint32_t i = 0; i < N; i++)
        p[i] = alloc(65536);
    for (uint32_t i = 0; i < N; i += 100)
        *(volatile uint8_t *)(p[i] + 65535) = 1;
    for (uint32_t i = 0; i < N; i++)
        ok &= kd_memory_free(p[(uint64_t)i * 7919 % N]) == KD_OK;
    EXPECT(ok);
    free(p);
}

static void test_limits(void) {
    uint64_t p, free_bytes, total, after;
    kd_device_memory(kd_context_device(c), &free_bytes, &total);
    EXPECT(total > 0 && free_bytes <= total);
    EXPECT_EQ(kd_memory_alloc(c, KD_MEMORY_DEVICE, 0, 0, &p), KD_INVALID_VALUE);
    EXPECT_EQ(kd_memory_alloc(c, KD_MEMORY_DEVICE, ~0ull, 0, &p), KD_OUT_OF_MEMORY);
    EXPECT_EQ(kd_memory_alloc(c, KD_MEMORY_DEVICE, ~0ull - 4096, 0, &p), KD_OUT_OF_MEMORY);
    EXPECT_EQ(kd_memory_alloc(c, KD_MEMORY_DEVICE, 1ull << 60, 0, &p), KD_OUT_OF_MEMORY);
    EXPECT_EQ(kd_memory_alloc(c, KD_MEMORY_DEVICE, total + 1, 0, &p), KD_OUT_OF_MEMORY);
    EXPECT_EQ(p, 0);
    p = alloc(1 << 30);
    kd_device_memory(kd_context_device(c), &after, &total);
    EXPECT_EQ(free_bytes - after, 1 << 30);
    EXPECT_EQ(kd_memory_alloc(c, KD_MEMORY_DEVICE, free_bytes, 0, &after), KD_OUT_OF_MEMORY);
    EXPECT_EQ(kd_memory_free(p), KD_OK);
    kd_device_memory(kd_context_device(c), &after, &total);
    EXPECT_EQ(after, free_bytes);
}

// Large memory comes back zeroed: pages are given back to the system when it is freed.
static void test_pages_return(void) {
    uint64_t p = alloc(64 << 20);
    memset((void *)p, 1, 64 << 20);
    EXPECT_EQ(kd_memory_free(p), KD_OK);
    uint64_t again = alloc(64 << 20);
    EXPECT_EQ(*(uint8_t *)again, 0);
    EXPECT_EQ(kd_memory_free(again), KD_OK);
}

static void test_registration(void) {
    static char pages[100000];
    struct kd_memory m;
    EXPECT_EQ(kd_memory_register(c, pages + 1000, 50000, 3), KD_OK);
    EXPECT(kd_memory_find((uint64_t)pages + 50999, &m) && m.kind == KD_MEMORY_REGISTERED);
    EXPECT_EQ(m.base, (uint64_t)pages + 1000);
    EXPECT(!kd_memory_find((uint64_t)pages + 51000, &m));
    EXPECT_EQ(kd_memory_register(c, pages, 1001, 0), KD_ALREADY_REGISTERED);
    EXPECT_EQ(kd_memory_register(c, pages + 50999, 10, 0), KD_ALREADY_REGISTERED);
    EXPECT_EQ(kd_memory_register(c, pages + 51000, 10, 0), KD_OK);
    EXPECT_EQ(kd_memory_unregister(pages + 1001), KD_NOT_REGISTERED);
    EXPECT_EQ(kd_memory_free((uint64_t)pages + 1000), KD_NOT_FOUND);
    EXPECT_EQ(kd_memory_unregister(pages + 1000), KD_OK);
    EXPECT_EQ(kd_memory_unregister(pages + 1000), KD_NOT_REGISTERED);
    EXPECT_EQ(kd_memory_unregister(pages + 51000), KD_OK);
    EXPECT_EQ(kd_memory_register(c, NULL, 10, 0), KD_INVALID_VALUE);
    EXPECT_EQ(kd_memory_register(c, pages, ~0ull, 0), KD_INVALID_VALUE);
}

static void test_context_owns(void) {
    struct kd_context *other = fake_context();
    uint64_t small, large, mine = alloc(100);
    struct kd_memory m;
    EXPECT_EQ(kd_memory_alloc(other, KD_MEMORY_PINNED, 100, 0, &small), KD_OK);
    EXPECT_EQ(kd_memory_alloc(other, KD_MEMORY_MANAGED, 1 << 20, 0, &large), KD_OK);
    EXPECT(kd_memory_find(small, &m) && m.context == other && m.kind == KD_MEMORY_PINNED);
    kd_context_destroy(other);
    EXPECT(!kd_memory_find(small, &m) && !kd_memory_find(large, &m));
    EXPECT(kd_memory_find(mine, &m));
    EXPECT_EQ(kd_memory_free(mine), KD_OK);
}

int main(void) {
    c = fake_context();
    test_lookup();
    test_places();
    test_many();
    test_many_large();
    test_limits();
    test_pages_return();
    test_registration();
    test_context_owns();
    kd_context_destroy(c);
    return expect_done();
}
