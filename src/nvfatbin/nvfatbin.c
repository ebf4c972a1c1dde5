// The entry points of libnvfatbin.so.12 and .13.
#include <dlfcn.h>
#include <limits.h>
#include <nvFatbin.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/device_files.h"
#include "assembler/handle_list.h"
#include "cc/processes/cc.h"
#include "image/image.h"
#include "nvjitlink/lto.h"
#include "support/memory.h"

struct _nvFatbinHandle {
    struct handle_node node;
    struct arena arena;
    VEC(struct kimg_entry) entries;
    void *image; // NULL: not built since something was added
    size_t image_size;
};

static struct handle_list handles = {PTHREAD_MUTEX_INITIALIZER, NULL};

const char *nvFatbinGetErrorString(nvFatbinResult result) {
    static const char *const words[] = {
        NULL,
        "internal error",
        "architecture of ELF does not match",
        "ELF has another size",
        "PTX has no version",
        "input contained null pointer",
        "compression failed",
        "compressed size exceeded",
        "unrecognized option",
        "invalid architecture",
        "invalid NVVM input",
        "empty input",
        "PTX has no target",
        "architecture of PTX does not match",
        "no fatbinary in the object",
        "invalid index input",
        "identifier is used already",
        "internal option of PTX",
    };
    return (size_t)result < sizeof words / sizeof *words ? words[result] : "unknown error";
}

nvFatbinResult nvFatbinVersion(unsigned int *major, unsigned int *minor) {
    if (!major || !minor)
        return NVFATBIN_ERROR_NULL_POINTER;
    *major = NVFATBIN_MAJOR;
    *minor = NVFATBIN_MINOR;
    return NVFATBIN_SUCCESS;
}

// ---- Handles ----------------------------------------------------------------------------------

static bool is_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (!strcmp(word, *words))
            return true;
    return false;
}

static bool is_option(const char *o) {
    static const char *const options[] = {
        "-32",
        "-64",
        "-c",
        "-g",
        "-cuda",
        "-opencl",
        "-compress-all",
        "-compress=true",
        "-compress=false",
        "-compress-mode=default",
        "-compress-mode=size",
        "-compress-mode=speed",
        "-compress-mode=balance",
        "-compress-mode=none",
        "-host=linux",
        "-host=windows",
        "-host=mac",
        NULL,
    };
    return is_one_of(o, options);
}

nvFatbinResult nvFatbinCreate(nvFatbinHandle *handle_indirect, const char **options,
                              size_t optionsCount) {
    bool has_32 = false, has_64 = false, cuda = false, opencl = false;
    if (!handle_indirect || (optionsCount && !options))
        return NVFATBIN_ERROR_NULL_POINTER;
    for (size_t i = 0; i < optionsCount; i++) {
        if (!options[i])
            return NVFATBIN_ERROR_NULL_POINTER;
        if (!is_option(options[i]))
            return NVFATBIN_ERROR_UNRECOGNIZED_OPTION;
        has_32 |= !strcmp(options[i], "-32");
        has_64 |= !strcmp(options[i], "-64");
        cuda |= !strcmp(options[i], "-cuda");
        opencl |= !strcmp(options[i], "-opencl");
    }
    if ((has_32 && has_64) || (cuda && opencl))
        return NVFATBIN_ERROR_UNRECOGNIZED_OPTION;
    struct _nvFatbinHandle *h = calloc(1, sizeof *h);
    if (!h)
        return NVFATBIN_ERROR_INTERNAL;
    handle_list_add(&handles, &h->node);
    *handle_indirect = h;
    return NVFATBIN_SUCCESS;
}

nvFatbinResult nvFatbinDestroy(nvFatbinHandle *handle_indirect) {
    struct _nvFatbinHandle *h = handle_indirect ? *handle_indirect : NULL;
    if (!h)
        return NVFATBIN_ERROR_NULL_POINTER;
    if (!handle_list_remove(&handles, h))
        return NVFATBIN_ERROR_INTERNAL;
    free(h->image);
    arena_free(&h->arena);
    free(h);
    *handle_indirect = NULL;
    return NVFATBIN_SUCCESS;
}

