// Of DWARF only .debug_line is read: the programs that lead from addresses to lines, and the names
// of files in their heads.
#include "tools/check/source_line.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/vec.h"

struct bytes {
    const uint8_t *at, *end;
    bool bad; // it was read beyond the end
};

struct debug_file {
    struct arena *arena;
    struct bytes file, line, line_str, str;
    const Elf64_Sym *symbols;
    size_t nsymbols;
    struct bytes names;
};

// ---- Reading ------------------------------------------------------------------------------

static uint64_t take(struct bytes *b, size_t n) {
    uint64_t v = 0;
    if (n > (size_t)(b->end - b->at)) {
        b->bad = true;
        b->at = b->end;
        return 0;
    }
    memcpy(&v, b->at, n); // as this machine and the file have it: little end first
    b->at += n;
    return v;
}

static struct bytes take_bytes(struct bytes *b, uint64_t n) {
    uint64_t there = (uint64_t)(b->end - b->at);
    struct bytes part = {b->at, b->at + (n < there ? n : there), n > there};
    b->bad |= part.bad;
    b->at = part.end;
    return part;
}

static uint64_t take_uleb(struct bytes *b) {
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = take(b, 1);
        v |= shift < 64 ? (byte & 127) << shift : 0;
        if (!(byte & 128))
            return v;
    }
}

static int64_t take_sleb(struct bytes *b) {
    int64_t v = 0;
    for (unsigned shift = 0;;) {
        uint64_t byte = take(b, 1);
        v |= shift < 64 ? (int64_t)((byte & 127) << shift) : 0;
        shift += 7;
        if (byte & 128)
            continue;
        return byte & 64 && shift < 64 ? v - ((int64_t)1 << shift) : v;
    }
}

static const char *take_text(struct bytes *b) {
    const uint8_t *end = memchr(b->at, 0, (size_t)(b->end - b->at));
    const char *text = (const char *)b->at;
    if (!end) {
        b->bad = true;
        b->at = b->end;
        return "";
    }
    b->at = end + 1;
    return text;
}

static const char *text_at(struct bytes b, uint64_t offset) {
    if (offset >= (uint64_t)(b.end - b.at))
        return "";
    b.at += offset;
    return take_text(&b);
}

// ---- The file -----------------------------------------------------------------------------

static struct bytes section(const struct debug_file *d, const Elf64_Shdr *s) {
    uint64_t size = (uint64_t)(d->file.end - d->file.at);
    if (s->sh_type == SHT_NOBITS || s->sh_flags & SHF_COMPRESSED || s->sh_offset > size ||
        s->sh_size > size - s->sh_offset)
        return (struct bytes){0};
    const uint8_t *at = d->file.at + s->sh_offset;
    return (struct bytes){at, at + s->sh_size, false};
}

static void read_sections(struct debug_file *d, const Elf64_Shdr *all, size_t n, size_t names_at) {
    struct bytes names = names_at < n ? section(d, &all[names_at]) : (struct bytes){0};
    for (size_t k = 0; k < n; k++) {
        const char *name = text_at(names, all[k].sh_name);
        if (!strcmp(name, ".debug_line"))
            d->line = section(d, &all[k]);
        if (!strcmp(name, ".debug_line_str"))
            d->line_str = section(d, &all[k]);
        if (!strcmp(name, ".debug_str"))
            d->str = section(d, &all[k]);
        bool better =
            all[k].sh_type == SHT_SYMTAB || (all[k].sh_type == SHT_DYNSYM && !d->nsymbols);
        if (better && all[k].sh_link < n) {
            struct bytes b = section(d, &all[k]);
            d->symbols = (const Elf64_Sym *)b.at;
            d->nsymbols = (size_t)(b.end - b.at) / sizeof *d->symbols;
            d->names = section(d, &all[all[k].sh_link]);
        }
    }
}

struct debug_file *debug_file_open(struct arena *arena, const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    bool regular = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > (off_t)sizeof(Elf64_Ehdr);
    size_t size = regular ? (size_t)st.st_size : 0;
    uint8_t *p = regular ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (p == MAP_FAILED)
        return NULL;
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)p;
    struct debug_file *d = arena_new(arena, struct debug_file);
    d->arena = arena;
    d->file = (struct bytes){p, p + size, false};
    if (memcmp(p, ELFMAG, SELFMAG) || p[EI_CLASS] != ELFCLASS64 ||
        head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shoff % 8 || head->e_shoff > size ||
        head->e_shnum > (size - head->e_shoff) / sizeof(Elf64_Shdr)) {
        munmap(p, size);
        return NULL;
    }
    read_sections(d, (const Elf64_Shdr *)(p + head->e_shoff), head->e_shnum, head->e_shstrndx);
    return d;
}

