#define _GNU_SOURCE
#include "assembler/device_files.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/link/device_image.h"
#include "cc/objects/archive.h"
#include "image/cubin.h"
#include "image/image.h"
#include "support/whole_file.h"

static const uint64_t MOST_FILE_BYTES = 1ull << 32;
enum { MOST_DEPTH = 4, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

struct reading {
    struct arena *arena;
    const char *file;
    device_items *out;
    char *err;
    size_t err_size;
    bool in_cubin, in_archive;
    int depth;
};

static bool parse(struct reading *r, const void *data, size_t size);

__attribute__((format(printf, 2, 3))) static bool refuse(const struct reading *r, const char *fmt,
                                                         ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(r->err, r->err_size, fmt, ap);
    va_end(ap);
    return false;
}

static void add(struct reading *r, struct device_item item) {
    item.file = r->file;
    item.in_cubin = r->in_cubin;
    item.in_archive = r->in_archive;
    vec_push(r->arena, r->out, item);
}

// ---- PTX ----------------------------------------------------------------------------------

// The number of the first target.
static void read_target(const char *text, struct device_item *item) {
    const char *at = strstr(text, ".target");
    unsigned number = 0;
    char suffix = 0;
    if (at && sscanf(at + 7, " sm_%4u%c", &number, &suffix) >= 1) {
        item->arch = number;
        item->arch_specific = suffix == 'a';
    }
}

static bool is_ptx(const char *data, size_t size) {
    size = strnlen(data, size);
    for (size_t i = 0; i < size && i < 256; i++)
        if ((unsigned char)data[i] < 9 || (unsigned char)data[i] > 126)
            return false;
    return memmem(data, size, ".version", strlen(".version")) != NULL;
}

static void add_ptx(struct reading *r, const char *data, size_t size, uint32_t arch,
                    const char *name) {
    struct device_item item = {.kind = DEVICE_ITEM_PTX, .name = name};
    item.size = strnlen(data, size);
    item.data = arena_strndup(r->arena, data, item.size);
    read_target(item.data, &item);
    if (arch && arch != item.arch) {
        item.arch = arch;
        item.arch_specific = false;
    }
    add(r, item);
}

// ---- Cubins -------------------------------------------------------------------------------

static bool add_cubin(struct reading *r, const struct cubin_file *f, const char *name) {
    struct device_item item = {.kind = DEVICE_ITEM_CUBIN,
                               .arch = cubin_architecture(f),
                               .arch_specific = cubin_is_architecture_specific(f),
                               .name = name,
                               .data = f->data,
                               .size = f->size};
    char why[256];
    size_t size;
    bool foreign;
    const void *container = cubin_container(f->data, f->size, &size, &foreign, why, sizeof why);
    if (!container && !foreign)
        return refuse(r, "%s", why);
    item.is_kudzus = container != NULL;
    add(r, item);
    if (!container || r->in_cubin)
        return true;
    r->in_cubin = true;
    bool ok = parse(r, container, size);
    r->in_cubin = false;
    return ok;
}

// ---- Containers ---------------------------------------------------------------------------

static bool add_entry(struct reading *r, const struct kimg_entry *e) {
    struct device_item item = {.arch = e->arch, .name = e->name, .data = e->data, .size = e->size};
    struct cubin_file f;
    switch (e->kind) {
    case KIMG_PTX:
    case KIMG_ELF:
        if (e->flags & (FLAG_LZ4 | FLAG_ZSTD))
            item.kind = DEVICE_ITEM_COMPRESSED;
        else if (e->kind == KIMG_ELF)
            return cubin_open(&f, e->data, e->size, r->err, r->err_size) &&
                   add_cubin(r, &f, e->name);
        else {
            add_ptx(r, e->data, e->size, e->arch, e->name);
            return true;
        }
        break;
    case KIMG_NATIVE:
        item.kind = DEVICE_ITEM_NATIVE;
        break;
    case KIMG_DEVICE_RUNTIME:
        item.kind = DEVICE_ITEM_DEVICE_RUNTIME;
        break;
    case DEVICE_IMAGE_BITCODE:
        item.kind = DEVICE_ITEM_BITCODE;
        break;
    default:
        item.kind = DEVICE_ITEM_UNKNOWN;
    }
    add(r, item);
    return true;
}

// Containers one after the other, each at a multiple of 8; zeroes may lie in between.
static bool parse_containers(struct reading *r, const uint8_t *data, size_t size) {
    struct kimg it;
    struct kimg_entry e;
    for (size_t at = 0; size - at >= KIMG_HEADER_BYTES;) {
        if (!kimg_is_container(data + at, size - at)) {
            at += 8;
            continue;
        }
        if (!kimg_open(&it, data + at, size - at, r->err, r->err_size))
            return false;
        int more;
        while ((more = kimg_next(&it, &e, r->err, r->err_size)) == 1)
            if (!add_entry(r, &e))
                return false;
        if (more < 0)
            return false;
        at += (it.size + 7) & ~(size_t)7;
        if (at > size)
            break;
    }
    return true;
}

// ---- clang's offloading files ---------------------------------------------------------------

// Header: magic (4), version (4), size (8), offset and size of the entry (8 each). Entry: kind of
// image (2), of producer (2), flags (4), offset and number of strings, offset and size of the
// image (8 each).
static const char offload_magic[] = "\x10\xFF\x10\xAD";
enum { OFFLOAD_HEADER = 32, OFFLOAD_ENTRY = 40 };

static uint64_t word(const uint8_t *p, size_t at) {
    uint64_t v;
    memcpy(&v, p + at, sizeof v);
    return v;
}

static bool inside(size_t size, uint64_t offset, uint64_t bytes) {
    return offset <= size && bytes <= size - offset;
}

static bool is_offload(const void *data, size_t size) {
    return size >= OFFLOAD_HEADER && !memcmp(data, offload_magic, 4);
}

// LLVM's bitcode has no header of device code: what it is for stands beside it.
static bool is_bitcode(const void *data, size_t size) {
    return size >= 4 && !memcmp(data, "BC\xC0\xDE", 4);
}

static bool parse_offload(struct reading *r, const uint8_t *data, size_t size) {
    for (size_t at = 0; is_offload(data + at, size - at);) {
        const uint8_t *p = data + at;
        uint64_t bytes = word(p, 8), entry = word(p, 16);
        if (bytes < OFFLOAD_HEADER || bytes > size - at || !inside(bytes, entry, OFFLOAD_ENTRY))
            return refuse(r, "damaged offloading file: it is longer than its data");
        uint64_t image = word(p, entry + 24), image_bytes = word(p, entry + 32);
        if (!inside(bytes, image, image_bytes))
            return refuse(r, "damaged offloading file: an image lies outside it");
        if (is_bitcode(p + image, image_bytes))
            add(r, (struct device_item){
                       .kind = DEVICE_ITEM_BITCODE, .data = p + image, .size = image_bytes});
        else if (image_bytes && !parse(r, p + image, image_bytes))
            return false;
        at += (bytes + 7) & ~(size_t)7;
        if (at >= size)
            break;
    }
    return true;
}

// ---- Host code and archives -----------------------------------------------------------------

static bool parse_host(struct reading *r, const struct cubin_file *f) {
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin", ".llvm.offloading"};
    for (uint32_t i = 1; i < f->nsections; i++) {
        struct cubin_section s;
        bool known = false;
        if (!cubin_section(f, i, &s) || !s.data || !s.size)
            continue;
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            known |= !strcmp(s.name, names[n]);
        if (known && !(is_offload(s.data, s.size) ? parse_offload(r, s.data, s.size)
                                                  : parse_containers(r, s.data, s.size)))
            return false;
    }
    return true;
}

static bool parse_member(void *user, const char *name, const void *data, size_t size) {
    struct reading *r = user, member = *r;
    member.file = name;
    member.in_archive = true;
    // Archives have members that are no device code and no object.
    char err[256] = "";
    member.err = err;
    member.err_size = sizeof err;
    bool object = size >= 4 && (cubin_is_elf(data, size) || kimg_is_container(data, size));
    return !object || parse(&member, arena_memdup(r->arena, data, size), size) ||
           refuse(r, "%s: %s", name, err);
}

static bool parse(struct reading *r, const void *data, size_t size) {
    struct cubin_file f;
    if (r->depth >= MOST_DEPTH)
        return refuse(r, "images lie in each other too deeply");
    struct reading inner = *r;
    inner.depth++;
    if (size && archive_is(data, size))
        return archive_each_member(r->arena, r->file, data, size, parse_member, &inner);
    if (size && cubin_is_elf(data, size))
        return cubin_open(&f, data, size, r->err, r->err_size) &&
               (cubin_is_for_gpu(&f) ? add_cubin(&inner, &f, NULL) : parse_host(&inner, &f));
    if (size && kimg_is_container(data, size))
        return parse_containers(&inner, data, size);
    if (is_offload(data, size))
        return parse_offload(&inner, data, size);
    if (size && is_ptx(data, size)) {
        add_ptx(r, data, size, 0, NULL);
        return true;
    }
    return refuse(r, "it is neither PTX nor an image, object, program or archive");
}

bool device_files_parse(struct arena *arena, const char *name, const void *data, size_t size,
                        device_items *out, char *err, size_t err_size) {
    struct reading r = {.arena = arena,
                        .file = arena_strdup(arena, name),
                        .out = out,
                        .err = err,
                        .err_size = err_size};
    return parse(&r, arena_memdup(arena, data, size), size);
}

bool device_files_read(struct arena *arena, const char *path, device_items *out, char *err,
                       size_t err_size) {
    struct whole_file f;
    if (!whole_file_read(&f, path, WHOLE_FILE_PIPES, MOST_FILE_BYTES)) {
        snprintf(err, err_size, "%s", f.why);
        return false;
    }
    bool ok = device_files_parse(arena, path, f.data, f.size, out, err, err_size);
    free(f.data);
    return ok;
}
