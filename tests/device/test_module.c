// Modules: choosing among an image's entries, variables and their initialisers, and the choice of
// code for a launch: image, memory, disk cache, compiler, interpreter.
#include <unistd.h>

#include "device/fake_module.h"
#include "image/image.h"

static uint8_t *object;
static size_t object_size;
static struct kd_context *context;

// ---- A compiler library that records what it is asked for ---------------------------------

static struct kd_spec specs[64];
static int compiled, loads;
static bool compile_fails;

static struct kj_module *load(const char *ptx, size_t len, char *log, size_t size) {
    loads++;
    if (memcmp(ptx, "//", 2) != 0) {
        snprintf(log, size, "line 1, column 1: expected a comment");
        return NULL;
    }
    return (struct kj_module *)&fake_info;
}

static bool compile(struct kj_module *m, uint32_t kernel, const struct kd_spec *spec, void **obj,
                    size_t *size, struct kd_code_info *info, char *log, size_t log_size) {
    if (compile_fails) {
        snprintf(log, log_size, "no such luck");
        return false;
    }
    specs[compiled++] = *spec;
    *info = (struct kd_code_info){.abi_version = KD_ABI_VERSION, .width = 1};
    *obj = malloc(object_size);
    memcpy(*obj, object, object_size);
    *size = object_size;
    return true;
}

static int interpreted;
static void interpret(struct kj_module *m, uint32_t kernel, struct kd_block *b) {
    __atomic_fetch_add(&interpreted, 1, __ATOMIC_RELAXED);
}

static const struct jit_library library = {
    .module_load = load,
    .module_free = fake_free,
    .module_info = fake_get_info,
    .compile = compile,
    .interpret_block = interpret,
    .set_runtime = fake_set_runtime,
    .version = fake_version,
};

// ---- The module that all images here describe ---------------------------------------------

static const uint32_t number_init = 77;
static const uint8_t pointer_init[16] = {0};
static const struct kj_reloc relocs[] = {
    {.offset = 0, .addend = 4, .var = 2, .size = 8},
    {.offset = 8, .addend = 0, .var = -1, .func = 48, .size = 8},
};
static const uint32_t table_init[2] = {1, 77};
static const struct kj_var vars[] = {
    {.name = "number", .size = 4, .align = 4, .init = (const uint8_t *)&number_init},
    {.name = "pointer",
     .size = 16,
     .align = 4096,
     .init = pointer_init,
     .nrelocs = 2,
     .relocs = relocs},
    {.name = "table", .size = 8, .align = 4, .is_const = 1, .init = (const uint8_t *)table_init},
    {.name = "zeros", .size = 300, .align = 1, .managed = 1},
};
static const struct kj_kernel kernel_info = {.name = "write", .param_bytes = 8, .registers = 8};

static void describe(void) {
    fake_info = (struct kj_module_info){.nkernels = 1,
                                        .nvars = 4,
                                        .kernels = &kernel_info,
                                        .vars = vars,
                                        .ptx_major = 8,
                                        .ptx_minor = 5,
                                        .target_sm = 90};
    jit_library_use(&library);
    compiled = loads = interpreted = 0;
    compile_fails = false;
}

static enum kd_status launch(struct kd_module *m, uint32_t gx, uint32_t bx, uint64_t *out) {
    struct kd_queue *q = kd_context_legacy_queue(context);
    enum kd_status s = fake_launch(q, m, "write", gx, bx, &out, 8);
    return s ? s : kd_queue_wait(q);
}

static void check_launch(struct kd_module *m, uint32_t bx) {
    uint64_t out[5] = {0};
    EXPECT_EQ(launch(m, 5, bx, out), KD_OK);
    for (uint64_t i = 0; i < 5; i++)
        EXPECT_EQ(out[i], i * 1000 + 77);
}

static struct kd_module *load_ok(const void *image, size_t size) {
    struct kd_module *m = NULL;
    EXPECT_EQ(kd_module_load(context, image, size, NULL, &m), KD_OK);
    EXPECT_STR(kd_reason(), "");
    REQUIRE(m);
    return m;
}

