// deterministic file.ptx...: compiles every kernel twice, from two loads of the same text, and
// checks that the objects are the same byte for byte, at every width, compiled well and quickly.
// Well at one width each, neighbours at different ones; with KUDZU_COMPARE=thorough at all.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/jit.h"

static char *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (!f || !text) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    *size = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    return text;
}

struct object {
    void *bytes;
    size_t size;
    struct kd_code_info info;
    bool ok;
};

static struct object compile(struct kj_module *m, uint32_t kernel, uint32_t width, bool quick) {
    struct object o = {0};
    struct kd_spec spec = {.ntid = {96, 2, 1}, .width = width};
    if (quick)
        spec.flags = KD_SPEC_QUICK | KD_SPEC_ALWAYS_QUICK;
    char log[1024];
    o.ok = kj_compile(m, kernel, &spec, &o.bytes, &o.size, &o.info, log, sizeof log);
    return o;
}

static bool same(const struct object *x, const struct object *y) {
    return x->ok == y->ok && x->size == y->size && !memcmp(&x->info, &y->info, sizeof x->info) &&
           (!x->ok || !memcmp(x->bytes, y->bytes, x->size));
}

int main(int argc, char **argv) {
    static const uint32_t widths[] = {0, 1, 8, 16, 32};
    unsigned compared = 0, differ = 0, turn = 0;
    const char *mode = getenv("KUDZU_COMPARE");
    bool thorough = mode && strcmp(mode, "thorough") == 0;
    for (int n = 1; n < argc; n++) {
        size_t size;
        char log[1024], *text = read_file(argv[n], &size);
        struct kj_module *a = kj_module_load(text, size, log, sizeof log);
        struct kj_module *b = kj_module_load(text, size, log, sizeof log);
        if (!a || !b) {
            printf("%s: %s\n", argv[n], log);
            return 1;
        }
        for (uint32_t k = 0; k < kj_module_info(a)->nkernels; k++, turn++) {
            for (size_t w = 0; w < 2 * sizeof widths / sizeof *widths; w++) {
                if (w % 2 == 0 && !thorough && w / 2 != turn % (sizeof widths / sizeof *widths))
                    continue;
                struct object x = compile(a, k, widths[w / 2], w % 2),
                              y = compile(b, k, widths[w / 2], w % 2);
                compared += x.ok;
                if (!same(&x, &y)) {
                    printf("%s: kernel %u differs at width %u\n", argv[n], k, widths[w / 2]);
                    differ++;
                }
                free(x.bytes);
                free(y.bytes);
            }
        }
        kj_module_free(a);
        kj_module_free(b);
        free(text);
    }
    printf("%u kernels compiled twice, %u differ\n", compared, differ);
    return differ != 0 || compared == 0;
}