// ---- Images -----------------------------------------------------------------------------------

struct addition {
    nvFatbinHandle handle;
    enum { ADD_PTX, ADD_CUBIN, ADD_LTOIR, ADD_RELOC } what;
    const void *code;
    size_t size;
    uint32_t arch;
    const char *identifier;
    const char *options; // of LTO-IR
    nvFatbinResult result;
};

// A number, after blanks and a sign as strtol reads one, with an a or f behind it.
static bool read_arch(const char *text, uint32_t *arch) {
    char *end;
    long n = strtol(text, &end, 10);
    *arch = (uint32_t)n;
    end += end != text && (*end == 'a' || *end == 'f');
    return n >= 0 && n <= INT32_MAX && !*end;
}

static nvFatbinResult check(nvFatbinHandle handle, const void *code, size_t size, const char *arch,
                            const char *identifier, uint32_t *number) {
    if (!handle || !code || !arch || !identifier)
        return NVFATBIN_ERROR_NULL_POINTER;
    if (!handle_list_has(&handles, handle))
        return NVFATBIN_ERROR_INTERNAL;
    if (!size)
        return NVFATBIN_ERROR_EMPTY_INPUT;
    return read_arch(arch, number) ? NVFATBIN_SUCCESS : NVFATBIN_ERROR_INVALID_ARCH;
}

static void push(nvFatbinHandle h, struct kimg_entry e, const char *identifier) {
    e.name = identifier && *identifier ? arena_strdup(&h->arena, identifier) : NULL;
    vec_push(&h->arena, &h->entries, e);
}

static nvFatbinResult push_ptx(nvFatbinHandle h, const char *text, uint32_t arch,
                               const char *identifier) {
    struct kimg_entry e = {.kind = KIMG_PTX, .arch = arch, .data = text, .size = strlen(text)};
    const char *version = strstr(text, ".version");
    if (!version || sscanf(version + 8, " %u.%u", &e.ptx_major, &e.ptx_minor) != 2)
        return NVFATBIN_ERROR_MISSING_PTX_VERSION;
    if (!strstr(version, ".target"))
        return NVFATBIN_ERROR_MISSING_PTX_ARCH;
    push(h, e, identifier);
    return NVFATBIN_SUCCESS;
}

// What kudzu's cubins hold becomes entries: a GPU's driver then finds the PTX.
static nvFatbinResult push_cubin(struct addition *a) {
    nvFatbinHandle h = a->handle;
    device_items items = {0};
    char err[400];
    if (!device_files_parse(&h->arena, a->identifier, a->code, a->size, &items, err, sizeof err))
        return NVFATBIN_ERROR_ELF_SIZE_MISMATCH;
    // NVRTC's cubin for a CPU is a container.
    if (!items.len ||
        (items.data[0].kind != DEVICE_ITEM_CUBIN && !kimg_is_container(a->code, a->size)))
        return NVFATBIN_ERROR_INTERNAL;
    if (items.data[0].arch && items.data[0].arch != a->arch)
        return NVFATBIN_ERROR_ELF_ARCH_MISMATCH;
    for (uint32_t i = 0; i < items.len; i++) {
        const struct device_item *item = &items.data[i];
        struct kimg_entry e = {.data = item->data, .size = item->size};
        if (item->kind == DEVICE_ITEM_PTX) {
            nvFatbinResult r = push_ptx(h, item->data, a->arch, a->identifier);
            if (r != NVFATBIN_SUCCESS)
                return r;
        } else if (item->kind == DEVICE_ITEM_NATIVE) {
            e.kind = KIMG_NATIVE;
            push(h, e, a->identifier);
        } else if (item->kind == DEVICE_ITEM_CUBIN && !item->is_kudzus) {
            e.kind = KIMG_ELF;
            e.arch = a->arch;
            push(h, e, a->identifier);
        }
    }
    return NVFATBIN_SUCCESS;
}

