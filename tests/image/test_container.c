// The container: what is written is read back, the layout is the public one, damage is refused.
#include "image/image.h"

#include "device/expect.h"

static const char ptx70[] = "// sm_70 text", ptx90[] = "// sm_90 text, longer";

static void build(void **data, size_t *size) {
    struct kimg_entry entries[] = {
        {.kind = KIMG_PTX,
         .arch = 70,
         .ptx_major = 7,
         .ptx_minor = 8,
         .data = ptx70,
         .size = strlen(ptx70),
         .name = "a.cu"},
        {.kind = KIMG_NATIVE, .data = "\1\2\3", .size = 3},
        {.kind = KIMG_PTX,
         .arch = 90,
         .ptx_major = 8,
         .ptx_minor = 5,
         .data = ptx90,
         .size = sizeof ptx90},
        {.kind = KIMG_PTX, .arch = 100, .ptx_major = 8, .ptx_minor = 6, .data = "x", .size = 1},
    };
    REQUIRE(kimg_build(entries, 4, data, size));
}

static void test_layout(void) {
    void *data;
    size_t size;
    build(&data, &size);
    const uint8_t *p = data;
    static const uint8_t head[] = {0x50, 0xED, 0x55, 0xBA, 1, 0, 16, 0};
    EXPECT(memcmp(p, head, 8) == 0);
    EXPECT_EQ(p[8] + 256 * p[9], size - 16);
    // First entry: kind 1, version 0x101, header 64 + 8 for the options, which are empty and which
    // NVIDIA's driver crashes without, + 8 for the name; 14 bytes of text in 16, PTX 7.8, sm_70.
    EXPECT_EQ(p[16], 1);
    EXPECT_EQ(p[18] + 256 * p[19], 0x101);
    EXPECT_EQ(p[20], 80);
    EXPECT_EQ(p[24], 16);
    EXPECT_EQ(p[36], 64);
    EXPECT_EQ(p[40], 8);
    EXPECT_EQ(p[42], 7);
    EXPECT_EQ(p[44], 70);
    EXPECT_EQ(p[48], 72);
    EXPECT(memcmp(p + 16 + 64, "\0\0\0\0\0\0\0\0a.cu", 13) == 0);
    EXPECT_STR((const char *)p + 16 + 80, ptx70);
    free(data);
}

static void test_walk(void) {
    void *data;
    size_t size;
    char err[200];
    build(&data, &size);
    struct kimg it;
    struct kimg_entry e;
    for (int known = 0; known < 2; known++) {
        REQUIRE(kimg_open(&it, data, known ? size : 0, err, sizeof err));
        EXPECT_EQ(kimg_next(&it, &e, err, sizeof err), 1);
        EXPECT_STR(e.name, "a.cu");
        EXPECT_EQ(e.ptx_major * 10 + e.ptx_minor, 78);
        EXPECT_EQ(kimg_next(&it, &e, err, sizeof err), 1);
        EXPECT_EQ(e.kind, KIMG_NATIVE);
        EXPECT_EQ(e.size, 8);
        EXPECT_EQ(kimg_next(&it, &e, err, sizeof err), 1);
        EXPECT_EQ(kimg_next(&it, &e, err, sizeof err), 1);
        EXPECT_EQ(kimg_next(&it, &e, err, sizeof err), 0);
    }
    REQUIRE(kimg_best_ptx(data, size, 90, false, &e, err, sizeof err));
    EXPECT_STR(e.data, ptx90);
    EXPECT_EQ(e.size, sizeof ptx90);
    REQUIRE(kimg_best_ptx(data, size, 89, false, &e, err, sizeof err));
    EXPECT_EQ(e.arch, 70);
    EXPECT(!kimg_best_ptx(data, size, 60, false, &e, err, sizeof err));
    EXPECT_STR(err, "");
    REQUIRE(kimg_find_native(data, size, &e));
    EXPECT(memcmp(e.data, "\1\2\3", 3) == 0);
    free(data);
}

