#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "image/cubin.h"
#include "image/cubin_layout.h"
#include "image/image.h"

__attribute__((format(printf, 3, 4))) static bool refuse(char *err, size_t err_size,
                                                         const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (err_size)
        vsnprintf(err, err_size, fmt, ap);
    va_end(ap);
    return false;
}

bool cubin_is_elf(const void *data, size_t size) {
    if (size)
        return size >= sizeof(Elf64_Ehdr) && !memcmp(data, ELFMAG, SELFMAG);
    return !strncmp(data, ELFMAG, SELFMAG); // fewer bytes may be there
}

static bool inside(uint64_t size, uint64_t offset, uint64_t bytes) {
    return offset <= size && bytes <= size - offset;
}

static Elf64_Shdr section_header(const struct cubin_file *f, uint32_t number) {
    Elf64_Shdr s;
    memcpy(&s, f->data + f->sections + (uint64_t)number * sizeof s, sizeof s);
    return s;
}

static bool has_bytes(const Elf64_Shdr *s) {
    return s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL;
}

// Counts that do not fit in the header stand in the first section's.
static void read_large_counts(struct cubin_file *f) {
    Elf64_Shdr first = section_header(f, 0);
    f->nsections = first.sh_size > UINT32_MAX ? UINT32_MAX : (uint32_t)first.sh_size;
    if (f->names == SHN_XINDEX)
        f->names = first.sh_link;
}

bool cubin_open(struct cubin_file *f, const void *data, size_t size, char *err, size_t err_size) {
    Elf64_Ehdr h;
    *f = (struct cubin_file){.data = data, .size = size};
    if (!cubin_is_elf(data, size))
        return refuse(err, err_size, "not an ELF file");
    memcpy(&h, data, sizeof h);
    if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB)
        return refuse(err, err_size, "damaged cubin: not of 64 bits, little-endian");
    f->type = h.e_type;
    f->machine = h.e_machine;
    f->flags = h.e_flags;
    f->abi = h.e_ident[EI_ABIVERSION];
    f->nsections = h.e_shnum;
    f->sections = h.e_shoff;
    f->names = h.e_shstrndx;
    if (f->nsections && h.e_shentsize != sizeof(Elf64_Shdr))
        return refuse(err, err_size, "damaged cubin: section headers of %u bytes", h.e_shentsize);
    if (f->sections > UINT64_MAX / 2)
        return refuse(err, err_size, "damaged cubin: its section headers lie outside it");
    if (!f->nsections && f->sections && inside(size, f->sections, sizeof(Elf64_Shdr)))
        read_large_counts(f);
    uint64_t table = (uint64_t)f->nsections * sizeof(Elf64_Shdr);
    // Ours end with the headers; what is not known to be there is not read.
    f->size = size ? size : f->sections + table;
    if (!inside(f->size, f->sections, table))
        return refuse(err, err_size, "damaged cubin: its section headers lie outside it");
    for (uint32_t i = 0; i < f->nsections; i++) {
        Elf64_Shdr s = section_header(f, i);
        if (has_bytes(&s) && !inside(f->size, s.sh_offset, s.sh_size))
            return refuse(err, err_size, "damaged cubin: section %u lies outside it", i);
    }
    return true;
}

// A string of a table; NULL: it does not end there.
static const char *string_at(const struct cubin_file *f, uint32_t table, uint64_t offset) {
    if (table >= f->nsections)
        return NULL;
    Elf64_Shdr s = section_header(f, table);
    if (!has_bytes(&s) || offset >= s.sh_size)
        return NULL;
    const char *text = (const char *)f->data + s.sh_offset + offset;
    return memchr(text, 0, s.sh_size - offset) ? text : NULL;
}

bool cubin_section(const struct cubin_file *f, uint32_t number, struct cubin_section *out) {
    if (number >= f->nsections)
        return false;
    Elf64_Shdr s = section_header(f, number);
    const char *name = string_at(f, f->names, s.sh_name);
    *out = (struct cubin_section){.name = name ? name : "",
                                  .type = s.sh_type,
                                  .link = s.sh_link,
                                  .info = s.sh_info,
                                  .flags = s.sh_flags,
                                  .offset = s.sh_offset,
                                  .size = s.sh_size,
                                  .align = s.sh_addralign,
                                  .data = has_bytes(&s) ? f->data + s.sh_offset : NULL};
    return true;
}

