// The code loader: real objects of several code shapes run; damaged ones are refused.
#include <sys/mman.h>

#include "device/code/code_loader.h"
#include "device/expect.h"

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    REQUIRE(f);
    uint8_t *data = malloc(1 << 20);
    *size = fread(data, 1, 1 << 20, f);
    REQUIRE(*size > 0 && *size < 1 << 20);
    fclose(f);
    return data;
}

static void test_runs(const uint8_t *obj, size_t size) {
    struct loaded_code *c;
    void *entry;
    char err[200] = "";
    bool ok = code_load(obj, size, &c, &entry, err, sizeof err);
    EXPECT_STR(err, "");
    REQUIRE(ok);
    // By hand: 1*1 + 2*2 + 4*3 + 8*4 + 16*5 = 129.
    static const double want[8] = {17, 100, 1, 42, 'o', 3, 1, -1};
    for (uint32_t k = 0; k < 8; k++) {
        double out[2];
        ((void (*)(const uint32_t *, double *))entry)(&k, out);
        EXPECT(out[0] == want[k]);
        EXPECT(out[1] == 129);
    }
    // No page is writable and executable.
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    while (maps && fgets(line, sizeof line, maps))
        EXPECT(!strstr(line, "wx"));
    if (maps)
        fclose(maps);
    code_unload(c);
}

static void refuse(const void *obj, size_t size, const char *why) {
    struct loaded_code *c;
    void *entry;
    char err[200] = "";
    EXPECT(!code_load(obj, size, &c, &entry, err, sizeof err));
    if (!strstr(err, why)) {
        fprintf(stderr, "\"%s\" lacks \"%s\"\n", err, why);
        expect_failures++;
    }
}

// Damaged objects are refused or load something; they never crash the loader.
static void test_damage(const uint8_t *obj, size_t size) {
    struct loaded_code *c;
    void *entry;
    char err[200];
    uint32_t state = 12345;
    for (size_t cut = 0; cut < size; cut += 1 + cut / 64) {
        uint8_t *copy = malloc(cut ? cut : 1);
        memcpy(copy, obj, cut);
        if (code_load(copy, cut, &c, &entry, err, sizeof err))
            code_unload(c);
        free(copy);
    }
    for (int i = 0; i < 30000; i++) {
        uint8_t *copy = malloc(size);
        memcpy(copy, obj, size);
        for (int k = 0; k < 1 + i % 4; k++) {
            state = state * 1664525 + 1013904223;
            // Tables decide what the loader does: most damage goes there.
            size_t tables = size > 2600 ? size - 2600 : 0;
            size_t at = i % 3 ? tables + (state >> 8) % (size - tables) : (state >> 8) % size;
            copy[at] = (uint8_t)(state >> 3 & 1 ? state >> 16 : copy[at] ^ 1u << (state >> 20 & 7));
        }
        if (code_load(copy, size, &c, &entry, err, sizeof err))
            code_unload(c);
        free(copy);
    }
    refuse("", 0, "shorter");
    uint8_t *copy = malloc(size);
    memcpy(copy, obj, size);
    copy[18] = 0x28; // EM_ARM
    refuse(copy, size, "another processor");
    memcpy(copy, obj, size);
    copy[16] = 2; // ET_EXEC
    refuse(copy, size, "relocatable");
    free(copy);
}

// The words were assembled by LLVM 19 for the same instructions with the operands filled in.
static void test_aarch64(void) {
    uint8_t place[16];
    uint32_t word;
    struct reloc_site s = {.place = place, .room = 4, .pc = 0x10000};
    memcpy(place, &(uint32_t){0x94000000}, 4); // bl
    s.symbol = 0x10010;
    EXPECT(reloc_apply_aarch64(283, &s) == NULL);
    memcpy(&word, place, 4);
    EXPECT_EQ(word, 0x94000004);
    s.symbol = 0x10000 + (1ull << 27);
    EXPECT(reloc_apply_aarch64(283, &s) != NULL);
    memcpy(place, &(uint32_t){0x90000000}, 4); // adrp x0
    s.symbol = 0x13123;
    EXPECT(reloc_apply_aarch64(275, &s) == NULL);
    memcpy(&word, place, 4);
    EXPECT_EQ(word, 0xf0000000);               // 3 pages on
    memcpy(place, &(uint32_t){0x91000000}, 4); // add x0, x0, #0
    EXPECT(reloc_apply_aarch64(277, &s) == NULL);
    memcpy(&word, place, 4);
    EXPECT_EQ(word, 0x91048c00);               // #0x123
    memcpy(place, &(uint32_t){0xf9400000}, 4); // ldr x0, [x0]
    s.symbol = 0x13128;
    EXPECT(reloc_apply_aarch64(286, &s) == NULL);
    memcpy(&word, place, 4);
    EXPECT_EQ(word, 0xf9409400); // #0x128
    s.symbol = 0x13124;
    EXPECT(reloc_apply_aarch64(286, &s) != NULL);
    EXPECT_EQ(reloc_needs_aarch64(9999, false), RELOC_UNKNOWN);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        size_t size;
        uint8_t *obj = read_file(argv[i], &size);
        test_runs(obj, size);
        test_damage(obj, size);
        free(obj);
    }
    EXPECT(argc > 1);
    test_aarch64();
    return expect_done();
}
