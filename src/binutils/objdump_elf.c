#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "binutils/objdump.h"
#include "image/cubin.h"

static const char *section_type(uint32_t type) {
    static const struct {
        uint32_t type;
        const char *name;
    } names[] = {{SHT_NULL, "NULL"},     {SHT_PROGBITS, "PROGBITS"}, {SHT_SYMTAB, "SYMTAB"},
                 {SHT_STRTAB, "STRTAB"}, {SHT_RELA, "RELA"},         {SHT_NOBITS, "NOBITS"},
                 {SHT_REL, "REL"},       {SHT_NOTE, "NOTE"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].type == type)
            return names[i].name;
    return "?";
}

static bool open_cubin(const struct device_item *i, struct cubin_file *f) {
    return cubin_open(f, i->data, i->size, NULL, 0);
}

void objdump_elf(struct objdump *o, const struct device_item *i) {
    struct cubin_file f;
    struct cubin_section s;
    if (!open_cubin(i, &f))
        return;
    printf("ELF header: type=%s, flags=0x%x\n\nSections:\n  Index   Offset     Size Align Type     "
           " Flags Name\n",
           f.type == ET_REL    ? "REL"
           : f.type == ET_EXEC ? "EXEC"
                               : "?",
           f.flags);
    for (uint32_t n = 1; n < f.nsections; n++)
        if (cubin_section(&f, n, &s))
            printf("  %5u %8llx %8llx %5llu %-9s %5llx %s\n", n, (unsigned long long)s.offset,
                   (unsigned long long)s.size, (unsigned long long)s.align, section_type(s.type),
                   (unsigned long long)s.flags, s.name);
    puts("");
    objdump_symbols(o, i);
}

void objdump_symbols(struct objdump *o, const struct device_item *i) {
    static const char *const bindings[] = {"STB_LOCAL", "STB_GLOBAL", "STB_WEAK"};
    struct cubin_file f;
    struct cubin_symbol s;
    if (!open_cubin(i, &f))
        return;
    puts("symbols:");
    for (uint32_t n = 1; n < cubin_symbol_count(&f); n++) {
        if (!cubin_symbol(&f, n, &s) || !objdump_wants_function(o, s.name))
            continue;
        const char *type = s.kind == CUBIN_KERNEL || s.kind == CUBIN_FUNCTION ? "STT_FUNC"
                           : s.kind == CUBIN_OTHER                            ? "STT_NOTYPE"
                                                                              : "STT_OBJECT";
        printf("%-16s %-10s %-11s %s %s\n", type, bindings[s.binding],
               s.kind == CUBIN_KERNEL ? "STO_ENTRY" : "STV_DEFAULT", s.defined ? " " : "U", s.name);
    }
    puts("");
}

static uint64_t section_bytes(const struct cubin_file *f, struct arena *arena, const char *prefix,
                              const char *name) {
    struct cubin_section s;
    return cubin_section_named(f, arena_printf(arena, "%s%s", prefix, name), &s) ? s.size : 0;
}

// Machine code has a section for each function, whose info word tells the registers.
void objdump_elf_usage(struct objdump *o, const struct device_item *i) {
    static const char text[] = ".text.";
    struct cubin_file f;
    struct cubin_section s;
    if (!open_cubin(i, &f))
        return;
    uint64_t global = section_bytes(&f, o->arena, ".nv.global", "") +
                      section_bytes(&f, o->arena, ".nv.global", ".init");
    printf("Resource usage:\n Common:\n  GLOBAL:%llu CONSTANT[3]:%llu\n",
           (unsigned long long)global,
           (unsigned long long)section_bytes(&f, o->arena, ".nv.constant", "3"));
    for (uint32_t n = 1; n < f.nsections; n++) {
        if (!cubin_section(&f, n, &s) || strncmp(s.name, text, sizeof text - 1) != 0)
            continue;
        const char *name = s.name + sizeof text - 1;
        if (!objdump_wants_function(o, name))
            continue;
        printf(" Function %s:\n  REG:%u SHARED:%llu LOCAL:%llu CONSTANT[0]:%llu CODE:%llu\n", name,
               s.info >> 24, (unsigned long long)section_bytes(&f, o->arena, ".nv.shared.", name),
               (unsigned long long)section_bytes(&f, o->arena, ".nv.local.", name),
               (unsigned long long)section_bytes(&f, o->arena, ".nv.constant0.", name),
               (unsigned long long)s.size);
    }
}