const char *debug_file_function(const struct debug_file *d, uint64_t address) {
    for (size_t k = 0; k < d->nsymbols; k++) {
        const Elf64_Sym *s = &d->symbols[k];
        if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx != SHN_UNDEF &&
            address >= s->st_value && address - s->st_value < s->st_size)
            return text_at(d->names, s->st_name);
    }
    return NULL;
}

// ---- A program's head ---------------------------------------------------------------------

struct named_file {
    const char *name;
    uint64_t folder;
};
struct unit {
    const struct debug_file *d;
    uint32_t version, offset_size, address_size;
    uint8_t instruction_bytes, line_range, first_special;
    int8_t line_base;
    uint8_t nstandard;
    const uint8_t *standard; // operands of standard instructions
    VEC(const char *) folders;
    VEC(struct named_file) files;
};

enum { LNCT_PATH = 1, LNCT_FOLDER = 2 };
enum {
    FORM_BLOCK2 = 0x03,
    FORM_BLOCK4 = 0x04,
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_BLOCK1 = 0x0a,
    FORM_DATA1 = 0x0b,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f,
};

// A value of a table of version 5: a text, or else a number.
static void take_form(struct bytes *b, const struct unit *u, uint64_t form, const char **text,
                      uint64_t *number) {
    switch (form) {
    case FORM_STRING:
        *text = take_text(b);
        break;
    case FORM_LINE_STRP:
        *text = text_at(u->d->line_str, take(b, u->offset_size));
        break;
    case FORM_STRP:
        *text = text_at(u->d->str, take(b, u->offset_size));
        break;
    case FORM_UDATA:
        *number = take_uleb(b);
        break;
    case FORM_DATA1:
        *number = take(b, 1);
        break;
    case FORM_DATA2:
        *number = take(b, 2);
        break;
    case FORM_DATA4:
        *number = take(b, 4);
        break;
    case FORM_DATA8:
        *number = take(b, 8);
        break;
    case FORM_DATA16:
        take_bytes(b, 16);
        break;
    case FORM_BLOCK:
        take_bytes(b, take_uleb(b));
        break;
    case FORM_BLOCK1:
        take_bytes(b, take(b, 1));
        break;
    case FORM_BLOCK2:
        take_bytes(b, take(b, 2));
        break;
    case FORM_BLOCK4:
        take_bytes(b, take(b, 4));
        break;
    default:
        b->bad = true;
    }
}

// A table of version 5: the forms of its columns, then its rows.
static void take_table(struct bytes *b, struct unit *u, bool files) {
    enum { COLUMNS = 16 };
    uint64_t what[COLUMNS], forms[COLUMNS], columns = take(b, 1);
    if (columns > COLUMNS)
        b->bad = true;
    for (uint64_t k = 0; k < columns && !b->bad; k++) {
        what[k] = take_uleb(b);
        forms[k] = take_uleb(b);
    }
    uint64_t rows = take_uleb(b);
    for (uint64_t row = 0; row < rows && !b->bad; row++) {
        struct named_file f = {"", 0};
        for (uint64_t k = 0; k < columns && !b->bad; k++) {
            const char *text = "";
            uint64_t number = 0;
            take_form(b, u, forms[k], &text, &number);
            if (what[k] == LNCT_PATH)
                f.name = text;
            if (what[k] == LNCT_FOLDER)
                f.folder = number;
        }
        if (files)
            vec_push(u->d->arena, &u->files, f);
        else
            vec_push(u->d->arena, &u->folders, f.name);
    }
}

// Before version 5 folders and files begin at 1.
static void take_lists(struct bytes *b, struct unit *u) {
    vec_push(u->d->arena, &u->folders, "");
    while (!b->bad && *b->at)
        vec_push(u->d->arena, &u->folders, take_text(b));
    take(b, 1);
    vec_push(u->d->arena, &u->files, (struct named_file){"", 0});
    while (!b->bad && b->at < b->end && *b->at) {
        struct named_file f = {take_text(b), 0};
        f.folder = take_uleb(b);
        take_uleb(b);
        take_uleb(b);
        vec_push(u->d->arena, &u->files, f);
    }
    take(b, 1);
}

