// compile_ahead LEVEL WIDTHS file.ptx image: makes the native image with which ptx_run makes the
// launches of file.ptx on another machine. WIDTHS, a comma list of lanes: code for exactly the
// shapes of those launches, at each width. "any": code for all shapes at the width that the
// compiler chooses, which is what kudzu cc makes.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/jit.h"
#include "image/image.h"

enum { MAX_CODES = 4096 };

static struct kimg_code codes[MAX_CODES];
static size_t ncodes;

static char *read_text(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = f && fseek(f, 0, SEEK_END) == 0 ? calloc(1, (size_t)ftell(f) + 1) : NULL;
    if (text) {
        size_t size = (size_t)ftell(f);
        rewind(f);
        if (fread(text, 1, size, f) == size) {
            fclose(f);
            return text;
        }
    }
    printf("cannot read %s\n", path);
    exit(2);
}

static bool have(uint32_t kernel, const struct kd_spec *s) {
    for (size_t i = 0; i < ncodes; i++)
        if (codes[i].kernel == kernel && !memcmp(&codes[i].spec, s, sizeof *s))
            return true;
    return false;
}

static void add(struct kj_module *m, uint32_t kernel, const struct kd_spec *s) {
    char log[4096] = "";
    void *obj;
    if (have(kernel, s))
        return;
    struct kimg_code c = {.kernel = kernel, .spec = *s};
    if (ncodes == MAX_CODES ||
        !kj_compile(m, kernel, s, &obj, &c.obj_size, &c.info, log, sizeof log)) {
        printf("kernel %s: %s\n", kj_module_info(m)->kernels[kernel].name, log);
        exit(1);
    }
    c.obj = obj;
    codes[ncodes++] = c;
}

// With and without the knowledge that parameters are aligned.
static void add_both(struct kj_module *m, uint32_t kernel, struct kd_spec s) {
    add(m, kernel, &s);
    s.flags |= KD_SPEC_ALIGNED_PARAMS;
    if (kj_module_info(m)->kernels[kernel].naligned)
        add(m, kernel, &s);
}

static void dims(const char *line, const char *key, uint32_t d[3]) {
    const char *at = strstr(line, key);
    d[0] = d[1] = d[2] = 1;
    if (at)
        sscanf(at + strlen(key), "%u,%u,%u", &d[0], &d[1], &d[2]);
}

// What the device says of a launch: see kernel_spec in src/device/code/kernel.c.
static struct kd_spec spec_of(const char *line, uint32_t level, uint32_t width) {
    struct kd_spec s = {.width = width, .level = level};
    uint32_t grid[3];
    bool small = true;
    dims(line, "grid=", grid);
    dims(line, "block=", s.ntid);
    for (int i = 0; i < 3; i++)
        small &= (uint64_t)grid[i] * s.ntid[i] < 1ull << 31;
    s.flags = (small ? KD_SPEC_SMALL_GRID : 0) |
              (s.ntid[0] % KD_WARP == 0 ? KD_SPEC_X_MULTIPLE_OF_32 : 0) |
              (s.ntid[0] * s.ntid[1] * s.ntid[2] % KD_WARP == 0 ? KD_SPEC_FULL_WARPS : 0);
    return s;
}

static uint32_t kernel_named(struct kj_module *m, const char *name) {
    const struct kj_module_info *info = kj_module_info(m);
    for (uint32_t k = 0; k < info->nkernels; k++)
        if (!strcmp(info->kernels[k].name, name))
            return k;
    printf("no kernel %s\n", name);
    exit(2);
}

static void add_launches(struct kj_module *m, const char *text, uint32_t level, uint32_t width) {
    for (const char *at = text; (at = strstr(at, "// run: ")); at++) {
        char line[1024], name[128];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at + 8, "\n"), at + 8);
        if (sscanf(line, "%127s", name) == 1)
            add_both(m, kernel_named(m, name), spec_of(line, level, width));
    }
}

static uint32_t level_named(const char *name) {
    static const char *const names[] = {"",        "x86-64-v2",      "x86-64-v3",     "x86-64-v4",
                                        "aarch64", "aarch64-sve256", "aarch64-sve512"};
    for (uint32_t k = 1; k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k]))
            return k;
    printf("no level %s\n", name);
    exit(2);
}

int main(int argc, char **argv) {
    if (argc != 5) {
        printf("usage: compile_ahead LEVEL WIDTHS file.ptx image\n");
        return 2;
    }
    char *text = read_text(argv[3]), log[4096] = "", *w = argv[2];
    uint32_t level = level_named(argv[1]);
    struct kj_module *m = kj_module_load(text, strlen(text), log, sizeof log);
    if (!m) {
        printf("%s", log);
        return 1;
    }
    const struct kj_module_info *info = kj_module_info(m);
    for (uint32_t k = 0; k < info->nkernels && !strcmp(w, "any"); k++)
        add_both(m, k, (struct kd_spec){.level = level});
    for (char *t = strcmp(w, "any") ? strtok(w, ",") : NULL; t; t = strtok(NULL, ","))
        add_launches(m, text, level, (uint32_t)strtoul(t, NULL, 10));
    void *image;
    size_t size;
    FILE *f = fopen(argv[4], "wb");
    bool ok =
        f &&
        kimg_native_build(info, codes, ncodes, text, strlen(text), kj_version(), &image, &size) &&
        fwrite(image, 1, size, f) == size;
    if (!f || fclose(f) || !ok) {
        printf("cannot write %s\n", argv[4]);
        return 2;
    }
    return 0;
}
