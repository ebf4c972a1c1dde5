#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "image/cubin.h"
#include "image/cubin_layout.h"

enum {
    SECTION_NULL,
    SECTION_SECTION_NAMES,
    SECTION_NAMES,
    SECTION_SYMBOLS,
    SECTION_IMAGE,
    SECTION_VALUES,   // .nv.global.init: variables with a value
    SECTION_ZEROES,   // .nv.global: the others
    SECTION_CONSTANT, // .nv.constant3
    SECTIONS
};
static const char *const section_names[SECTIONS] = {
    "",           ".shstrtab",    ".strtab", ".symtab", CUBIN_IMAGE_SECTION, ".nv.global.init",
    ".nv.global", ".nv.constant3"};

// Where everything goes; `symbols` is a permutation in which local ones come first, as ELF wants.
struct layout {
    const struct cubin *cubin;
    const struct cubin_symbol **symbols;
    uint64_t *values; // st_value, by place in `symbols`
    size_t locals;
    uint64_t text; // of the PTX, in the container
    Elf64_Shdr sections[SECTIONS];
    uint64_t headers, total;
};

static uint64_t align_up(uint64_t n, uint64_t align) {
    return align > 1 ? (n + align - 1) / align * align : n;
}

static uint16_t section_of(const struct cubin_symbol *s) {
    if (!s->defined)
        return SHN_UNDEF;
    if (s->kind == CUBIN_GLOBAL)
        return s->value ? SECTION_VALUES : SECTION_ZEROES;
    return s->kind == CUBIN_CONSTANT ? SECTION_CONSTANT : SECTION_IMAGE;
}

static void order_symbols(struct layout *l) {
    size_t n = 0;
    for (int local = 1; local >= 0; local--) {
        for (size_t i = 0; i < l->cubin->nsymbols; i++)
            if ((l->cubin->symbols[i].binding == CUBIN_LOCAL) == local)
                l->symbols[n++] = &l->cubin->symbols[i];
        if (local)
            l->locals = n;
    }
}

static void place_symbols(struct layout *l) {
    for (size_t i = 0; i < l->cubin->nsymbols; i++) {
        const struct cubin_symbol *s = l->symbols[i];
        Elf64_Shdr *section = &l->sections[section_of(s)];
        if (!s->defined)
            continue;
        if (section_of(s) == SECTION_IMAGE) {
            l->values[i] = l->text + s->offset;
            continue;
        }
        uint64_t align = s->align ? s->align : 1;
        l->values[i] = align_up(section->sh_size, align);
        section->sh_size = l->values[i] + s->size;
        if (section->sh_addralign < align)
            section->sh_addralign = align;
    }
}

static void describe(Elf64_Shdr *s, uint32_t type, uint64_t flags, uint64_t align, uint64_t size) {
    s->sh_type = type;
    s->sh_flags = flags;
    s->sh_addralign = s->sh_addralign > align ? s->sh_addralign : align;
    s->sh_size = size;
}

static void place_sections(struct layout *l) {
    Elf64_Shdr *s = l->sections;
    uint64_t names = 1, section_bytes = 1;
    for (size_t i = 0; i < l->cubin->nsymbols; i++)
        names += strlen(l->symbols[i]->name) + 1;
    for (int i = 1; i < SECTIONS; i++) {
        s[i].sh_name = (Elf64_Word)section_bytes;
        section_bytes += strlen(section_names[i]) + 1;
    }
    describe(&s[SECTION_SECTION_NAMES], SHT_STRTAB, 0, 1, section_bytes);
    describe(&s[SECTION_NAMES], SHT_STRTAB, 0, 1, names);
    describe(&s[SECTION_SYMBOLS], SHT_SYMTAB, 0, 8, (l->cubin->nsymbols + 1) * sizeof(Elf64_Sym));
    s[SECTION_SYMBOLS].sh_link = SECTION_NAMES;
    s[SECTION_SYMBOLS].sh_info = (Elf64_Word)(l->locals + 1);
    s[SECTION_SYMBOLS].sh_entsize = sizeof(Elf64_Sym);
    describe(&s[SECTION_IMAGE], SHT_PROGBITS, SHF_ALLOC, 16, l->cubin->container_size);
    describe(&s[SECTION_VALUES], SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 1, s[SECTION_VALUES].sh_size);
    describe(&s[SECTION_ZEROES], SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 1, s[SECTION_ZEROES].sh_size);
    describe(&s[SECTION_CONSTANT], SHT_PROGBITS, SHF_ALLOC, 1, s[SECTION_CONSTANT].sh_size);
    uint64_t at = sizeof(Elf64_Ehdr);
    for (int i = 1; i < SECTIONS; i++) {
        s[i].sh_offset = at = align_up(at, s[i].sh_addralign);
        at += s[i].sh_type == SHT_NOBITS ? 0 : s[i].sh_size;
    }
    l->headers = align_up(at, 8);
    l->total = l->headers + sizeof l->sections;
}

