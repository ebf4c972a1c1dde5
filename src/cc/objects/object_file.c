#include "cc/objects/object_file.h"

#include <elf.h>
#include <string.h>

#include "cc/objects/archive.h"
#include "cc/processes/file_io.h"

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

struct reading {
    struct arena *arena;
    object_files *out;
};

static bool read_member(void *user, const char *name, const void *data, size_t size) {
    struct reading *r = user;
    read_object(r->arena, (struct bytes){data, size}, name, true, r->out);
    return true;
}

bool object_files_parse(struct arena *arena, const char *name, const void *data, size_t size,
                        object_files *out) {
    struct bytes file = {data, size};
    struct reading r = {arena, out};
    if (archive_is(data, size))
        return archive_each_member(arena, name, data, size, read_member, &r);
    read_object(arena, file, name, false, out);
    return true;
}

bool object_files_read(struct arena *arena, const char *path, object_files *out) {
    char *data;
    size_t size;
    return read_file(arena, path, &data, &size) && object_files_parse(arena, path, data, size, out);
}

bool is_device_link_symbol(const char *name) {
    return !strncmp(name, DEVICE_LINK_SYMBOL, sizeof DEVICE_LINK_SYMBOL - 1);
}
