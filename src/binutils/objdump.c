// kudzu objdump: what is in files with device code, in the place of cuobjdump.
#include "binutils/objdump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler/targets.h"
#include "binutils/binutils.h"
#include "binutils/tool_version.h"
#include "cc/link/device_image.h"
#include "cc/options/architectures.h"
#include "cc/processes/file_io.h"

enum {
    LIST_ELF = 1,
    LIST_PTX,
    ELF,
    PTX,
    SYMBOLS,
    SASS,
    USAGE,
    EXTRACT_ELF,
    EXTRACT_PTX,
    ARCH,
    FUNCTION,
    NATIVE,
    HELP,
    VERSION
};

static const struct tool_option options[] = {
    {"list-elf", "lelf", TOOL_FLAG, LIST_ELF,
     "Lists the cubins, and what PTX is there in place of."},
    {"list-ptx", "lptx", TOOL_FLAG, LIST_PTX, "Lists the PTX."},
    {"dump-elf", "elf", TOOL_FLAG, ELF, "Shows sections and symbols of cubins."},
    {"dump-ptx", "ptx", TOOL_FLAG, PTX, "Shows the PTX."},
    {"dump-elf-symbols", "symbols", TOOL_FLAG, SYMBOLS, "Shows the symbols of cubins."},
    {"elf-symbols", NULL, TOOL_FLAG, SYMBOLS, "The same."},
    {"dump-sass", "sass", TOOL_FLAG, SASS,
     "Shows the code of CPUs in the image, or, where it has none, what its PTX becomes."},
    {"dump-resource-usage", "res-usage", TOOL_FLAG, USAGE, "Shows what each kernel takes."},
    {"extract-elf", "xelf", TOOL_VALUE, EXTRACT_ELF,
     "Writes the cubins whose name in the list has this in it, or all, to files of these names."},
    {"extract-ptx", "xptx", TOOL_VALUE, EXTRACT_PTX, "The same for PTX."},
    {"gpu-architecture", "arch", TOOL_VALUE, ARCH, "Shows only what is for this one."},
    {"function", "fun", TOOL_VALUE, FUNCTION, "Shows only these, separated by commas."},
    {"kudzu-native", NULL, TOOL_VALUE, NATIVE,
     "For which processor --dump-sass makes code: x86-64-v2, -v3, -v4, aarch64, aarch64-sve256, "
     "-sve512."},
    {"help", "h", TOOL_FLAG, HELP, "This text."},
    {"version", "V", TOOL_FLAG, VERSION, "The version."},
    {"all-fatbin", "all", TOOL_FLAG, 0, "Accepted: all that is there is shown."},
    {"print-code", "c", TOOL_FLAG, SASS, "The same as --dump-sass."},
    {"print-instruction-encoding", "hex", TOOL_FLAG, 0, NULL},
    {"print-line-info", "g", TOOL_FLAG, 0, NULL},
    {"print-line-info-inline", "gi", TOOL_FLAG, 0, NULL},
    {"sort-functions", "sort", TOOL_FLAG, 0, NULL},
};
enum { OPTIONS = sizeof options / sizeof *options };

// ---- Options ------------------------------------------------------------------------------

static bool set_level(struct objdump *o, const char *value) {
    struct architectures a = {0};
    struct strbuf messages = {0};
    cc_capture_messages(&messages);
    bool ok = architectures_add_native(&a, value);
    cc_capture_messages(NULL);
    strbuf_free(&messages);
    if (!ok || !a.native_levels || a.native_levels & (a.native_levels - 1))
        return tool_say(o->log, TOOL_FATAL, NULL, 0,
                        "Value '%s' is not defined for option 'kudzu-native'", value);
    o->native_level = (uint32_t)__builtin_ctz(a.native_levels);
    return true;
}

static bool set_arch(struct objdump *o, const char *value) {
    struct target t;
    o->arch = arena_strdup(o->arena, value);
    return target_find(value, &t) ||
           tool_say(o->log, TOOL_FATAL, NULL, 0,
                    "Value '%s' is not defined for option 'gpu-architecture'", value);
}

static void add_functions(struct objdump *o, const char *value) {
    for (bool more = true; more;) {
        size_t n = strcspn(value, ",");
        vec_push(o->arena, &o->functions, arena_strndup(o->arena, value, n));
        more = value[n] != 0;
        value += n + 1;
    }
}