static void test_variables(void) {
    describe();
    struct kd_module *m = load_ok("// ptx", 0);
    uint64_t ptr, size;
    struct kd_memory memory;
    EXPECT_EQ(kd_module_var(m, "number", &ptr, &size), KD_OK);
    EXPECT_EQ(size, 4);
    EXPECT_EQ(*(uint32_t *)ptr, 77);
    EXPECT(kd_memory_find(ptr, &memory) && memory.kind == KD_MEMORY_VARIABLE && memory.size == 4);
    EXPECT_EQ(kd_memory_free(ptr), KD_NOT_FOUND);
    uint64_t table;
    EXPECT_EQ(kd_module_var(m, "table", &table, NULL), KD_OK);
    EXPECT_EQ(kd_module_var(m, "pointer", &ptr, NULL), KD_OK);
    EXPECT_EQ(ptr % 4096, 0);
    EXPECT_EQ(((uint64_t *)ptr)[0], table + 4);
    EXPECT_EQ(((uint64_t *)ptr)[1], 48);
    EXPECT_EQ(kd_module_var(m, "zeros", &ptr, &size), KD_OK);
    EXPECT(kd_memory_find(ptr, &memory) && memory.kind == KD_MEMORY_MANAGED && size == 300);
    EXPECT_EQ(kd_module_var(m, "nothing", &ptr, &size), KD_NOT_FOUND);
    kd_module_free(m);
    EXPECT(!kd_memory_find(table, &memory));
    // An extern variable that nobody defines.
    static const struct kj_var undefined[] = {
        {.name = "elsewhere", .size = 4, .align = 4, .is_extern = 1}};
    fake_info.nvars = 1;
    fake_info.vars = undefined;
    EXPECT_EQ(kd_module_load(context, "// ptx", 0, NULL, &m), KD_UNRESOLVED);
    EXPECT(strstr(kd_reason(), "elsewhere") != NULL);
}

static void test_bad_images(void) {
    describe();
    struct kd_module *m;
    char log[100] = "";
    struct kd_load_options o = {.error_log = log, .error_log_size = sizeof log};
    EXPECT_EQ(kd_module_load(context, ".version", 0, &o, &m), KD_INVALID_PTX);
    EXPECT_STR(log, "line 1, column 1: expected a comment");
    EXPECT_EQ(kd_module_load(context, NULL, 0, &o, &m), KD_INVALID_VALUE);
    EXPECT_EQ(kd_module_load(context,
                             "\x7f"
                             "ELF\1\1\1",
                             8, &o, &m),
              KD_INVALID_IMAGE);
    EXPECT_EQ(kd_module_load(context, "", 0, &o, &m), KD_INVALID_IMAGE);
    // PTX for newer devices is taken where no compute capability was chosen; machine code is not.
    struct kimg_entry e = {.kind = KIMG_PTX, .arch = 100, .data = "// ptx", .size = 6};
    void *newer;
    size_t newer_size;
    REQUIRE(kimg_build(&e, 1, &newer, &newer_size));
    EXPECT_EQ(kd_module_load(context, newer, newer_size, &o, &m), KD_OK);
    kd_module_free(m);
    free(newer);
    e = (struct kimg_entry){.kind = KIMG_ELF,
                            .arch = 90,
                            .data = "\x7f"
                                    "ELF",
                            .size = 4};
    void *image;
    size_t size;
    REQUIRE(kimg_build(&e, 1, &image, &size));
    EXPECT_EQ(kd_module_load(context, image, size, &o, &m), KD_NO_BINARY);
    ((uint8_t *)image)[8] += 8; // longer than its data
    EXPECT_EQ(kd_module_load(context, image, size, &o, &m), KD_INVALID_IMAGE);
    free(image);
}

