#include "cc/objects/archive.h"

#include <ar.h>
#include <stdlib.h>
#include <string.h>

#include "cc/processes/file_io.h"

struct bytes {
    const uint8_t *data;
    size_t size;
};

struct archive {
    const char *path;
    struct bytes file, long_names;
    bool thin;
};

static bool within(size_t size, uint64_t offset, uint64_t length) {
    return offset <= size && length <= size - offset;
}

static bool begins_with(const void *data, size_t size, const char *magic) {
    return size >= SARMAG && !memcmp(data, magic, SARMAG);
}

// "name/", or "/123" for the name at 123 in the table of long names.
static const char *member_name(struct arena *arena, const struct archive *a,
                               const struct ar_hdr *h) {
    const char *name = h->ar_name;
    size_t n = sizeof h->ar_name;
    if (*name == '/' && name[1] >= '0' && name[1] <= '9') {
        size_t offset = (size_t)atol(name + 1);
        if (offset >= a->long_names.size)
            return "";
        name = (const char *)a->long_names.data + offset;
        n = a->long_names.size - offset;
    }
    size_t end = 0;
    while (end < n && name[end] != '\n' &&
           !(name[end] == '/' && (end + 1 == n || name[end + 1] == '\n' || name[end + 1] == ' ')))
        ++end;
    return arena_strndup(arena, name, end);
}

// A thin archive's member lies in a file of its own, beside the archive.
static bool thin_member(struct arena *arena, const struct archive *a, const char *name,
                        struct bytes *out) {
    const char *slash = strrchr(a->path, '/');
    const char *path = *name == '/' || !slash
                           ? name
                           : arena_printf(arena, "%.*s/%s", (int)(slash - a->path), a->path, name);
    char *data;
    if (!read_file(arena, path, &data, &out->size))
        return false;
    out->data = (const uint8_t *)data;
    return true;
}

bool archive_is(const void *data, size_t size) {
    return begins_with(data, size, ARMAG) || begins_with(data, size, "!<thin>\n");
}

bool archive_each_member(struct arena *arena, const char *path, const void *data, size_t size,
                         bool (*take)(void *user, const char *name, const void *data, size_t size),
                         void *user) {
    struct archive a = {path, {data, size}, {NULL, 0}, begins_with(data, size, "!<thin>\n")};
    size_t at = SARMAG;
    while (within(size, at, sizeof(struct ar_hdr))) {
        const struct ar_hdr *h = (const struct ar_hdr *)(a.file.data + at);
        char digits[sizeof h->ar_size + 1] = "";
        memcpy(digits, h->ar_size, sizeof h->ar_size);
        size_t bytes = strtoul(digits, NULL, 10);
        at += sizeof *h;
        bool table = !memcmp(h->ar_name, "/ ", 2) || !memcmp(h->ar_name, "// ", 3) ||
                     !memcmp(h->ar_name, "/SYM64/", 7);
        bool inside = table || !a.thin;
        if (inside && !within(size, at, bytes))
            return true;
        struct bytes member = {a.file.data + at, bytes};
        if (inside)
            at += bytes + (bytes & 1);
        if (!memcmp(h->ar_name, "// ", 3))
            a.long_names = member;
        if (table)
            continue;
        const char *name = member_name(arena, &a, h);
        if (a.thin && !thin_member(arena, &a, name, &member))
            return false;
        if (!take(user, arena_printf(arena, "%s(%s)", path, name), member.data, member.size))
            return false;
    }
    return true;
}
