// ELF64 relocatable objects, mapped as three stretches of pages: code with stubs (executable),
// constants with the GOT (read-only), data (writable).
#include "device/code/code_loader.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/helpers/runtime.h"
#include "device/memory/page.h"

enum { MAX_ALIGN = 4096, MAX_SECTIONS = 4096 };
static const uint64_t MAX_BYTES = 256u << 20;

enum part { PART_CODE, PART_CONST, PART_DATA, PARTS };

struct loaded_code {
    uint8_t *map;
    uint64_t size, code_size; // code comes first
};

struct section {
    uint64_t at; // offset in the mapping
    bool loaded;
};

struct loader {
    const uint8_t *obj;
    uint64_t size;
    Elf64_Ehdr head;
    struct section *sections;
    const uint8_t *symbols; // of SHT_SYMTAB
    uint64_t nsymbols;
    const char *strings;
    uint64_t strings_size;
    uint64_t *got; // by symbol: offset of its GOT word + 1; 0: none
    uint64_t *stub;
    uint64_t part_at[PARTS], part_size[PARTS];
    uint64_t got_at, stub_at; // next free ones
    uint8_t *map;
    uint64_t map_size;
    const char *why;
    char text[160];
};

static bool wrong(struct loader *l, const char *why) {
    if (!l->why)
        l->why = why;
    return false;
}

static bool inside(const struct loader *l, uint64_t offset, uint64_t size) {
    return offset <= l->size && size <= l->size - offset;
}

// ---- Reading tables -----------------------------------------------------------------------

static Elf64_Shdr section_header(const struct loader *l, uint32_t i) {
    Elf64_Shdr h;
    memcpy(&h, l->obj + l->head.e_shoff + (uint64_t)i * sizeof h, sizeof h);
    return h;
}

static Elf64_Sym symbol_at(const struct loader *l, uint64_t i) {
    Elf64_Sym s;
    memcpy(&s, l->symbols + i * sizeof s, sizeof s);
    return s;
}

static const char *symbol_name(const struct loader *l, const Elf64_Sym *s) {
    return s->st_name < l->strings_size ? l->strings + s->st_name : "";
}

static bool known_machine(const struct loader *l) {
#if defined(__x86_64__)
    return l->head.e_machine == EM_X86_64;
#elif defined(__aarch64__)
    return l->head.e_machine == EM_AARCH64;
#endif
}

static bool read_head(struct loader *l) {
    if (l->size < sizeof l->head)
        return wrong(l, "it is shorter than an ELF header");
    memcpy(&l->head, l->obj, sizeof l->head);
    const Elf64_Ehdr *h = &l->head;
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_type != ET_REL)
        return wrong(l, "it is no relocatable 64-bit ELF object");
    if (!known_machine(l))
        return wrong(l, "it is for another processor");
    if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shnum == 0 || h->e_shnum > MAX_SECTIONS ||
        !inside(l, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
        return wrong(l, "its section table lies outside of it");
    l->sections = calloc(h->e_shnum, sizeof *l->sections);
    return l->sections ? true : wrong(l, "no memory");
}

static bool read_symbols(struct loader *l) {
    for (uint32_t i = 0; i < l->head.e_shnum; i++) {
        Elf64_Shdr h = section_header(l, i);
        if (h.sh_type != SHT_SYMTAB)
            continue;
        if (l->symbols || h.sh_entsize != sizeof(Elf64_Sym) || !inside(l, h.sh_offset, h.sh_size) ||
            h.sh_link >= l->head.e_shnum)
            return wrong(l, "its symbol table is damaged");
        Elf64_Shdr s = section_header(l, h.sh_link);
        if (s.sh_type != SHT_STRTAB || !inside(l, s.sh_offset, s.sh_size) || s.sh_size == 0 ||
            l->obj[s.sh_offset + s.sh_size - 1] != 0)
            return wrong(l, "its string table is damaged");
        l->symbols = l->obj + h.sh_offset;
        l->nsymbols = h.sh_size / sizeof(Elf64_Sym);
        l->strings = (const char *)l->obj + s.sh_offset;
        l->strings_size = s.sh_size;
    }
    if (!l->symbols)
        return wrong(l, "it has no symbol table");
    l->got = calloc(l->nsymbols + 1, sizeof *l->got);
    l->stub = calloc(l->nsymbols + 1, sizeof *l->stub);
    return l->got && l->stub ? true : wrong(l, "no memory");
}