// Four shapes get code of their own; then one for all shapes.
static void test_shapes(void) {
    describe();
    struct kd_module *m = load_ok("// ptx", 0);
    for (uint32_t bx = 1; bx <= 8; bx++)
        for (int again = 0; again < 3; again++)
            check_launch(m, bx);
    EXPECT_EQ(compiled, 5);
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(specs[i].ntid[0], i + 1);
        EXPECT_EQ(specs[i].flags, KD_SPEC_SMALL_GRID | KD_SPEC_QUICK);
        EXPECT_EQ(specs[i].level, kd_device_properties(kd_context_device(context))->level);
    }
    EXPECT_EQ(specs[4].ntid[0], 0);
    check_launch(m, 64); // of another class
    EXPECT_EQ(compiled, 6);
    EXPECT_EQ(specs[5].ntid[0], 0);
    EXPECT_EQ(specs[5].flags,
              KD_SPEC_SMALL_GRID | KD_SPEC_FULL_WARPS | KD_SPEC_X_MULTIPLE_OF_32 | KD_SPEC_QUICK);
    check_launch(m, 2);
    EXPECT_EQ(compiled, 6);
    kd_module_free(m);
}

static void test_modes(void) {
    describe();
    uint64_t out[5];
    setenv("KUDZU_EXEC", "interp", 1);
    struct kd_module *m = load_ok("// ptx", 0);
    EXPECT_EQ(launch(m, 5, 3, out), KD_OK);
    EXPECT_EQ(interpreted, 5);
    EXPECT_EQ(compiled, 0);
    kd_module_free(m);
    unsetenv("KUDZU_EXEC");
    setenv("KUDZU_WIDTH", "8", 1);
    m = load_ok("// ptx", 0);
    check_launch(m, 3);
    EXPECT_EQ(specs[0].width, 8);
    kd_module_free(m);
    unsetenv("KUDZU_WIDTH");
    // What cannot be compiled is interpreted, unless that is forbidden.
    compile_fails = true;
    m = load_ok("// ptx", 0);
    EXPECT_EQ(launch(m, 5, 3, out), KD_OK);
    EXPECT_EQ(interpreted, 10);
    kd_module_free(m);
    setenv("KUDZU_EXEC", "simd", 1);
    m = load_ok("// ptx", 0);
    EXPECT_EQ(launch(m, 5, 3, out), KD_INVALID_PTX);
    EXPECT_STR(kd_reason(), "kernel write: no such luck");
    kd_module_free(m);
    unsetenv("KUDZU_EXEC");
}

static void test_disk_cache(void) {
    char folder[] = "/tmp/kudzu-module-test-XXXXXX", command[100];
    REQUIRE(mkdtemp(folder));
    setenv("CUDA_CACHE_PATH", folder, 1);
    unsetenv("CUDA_CACHE_DISABLE");
    for (int round = 0; round < 2; round++) {
        describe();
        struct kd_module *m = load_ok("// cached ptx", 0);
        check_launch(m, 3);
        EXPECT_EQ(compiled, round == 0);
        EXPECT_EQ(loads, round == 0); // the second time the compiler is not needed at all
        kd_module_free(m);
    }
    describe();
    struct kd_module *m = load_ok("// other ptx", 0);
    check_launch(m, 3);
    EXPECT_EQ(compiled, 1);
    kd_module_free(m);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    EXPECT_EQ(system(command), 0);
    setenv("CUDA_CACHE_DISABLE", "1", 1);
}

// Native code for any shape, without its PTX.
static void build_native(const char *compiled_from, void **image, size_t *size) {
    struct kimg_code code = {.spec = {.level = KD_LEVEL_X86_64_V2},
                             .info = {.abi_version = KD_ABI_VERSION, .width = 1},
                             .obj = object,
                             .obj_size = object_size};
    REQUIRE(kimg_native_build(&fake_info, &code, 1, compiled_from, strlen(compiled_from),
                              "other version", image, size));
}

// A container with PTX and native code of it.
static void build_image(const char *ptx, const char *compiled_from, void **image, size_t *size) {
    void *native;
    size_t native_size;
    build_native(compiled_from, &native, &native_size);
    struct kimg_entry e[2] = {{.kind = KIMG_PTX, .arch = 90, .data = ptx, .size = strlen(ptx)},
                              {.kind = KIMG_NATIVE, .data = native, .size = native_size}};
    REQUIRE(kimg_build(e, 2, image, size));
    free(native);
}