static bool has(nvFatbinHandle h, const char *identifier, uint32_t arch) {
    for (uint32_t i = 0; i < h->entries.len; i++) {
        const struct kimg_entry *e = &h->entries.data[i];
        if (e->kind == KIMG_PTX && e->arch == arch && e->name && !strcmp(e->name, identifier))
            return true;
    }
    return false;
}

static nvFatbinResult push_reloc(struct addition *a) {
    nvFatbinHandle h = a->handle;
    device_items items = {0};
    bool any = false;
    char err[400];
    if (!device_files_parse(&h->arena, "object", a->code, a->size, &items, err, sizeof err))
        return NVFATBIN_ERROR_MISSING_FATBIN;
    for (uint32_t i = 0; i < items.len; i++) {
        const struct device_item *item = &items.data[i];
        if (item->kind != DEVICE_ITEM_PTX)
            continue;
        any = true;
        if (item->name && has(h, item->name, item->arch))
            return NVFATBIN_ERROR_IDENTIFIER_REUSE;
        nvFatbinResult r = push_ptx(h, item->data, item->arch, item->name);
        if (r != NVFATBIN_SUCCESS)
            return r;
    }
    return any ? NVFATBIN_SUCCESS : NVFATBIN_ERROR_MISSING_FATBIN;
}

// "-ftz=true" and their like; a word that is none is refused.
static bool read_lto_options(struct addition *a, struct lto_options *o) {
    char *text = arena_strdup(&a->handle->arena, a->options ? a->options : ""), *next;
    bool lines; // which PTX of LTO-IR has not
    const struct {
        const char *word;
        bool *flag, value;
    } words[] = {
        {"-O0", &o->no_optimization, true},
        {"-O3", &o->no_optimization, false},
        {"-g", &o->debug, true},
        {"-lineinfo", &lines, true},
        {"-ftz=1", &o->ftz, true},
        {"-ftz=0", &o->ftz, false},
        {"-prec-div=1", &o->no_prec_div, false},
        {"-prec-div=0", &o->no_prec_div, true},
        {"-prec-sqrt=1", &o->no_prec_sqrt, false},
        {"-prec-sqrt=0", &o->no_prec_sqrt, true},
        {"-fma=1", &o->no_fma, false},
        {"-fma=0", &o->no_fma, true},
    };
    for (char *word = strtok_r(text, " ", &next); word; word = strtok_r(NULL, " ", &next)) {
        size_t k = 0, n = sizeof words / sizeof *words;
        while (k < n && strcmp(word, words[k].word) != 0)
            k++;
        if (k == n)
            return false;
        *words[k].flag = words[k].value;
    }
    return true;
}

// The driver compiles PTX alone, so the code becomes PTX here.
static nvFatbinResult push_ltoir(struct addition *a) {
    nvFatbinHandle h = a->handle;
    struct lto_options o = {.enabled = true};
    struct strbuf ptx = {0}, log = {0};
    lto_modules modules = {0};
    char folder[PATH_MAX];
    Dl_info own;
    if (!read_lto_options(a, &o))
        return NVFATBIN_ERROR_UNRECOGNIZED_OPTION;
    if (!dladdr((void *)&handles, &own) || !realpath(own.dli_fname, folder))
        return NVFATBIN_ERROR_INTERNAL;
    *strrchr(folder, '/') = 0;
    cc_capture_messages(&log);
    bool ok = lto_add(&h->arena, &modules, a->identifier, a->code, a->size) &&
              lto_compile(&h->arena, &modules, &o, arena_printf(&h->arena, "sm_%u", a->arch),
                          folder, &ptx, &log);
    cc_capture_messages(NULL);
    nvFatbinResult r =
        ok ? push_ptx(h, arena_strdup(&h->arena, strbuf_str(&ptx)), a->arch, a->identifier)
           : NVFATBIN_ERROR_INVALID_NVVM;
    strbuf_free(&ptx);
    strbuf_free(&log);
    return r;
}

