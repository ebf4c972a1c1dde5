// Native images: what is written is read back; damaged ones are refused.
#include "image/image.h"

#include "device/expect.h"
#include "image/native_format.h"

#include <xxhash.h>
#include <zstd.h>

static const struct kj_param params[] = {{0, 8, 8}, {8, 4, 4}};
static const struct kj_kernel kernels[] = {
    {.name = "saxpy",
     .nparams = 2,
     .params = params,
     .param_bytes = 12,
     .shared_static = 512,
     .maxntid = {256, 1, 1},
     .launches = 1,
     .registers = 40},
    {.name = "empty", .registers = 1},
};
static const uint8_t init[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const struct kj_reloc relocs[] = {
    {.offset = 0, .addend = -4, .var = 1, .func = 0, .size = 8}};
static const struct kj_var vars[] = {
    {.name = "table",
     .size = 8,
     .align = 8,
     .is_visible = 1,
     .init = init,
     .nrelocs = 1,
     .relocs = relocs},
    {.name = "zeros", .size = 1 << 20, .align = 256, .is_const = 1},
};
static const struct kj_module_info info = {2, 2, kernels, vars, 8, 5, 90};
static const char ptx[] = ".version 8.5";

static void build(void **data, size_t *size) {
    uint8_t obj[1000];
    for (int i = 0; i < 1000; i++)
        obj[i] = (uint8_t)(i * 7);
    struct kimg_code codes[] = {
        {.kernel = 0,
         .spec = {.ntid = {32, 8, 1}, .level = KD_LEVEL_X86_64_V3},
         .info = {.abi_version = KD_ABI_VERSION,
                  .mode = KD_MODE_BLOCK,
                  .width = 8,
                  .spill_bytes = 64,
                  .local_bytes = 48,
                  .recursive = 1,
                  .flags = KD_CODE_MAY_WAIT,
                  .stack_bytes = 3 << 20},
         .obj = obj,
         .obj_size = 1000},
        {.kernel = 1,
         .info = {.abi_version = KD_ABI_VERSION, .mode = KD_MODE_WARP_STACKS},
         .obj = obj,
         .obj_size = 10},
    };
    REQUIRE(kimg_native_build(&info, codes, 2, ptx, sizeof ptx, "1.2.3", data, size));
}

static void test_round_trip(void) {
    void *data, *again;
    size_t size, again_size;
    char err[200] = "";
    build(&data, &size);
    build(&again, &again_size);
    EXPECT(size == again_size && memcmp(data, again, size) == 0);
    struct kimg_native *n = kimg_native_open(data, size, err, sizeof err);
    EXPECT_STR(err, "");
    REQUIRE(n);
    const struct kj_module_info *i = kimg_native_info(n);
    EXPECT_STR(kimg_native_version(n), "1.2.3");
    EXPECT(kimg_native_ptx_hash(n) == kimg_ptx_hash(ptx, strlen(ptx)));
    EXPECT_EQ(i->nkernels, 2);
    EXPECT_EQ(i->target_sm, 90);
    EXPECT_STR(i->kernels[0].name, "saxpy");
    EXPECT_EQ(i->kernels[0].params[1].offset, 8);
    EXPECT_EQ(i->kernels[0].maxntid[0], 256);
    EXPECT_EQ(i->kernels[1].registers, 1);
    EXPECT(i->kernels[0].launches == 1 && !i->kernels[1].launches);
    EXPECT_EQ(i->nvars, 2);
    EXPECT(memcmp(i->vars[0].init, init, 8) == 0);
    EXPECT_EQ(i->vars[0].relocs[0].addend, -4);
    EXPECT_EQ(i->vars[0].is_visible, 1);
    EXPECT_EQ(i->vars[1].is_const, 1);
    EXPECT(i->vars[1].init == NULL);
    EXPECT_EQ(kimg_native_code_count(n), 2);
    EXPECT_EQ(kimg_native_code(n, 0)->spec.ntid[1], 8);
    EXPECT_EQ(kimg_native_code(n, 0)->obj_size, 1000);
    EXPECT_EQ(((const uint8_t *)kimg_native_code(n, 0)->obj)[999], (uint8_t)(999 * 7));
    const struct kd_code_info *first = &kimg_native_code(n, 0)->info;
    EXPECT_EQ(first->width, 8);
    EXPECT_EQ(first->spill_bytes, 64);
    EXPECT_EQ(first->local_bytes, 48);
    EXPECT_EQ(first->recursive, 1);
    EXPECT_EQ(first->flags, KD_CODE_MAY_WAIT);
    EXPECT_EQ(first->stack_bytes, 3 << 20);
    EXPECT_EQ(kimg_native_code(n, 1)->info.mode, KD_MODE_WARP_STACKS);
    EXPECT(kimg_native_code(n, 2) == NULL);
    kimg_native_close(n);
    free(data);
    free(again);
}

// Code whose blocks are split between calls is run by its width; none needs more than so much
// stack.
static void test_odd_code(void) {
    static const struct kd_code_info odd[] = {
        {.abi_version = KD_ABI_VERSION, .flags = KD_CODE_SPLITS},
        {.abi_version = KD_ABI_VERSION, .stack_bytes = KD_MOST_STACK_BYTES + 1u}};
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        char err[200] = "";
        void *data;
        size_t size;
        struct kimg_code code = {.info = odd[k], .obj = "", .obj_size = 1};
        REQUIRE(kimg_native_build(&info, &code, 1, ptx, sizeof ptx, "1.2.3", &data, &size));
        EXPECT(!kimg_native_open(data, size, err, sizeof err));
        EXPECT(strstr(err, "a kind that is not known"));
        free(data);
    }
}