// ---- Layout -------------------------------------------------------------------------------

// Sections that the running code needs. Unwind tables are not: nothing unwinds through it.
static bool wanted(const Elf64_Shdr *h) {
    return (h->sh_flags & SHF_ALLOC) && (h->sh_type == SHT_PROGBITS || h->sh_type == SHT_NOBITS) &&
           h->sh_size > 0;
}

static bool is_unwind(const struct loader *l, const Elf64_Shdr *h) {
    static const char name[] = ".eh_frame";
    if (l->head.e_shstrndx >= l->head.e_shnum)
        return false;
    Elf64_Shdr names = section_header(l, l->head.e_shstrndx);
    return inside(l, names.sh_offset, names.sh_size) && h->sh_name < names.sh_size &&
           names.sh_size - h->sh_name >= sizeof name &&
           memcmp(l->obj + names.sh_offset + h->sh_name, name, sizeof name) == 0;
}

static enum part part_of(const struct loader *l, const Elf64_Shdr *h) {
    if (h->sh_flags & SHF_EXECINSTR)
        return PART_CODE;
    if (!(h->sh_flags & SHF_WRITE))
        return PART_CONST;
    // .data.rel.ro is written by relocations only.
    static const char prefix[] = ".data.rel.ro";
    Elf64_Shdr names = {0};
    if (l->head.e_shstrndx < l->head.e_shnum)
        names = section_header(l, l->head.e_shstrndx);
    bool relro = inside(l, names.sh_offset, names.sh_size) && h->sh_name < names.sh_size &&
                 names.sh_size - h->sh_name >= sizeof prefix &&
                 memcmp(l->obj + names.sh_offset + h->sh_name, prefix, sizeof prefix - 1) == 0;
    return relro ? PART_CONST : PART_DATA;
}

static bool add_bytes(struct loader *l, enum part part, uint64_t size, uint64_t align,
                      uint64_t *at) {
    if (align == 0)
        align = 1;
    if ((align & (align - 1)) || align > MAX_ALIGN || size > MAX_BYTES)
        return wrong(l, "a section is too large or badly aligned");
    uint64_t start = (l->part_size[part] + align - 1) & ~(align - 1);
    if (start + size > MAX_BYTES)
        return wrong(l, "it is too large");
    *at = start;
    l->part_size[part] = start + size;
    return true;
}

static bool place_sections(struct loader *l) {
    for (uint32_t i = 0; i < l->head.e_shnum; i++) {
        Elf64_Shdr h = section_header(l, i);
        if (!wanted(&h) || is_unwind(l, &h))
            continue;
        if (h.sh_type == SHT_PROGBITS && !inside(l, h.sh_offset, h.sh_size))
            return wrong(l, "a section lies outside of it");
        if (!add_bytes(l, part_of(l, &h), h.sh_size, h.sh_addralign, &l->sections[i].at))
            return false;
        l->sections[i].loaded = true;
    }
    return true;
}

// ---- Relocations --------------------------------------------------------------------------

static unsigned needs(uint32_t type, bool external) {
#if defined(__x86_64__)
    return reloc_needs_x86_64(type, external);
#elif defined(__aarch64__)
    return reloc_needs_aarch64(type, external);
#endif
}

static const char *apply(uint32_t type, const struct reloc_site *s) {
#if defined(__x86_64__)
    return reloc_apply_x86_64(type, s);
#elif defined(__aarch64__)
    return reloc_apply_aarch64(type, s);
#endif
}

static void write_stub(uint8_t *p, uint64_t pc, uint64_t got) {
#if defined(__x86_64__)
    stub_write_x86_64(p, pc, got);
#elif defined(__aarch64__)
    stub_write_aarch64(p, pc, got);
#endif
}

