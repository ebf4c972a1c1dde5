// Objects and archives as the device linker reads them: a whole one, and thousands of damaged ones,
// which must give no more than nothing (run under the sanitizers to see more).
#include <ar.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/objects/object_file.h"

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static const char names[] = "\0.symtab\0.strtab\0" DEVICE_CODE_SECTION "\0" DEVICE_LINK_SECTION;
static const char strings[] = "\0defined\0undefined\0weak\0local";
enum { DEVICE_NAME = 17, MARK_NAME = DEVICE_NAME + sizeof DEVICE_CODE_SECTION };

struct object {
    Elf64_Ehdr header;
    char names[64], strings[40], device[24];
    Elf64_Sym symbols[5];
    Elf64_Shdr sections[6];
};

static Elf64_Sym symbol(uint32_t name, int binding, uint16_t section) {
    return (Elf64_Sym){
        .st_name = name, .st_info = ELF64_ST_INFO(binding, STT_NOTYPE), .st_shndx = section};
}

static Elf64_Shdr section(uint32_t name, uint32_t type, size_t offset, size_t size, uint32_t link) {
    return (Elf64_Shdr){
        .sh_name = name, .sh_type = type, .sh_offset = offset, .sh_size = size, .sh_link = link};
}

static struct object make_object(void) {
    struct object o = {0};
    memcpy(o.header.e_ident, ELFMAG, SELFMAG);
    o.header.e_ident[EI_CLASS] = ELFCLASS64;
    o.header.e_ident[EI_DATA] = ELFDATA2LSB;
    o.header.e_type = ET_REL;
    o.header.e_machine = EM_X86_64;
    o.header.e_shoff = offsetof(struct object, sections);
    o.header.e_shentsize = sizeof(Elf64_Shdr);
    o.header.e_shnum = 6;
    o.header.e_shstrndx = 1;
    memcpy(o.names, names, sizeof names);
    memcpy(o.strings, strings, sizeof strings);
    memcpy(o.device, "device code", 11);
    o.symbols[1] = symbol(1, STB_GLOBAL, 4);
    o.symbols[2] = symbol(9, STB_GLOBAL, SHN_UNDEF);
    o.symbols[3] = symbol(19, STB_WEAK, SHN_UNDEF);
    o.symbols[4] = symbol(24, STB_LOCAL, 4);
    o.sections[1] = section(9, SHT_STRTAB, offsetof(struct object, names), sizeof o.names, 0);
    o.sections[2] = section(9, SHT_STRTAB, offsetof(struct object, strings), sizeof o.strings, 0);
    o.sections[3] = section(1, SHT_SYMTAB, offsetof(struct object, symbols), sizeof o.symbols, 2);
    o.sections[4] = section(DEVICE_NAME, SHT_PROGBITS, offsetof(struct object, device), 11, 0);
    o.sections[5] = section(MARK_NAME, SHT_PROGBITS, offsetof(struct object, device), 1, 0);
    return o;
}

static void check_object(const struct object_file *o) {
    CHECK(o->defined.len == 1 && !strcmp(o->defined.data[0], "defined"));
    CHECK(o->undefined.len == 1 && !strcmp(o->undefined.data[0], "undefined"));
    CHECK(o->device_size == 11 && !memcmp(o->device, "device code", 11));
    CHECK(o->is_device_link);
}

static size_t add_member(char *archive, size_t at, const char *name, const void *data,
                         size_t size) {
    char header[sizeof(struct ar_hdr) + 1];
    snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0644, size);
    memcpy(archive + at, header, sizeof(struct ar_hdr));
    memcpy(archive + at + sizeof(struct ar_hdr), data, size);
    return at + sizeof(struct ar_hdr) + size + (size & 1);
}

static size_t make_archive(char *archive, const struct object *o) {
    memcpy(archive, ARMAG, SARMAG);
    size_t at = add_member(archive, SARMAG, "/", "\0\0\0\0", 4);
    at = add_member(archive, at, "//", "a name longer than fifteen.o/\n", 30);
    at = add_member(archive, at, "short.o/", o, sizeof *o);
    at = add_member(archive, at, "readme.txt/", "hello", 5);
    return add_member(archive, at, "/0", o, sizeof *o);
}

static void test_whole(void) {
    struct arena arena = {0};
    object_files files = {0};
    struct object o = make_object();
    char archive[4 * sizeof o];
    CHECK(object_files_parse(&arena, "a.o", &o, sizeof o, &files));
    CHECK(files.len == 1 && !files.data[0].in_archive);
    check_object(&files.data[0]);
    files = (object_files){0};
    CHECK(object_files_parse(&arena, "x.a", archive, make_archive(archive, &o), &files));
    CHECK(files.len == 2 && files.data[0].in_archive);
    CHECK(!strcmp(files.data[0].name, "x.a(short.o)"));
    CHECK(!strcmp(files.data[1].name, "x.a(a name longer than fifteen.o)"));
    check_object(&files.data[0]);
    check_object(&files.data[1]);
    arena_free(&arena);
}

static uint32_t random_number(void) {
    static uint32_t state = 1;
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

static void test_damaged(void) {
    struct object o = make_object();
    char whole[4 * sizeof o];
    for (int i = 0; i < 20000; ++i) {
        size_t size = i & 1 ? make_archive(whole, &o) : (memcpy(whole, &o, sizeof o), sizeof o);
        for (uint32_t n = random_number() % 8; n; --n)
            whole[random_number() % size] = (char)(random_number() & 1 ? random_number() : 0xff);
        if (random_number() % 4 == 0)
            size = random_number() % size;
        char *exact = malloc(size ? size : 1); // so that a sanitizer sees reads past the end
        memcpy(exact, whole, size);
        struct arena arena = {0};
        object_files files = {0};
        object_files_parse(&arena, "/nonexistent/x", exact, size, &files);
        arena_free(&arena);
        free(exact);
    }
}

int main(void) {
    test_whole();
    fclose(stderr); // damaged thin archives name files that are not there
    test_damaged();
    return 0;
}