bool cubin_section_named(const struct cubin_file *f, const char *name, struct cubin_section *out) {
    for (uint32_t i = 1; i < f->nsections; i++)
        if (cubin_section(f, i, out) && !strcmp(out->name, name))
            return true;
    return false;
}

static bool symbol_table(const struct cubin_file *f, Elf64_Shdr *out) {
    for (uint32_t i = 1; i < f->nsections; i++) {
        *out = section_header(f, i);
        if (out->sh_type == SHT_SYMTAB)
            return true;
    }
    return false;
}

uint32_t cubin_symbol_count(const struct cubin_file *f) {
    Elf64_Shdr table;
    return symbol_table(f, &table) ? (uint32_t)(table.sh_size / sizeof(Elf64_Sym)) : 0;
}

static enum cubin_symbol_kind kind_of(const Elf64_Sym *s, const struct cubin_section *section) {
    if (s->st_other & CUBIN_KERNEL_MARK && ELF64_ST_TYPE(s->st_info) == STT_FUNC)
        return CUBIN_KERNEL;
    if (ELF64_ST_TYPE(s->st_info) == STT_FUNC)
        return CUBIN_FUNCTION;
    if (ELF64_ST_TYPE(s->st_info) != STT_OBJECT)
        return CUBIN_OTHER;
    return strncmp(section->name, ".nv.constant", 12) ? CUBIN_GLOBAL : CUBIN_CONSTANT;
}

bool cubin_symbol(const struct cubin_file *f, uint32_t number, struct cubin_symbol *out) {
    Elf64_Shdr table;
    Elf64_Sym s;
    struct cubin_section section = {.name = ""};
    if (!number || number >= cubin_symbol_count(f) || !symbol_table(f, &table))
        return false;
    memcpy(&s, f->data + table.sh_offset + (uint64_t)number * sizeof s, sizeof s);
    unsigned type = ELF64_ST_TYPE(s.st_info), bind = ELF64_ST_BIND(s.st_info);
    const char *name = string_at(f, table.sh_link, s.st_name);
    if (!name || !*name || type == STT_SECTION || type == STT_FILE)
        return false;
    bool reserved = s.st_shndx >= SHN_LORESERVE;
    if (s.st_shndx != SHN_UNDEF && !reserved && !cubin_section(f, s.st_shndx, &section))
        return false;
    *out = (struct cubin_symbol){.name = name,
                                 .kind = kind_of(&s, &section),
                                 .binding = bind == STB_LOCAL  ? CUBIN_LOCAL
                                            : bind == STB_WEAK ? CUBIN_WEAK
                                                               : CUBIN_EXTERNAL,
                                 .defined = s.st_shndx != SHN_UNDEF,
                                 .offset = s.st_value,
                                 .size = s.st_size,
                                 .section = s.st_shndx};
    if (section.data && inside(section.size, s.st_value, s.st_size))
        out->value = (const uint8_t *)section.data + s.st_value;
    return true;
}

bool cubin_is_for_gpu(const struct cubin_file *f) {
    return f->machine == CUBIN_MACHINE;
}

uint32_t cubin_architecture(const struct cubin_file *f) {
    return f->abi >= CUBIN_NEXT_ABI_VERSION
               ? f->flags >> CUBIN_NEXT_ARCH_SHIFT & CUBIN_NEXT_ARCH_MASK
               : f->flags & CUBIN_ARCH_MASK;
}

bool cubin_is_architecture_specific(const struct cubin_file *f) {
    return f->flags &
           (f->abi >= CUBIN_NEXT_ABI_VERSION ? CUBIN_NEXT_FLAG_SPECIFIC : CUBIN_FLAG_SPECIFIC);
}

const void *cubin_container(const void *data, size_t size, size_t *container_size, bool *foreign,
                            char *err, size_t err_size) {
    struct cubin_file f;
    struct cubin_section s;
    *foreign = false;
    if (!cubin_open(&f, data, size, err, err_size))
        return NULL;
    if (!cubin_section_named(&f, CUBIN_IMAGE_SECTION, &s)) {
        *foreign = cubin_is_for_gpu(&f);
        refuse(err, err_size,
               *foreign
                   ? "the image is machine code of a GPU; PTX or a container with PTX is needed"
                   : "the image is an object file of another kind of machine");
        return NULL;
    }
    if (!s.data || !kimg_is_container(s.data, s.size ? s.size : 1)) {
        refuse(err, err_size, "damaged cubin: its image is no container");
        return NULL;
    }
    *container_size = s.size;
    return s.data;
}