static void add_in_scope(void *arg) {
    struct addition *a = arg;
    uint32_t before = a->handle->entries.len;
    if (a->what == ADD_PTX)
        a->result = push_ptx(a->handle, arena_strndup(&a->handle->arena, a->code, a->size), a->arch,
                             a->identifier);
    else
        a->result = a->what == ADD_CUBIN   ? push_cubin(a)
                    : a->what == ADD_LTOIR ? push_ltoir(a)
                                           : push_reloc(a);
    if (a->result != NVFATBIN_SUCCESS)
        a->handle->entries.len = before;
}

static void undo(void *arg) {
    cc_capture_messages(NULL);
}

static nvFatbinResult add(struct addition a) {
    free(a.handle->image);
    a.handle->image = NULL;
    return memory_scope_run(add_in_scope, undo, &a) ? a.result : NVFATBIN_ERROR_INTERNAL;
}

static nvFatbinResult add_image(struct addition a, const char *arch) {
    nvFatbinResult r = check(a.handle, a.code, a.size, arch, a.identifier, &a.arch);
    return r == NVFATBIN_SUCCESS ? add(a) : r;
}

nvFatbinResult nvFatbinAddPTX(nvFatbinHandle handle, const char *code, size_t size,
                              const char *arch, const char *identifier,
                              const char *optionsCmdLine) {
    return add_image((struct addition){handle, ADD_PTX, code, size, 0, identifier, NULL, 0}, arch);
}

nvFatbinResult nvFatbinAddCubin(nvFatbinHandle handle, const void *code, size_t size,
                                const char *arch, const char *identifier) {
    return add_image((struct addition){handle, ADD_CUBIN, code, size, 0, identifier, NULL, 0},
                     arch);
}

nvFatbinResult nvFatbinAddLTOIR(nvFatbinHandle handle, const void *code, size_t size,
                                const char *arch, const char *identifier,
                                const char *optionsCmdLine) {
    return add_image(
        (struct addition){handle, ADD_LTOIR, code, size, 0, identifier, optionsCmdLine, 0}, arch);
}

nvFatbinResult nvFatbinAddReloc(nvFatbinHandle handle, const void *code, size_t size) {
    struct addition a = {handle, ADD_RELOC, code, size, 0, NULL, NULL, 0};
    nvFatbinResult r = check(handle, code, size, "", "", &a.arch);
    return r == NVFATBIN_SUCCESS ? add(a) : r;
}

nvFatbinResult nvFatbinAddIndex(nvFatbinHandle handle, const void *code, size_t size,
                                const char *identifier) {
    uint32_t none;
    nvFatbinResult r = check(handle, code, size, "", identifier, &none);
    return r == NVFATBIN_SUCCESS ? NVFATBIN_ERROR_INVALID_INDEX : r;
}

nvFatbinResult nvFatbinAddTileIR(nvFatbinHandle handle, const void *code, size_t size,
                                 const char *identifier, const char *optionsCmdLine) {
    uint32_t none;
    nvFatbinResult r = check(handle, code, size, "", identifier, &none);
    return r == NVFATBIN_SUCCESS ? NVFATBIN_ERROR_INTERNAL : r;
}

// ---- The container ----------------------------------------------------------------------------

nvFatbinResult nvFatbinSize(nvFatbinHandle handle, size_t *size) {
    if (!handle || !size)
        return NVFATBIN_ERROR_NULL_POINTER;
    if (!handle_list_has(&handles, handle))
        return NVFATBIN_ERROR_INTERNAL;
    if (!handle->image &&
        !kimg_build(handle->entries.data, handle->entries.len, &handle->image, &handle->image_size))
        return NVFATBIN_ERROR_INTERNAL;
    *size = handle->image_size;
    return NVFATBIN_SUCCESS;
}

nvFatbinResult nvFatbinGet(nvFatbinHandle handle, void *buffer) {
    if (!handle || !buffer)
        return NVFATBIN_ERROR_NULL_POINTER;
    if (!handle_list_has(&handles, handle) || !handle->image)
        return NVFATBIN_ERROR_INTERNAL;
    memcpy(buffer, handle->image, handle->image_size);
    return NVFATBIN_SUCCESS;
}
