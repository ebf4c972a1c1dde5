// The container ("fat binary"): building, walking, choosing an entry.
#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/cubin.h"
#include "image/ptx_target.h"

// Fields of the headers, little-endian, as offsets: no struct is laid over bytes that may be
// damaged or unaligned.
enum {
    HEADER_VERSION = 4,    // u16, 1
    HEADER_BYTES = 6,      // u16, 16
    HEADER_PAYLOAD = 8,    // u64, bytes after the header
    ENTRY_KIND = 0,        // u16
    ENTRY_VERSION = 2,     // u16, 0x101
    ENTRY_HEADER = 4,      // u32, 64 or more (the options and the name follow the 64)
    ENTRY_PADDED = 8,      // u64, bytes of data, padding included
    ENTRY_COMPRESSED = 16, // u32, bytes of compressed data; 0 when plain
    ENTRY_OPTIONS = 20,    // u32, offset of the JIT's options from the entry's start; PTX alone
    ENTRY_MINOR = 24,      // u16
    ENTRY_MAJOR = 26,      // u16
    ENTRY_ARCH = 28,       // u32
    ENTRY_NAME = 32,       // u32, offset of the source name from the entry's start
    ENTRY_NAME_LEN = 36,   // u32
    ENTRY_FLAGS = 40,      // u64
    ENTRY_PLAIN = 56,      // u64, bytes when decompressed
};
enum {
    ENTRY_VERSION_WORD = 0x101,
    FLAGS_64BIT_LINUX = 0x11,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000
};

