// Relocatable objects of the host with shorter containers: sections move together, and symbols and
// relocations that refer to a container follow it.
#include <elf.h>
#include <string.h>

#include "binutils/prune.h"
#include "image/image.h"

enum { MOST_ALIGNMENT = 1 << 21 };

// Bytes of a section with containers that lie elsewhere afterwards.
struct moved {
    uint64_t from, from_size, to, to_size;
};

struct section {
    Elf64_Shdr header;
    const uint8_t *data; // NULL: none in the file
    bool pruned;
    VEC(struct moved) moves;
};

struct object {
    struct prune_choice *c;
    Elf64_Ehdr header;
    struct section *sections;
    uint32_t n;
};

static bool refuse(struct object *o, const char *why) {
    o->c->why = why;
    return false;
}

static bool within(size_t size, uint64_t offset, uint64_t length) {
    return offset <= size && length <= size - offset;
}

static uint64_t align_to(uint64_t n, uint64_t to) {
    return to > 1 ? (n + to - 1) / to * to : n;
}

// ---- Reading ------------------------------------------------------------------------------

static bool read_object(struct object *o, const uint8_t *data, size_t size) {
    Elf64_Ehdr *h = &o->header;
    Elf64_Shdr first;
    if (size < sizeof *h)
        return refuse(o, "it is shorter than its header");
    memcpy(h, data, sizeof *h);
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
        h->e_type != ET_REL || h->e_phnum)
        return refuse(o, "it is no relocatable object of 64 bits");
    if (h->e_shentsize != sizeof first || !within(size, h->e_shoff, sizeof first))
        return refuse(o, "it has no sections");
    memcpy(&first, data + h->e_shoff, sizeof first);
    // A number that does not fit in the header stands in the first section.
    uint64_t n = h->e_shnum ? h->e_shnum : first.sh_size;
    if (n > UINT32_MAX || !within(size, h->e_shoff, n * sizeof first))
        return refuse(o, "its sections lie outside it");
    // Symbols do not tell the numbers of so many sections themselves.
    if (n >= SHN_LORESERVE)
        return refuse(o, "it has too many sections");
    o->n = (uint32_t)n;
    o->sections = arena_array(o->c->arena, struct section, n);
    for (uint32_t i = 0; i < o->n; i++) {
        struct section *s = &o->sections[i];
        memcpy(&s->header, data + h->e_shoff + i * sizeof first, sizeof first);
        if (i == 0 || s->header.sh_type == SHT_NOBITS)
            continue;
        if (!within(size, s->header.sh_offset, s->header.sh_size) ||
            s->header.sh_addralign > MOST_ALIGNMENT)
            return refuse(o, "a section lies outside it");
        s->data = data + s->header.sh_offset;
    }
    return true;
}

static bool is_named(const struct object *o, const struct section *s, const char *name) {
    uint32_t table = o->header.e_shstrndx;
    if (table == SHN_XINDEX)
        table = o->sections[0].header.sh_link;
    if (table >= o->n || !o->sections[table].data)
        return false;
    size_t n = strlen(name) + 1, size = o->sections[table].header.sh_size;
    return within(size, s->header.sh_name, n) &&
           !memcmp(o->sections[table].data + s->header.sh_name, name, n);
}

static bool has_device_code(const struct object *o, const struct section *s) {
    static const char *const names[] = {".nv_fatbin", "__nv_relfatbin", ".llvm.offloading"};
    for (size_t i = 0; i < sizeof names / sizeof *names && s->data && s->header.sh_size; i++)
        if (is_named(o, s, names[i]))
            return true;
    return false;
}

// ---- Containers -----------------------------------------------------------------------------

static void add_move(struct object *o, struct section *s, struct moved m) {
    vec_push(o->c->arena, &s->moves, m);
}

// Containers one after the other, each at a multiple of 8; zeroes may lie in between.
static bool prune_section(struct object *o, struct section *s) {
    size_t size = s->header.sh_size, to = 0;
    uint8_t *out = arena_alloc(o->c->arena, size + 8);
    for (size_t at = 0; at < size;) {
        size_t left = size - at, length, used = left < 8 ? left : 8;
        struct kimg it;
        if (left < KIMG_HEADER_BYTES || !kimg_is_container(s->data + at, left)) {
            for (size_t i = 0; i < used; i++)
                if (s->data[at + i])
                    return refuse(o, "its device code is in none of CUDA's containers");
            at += used;
            continue;
        }
        const uint8_t *pruned = prune_container(o->c, s->data + at, left, &length);
        if (!pruned || !kimg_open(&it, s->data + at, left, NULL, 0))
            return false;
        add_move(o, s, (struct moved){at, it.size, to, length});
        memcpy(out + to, pruned, length);
        to = align_to(to + length, 8);
        at = align_to(at + it.size, 8);
    }
    s->data = out;
    s->header.sh_size = to;
    s->pruned = true;
    return true;
}