typedef bool (*reloc_fn)(struct loader *, const Elf64_Shdr *target, uint32_t target_index,
                         const Elf64_Rela *);

static bool each_reloc(struct loader *l, reloc_fn fn) {
    for (uint32_t i = 0; i < l->head.e_shnum; i++) {
        Elf64_Shdr h = section_header(l, i);
        if (h.sh_type == SHT_REL)
            return wrong(l, "it has relocations without addends");
        if (h.sh_type != SHT_RELA || h.sh_info >= l->head.e_shnum || !l->sections[h.sh_info].loaded)
            continue;
        if (h.sh_entsize != sizeof(Elf64_Rela) || !inside(l, h.sh_offset, h.sh_size))
            return wrong(l, "a relocation table is damaged");
        Elf64_Shdr target = section_header(l, h.sh_info);
        for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= h.sh_size; at += sizeof(Elf64_Rela)) {
            Elf64_Rela r;
            memcpy(&r, l->obj + h.sh_offset + at, sizeof r);
            if (ELF64_R_SYM(r.r_info) >= l->nsymbols)
                return wrong(l, "a relocation names a symbol that does not exist");
            if (r.r_offset >= target.sh_size || target.sh_type == SHT_NOBITS)
                return wrong(l, "a relocation lies outside its section");
            if (!fn(l, &target, h.sh_info, &r))
                return false;
        }
    }
    return true;
}

// First pass: room for GOT words and stubs.
static bool count_reloc(struct loader *l, const Elf64_Shdr *target, uint32_t index,
                        const Elf64_Rela *r) {
    uint64_t sym = ELF64_R_SYM(r->r_info), unused;
    Elf64_Sym s = symbol_at(l, sym);
    unsigned need = needs((uint32_t)ELF64_R_TYPE(r->r_info), s.st_shndx == SHN_UNDEF);
    if (need & RELOC_UNKNOWN) {
        snprintf(l->text, sizeof l->text, "a relocation of type %u is not known",
                 (unsigned)ELF64_R_TYPE(r->r_info));
        return wrong(l, l->text);
    }
    bool ok = true;
    if (need && !l->got[sym])
        ok = add_bytes(l, PART_CONST, 8, 8, &unused) && (l->got[sym] = unused + 1);
    if (ok && (need & RELOC_STUB) && !l->stub[sym])
        ok = add_bytes(l, PART_CODE, STUB_BYTES, 16, &unused) && (l->stub[sym] = unused + 1);
    return ok;
}

static bool symbol_address(struct loader *l, uint64_t index, uint64_t *out) {
    Elf64_Sym s = symbol_at(l, index);
    if (index == 0 || s.st_shndx == SHN_ABS) {
        *out = s.st_value;
        return true;
    }
    if (s.st_shndx == SHN_UNDEF) {
        const char *name = symbol_name(l, &s);
        void *p = runtime_symbol(name);
        if (!p)
            p = library_symbol(name);
        if (!p) {
            snprintf(l->text, sizeof l->text, "it calls \"%.80s\", which is not provided", name);
            return wrong(l, l->text);
        }
        *out = (uint64_t)p;
        return true;
    }
    if (s.st_shndx >= l->head.e_shnum || !l->sections[s.st_shndx].loaded)
        return wrong(l, "a symbol lies in a section that is not loaded");
    if (s.st_value > section_header(l, s.st_shndx).sh_size)
        return wrong(l, "a symbol lies outside its section");
    *out = (uint64_t)l->map + l->sections[s.st_shndx].at + s.st_value;
    return true;
}

static void fill_got_and_stub(struct loader *l, uint64_t sym, struct reloc_site *s) {
    if (l->got[sym]) {
        uint8_t *word = l->map + l->part_at[PART_CONST] + l->got[sym] - 1;
        memcpy(word, &s->symbol, 8);
        s->got = (uint64_t)word;
    }
    if (l->stub[sym]) {
        uint8_t *stub = l->map + l->part_at[PART_CODE] + l->stub[sym] - 1;
        write_stub(stub, (uint64_t)stub, s->got);
        s->stub = (uint64_t)stub;
    }
}

