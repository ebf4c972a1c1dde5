// Native images: what is written is read back; damaged ones are refused.
#include "image/image.h"

#include "device/expect.h"

static const struct kj_param params[] = {{0, 8, 8}, {8, 4, 4}};
static const struct kj_kernel kernels[] = {
    {.name = "saxpy",
     .nparams = 2,
     .params = params,
     .param_bytes = 12,
     .shared_static = 512,
     .maxntid = {256, 1, 1},
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
         .info =
             {.abi_version = KD_ABI_VERSION, .mode = KD_MODE_BLOCK, .width = 8, .spill_bytes = 64},
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
    EXPECT_EQ(kimg_native_code(n, 1)->info.mode, KD_MODE_WARP_STACKS);
    EXPECT(kimg_native_code(n, 2) == NULL);
    kimg_native_close(n);
    free(data);
    free(again);
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

int main(void) {
    test_round_trip();
    test_damage();
    return expect_done();
}
