#include "cc/object_file.h"

#include <ar.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "cc/file_io.h"

struct bytes {
    const uint8_t *data;
    size_t size;
};

static bool within(size_t size, uint64_t offset, uint64_t length) {
    return offset <= size && length <= size - offset;
}

// ---- ELF ----------------------------------------------------------------------------------

struct elf {
    struct bytes file;
    const Elf64_Shdr *sections;
    uint32_t nsections;
    struct bytes names;
};

static bool section_bytes(const struct elf *e, const Elf64_Shdr *s, struct bytes *out) {
    if (s->sh_type == SHT_NOBITS || !within(e->file.size, s->sh_offset, s->sh_size))
        return false;
    *out = (struct bytes){e->file.data + s->sh_offset, s->sh_size};
    return true;
}

// A string of a table; NULL when it does not end within it.
static const char *string_at(struct bytes table, uint32_t offset) {
    if (offset >= table.size || !memchr(table.data + offset, 0, table.size - offset))
        return NULL;
    return (const char *)table.data + offset;
}

// Takes 64-bit little-endian relocatable x86-64 objects. Members of archives are 2-aligned, so
// the file is copied to where its structures can be read in place.
static bool elf_open(struct arena *arena, struct elf *e, struct bytes file) {
    if (file.size < sizeof(Elf64_Ehdr) || memcmp(file.data, ELFMAG, SELFMAG) != 0)
        return false;
    e->file = (struct bytes){arena_memdup(arena, file.data, file.size), file.size};
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)e->file.data;
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
        h->e_type != ET_REL || h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shoff % 8 ||
        !within(file.size, h->e_shoff, sizeof(Elf64_Shdr)))
        return false;
    e->sections = (const Elf64_Shdr *)(e->file.data + h->e_shoff);
    // Counts that do not fit in the header stand in the first section.
    uint64_t n = h->e_shnum ? h->e_shnum : e->sections[0].sh_size;
    uint32_t names = h->e_shstrndx == SHN_XINDEX ? e->sections[0].sh_link : h->e_shstrndx;
    if (n > UINT32_MAX || !within(file.size, h->e_shoff, n * sizeof(Elf64_Shdr)) || names >= n)
        return false;
    e->nsections = (uint32_t)n;
    return section_bytes(e, &e->sections[names], &e->names);
}

static void read_symbols(struct arena *arena, const struct elf *e, const Elf64_Shdr *s,
                         struct object_file *out) {
    struct bytes table, strings;
    if (s->sh_link >= e->nsections || !section_bytes(e, s, &table) ||
        !section_bytes(e, &e->sections[s->sh_link], &strings) || s->sh_offset % 8)
        return;
    const Elf64_Sym *symbols = (const Elf64_Sym *)table.data;
    for (size_t i = 1; i < table.size / sizeof(Elf64_Sym); ++i) {
        int binding = ELF64_ST_BIND(symbols[i].st_info);
        const char *name = string_at(strings, symbols[i].st_name);
        if (binding == STB_LOCAL || !name || !*name)
            continue;
        if (symbols[i].st_shndx != SHN_UNDEF)
            vec_push(arena, &out->defined, name);
        else if (binding == STB_GLOBAL) // a weak reference pulls nothing from an archive
            vec_push(arena, &out->undefined, name);
    }
}

static void read_object(struct arena *arena, struct bytes file, const char *name, bool in_archive,
                        object_files *out) {
    struct elf e;
    if (!elf_open(arena, &e, file))
        return;
    struct object_file o = {.name = name, .in_archive = in_archive};
    for (uint32_t i = 0; i < e.nsections; ++i) {
        const Elf64_Shdr *s = &e.sections[i];
        const char *section = string_at(e.names, s->sh_name);
        struct bytes content;
        if (s->sh_type == SHT_SYMTAB)
            read_symbols(arena, &e, s, &o);
        if (!section || !section_bytes(&e, s, &content))
            continue;
        if (!strcmp(section, DEVICE_CODE_SECTION) && content.size)
            o.device = content.data, o.device_size = content.size;
        else if (!strcmp(section, DEVICE_LINK_SECTION))
            o.is_device_link = true;
    }
    vec_push(arena, out, o);
}

// ---- Archives -----------------------------------------------------------------------------

struct archive {
    const char *path;
    struct bytes file, long_names;
    bool thin;
};

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

static bool read_archive(struct arena *arena, struct archive *a, object_files *out) {
    size_t at = SARMAG;
    while (within(a->file.size, at, sizeof(struct ar_hdr))) {
        const struct ar_hdr *h = (const struct ar_hdr *)(a->file.data + at);
        char digits[sizeof h->ar_size + 1] = "";
        memcpy(digits, h->ar_size, sizeof h->ar_size);
        size_t size = strtoul(digits, NULL, 10);
        at += sizeof *h;
        bool table = !memcmp(h->ar_name, "/ ", 2) || !memcmp(h->ar_name, "// ", 3) ||
                     !memcmp(h->ar_name, "/SYM64/", 7);
        bool inside = table || !a->thin;
        if (inside && !within(a->file.size, at, size))
            return true;
        struct bytes member = {a->file.data + at, size};
        if (inside)
            at += size + (size & 1);
        if (!memcmp(h->ar_name, "// ", 3))
            a->long_names = member;
        if (table)
            continue;
        const char *name = member_name(arena, a, h);
        if (a->thin && !thin_member(arena, a, name, &member))
            return false;
        read_object(arena, member, arena_printf(arena, "%s(%s)", a->path, name), true, out);
    }
    return true;
}

bool object_files_parse(struct arena *arena, const char *name, const void *data, size_t size,
                        object_files *out) {
    struct bytes file = {data, size};
    bool thin = size >= SARMAG && !memcmp(data, "!<thin>\n", SARMAG);
    if (thin || (size >= SARMAG && !memcmp(data, ARMAG, SARMAG))) {
        struct archive a = {.path = name, .file = file, .thin = thin};
        return read_archive(arena, &a, out);
    }
    read_object(arena, file, name, false, out);
    return true;
}

bool object_files_read(struct arena *arena, const char *path, object_files *out) {
    char *data;
    size_t size;
    return read_file(arena, path, &data, &size) && object_files_parse(arena, path, data, size, out);
}
