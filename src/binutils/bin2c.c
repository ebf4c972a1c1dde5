// kudzu bin2c: a file as an array in C.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/tool_options.h"
#include "binutils/binutils.h"
#include "binutils/tool_version.h"
#include "support/whole_file.h"

enum { CONSTANT = 1, STATIC, PADDING, TYPE, NAME, LENGTH, STDINT, HELP, VERSION };

static const struct tool_option options[] = {
    {"const", "c", TOOL_FLAG, CONSTANT, "The array is constant."},
    {"static", "st", TOOL_FLAG, STATIC, "The array is static."},
    {"padd", "p", TOOL_VALUE, PADDING, "Bytes to put behind those of the file: 0 or 1,0x2,..."},
    {"type", "t", TOOL_VALUE, TYPE, "Of its elements: char (the default), short, int or longlong."},
    {"name", "n", TOOL_VALUE, NAME, "The array's name; imageBytes if it is not given."},
    {"length", NULL, TOOL_FLAG, LENGTH, "Adds a variable NAMELength: bytes, with those of --padd."},
    {"stdint", NULL, TOOL_FLAG, STDINT, "Takes the types of <stdint.h>."},
    {"help", "h", TOOL_FLAG, HELP, "This text."},
    {"version", "V", TOOL_FLAG, VERSION, "The version."},
};
enum { OPTIONS = sizeof options / sizeof *options, LINE = 16 };

static const struct element {
    const char *option, *c, *stdint;
    size_t size;
} elements[] = {{"char", "unsigned char", "uint8_t", 1},
                {"short", "unsigned short", "uint16_t", 2},
                {"int", "unsigned int", "uint32_t", 4},
                {"longlong", "unsigned long long", "uint64_t", 8}};

struct bin2c {
    struct arena *arena;
    struct tool_log *log;
    const char *input, *name;
    const struct element *element;
    bool constant, is_static, length, stdint, help, version;
    VEC(uint8_t) padding;
};

// ---- Options ------------------------------------------------------------------------------

static bool wrong(struct bin2c *b, const char *value, const char *option) {
    return tool_say(b->log, TOOL_FATAL, NULL, 0, "Value '%s' is not defined for option '%s'", value,
                    option);
}

static bool set_type(struct bin2c *b, const char *value) {
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (!strcmp(value, elements[i].option)) {
            b->element = &elements[i];
            return true;
        }
    return wrong(b, value, "type");
}

static bool add_padding(struct bin2c *b, const char *value) {
    for (const char *at = value;; at++) {
        char *end;
        unsigned long byte = strtoul(at, &end, 0);
        if (end == at || *at == '-' || byte > 255 || (*end && *end != ','))
            return wrong(b, value, "padd");
        vec_push(b->arena, &b->padding, (uint8_t)byte);
        at = end;
        if (!*at)
            return true;
    }
}

static bool set_input(struct bin2c *b, const char *path) {
    if (b->input)
        return tool_say(b->log, TOOL_FATAL, NULL, 0, "More than one file: '%s' and '%s'", b->input,
                        path);
    b->input = arena_strdup(b->arena, path);
    return true;
}

static bool take(void *user, int id, const char *value) {
    struct bin2c *b = user;
    switch (id) {
    case CONSTANT:
        return b->constant = true;
    case STATIC:
        return b->is_static = true;
    case PADDING:
        return add_padding(b, value);
    case TYPE:
        return set_type(b, value);
    case NAME:
        b->name = arena_strdup(b->arena, value);
        return true;
    case LENGTH:
        return b->length = true;
    case STDINT:
        return b->stdint = true;
    case HELP:
        return b->help = true;
    case VERSION:
        return b->version = true;
    default:
        return set_input(b, value);
    }
}

// ---- Writing ------------------------------------------------------------------------------

static const char *type(const struct bin2c *b, const struct element *e) {
    return b->stdint ? e->stdint : e->c;
}

static void declare(const struct bin2c *b, const struct element *e) {
    printf("%s%s%s ", b->is_static ? "static " : "", b->constant ? "const " : "", type(b, e));
}

// The bytes in words of little endian; those that are missing in the last word are zero.
static void print_array(const struct bin2c *b, const uint8_t *data, size_t size) {
    size_t all = size + b->padding.len, word = b->element->size;
    declare(b, b->element);
    printf("%s[] = {", b->name);
    for (size_t at = 0; at < all; at += word) {
        unsigned long long value = 0;
        for (size_t i = 0; i < word && at + i < all; i++)
            value |=
                (unsigned long long)(at + i < size ? data[at + i] : b->padding.data[at + i - size])
                << 8 * i;
        printf("%s0x%0*llx%s", at % LINE ? "" : "\n", (int)word * 2, value,
               at + word < all ? "," : "");
    }
    puts("\n};");
}

static bool run(struct bin2c *b) {
    struct whole_file f;
    if (!b->input)
        return tool_say(b->log, TOOL_FATAL, NULL, 0, "No input file specified");
    if (!whole_file_read(&f, b->input, WHOLE_FILE_PIPES, SIZE_MAX))
        return tool_say(b->log, TOOL_FATAL, NULL, 0, "Could not open input file '%s': %s", b->input,
                        f.why);
    // C has no empty arrays.
    bool ok = f.size + b->padding.len > 0 ||
              tool_say(b->log, TOOL_FATAL, NULL, 0, "Input file '%s' is empty", b->input);
    if (ok) {
        printf("%s#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
               b->stdint ? "#include <stdint.h>\n\n" : "");
        print_array(b, (const uint8_t *)f.data, f.size);
        if (b->length) {
            declare(b, &elements[3]);
            printf("%sLength = %zu;\n", b->name, f.size + b->padding.len);
        }
        puts("\n#ifdef __cplusplus\n}\n#endif");
        ok = !fflush(stdout) ||
             tool_say(b->log, TOOL_FATAL, NULL, 0, "The output cannot be written");
    }
    free(f.data);
    return ok;
}

int tool_bin2c(int argc, char **argv) {
    struct arena arena = {0};
    struct tool_log log = {.tool = "bin2c"};
    struct bin2c b = {.arena = &arena, .log = &log, .name = "imageBytes", .element = elements};
    struct tool_options o = {&arena, &log, options, OPTIONS, take, &b};
    if (tool_options_read(&o, argc - 1, (const char *const *)argv + 1)) {
        if (b.help) {
            puts("Usage: kudzu bin2c [options] FILE\n"
                 "Writes the file's bytes to stdout as an array in C, with bin2c's options:\n");
            tool_options_help(options, OPTIONS);
        } else if (b.version)
            tool_version_print("bin2c", "Bin2c tool");
        else
            run(&b);
    }
    arena_free(&arena);
    return tool_log_end(&log);
}