// Where nothing is for `arch` or before, a lenient reader gets the next one.
static void test_lenient(void) {
    void *data;
    size_t size;
    char err[200];
    struct kimg_entry e;
    build(&data, &size);
    REQUIRE(kimg_best_ptx(data, size, 60, true, &e, err, sizeof err));
    EXPECT_EQ(e.arch, 70);
    REQUIRE(kimg_best_ptx(data, size, 95, true, &e, err, sizeof err));
    EXPECT_EQ(e.arch, 90);
    free(data);
}

// Code for one architecture alone is passed over on the next one.
static void test_features(void) {
    static const char plain[] = ".version 8.0 .target sm_80 .address_size 64",
                      own[] = ".version 8.0 .target debug, sm_90a .address_size 64",
                      family[] = "/**/.version 8.8//\n.target sm_100f";
    struct kimg_entry entries[] = {
        {.kind = KIMG_PTX, .arch = 80, .data = plain, .size = sizeof plain},
        {.kind = KIMG_PTX, .arch = 90, .data = own, .size = sizeof own},
        {.kind = KIMG_PTX, .arch = 100, .data = family, .size = sizeof family},
    };
    static const struct {
        uint32_t device, entry;
        bool lenient;
    } cases[] = {{80, 80, false}, {90, 90, false},  {100, 100, false}, {103, 100, false},
                 {89, 80, false}, {101, 80, false}, {120, 80, false},  {120, 100, true},
                 {90, 90, true},  {101, 100, true}};
    void *data;
    size_t size;
    char err[200];
    struct kimg_entry e;
    REQUIRE(kimg_build(entries, 3, &data, &size));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        REQUIRE(kimg_best_ptx(data, size, cases[i].device, cases[i].lenient, &e, err, sizeof err));
        EXPECT_EQ(e.arch, cases[i].entry);
    }
    free(data);
}

// A text that fills its entry to the last byte, as other writers leave it.
static void test_without_nul(void) {
    static const char text[] = "12345678901234567890123"; // 24 bytes with the NUL, a whole entry
    struct kimg_entry entry = {.kind = KIMG_PTX, .arch = 90, .data = text, .size = sizeof text}, e;
    void *data;
    size_t size;
    char err[200];
    REQUIRE(kimg_build(&entry, 1, &data, &size));
    ((char *)data)[size - 1] = '4';
    REQUIRE(kimg_best_ptx(data, size, 90, false, &e, err, sizeof err));
    EXPECT_EQ(e.size, 24);
    EXPECT(memcmp(e.data, "123456789012345678901234", 24) == 0);
    free(data);
}

static void walk_all(const void *data, size_t size) {
    struct kimg it;
    struct kimg_entry e;
    char err[200];
    if (kimg_open(&it, data, size, err, sizeof err))
        while (kimg_next(&it, &e, err, sizeof err) == 1) {
            volatile uint8_t sum = 0;
            for (size_t i = 0; i < e.size; i++)
                sum = (uint8_t)(sum + ((const uint8_t *)e.data)[i]);
        }
    kimg_best_ptx(data, size, 90, false, &e, err, sizeof err);
    kimg_find_native(data, size, &e);
}

// Every prefix and every one-byte change, in memory that ends with the data (for ASan).
static void test_damage(void) {
    void *data;
    size_t size;
    char err[200];
    build(&data, &size);
    for (size_t cut = 1; cut < size; cut++) {
        uint8_t *copy = malloc(cut);
        memcpy(copy, data, cut);
        struct kimg it;
        EXPECT(!kimg_open(&it, copy, cut, err, sizeof err));
        free(copy);
    }
    for (size_t i = 0; i < size; i++) {
        for (int value = 0; value < 256; value += 17) {
            uint8_t *copy = malloc(size);
            memcpy(copy, data, size);
            copy[i] = (uint8_t)value;
            walk_all(copy, size);
            free(copy);
        }
    }
    free(data);
}

int main(void) {
    test_layout();
    test_walk();
    test_lenient();
    test_features();
    test_without_nul();
    test_damage();
    return expect_done();
}
