// kudzu fatbinary: images for several architectures in one container.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/device_files.h"
#include "assembler/targets.h"
#include "assembler/tool_options.h"
#include "binutils/binutils.h"
#include "binutils/tool_version.h"
#include "cc/processes/file_io.h"
#include "image/image.h"

enum { CREATE = 1, EMBEDDED, IMAGE, HELP, VERSION, REFUSED_32 };

static const struct tool_option options[] = {
    {"create", NULL, TOOL_VALUE, CREATE, "Writes the container to this file."},
    {"embedded-fatbin", NULL, TOOL_VALUE, EMBEDDED,
     "Writes C that holds the container, as __fatDeviceText, to this file."},
    {"image", NULL, TOOL_VALUE, IMAGE, "profile=sm_90,file=FILE: adds an image."},
    {"image3", NULL, TOOL_VALUE, IMAGE,
     "kind=elf,sm=90,file=FILE or kind=ptx,sm=90,file=FILE: adds an image."},
    {"help", "h", TOOL_FLAG, HELP, "This text."},
    {"version", "V", TOOL_FLAG, VERSION, "The version."},
    {"32", NULL, TOOL_FLAG, REFUSED_32, "Refused: there is no code of 32 bits."},
    {"64", NULL, TOOL_FLAG, 0, "Accepted: there is no other."},
    {"bin2c-path", NULL, TOOL_VALUE, 0, NULL},
    {"cicc-cmdline", NULL, TOOL_VALUE, 0, NULL},
    {"cmdline", NULL, TOOL_VALUE, 0, NULL},
    {"compress", NULL, TOOL_SWITCH, 0, "Accepted: nothing is compressed."},
    {"compress-all", NULL, TOOL_FLAG, 0, "Accepted: nothing is compressed."},
    {"compress-mode", NULL, TOOL_VALUE, 0, "Accepted: nothing is compressed."},
    {"cuda", NULL, TOOL_FLAG, 0, NULL},
    {"debug", "g", TOOL_FLAG, 0, NULL},
    {"device-c", "c", TOOL_FLAG, 0, NULL},
    {"host", NULL, TOOL_VALUE, 0, NULL},
    {"ident", NULL, TOOL_VALUE, 0, NULL},
    {"key", NULL, TOOL_VALUE, 0, NULL},
    {"link", NULL, TOOL_FLAG, 0, NULL},
    {"no-asm", NULL, TOOL_FLAG, 0, NULL},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct fatbinary {
    struct arena *arena;
    struct tool_log *log;
    const char *output, *embedded;
    bool help, version;
    VEC(struct kimg_entry) entries;
};

// ---- Images -------------------------------------------------------------------------------

// The value of "name=value" among words separated by commas; the file's may have commas and is
// last.
static const char *part(struct arena *arena, const char *spec, const char *name) {
    size_t n = strlen(name);
    for (const char *at = spec; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, name, n) && at[n] == '=')
            return strcmp(name, "file") ? arena_strndup(arena, at + n + 1, strcspn(at + n + 1, ","))
                                        : at + n + 1;
    }
    return NULL;
}

static void read_version(struct kimg_entry *e) {
    const char *at = strstr(e->data, ".version");
    if (!at || sscanf(at + 8, " %u.%u", &e->ptx_major, &e->ptx_minor) != 2)
        e->ptx_major = e->ptx_minor = 0;
}

// What kudzu's cubins hold becomes entries of the container: a GPU's driver then finds the PTX.
static bool add_item(struct fatbinary *f, const struct device_item *i, const struct target *t) {
    struct kimg_entry e = {.arch = t->number, .data = i->data, .size = i->size, .name = i->name};
    switch (i->kind) {
    case DEVICE_ITEM_PTX:
        e.kind = KIMG_PTX;
        read_version(&e);
        break;
    case DEVICE_ITEM_NATIVE:
        e.kind = KIMG_NATIVE;
        e.arch = 0;
        break;
    case DEVICE_ITEM_CUBIN:
        if (i->is_kudzus)
            return true;
        e.kind = KIMG_ELF;
        break;
    default:
        return tool_say(f->log, TOOL_FATAL, NULL, 0, "'%s' is neither PTX nor a cubin", i->file);
    }
    vec_push(f->arena, &f->entries, e);
    return true;
}