// Takes a unit's head; *program: what follows it. False: it is none that is understood.
static bool take_head(struct bytes *b, struct unit *u, struct bytes *program) {
    u->version = (uint32_t)take(b, 2);
    if (u->version < 2 || u->version > 5)
        return false;
    u->address_size = 8;
    if (u->version == 5) {
        u->address_size = (uint32_t)take(b, 1);
        take(b, 1);
    }
    struct bytes head = take_bytes(b, take(b, u->offset_size));
    *program = *b;
    u->instruction_bytes = (uint8_t)take(&head, 1);
    if (u->version >= 4)
        take(&head, 1);
    take(&head, 1);
    u->line_base = (int8_t)take(&head, 1);
    u->line_range = (uint8_t)take(&head, 1);
    u->first_special = (uint8_t)take(&head, 1);
    u->nstandard = u->first_special ? (uint8_t)(u->first_special - 1) : 0;
    u->standard = take_bytes(&head, u->nstandard).at;
    if (u->version == 5) {
        take_table(&head, u, false);
        take_table(&head, u, true);
    } else {
        take_lists(&head, u);
    }
    return !head.bad && !b->bad && u->line_range && u->address_size == 8;
}

static const char *path_of(const struct unit *u, uint64_t file) {
    if (file >= u->files.len)
        return NULL;
    const struct named_file *f = &u->files.data[file];
    const char *folder = f->folder < u->folders.len ? u->folders.data[f->folder] : "";
    const char *first = u->folders.len ? u->folders.data[0] : "";
    if (*f->name == '/' || !*folder)
        return f->name;
    if (*folder != '/' && *first)
        return arena_printf(u->d->arena, "%s/%s/%s", first, folder, f->name);
    return arena_printf(u->d->arena, "%s/%s", folder, f->name);
}

// ---- A program ----------------------------------------------------------------------------

struct row {
    uint64_t address, file;
    int64_t line;
};
struct search {
    uint64_t address;
    struct row last;
    bool in_sequence, found;
    struct row best;
};

// The row before the first one behind the address has its line.
static void emit(struct search *s, const struct row *now, bool ends) {
    if (s->in_sequence && s->address >= s->last.address && s->address < now->address) {
        s->found = true;
        s->best = s->last;
    }
    s->last = *now;
    s->in_sequence = !ends;
}

static const struct row start = {.file = 1, .line = 1};

static void take_extended(struct bytes *b, struct search *s, struct row *now) {
    enum { END = 1, SET_ADDRESS = 2 };
    struct bytes args = take_bytes(b, take_uleb(b));
    uint64_t what = take(&args, 1);
    if (what == END) {
        emit(s, now, true);
        *now = start;
    } else if (what == SET_ADDRESS) {
        now->address = take(&args, 8);
    }
}

static void take_standard(struct bytes *b, const struct unit *u, uint64_t what, struct search *s,
                          struct row *now) {
    enum {
        COPY = 1,
        ADVANCE = 2,
        ADVANCE_LINE = 3,
        SET_FILE = 4,
        ADD_CONST = 8,
        FIXED_ADVANCE = 9
    };
    switch (what) {
    case COPY:
        emit(s, now, false);
        break;
    case ADVANCE:
        now->address += take_uleb(b) * u->instruction_bytes;
        break;
    case ADVANCE_LINE:
        now->line += take_sleb(b);
        break;
    case SET_FILE:
        now->file = take_uleb(b);
        break;
    case ADD_CONST:
        now->address += (uint64_t)((255 - u->first_special) / u->line_range) * u->instruction_bytes;
        break;
    case FIXED_ADVANCE:
        now->address += take(b, 2);
        break;
    default:
        for (uint8_t k = 0; k < u->standard[what - 1]; k++)
            take_uleb(b);
    }
}

static void run(struct bytes b, const struct unit *u, struct search *s) {
    struct row now = start;
    while (b.at < b.end && !b.bad && !s->found) {
        uint64_t what = take(&b, 1);
        if (what >= u->first_special) {
            what -= u->first_special;
            now.address += what / u->line_range * u->instruction_bytes;
            now.line += u->line_base + (int64_t)(what % u->line_range);
            emit(s, &now, false);
        } else if (what) {
            take_standard(&b, u, what, s, &now);
        } else {
            take_extended(&b, s, &now);
        }
    }
}

bool debug_file_line(struct debug_file *d, uint64_t address, const char **file, uint32_t *line) {
    struct bytes all = d->line;
    while (all.at && all.at < all.end && !all.bad) {
        struct unit u = {.d = d, .offset_size = 4};
        struct search s = {.address = address};
        struct bytes program = {0};
        uint64_t size = take(&all, 4);
        if (size == UINT32_MAX) {
            u.offset_size = 8;
            size = take(&all, 8);
        }
        struct bytes b = take_bytes(&all, size);
        if (take_head(&b, &u, &program))
            run(program, &u, &s);
        if (s.found && s.best.line > 0 && (*file = path_of(&u, s.best.file))) {
            *line = (uint32_t)s.best.line;
            return true;
        }
    }
    return false;
}