static bool take(void *user, int id, const char *value) {
    struct objdump *o = user;
    switch (id) {
    case 0:
        vec_push(o->arena, &o->files, arena_strdup(o->arena, value));
        return true;
    case LIST_ELF:
        return o->list_elf = true;
    case LIST_PTX:
        return o->list_ptx = true;
    case ELF:
        return o->elf = true;
    case PTX:
        return o->ptx = true;
    case SYMBOLS:
        return o->symbols = true;
    case SASS:
        return o->sass = true;
    case USAGE:
        return o->usage = true;
    case EXTRACT_ELF:
        o->extract_elf = arena_strdup(o->arena, value);
        return true;
    case EXTRACT_PTX:
        o->extract_ptx = arena_strdup(o->arena, value);
        return true;
    case ARCH:
        return set_arch(o, value);
    case FUNCTION:
        add_functions(o, value);
        return true;
    case NATIVE:
        return set_level(o, value);
    case HELP:
        return o->help = true;
    default:
        return o->version = true;
    }
}

// ---- Listing ------------------------------------------------------------------------------

bool objdump_wants_function(const struct objdump *o, const char *name) {
    for (uint32_t i = 0; i < o->functions.len; i++)
        if (!strcmp(o->functions.data[i], name))
            return true;
    return !o->functions.len;
}

const char *objdump_arch(struct arena *arena, const struct device_item *i) {
    return arena_printf(arena, "sm_%u%s", i->arch, i->arch_specific ? "a" : "");
}

static bool wants(const struct objdump *o, const struct device_item *i) {
    return !o->arch || !i->arch || !strcmp(o->arch, objdump_arch(o->arena, i));
}

// "a.1.sm_90.ptx": what lists name it and what it is extracted to.
static const char *item_name(const struct objdump *o, const struct device_item *i,
                             uint32_t number) {
    const char *slash = strrchr(o->path, '/'), *file = slash ? slash + 1 : o->path;
    const char *dot = strrchr(file, '.');
    int n = dot && dot != file ? (int)(dot - file) : (int)strlen(file);
    return arena_printf(o->arena, "%.*s.%u.%s.%s", n, file, number, objdump_arch(o->arena, i),
                        i->kind == DEVICE_ITEM_PTX ? "ptx" : "cubin");
}

static bool is_extracted(const char *which, const char *name) {
    return which && (!strcmp(which, "all") || strstr(name, which));
}

static bool list(struct objdump *o, const struct device_item *i, uint32_t number) {
    bool ptx = i->kind == DEVICE_ITEM_PTX;
    const char *name = item_name(o, i, number), *kind = ptx ? "PTX" : "ELF";
    if (ptx ? o->list_ptx : o->list_elf)
        printf("%s file %4u: %s\n", kind, number, name);
    if (!is_extracted(ptx ? o->extract_ptx : o->extract_elf, name))
        return true;
    printf("Extracting %s file %4u: %s\n", kind, number, name);
    return write_file(name, i->data, i->size) ||
           tool_say(o->log, TOOL_FATAL, NULL, 0, "Could not open output file '%s'", name);
}

// What kudzu cc was asked for machine code of, in whose place the PTX is: cubins for who looks for
// them in the list. There is nothing to extract.
static void list_stood_for(struct objdump *o, const struct device_item *i, uint32_t *number) {
    const char *text = i->data, *at = NULL;
    for (const char *next = text; (next = strstr(next, "\n" DEVICE_IMAGE_STANDS_FOR)); ++next)
        at = next; // the last: the names of variables can hold the words
    if (!at)
        return;
    at += strlen("\n" DEVICE_IMAGE_STANDS_FOR);
    for (size_t n; *at == ' '; at += n) {
        n = strcspn(++at, " \n");
        if (n <= strlen("sm_"))
            continue;
        struct device_item cubin = {.kind = DEVICE_ITEM_CUBIN,
                                    .arch = (uint32_t)strtoul(at + strlen("sm_"), NULL, 10),
                                    .arch_specific = at[n - 1] == 'a'};
        if (wants(o, &cubin))
            ++*number, printf("ELF file %4u: %s\n", *number, item_name(o, &cubin, *number));
    }
}

static const char *kind_name(const struct device_item *i) {
    static const char *const names[] = {
        [DEVICE_ITEM_PTX] = "ptx",
        [DEVICE_ITEM_CUBIN] = "elf",
        [DEVICE_ITEM_NATIVE] = "native",
        [DEVICE_ITEM_BITCODE] = "LLVM bitcode",
        [DEVICE_ITEM_DEVICE_RUNTIME] = "device runtime",
        [DEVICE_ITEM_COMPRESSED] = "compressed",
        [DEVICE_ITEM_UNKNOWN] = "unknown",
    };
    return names[i->kind];
}