static bool add_image(struct fatbinary *f, const char *spec) {
    const char *profile = part(f->arena, spec, "profile"), *sm = part(f->arena, spec, "sm");
    const char *path = part(f->arena, spec, "file"), *kind = part(f->arena, spec, "kind");
    device_items items = {0};
    struct target t;
    char err[400] = "";
    if (sm)
        profile = arena_printf(f->arena, "sm_%s", sm);
    if (!profile || !path)
        return tool_say(f->log, TOOL_FATAL, NULL, 0,
                        "'%s' is not profile=sm_90,file=FILE or kind=elf,sm=90,file=FILE", spec);
    if (!target_find(profile, &t))
        return tool_say(f->log, TOOL_FATAL, NULL, 0, "Value '%s' is not defined for option 'image'",
                        profile);
    if (kind && strcmp(kind, "elf") && strcmp(kind, "ptx"))
        return tool_say(f->log, TOOL_FATAL, NULL, 0, "Images of kind '%s' cannot be read", kind);
    if (!device_files_read(f->arena, path, &items, err, sizeof err))
        return tool_say(f->log, TOOL_FATAL, NULL, 0, "Could not open input file '%s': %s", path,
                        err);
    for (uint32_t i = 0; i < items.len; i++)
        if (!add_item(f, &items.data[i], &t))
            return false;
    return true;
}

static bool take(void *user, int id, const char *value) {
    struct fatbinary *f = user;
    switch (id) {
    case CREATE:
        f->output = arena_strdup(f->arena, value);
        return true;
    case EMBEDDED:
        f->embedded = arena_strdup(f->arena, value);
        return true;
    case IMAGE:
        return add_image(f, arena_strdup(f->arena, value));
    case HELP:
        return f->help = true;
    case VERSION:
        return f->version = true;
    case REFUSED_32:
        return tool_say(f->log, TOOL_FATAL, NULL, 0, "there is no code of 32 bits");
    default:
        return tool_say(f->log, TOOL_FATAL, NULL, 0,
                        "'%s': images are named by --image or --image3", value);
    }
}

// ---- Writing ------------------------------------------------------------------------------

static bool write_output(struct fatbinary *f, const char *path, const void *data, size_t size) {
    return write_file(path, data, size) ||
           tool_say(f->log, TOOL_FATAL, NULL, 0, "Could not open output file '%s'", path);
}

// Programs register the struct, as kudzu cc's own do.
static bool write_embedded(struct fatbinary *f, const uint8_t *data, size_t size) {
    struct strbuf out = {0};
    strbuf_puts(&out, "__asm__(\n\".section .nv_fatbin, \\\"a\\\"\\n\"\n\".align 8\\n\"\n"
                      "\"fatbinData:\\n\"\n");
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = 0;
        memcpy(&word, data + at, size - at < 8 ? size - at : 8);
        strbuf_printf(&out, at % 32 ? ",0x%016llx" : "\".quad 0x%016llx", (unsigned long long)word);
        if (at % 32 == 24 || at + 8 >= size)
            strbuf_puts(&out, "\\n\"\n");
    }
    strbuf_puts(&out, "\".text\\n\");\n"
                      "extern const unsigned long long fatbinData[];\n"
                      "static const struct { int magic, version; const unsigned long long *data; "
                      "void *more; } __fatDeviceText\n"
                      "    __attribute__((aligned(8), section(\".nvFatBinSegment\"))) =\n"
                      "    {0x466243b1, 1, fatbinData, 0};\n");
    bool ok = write_output(f, f->embedded, strbuf_str(&out), out.len);
    strbuf_free(&out);
    return ok;
}

static bool run(struct fatbinary *f) {
    void *data;
    size_t size;
    if (!f->output && !f->embedded)
        return tool_say(f->log, TOOL_FATAL, NULL, 0,
                        "No output: --create or --embedded-fatbin names it");
    if (!f->entries.len)
        return tool_say(f->log, TOOL_FATAL, NULL, 0, "No images specified");
    if (!kimg_build(f->entries.data, f->entries.len, &data, &size))
        return tool_say(f->log, TOOL_FATAL, NULL, 0, "Memory allocation failure");
    bool ok = (!f->output || write_output(f, f->output, data, size)) &&
              (!f->embedded || write_embedded(f, data, size));
    free(data);
    return ok;
}

int tool_fatbinary(int argc, char **argv) {
    struct arena arena = {0};
    struct tool_log log = {.tool = "fatbinary"};
    struct fatbinary f = {.arena = &arena, .log = &log};
    struct tool_options o = {&arena, &log, options, OPTIONS, take, &f};
    if (tool_options_read(&o, argc - 1, (const char *const *)argv + 1)) {
        if (f.help) {
            puts("Usage: kudzu fatbinary --create FILE --image3=kind=elf,sm=90,file=IMAGE...\n"
                 "Puts images for several architectures into one container, with fatbinary's\n"
                 "options:\n");
            tool_options_help(options, OPTIONS);
        } else if (f.version)
            tool_version_print("fatbinary", "Cuda fatbinary tool");
        else
            run(&f);
    }
    arena_free(&arena);
    return tool_log_end(&log);
}