static void test_native(void) {
    void *image;
    size_t size;
    describe();
    build_image("// ptx", "// ptx", &image, &size);
    struct kimg_wrapper wrapper = {KIMG_WRAPPER_MAGIC, 1, image, NULL};
    void *native;
    size_t native_size;
    build_native("// ptx", &native, &native_size);
    for (int sized = 0; sized < 2; sized++) {
        struct kd_module *m = load_ok(native, sized ? native_size : 0);
        check_launch(m, 3);
        kd_module_free(m);
    }
    free(native);
    for (int wrapped = 0; wrapped < 2; wrapped++) {
        struct kd_module *m = load_ok(wrapped ? (void *)&wrapper : image, wrapped ? 0 : size);
        for (uint32_t bx = 1; bx < 40; bx++)
            check_launch(m, bx);
        kd_module_free(m);
    }
    EXPECT_EQ(loads, 0); // no compiler was needed
    EXPECT_EQ(compiled, 0);
    static const char *force[] = {"CUDA_FORCE_PTX_JIT", "CUDA_FORCE_JIT"};
    static const char *disable[] = {"CUDA_DISABLE_PTX_JIT", "CUDA_DISABLE_JIT"};
    struct kd_module *m;
    for (int i = 0; i < 2; i++) {
        setenv(force[i], "1", 1);
        m = load_ok(image, size);
        check_launch(m, 3);
        EXPECT_EQ(compiled, i + 1);
        kd_module_free(m);
        unsetenv(force[i]);
        setenv(disable[i], "1", 1);
        m = load_ok(image, size);
        check_launch(m, 3);
        kd_module_free(m);
        EXPECT_EQ(kd_module_load(context, "// ptx", 0, NULL, &m), KD_NO_BINARY);
        unsetenv(disable[i]);
        EXPECT_EQ(compiled, i + 1);
    }
    free(image);
    // Native code of other PTX is not used.
    build_image("// ptx", "// older ptx", &image, &size);
    m = load_ok(image, size);
    check_launch(m, 3);
    EXPECT_EQ(compiled, 3);
    kd_module_free(m);
    // Damaged native code is not used either.
    for (size_t at = size - 40; at < size - 8; at += 5) {
        ((uint8_t *)image)[at] ^= 1;
        m = load_ok(image, size);
        check_launch(m, 3);
        kd_module_free(m);
        ((uint8_t *)image)[at] ^= 1;
    }
    free(image);
}

// Which machines run code for which levels.
static void test_levels(void) {
    static const struct {
        enum kd_level machine;
        const char *runs; // a letter for each level from KD_LEVEL_X86_64_V2 on
    } rows[] = {{KD_LEVEL_X86_64_V2, "y....."},      {KD_LEVEL_X86_64_V3, "yy...."},
                {KD_LEVEL_X86_64_V4, "yyy..."},      {KD_LEVEL_AARCH64, "...y.."},
                {KD_LEVEL_AARCH64_SVE256, "...yy."}, {KD_LEVEL_AARCH64_SVE512, "...y.y"}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (uint32_t k = 0; rows[r].runs[k]; k++)
            EXPECT_EQ(kd_level_contains(rows[r].machine, KD_LEVEL_X86_64_V2 + k),
                      rows[r].runs[k] == 'y');
}

int main(int argc, char **argv) {
    REQUIRE(argc == 2);
    FILE *f = fopen(argv[1], "rb");
    REQUIRE(f);
    object = malloc(1 << 16);
    object_size = fread(object, 1, 1 << 16, f);
    fclose(f);
    context = fake_context();
    test_variables();
    test_bad_images();
    test_shapes();
    test_modes();
    test_disk_cache();
    test_native();
    test_levels();
    kd_context_destroy(context);
    free(object);
    return expect_done();
}