// Where a place in a section with containers is afterwards: one's first byte, or behind its last.
static bool follow(struct object *o, const struct section *s, uint64_t *place) {
    for (int ends = 0; ends <= 1; ends++)
        for (uint32_t i = 0; i < s->moves.len; i++) {
            const struct moved *m = &s->moves.data[i];
            if (*place == m->from + (ends ? m->from_size : 0)) {
                *place = m->to + (ends ? m->to_size : 0);
                return true;
            }
        }
    return refuse(o, "something refers to the inside of a container of device code");
}

// ---- References -----------------------------------------------------------------------------

static const struct section *pruned_section(const struct object *o, uint32_t number) {
    return number && number < o->n && o->sections[number].pruned ? &o->sections[number] : NULL;
}

static bool move_symbols(struct object *o, struct section *table) {
    size_t n = table->header.sh_size / sizeof(Elf64_Sym);
    uint8_t *out = arena_memdup(o->c->arena, table->data, table->header.sh_size);
    for (size_t i = 0; i < n; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, out + i * sizeof symbol, sizeof symbol);
        const struct section *s = pruned_section(o, symbol.st_shndx);
        if (!s || ELF64_ST_TYPE(symbol.st_info) == STT_SECTION)
            continue;
        uint64_t end = symbol.st_value + symbol.st_size;
        if (!follow(o, s, &symbol.st_value) || (symbol.st_size && !follow(o, s, &end)))
            return false;
        symbol.st_size = symbol.st_size ? end - symbol.st_value : 0;
        memcpy(out + i * sizeof symbol, &symbol, sizeof symbol);
    }
    table->data = out;
    return true;
}

static bool symbol_at(const struct section *table, uint64_t number, Elf64_Sym *out) {
    if (!table->data || !within(table->header.sh_size, number * sizeof *out, sizeof *out))
        return false;
    memcpy(out, table->data + number * sizeof *out, sizeof *out);
    return true;
}

static bool is_address(const struct object *o, uint32_t type) {
    return type == (o->header.e_machine == EM_AARCH64 ? R_AARCH64_ABS64 : R_X86_64_64);
}

// Relocations against the section itself count from where it begins.
static bool move_relocations(struct object *o, struct section *r) {
    size_t n = r->header.sh_size / sizeof(Elf64_Rela);
    uint8_t *out = arena_memdup(o->c->arena, r->data, r->header.sh_size);
    if (pruned_section(o, r->header.sh_info))
        return refuse(o, "its device code has relocations");
    if (r->header.sh_link >= o->n)
        return refuse(o, "its relocations have no symbols");
    for (size_t i = 0; i < n; i++) {
        Elf64_Rela rela;
        Elf64_Sym symbol;
        memcpy(&rela, out + i * sizeof rela, sizeof rela);
        if (!symbol_at(&o->sections[r->header.sh_link], ELF64_R_SYM(rela.r_info), &symbol))
            return refuse(o, "its relocations have no symbols");
        const struct section *s = pruned_section(o, symbol.st_shndx);
        if (!s || ELF64_ST_TYPE(symbol.st_info) != STT_SECTION)
            continue;
        uint64_t place = (uint64_t)rela.r_addend;
        if (!is_address(o, (uint32_t)ELF64_R_TYPE(rela.r_info)))
            return refuse(o, "it refers to device code by something else than an address");
        if (!follow(o, s, &place))
            return false;
        rela.r_addend = (Elf64_Sxword)place;
        memcpy(out + i * sizeof rela, &rela, sizeof rela);
    }
    r->data = out;
    return true;
}

// ---- Writing ------------------------------------------------------------------------------

static uint8_t *write_object(struct object *o, size_t *out_size) {
    uint64_t size = sizeof o->header;
    for (uint32_t i = 1; i < o->n; i++) {
        Elf64_Shdr *h = &o->sections[i].header;
        if (o->sections[i].data)
            size = align_to(size, h->sh_addralign);
        h->sh_offset = size;
        size += o->sections[i].data ? h->sh_size : 0;
    }
    o->header.e_shoff = align_to(size, 8);
    *out_size = o->header.e_shoff + o->n * sizeof(Elf64_Shdr);
    uint8_t *out = arena_alloc(o->c->arena, *out_size);
    memcpy(out, &o->header, sizeof o->header);
    for (uint32_t i = 0; i < o->n; i++) {
        const struct section *s = &o->sections[i];
        if (s->data && s->header.sh_size)
            memcpy(out + s->header.sh_offset, s->data, s->header.sh_size);
        memcpy(out + o->header.e_shoff + i * sizeof s->header, &s->header, sizeof s->header);
    }
    return out;
}

uint8_t *prune_object(struct prune_choice *c, const uint8_t *data, size_t size, size_t *out_size) {
    struct object o = {.c = c};
    bool ok = read_object(&o, data, size);
    for (uint32_t i = 1; ok && i < o.n; i++)
        ok = !has_device_code(&o, &o.sections[i]) || prune_section(&o, &o.sections[i]);
    for (uint32_t i = 1; ok && i < o.n; i++) {
        struct section *s = &o.sections[i];
        if (s->data && s->header.sh_type == SHT_RELA)
            ok = move_relocations(&o, s);
        else if (s->data && s->header.sh_type == SHT_SYMTAB)
            ok = move_symbols(&o, s);
    }
    return ok ? write_object(&o, out_size) : NULL;
}