static uint64_t get(const uint8_t *p, unsigned bytes) {
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static void put(uint8_t *p, uint64_t v, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static uint64_t pad8(uint64_t n) {
    return (n + 7) & ~(uint64_t)7;
}

// ---- Building -----------------------------------------------------------------------------

static bool lacks_nul(const struct kimg_entry *e) {
    return e->kind == KIMG_PTX && (e->size == 0 || ((const char *)e->data)[e->size - 1] != 0);
}

// PTX has options for the JIT, here none: eight zero bytes. NVIDIA's driver follows their offset
// without a look at whether there is one.
static uint64_t option_bytes(const struct kimg_entry *e) {
    return e->kind == KIMG_PTX ? 8 : 0;
}

static uint64_t name_bytes(const struct kimg_entry *e) {
    return e->name ? pad8(strlen(e->name) + 1) : 0;
}

static uint64_t data_bytes(const struct kimg_entry *e) {
    return pad8(e->size + lacks_nul(e));
}

static uint8_t *write_entry(uint8_t *p, const struct kimg_entry *e) {
    uint64_t name = KIMG_ENTRY_HEADER_BYTES + option_bytes(e), header = name + name_bytes(e);
    put(p + ENTRY_KIND, e->kind, 2);
    put(p + ENTRY_VERSION, ENTRY_VERSION_WORD, 2);
    put(p + ENTRY_HEADER, header, 4);
    put(p + ENTRY_PADDED, data_bytes(e), 8);
    put(p + ENTRY_OPTIONS, option_bytes(e) ? KIMG_ENTRY_HEADER_BYTES : 0, 4);
    put(p + ENTRY_MINOR, e->ptx_minor, 2);
    put(p + ENTRY_MAJOR, e->ptx_major, 2);
    put(p + ENTRY_ARCH, e->arch, 4);
    if (e->kind == KIMG_DEVICE_RUNTIME) // NVIDIA's driver wants an archive without padding
        put(p + ENTRY_PLAIN, e->size, 8);
    put(p + ENTRY_FLAGS, FLAGS_64BIT_LINUX, 8);
    if (e->name) {
        put(p + ENTRY_NAME, name, 4);
        put(p + ENTRY_NAME_LEN, strlen(e->name), 4);
        memcpy(p + name, e->name, strlen(e->name));
    }
    if (e->size)
        memcpy(p + header, e->data, e->size);
    return p + header + data_bytes(e);
}

bool kimg_build(const struct kimg_entry *entries, size_t n, void **out, size_t *out_size) {
    uint64_t size = KIMG_HEADER_BYTES;
    for (size_t i = 0; i < n; i++)
        size += KIMG_ENTRY_HEADER_BYTES + option_bytes(&entries[i]) + name_bytes(&entries[i]) +
                data_bytes(&entries[i]);
    uint8_t *data = calloc(1, size);
    if (!data)
        return false;
    put(data, (uint32_t)KIMG_MAGIC, 4);
    put(data + HEADER_VERSION, 1, 2);
    put(data + HEADER_BYTES, KIMG_HEADER_BYTES, 2);
    put(data + HEADER_PAYLOAD, size - KIMG_HEADER_BYTES, 8);
    uint8_t *p = data + KIMG_HEADER_BYTES;
    for (size_t i = 0; i < n; i++)
        p = write_entry(p, &entries[i]);
    *out = data;
    *out_size = size;
    return true;
}

// ---- Reading ------------------------------------------------------------------------------

static int refuse(char *err, size_t err_size, const char *why) {
    if (err_size)
        snprintf(err, err_size, "damaged device image: %s", why);
    return -1;
}

bool kimg_is_container(const void *data, size_t size) {
    return (size == 0 || size >= KIMG_HEADER_BYTES) && get(data, 4) == (uint32_t)KIMG_MAGIC;
}

bool kimg_open(struct kimg *it, const void *data, size_t size, char *err, size_t err_size) {
    if (!kimg_is_container(data, size))
        return refuse(err, err_size,
                      "no container (wrong magic number or shorter than its header)"),
               false;
    const uint8_t *p = data;
    uint64_t header = get(p + HEADER_BYTES, 2), payload = get(p + HEADER_PAYLOAD, 8);
    if (get(p + HEADER_VERSION, 2) != 1 || header < KIMG_HEADER_BYTES)
        return refuse(err, err_size, "unknown version of the container"), false;
    if (payload > UINT64_MAX / 2 || (size && header + payload > size))
        return refuse(err, err_size, "the container is longer than its data"), false;
    it->data = p;
    it->size = header + payload;
    it->at = header;
    return true;
}

static int read_name(const uint8_t *p, uint64_t header, struct kimg_entry *e) {
    uint64_t at = get(p + ENTRY_NAME, 4), len = get(p + ENTRY_NAME_LEN, 4);
    e->name = NULL;
    if (len == 0 || at < KIMG_ENTRY_HEADER_BYTES)
        return 0;
    if (at + len > header)
        return -1;
    // Terminated by the padding that kimg_build adds; other writers' names may not be.
    if (at + len < header && p[at + len] == 0)
        e->name = (const char *)p + at;
    return 0;
}

int kimg_next(struct kimg *it, struct kimg_entry *e, char *err, size_t err_size) {
    uint64_t left = it->size - it->at;
    if (left == 0)
        return 0;
    if (left < KIMG_ENTRY_HEADER_BYTES)
        return refuse(err, err_size, "an entry is cut off in its header");
    const uint8_t *p = it->data + it->at;
    uint64_t header = get(p + ENTRY_HEADER, 4), padded = get(p + ENTRY_PADDED, 8);
    if (header < KIMG_ENTRY_HEADER_BYTES || header > left || padded > left - header)
        return refuse(err, err_size, "an entry is longer than the container");
    memset(e, 0, sizeof *e);
    e->kind = (uint32_t)get(p + ENTRY_KIND, 2);
    e->ptx_minor = (uint32_t)get(p + ENTRY_MINOR, 2);
    e->ptx_major = (uint32_t)get(p + ENTRY_MAJOR, 2);
    e->arch = (uint32_t)get(p + ENTRY_ARCH, 4);
    e->flags = get(p + ENTRY_FLAGS, 8);
    e->data = p + header;
    e->size = padded;
    if (read_name(p, header, e))
        return refuse(err, err_size, "an entry's name lies outside its header");
    it->at += header + padded;
    return 1;
}

// A PTX entry's text ends at its first NUL, or with the entry.
static bool usable_ptx(struct kimg_entry *e) {
    if (e->kind != KIMG_PTX || (e->flags & (FLAG_LZ4 | FLAG_ZSTD)))
        return false;
    const char *end = memchr(e->data, 0, e->size);
    if (end)
        e->size = (size_t)(end - (const char *)e->data) + 1;
    return e->size > 0;
}

// A cubin of kudzu's in a container has a container in it.
static bool inner_container(const struct kimg_entry *e, const void **data, size_t *size) {
    bool foreign;
    if (e->kind != KIMG_ELF || (e->flags & (FLAG_LZ4 | FLAG_ZSTD)))
        return false;
    *data = cubin_container(e->data, e->size, size, &foreign, NULL, 0);
    return *data != NULL;
}

static bool runs(const struct kimg_entry *e, uint32_t arch) {
    struct ptx_target target;
    if (e->arch > arch)
        return false;
    return !ptx_target_read(e->data, e->size, &target) || ptx_target_runs(target, arch);
}

// Whether `e` comes before `best`: the highest that is not above `arch`, then the lowest one.
static bool is_better(const struct kimg_entry *e, const struct kimg_entry *best, uint32_t arch) {
    if (!best->data)
        return true;
    if ((e->arch <= arch) != (best->arch <= arch))
        return e->arch <= arch;
    return e->arch <= arch ? e->arch > best->arch : e->arch < best->arch;
}

// Whether all of it could be read.
static bool find_ptx(const void *data, size_t size, uint32_t arch, bool lenient, bool inner,
                     struct kimg_entry *best, char *err, size_t err_size) {
    struct kimg it;
    struct kimg_entry e;
    int r;
    if (!kimg_open(&it, data, size, err, err_size))
        return false;
    while ((r = kimg_next(&it, &e, err, err_size)) == 1) {
        if (usable_ptx(&e)) {
            if ((lenient || runs(&e, arch)) && is_better(&e, best, arch))
                *best = e;
        } else if (!inner && inner_container(&e, &data, &size) &&
                   !find_ptx(data, size, arch, lenient, true, best, err, err_size))
            return false;
    }
    return r == 0;
}

bool kimg_best_ptx(const void *data, size_t size, uint32_t arch, bool lenient,
                   struct kimg_entry *out, char *err, size_t err_size) {
    *out = (struct kimg_entry){0};
    if (err_size)
        err[0] = 0;
    return find_ptx(data, size, arch, lenient, false, out, err, err_size) && out->data;
}

static bool find_native(const void *data, size_t size, bool inner, struct kimg_entry *out) {
    struct kimg it;
    struct kimg_entry e;
    if (!kimg_open(&it, data, size, NULL, 0))
        return false;
    while (kimg_next(&it, &e, NULL, 0) == 1) {
        *out = e;
        if (e.kind == KIMG_NATIVE ||
            (!inner && inner_container(&e, &data, &size) && find_native(data, size, true, out)))
            return true;
    }
    return false;
}

bool kimg_find_native(const void *data, size_t size, struct kimg_entry *out) {
    return find_native(data, size, false, out);
}