// One changed bit anywhere, and every prefix, is refused with a reason.
static void test_damage(void) {
    void *data;
    size_t size;
    build(&data, &size);
    for (size_t i = 0; i < size * 8; i++) {
        char err[200] = "";
        uint8_t *copy = malloc(size);
        memcpy(copy, data, size);
        copy[i / 8] ^= (uint8_t)(1 << i % 8);
        EXPECT(kimg_native_open(copy, size, err, sizeof err) == NULL);
        EXPECT(err[0] != 0);
        free(copy);
    }
    for (size_t cut = 1; cut < size; cut++) {
        uint8_t *copy = malloc(cut);
        memcpy(copy, data, cut);
        EXPECT(kimg_native_open(copy, cut, NULL, 0) == NULL);
        free(copy);
    }
    free(data);
}

// Reads every byte that an image gives out.
static void walk(const struct kimg_native *n) {
    const struct kj_module_info *i = kimg_native_info(n);
    uint64_t sum = strlen(kimg_native_version(n));
    for (uint32_t k = 0; k < i->nkernels; k++) {
        sum += strlen(i->kernels[k].name);
        for (uint32_t p = 0; p < i->kernels[k].nparams; p++)
            sum += i->kernels[k].params[p].size;
    }
    for (uint32_t v = 0; v < i->nvars; v++) {
        const struct kj_var *var = &i->vars[v];
        for (uint64_t b = 0; var->init && b < var->size; b++)
            sum += var->init[b];
        for (uint32_t r = 0; r < var->nrelocs; r++) {
            EXPECT(var->relocs[r].offset + var->relocs[r].size <= var->size);
            EXPECT(var->relocs[r].var < (int32_t)i->nvars);
        }
    }
    for (size_t c = 0; c < kimg_native_code_count(n); c++) {
        const struct kimg_code *code = kimg_native_code(n, c);
        EXPECT(code->kernel < i->nkernels);
        for (size_t b = 0; b < code->obj_size; b++)
            sum += ((const uint8_t *)code->obj)[b];
    }
    volatile uint64_t keep = sum;
    (void)keep;
}

// Packs a changed description with right checksums: what an attacker would do.
static bool reopen(const uint8_t *plain, size_t size) {
    struct native_header h = {.magic = {'K', 'U', 'D', 'Z', 'U', 'I', 'M', 'G'},
                              .format = NATIVE_FORMAT,
                              .abi = KD_ABI_VERSION,
                              .plain = size,
                              .plain_hash = XXH3_64bits(plain, size)};
    uint8_t *image = malloc(sizeof h + ZSTD_compressBound(size));
    h.compressed = ZSTD_compress(image + sizeof h, ZSTD_compressBound(size), plain, size, 1);
    h.compressed_hash = XXH3_64bits(image + sizeof h, h.compressed);
    memcpy(image, &h, sizeof h);
    struct kimg_native *n = kimg_native_open(image, sizeof h + h.compressed, NULL, 0);
    if (n)
        walk(n);
    kimg_native_close(n);
    free(image);
    return n != NULL;
}

static void test_hostile(void) {
    void *data;
    size_t size;
    build(&data, &size);
    struct native_header h;
    memcpy(&h, data, sizeof h);
    uint8_t *plain = malloc(h.plain);
    REQUIRE(ZSTD_decompress(plain, h.plain, (uint8_t *)data + sizeof h, h.compressed) == h.plain);
    EXPECT(reopen(plain, h.plain));
    EXPECT(!reopen(plain, h.plain - 1));
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    size_t description = h.plain < 1200 ? h.plain : 1200; // object code is mere bytes
    for (size_t at = 0; at < description; at++) {
        uint8_t old = plain[at];
        for (int v = 0; v < 5; v++) {
            plain[at] = values[v];
            reopen(plain, h.plain);
        }
        plain[at] = old;
    }
    free(plain);
    free(data);
}

int main(void) {
    test_hostile();
    test_round_trip();
    test_odd_code();
    test_damage();
    return expect_done();
}