static bool apply_reloc(struct loader *l, const Elf64_Shdr *target, uint32_t index,
                        const Elf64_Rela *r) {
    uint64_t sym = ELF64_R_SYM(r->r_info);
    struct reloc_site s = {.addend = r->r_addend};
    if (!symbol_address(l, sym, &s.symbol))
        return false;
    s.place = l->map + l->sections[index].at + r->r_offset;
    s.room = target->sh_size - r->r_offset;
    s.pc = (uint64_t)s.place;
    fill_got_and_stub(l, sym, &s);
    const char *why = apply((uint32_t)ELF64_R_TYPE(r->r_info), &s);
    return why ? wrong(l, why) : true;
}

// ---- Mapping ------------------------------------------------------------------------------

static bool map_parts(struct loader *l) {
    for (int p = 0; p < PARTS; p++) {
        l->part_at[p] = l->map_size;
        l->map_size += whole_pages(l->part_size[p]);
    }
    if (l->map_size == 0)
        return wrong(l, "it has no code");
    void *map = mmap(NULL, l->map_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return wrong(l, "no memory for its code");
    l->map = map;
    for (uint32_t i = 0; i < l->head.e_shnum; i++) {
        if (!l->sections[i].loaded)
            continue;
        Elf64_Shdr h = section_header(l, i);
        l->sections[i].at += l->part_at[part_of(l, &h)];
        if (h.sh_type == SHT_PROGBITS)
            memcpy(l->map + l->sections[i].at, l->obj + h.sh_offset, h.sh_size);
    }
    return true;
}

static bool protect_parts(struct loader *l) {
    static const int rights[PARTS] = {PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
    for (int p = 0; p < PARTS; p++)
        if (l->part_size[p] &&
            mprotect(l->map + l->part_at[p], whole_pages(l->part_size[p]), rights[p]))
            return wrong(l, "the system does not let its pages be executable");
    __builtin___clear_cache((char *)l->map, (char *)l->map + l->map_size);
    return true;
}

static bool find_entry(struct loader *l, void **entry) {
    for (uint64_t i = 1; i < l->nsymbols; i++) {
        Elf64_Sym s = symbol_at(l, i);
        if (ELF64_ST_BIND(s.st_info) != STB_GLOBAL || s.st_shndx == SHN_UNDEF ||
            strcmp(symbol_name(l, &s), "kd_entry"))
            continue;
        uint64_t address;
        if (!symbol_address(l, i, &address))
            return false;
        uint64_t at = address - (uint64_t)l->map;
        if (at >= l->part_size[PART_CODE]) // the code part comes first
            return wrong(l, "kd_entry is no code");
        *entry = (void *)address;
        return true;
    }
    return wrong(l, "it has no symbol kd_entry");
}

bool code_load(const void *obj, size_t size, struct loaded_code **out, void **entry, char *err,
               size_t err_size) {
    struct loader l = {.obj = obj, .size = size};
    struct loaded_code *c = calloc(1, sizeof *c);
    bool ok = c || wrong(&l, "no memory");
    ok = ok && read_head(&l) && read_symbols(&l) && place_sections(&l) &&
         each_reloc(&l, count_reloc) && map_parts(&l) && each_reloc(&l, apply_reloc) &&
         protect_parts(&l) && find_entry(&l, entry);
    free(l.sections);
    free(l.got);
    free(l.stub);
    if (ok) {
        c->map = l.map;
        c->size = l.map_size;
        c->code_size = whole_pages(l.part_size[PART_CODE]);
        *out = c;
        return true;
    }
    if (l.map)
        munmap(l.map, l.map_size);
    free(c);
    if (err_size)
        snprintf(err, err_size, "object code not loaded: %s", l.why);
    return false;
}

void code_stop(struct loaded_code *c) {
    if (c)
        mprotect(c->map, c->code_size, PROT_NONE);
}

void code_unload(struct loaded_code *c) {
    if (!c)
        return;
    munmap(c->map, c->size);
    free(c);
}
