#include "cc/device_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/cluster_dims.h"
#include "cc/native_code.h"
#include "image/image.h"

// PTX names its version in the first directive.
static void ptx_version(const char *text, uint32_t *major, uint32_t *minor) {
    const char *v = strstr(text, ".version ");
    if (!v || sscanf(v + 9, "%u.%u", major, minor) != 2)
        *major = 8, *minor = 5;
}

// The PTX that the CPU device runs, in its compute capability or the nearest one below.
static const struct device_code *best_for_cpu(const device_codes *codes) {
    const struct device_code *best = NULL;
    for (uint32_t i = 0; i < codes->len; ++i)
        if (codes->data[i].arch.number <= 90)
            best = &codes->data[i];
    return best;
}

bool device_image_build(struct arena *arena, const device_codes *codes, bool bitcode,
                        uint32_t native_levels, const char *name, void **out, size_t *out_size) {
    VEC(struct kimg_entry) entries = {0};
    const struct device_code *cpu = best_for_cpu(codes);
    for (uint32_t i = 0; i < codes->len; ++i) {
        const struct device_code *c = &codes->data[i];
        char *text;
        size_t size;
        if (!read_file(arena, c->path, &text, &size))
            return false;
        const char *data = bitcode ? text : cluster_dims_apply(arena, text, &size);
        struct kimg_entry e = {.kind = bitcode ? (uint32_t)DEVICE_IMAGE_BITCODE : KIMG_PTX,
                               .arch = c->arch.number,
                               .data = data,
                               .size = size,
                               .name = bitcode ? c->arch.name : name};
        if (!bitcode)
            ptx_version(text, &e.ptx_major, &e.ptx_minor);
        vec_push(arena, &entries, e);
        if (!bitcode && native_levels && c == cpu) {
            struct kimg_entry native = {.kind = KIMG_NATIVE, .name = name};
            void *code;
            if (!native_code_build(data, size, native_levels, &code, &native.size))
                return false;
            native.data = arena_memdup(arena, code, native.size);
            free(code);
            vec_push(arena, &entries, native);
        }
    }
    return kimg_build(entries.data, entries.len, out, out_size) || cc_error("out of memory");
}