static Elf64_Ehdr header(const struct layout *l) {
    const struct cubin *c = l->cubin;
    Elf64_Ehdr h = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                                EV_CURRENT, CUBIN_OS_ABI, CUBIN_ABI_VERSION},
                    .e_type = c->relocatable ? ET_REL : ET_EXEC,
                    .e_machine = CUBIN_MACHINE,
                    .e_version = EV_CURRENT,
                    .e_shoff = l->headers,
                    .e_ehsize = sizeof(Elf64_Ehdr),
                    .e_phentsize = sizeof(Elf64_Phdr),
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = SECTIONS,
                    .e_shstrndx = SECTION_SECTION_NAMES};
    h.e_flags = (c->arch & CUBIN_ARCH_MASK) | CUBIN_FLAG_UNIFIED_TEXTURES | CUBIN_FLAG_64BIT |
                (c->arch_specific ? CUBIN_FLAG_SPECIFIC : 0) |
                (c->virtual_arch & CUBIN_ARCH_MASK) << CUBIN_VIRTUAL_SHIFT;
    return h;
}

static Elf64_Sym symbol(const struct layout *l, size_t i, uint64_t name) {
    static const unsigned char bindings[] = {STB_LOCAL, STB_GLOBAL, STB_WEAK};
    const struct cubin_symbol *s = l->symbols[i];
    bool code = s->kind == CUBIN_KERNEL || s->kind == CUBIN_FUNCTION;
    unsigned type = !s->defined ? STT_NOTYPE : code ? STT_FUNC : STT_OBJECT;
    return (Elf64_Sym){.st_name = (Elf64_Word)name,
                       .st_info = (unsigned char)ELF64_ST_INFO(bindings[s->binding], type),
                       .st_other = s->kind == CUBIN_KERNEL ? CUBIN_KERNEL_MARK : 0,
                       .st_shndx = section_of(s),
                       .st_value = l->values[i],
                       .st_size = s->defined ? s->size : 0};
}

static void write_all(const struct layout *l, uint8_t *out) {
    const Elf64_Shdr *s = l->sections;
    Elf64_Ehdr h = header(l);
    memcpy(out, &h, sizeof h);
    for (int i = 1; i < SECTIONS; i++)
        strcpy((char *)out + s[SECTION_SECTION_NAMES].sh_offset + s[i].sh_name, section_names[i]);
    memcpy(out + s[SECTION_IMAGE].sh_offset, l->cubin->container, l->cubin->container_size);
    uint64_t name = 1;
    for (size_t i = 0; i < l->cubin->nsymbols; i++) {
        const struct cubin_symbol *v = l->symbols[i];
        Elf64_Sym sym = symbol(l, i, name);
        memcpy(out + s[SECTION_SYMBOLS].sh_offset + (i + 1) * sizeof sym, &sym, sizeof sym);
        strcpy((char *)out + s[SECTION_NAMES].sh_offset + name, v->name);
        name += strlen(v->name) + 1;
        if (v->defined && v->value && v->size && sym.st_shndx != SECTION_IMAGE)
            memcpy(out + s[sym.st_shndx].sh_offset + sym.st_value, v->value, v->size);
    }
    memcpy(out + l->headers, s, sizeof l->sections);
}

// Where the first entry's data begin in a container.
static uint64_t text_in(const struct cubin *c) {
    enum { HEADER_BYTES = 6, ENTRY_HEADER = 4 };
    const uint8_t *p = c->container;
    uint16_t header;
    uint32_t entry;
    memcpy(&header, p + HEADER_BYTES, sizeof header);
    memcpy(&entry, p + header + ENTRY_HEADER, sizeof entry);
    return header + entry;
}

bool cubin_build(const struct cubin *c, void **out, size_t *out_size) {
    struct layout l = {.cubin = c, .text = text_in(c)};
    l.symbols = malloc((c->nsymbols + 1) * sizeof *l.symbols);
    l.values = calloc(c->nsymbols + 1, sizeof *l.values);
    uint8_t *data = NULL;
    if (l.symbols && l.values) {
        order_symbols(&l);
        place_symbols(&l);
        place_sections(&l);
        data = calloc(1, l.total);
    }
    if (data)
        write_all(&l, data);
    free(l.symbols);
    free(l.values);
    *out = data;
    *out_size = l.total;
    return data != NULL;
}
