#include "cc/link/device_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/link/device_runtime_archive.h"
#include "cc/link/device_text.h"
#include "cc/link/native_code.h"
#include "cc/link/ptxas.h"
#include "image/image.h"

// PTX names its version in the first directive.
static void ptx_version(const char *text, uint32_t *major, uint32_t *minor) {
    const char *v = strstr(text, ".version ");
    if (!v || sscanf(v + 9, "%u.%u", major, minor) != 2)
        *major = 8, *minor = 5;
}

// The PTX that the CPU device runs, in its compute capability or the nearest one below, else the
// first.
static const struct device_code *best_for_cpu(const device_codes *codes) {
    const struct device_code *best = codes->len ? codes->data : NULL;
    for (uint32_t i = 0; i < codes->len; ++i)
        if (codes->data[i].arch.number <= 90)
            best = &codes->data[i];
    return best;
}

typedef VEC(struct kimg_entry) entry_list;

// Native code of processors, from the PTX entry that the CPU device takes.
static bool add_native(struct arena *arena, entry_list *entries, const struct kimg_entry *ptx,
                       uint32_t levels) {
    struct kimg_entry native = {.kind = KIMG_NATIVE, .name = ptx->name};
    void *code;
    if (!native_code_build(ptx->data, ptx->size, levels, &code, &native.size))
        return false;
    native.data = arena_memdup(arena, code, native.size);
    free(code);
    vec_push(arena, entries, native);
    return true;
}

// Machine code of the GPUs that the PTX for `arch` is wanted for.
static bool add_machine_code(struct arena *arena, const struct cc_options *o, entry_list *entries,
                             const struct kimg_entry *ptx, const struct architecture *arch) {
    for (uint32_t i = 0; i < o->architectures.real.len; ++i) {
        const struct real_architecture *real = &o->architectures.real.data[i];
        if (strcmp(real->compiled_for, arch->name))
            continue;
        struct kimg_entry code = {.kind = KIMG_ELF,
                                  .arch = (uint32_t)strtoul(real->name + 3, NULL, 10),
                                  .name = ptx->name};
        char *cubin;
        if (!ptxas_assemble(arena, o, real->name, ptx->data, ptx->size, &cubin, &code.size))
            return false;
        code.data = cubin;
        vec_push(arena, entries, code);
    }
    return true;
}

// A source's bitcode, which waits for the device link.
static bool add_bitcode(struct arena *arena, entry_list *entries, const struct device_code *c) {
    char *data;
    struct kimg_entry e = {
        .kind = DEVICE_IMAGE_BITCODE, .arch = c->arch.number, .name = c->arch.name};
    if (!read_file(arena, c->path, &data, &e.size))
        return false;
    e.data = data;
    vec_push(arena, entries, e);
    return true;
}

// PTX that stands for machine code says so behind its end, in a comment, which every driver reads
// over: lists of a program's cubins have these.
static const char *with_real_architectures(struct arena *arena, const struct cc_options *o,
                                           const struct architecture *arch, const char *text,
                                           size_t *size) {
    struct strbuf names = {0};
    for (uint32_t i = 0; i < o->architectures.real.len && !o->ptxas; ++i)
        if (!strcmp(o->architectures.real.data[i].compiled_for, arch->name))
            strbuf_printf(&names, " %s", o->architectures.real.data[i].name);
    if (names.len) {
        text = arena_printf(arena, "%.*s\n%s%s\n", (int)strnlen(text, *size), text,
                            DEVICE_IMAGE_STANDS_FOR, strbuf_str(&names));
        *size = strlen(text);
    }
    strbuf_free(&names);
    return text;
}

static bool add_ptx(struct arena *arena, const struct cc_options *o, entry_list *entries,
                    const struct device_code *c, bool for_cpu, const char *name) {
    char *text;
    struct kimg_entry e = {.kind = KIMG_PTX, .arch = c->arch.number, .name = name};
    if (!read_file(arena, c->path, &text, &e.size))
        return false;
    ptx_version(text, &e.ptx_major, &e.ptx_minor);
    e.data = device_text(arena, o, text, &e.size);
    e.data = with_real_architectures(arena, o, &c->arch, e.data, &e.size);
    vec_push(arena, entries, e);
    uint32_t levels = for_cpu ? o->architectures.native_levels : 0;
    return (!levels || add_native(arena, entries, &e, levels)) &&
           (!o->ptxas || add_machine_code(arena, o, entries, &e, &c->arch));
}

// What a GPU needs for PTX that calls the device runtime, where it is at hand.
static bool add_device_runtime(struct arena *arena, const struct cc_options *o,
                               entry_list *entries) {
    struct kimg_entry e = {.kind = KIMG_DEVICE_RUNTIME, .name = "libcudadevrt.a"};
    bool called = false;
    for (uint32_t i = 0; i < entries->len; i++)
        called |= entries->data[i].kind == KIMG_PTX && calls_device_runtime(entries->data[i].data);
    const char *path = called ? device_runtime_archive(arena, o) : NULL;
    if (!path)
        return true;
    char *data;
    if (!read_file(arena, path, &data, &e.size))
        return false;
    e.data = data;
    vec_push(arena, entries, e);
    return true;
}

bool device_image_build(struct arena *arena, const struct cc_options *o, const device_codes *codes,
                        bool bitcode, const char *name, void **out, size_t *out_size) {
    entry_list entries = {0};
    const struct device_code *cpu = best_for_cpu(codes);
    for (uint32_t i = 0; i < codes->len; ++i) {
        const struct device_code *c = &codes->data[i];
        if (!(bitcode ? add_bitcode(arena, &entries, c)
                      : add_ptx(arena, o, &entries, c, c == cpu, name)))
            return false;
    }
    if (!bitcode && !add_device_runtime(arena, o, &entries))
        return false;
    return kimg_build(entries.data, entries.len, out, out_size) || cc_error("out of memory");
}