static void show_head(const struct objdump *o, const struct device_item *i) {
    printf("\nFatbin %s code:\n================\n", kind_name(i));
    if (i->arch)
        printf("arch = %s\n", objdump_arch(o->arena, i));
    puts("host = linux\ncompile_size = 64bit");
    if (i->name && *i->name)
        printf("identifier = %s\n", i->name);
    if (strcmp(i->file, o->path) != 0)
        printf("member = %s\n", i->file);
    puts("");
}

static bool has_native(const struct objdump *o) {
    for (uint32_t i = 0; i < o->items.len; i++)
        if (o->items.data[i].kind == DEVICE_ITEM_NATIVE)
            return true;
    return false;
}

// ---- Code ---------------------------------------------------------------------------------

static bool show_ptx(struct objdump *o, const struct device_item *i) {
    bool code = o->sass && !has_native(o);
    if (o->ptx || code || o->usage)
        show_head(o, i);
    if (o->ptx)
        printf("%s\n", (const char *)i->data);
    if (o->usage)
        objdump_ptx_usage(o, i);
    return !code || objdump_made_native(o, i);
}

static bool show_cubin(struct objdump *o, const struct device_item *i) {
    bool foreign = !i->is_kudzus;
    if (o->elf || o->symbols || (foreign && (o->sass || o->usage)))
        show_head(o, i);
    if (o->elf)
        objdump_elf(o, i);
    else if (o->symbols)
        objdump_symbols(o, i);
    if (o->usage && foreign)
        objdump_elf_usage(o, i);
    if (o->sass && foreign)
        puts("\t// machine code of a GPU, which cannot be listed here");
    return true;
}

static bool show(struct objdump *o, const struct device_item *i) {
    switch (i->kind) {
    case DEVICE_ITEM_PTX:
        return show_ptx(o, i);
    case DEVICE_ITEM_CUBIN:
        return show_cubin(o, i);
    case DEVICE_ITEM_NATIVE:
        if (o->sass)
            show_head(o, i);
        return !o->sass || objdump_native(o, i);
    default:
        return true;
    }
}

static bool shows_code(const struct objdump *o) {
    return o->elf || o->ptx || o->symbols || o->sass || o->usage;
}

static bool lists(const struct objdump *o) {
    return o->list_elf || o->list_ptx || o->extract_elf || o->extract_ptx;
}

static bool run(struct objdump *o) {
    char err[400] = "";
    uint32_t numbers[2] = {0};
    if (!device_files_read(o->arena, o->path, &o->items, err, sizeof err))
        return tool_say(o->log, TOOL_FATAL, NULL, 0, "Could not open input file '%s': %s", o->path,
                        err);
    if (!o->items.len)
        tool_say(o->log, TOOL_INFO, NULL, 0, "File '%s' does not contain device code", o->path);
    for (uint32_t n = 0; n < o->items.len; n++) {
        const struct device_item *i = &o->items.data[n];
        bool ptx = i->kind == DEVICE_ITEM_PTX;
        if (ptx && o->list_elf && !i->in_cubin)
            list_stood_for(o, i, &numbers[0]);
        if (!wants(o, i))
            continue;
        if ((ptx || i->kind == DEVICE_ITEM_CUBIN) && !list(o, i, ++numbers[ptx]))
            return false;
        if (!shows_code(o) && !lists(o))
            show_head(o, i);
        if (!show(o, i))
            return false;
    }
    return true;
}

int tool_objdump(int argc, char **argv) {
    struct arena arena = {0};
    struct tool_log log = {.tool = "objdump"};
    struct objdump o = {.arena = &arena, .log = &log};
    struct tool_options t = {&arena, &log, options, OPTIONS, take, &o};
#ifdef __aarch64__
    o.native_level = KD_LEVEL_AARCH64;
#else
    o.native_level = KD_LEVEL_X86_64_V3;
#endif
    if (tool_options_read(&t, argc - 1, (const char *const *)argv + 1)) {
        if (o.help) {
            puts("Usage: kudzu objdump [options] file...\n"
                 "Shows the device code in programs, objects, archives, images and PTX, with\n"
                 "cuobjdump's options. Without any, what is there:\n");
            tool_options_help(options, OPTIONS);
        } else if (o.version)
            tool_version_print("objdump", "Cuda object dump tool");
        else if (!o.files.len)
            tool_say(&log, TOOL_FATAL, NULL, 0,
                     "No input files specified; use option --help for more information");
        for (uint32_t i = 0; i < o.files.len && !o.help && !o.version; i++) {
            o.path = o.files.data[i];
            o.items.len = 0;
            if (!run(&o))
                break;
        }
    }
    arena_free(&arena);
    return tool_log_end(&log);
}
