#include "tools/cached_program.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cc/driver/compile.h"
#include "cc/options/options.h"
#include "cc/processes/file_io.h"
#include "cc/processes/temporaries.h"
#include "tools/program_cache.h"

bool cached_program_is_source(const char *arg) {
    static const char *const suffixes[] = {".cu", ".cpp", ".cc", ".cxx", ".c"};
    size_t n = strlen(arg);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; ++i) {
        size_t m = strlen(suffixes[i]);
        if (*arg != '-' && n > m && !strcmp(arg + n - m, suffixes[i]))
            return true;
    }
    return false;
}

// Says why no argument is a program: of the first that is no option.
static void explain_no_program(int argc, char **argv) {
    int at = 0;
    while (at < argc && *argv[at] == '-')
        ++at;
    const char *arg = at < argc ? argv[at] : NULL;
    if (!arg)
        cc_error("no program to run; `--help` explains");
    else if (is_folder(arg))
        cc_error("%s is a folder; name the program's source in it (.cu, .cpp, .cc, .cxx or .c)",
                 arg);
    else if (access(arg, F_OK))
        cc_error("%s: %s", arg, strerror(errno));
    else
        cc_error("%s is no source of a program (.cu, .cpp, .cc, .cxx or .c)%s", arg,
                 access(arg, X_OK) ? "" : "; what is compiled already runs by itself");
}

static bool gives_lines(const char *option) {
    static const char *const all[] = {"-G", "--device-debug", "-lineinfo", "--generate-line-info"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        if (!strcmp(option, all[i]))
            return true;
    return false;
}

// The dependency files that the passes write: one each device pass, one for the host pass.
static cc_strings dependency_files(struct arena *arena, const struct cc_options *o) {
    cc_strings files = {0};
    const struct architectures *a = &o->architectures;
    for (uint32_t i = 0; i < a->list.len && o->inputs.data[0].language == CC_CUDA; ++i)
        vec_push(arena, &files,
                 arena_printf(arena, "%s%s", o->extra_dep_prefix, a->list.data[i].name));
    vec_push(arena, &files, arena_printf(arena, "%shost", o->extra_dep_prefix));
    return files;
}

static bool compile(struct arena *arena, const char *source, const cc_strings *options,
                    const struct program_cache_entry *e) {
    cc_strings args = {0};
    const char *folder = arena_printf(arena, "%s.%d", e->program, (int)getpid());
    const char *temporary = arena_printf(arena, "%s/program", folder);
    if (mkdir(folder, 0700) && errno != EEXIST)
        return cc_error("cannot make the folder %s: %s", folder, strerror(errno));
    temporaries_add(folder);
    vec_push(arena, &args, "kudzu");
    for (uint32_t i = 0; i < options->len; ++i)
        vec_push(arena, &args, options->data[i]);
    vec_push(arena, &args, source);
    vec_push(arena, &args, "-o");
    vec_push(arena, &args, temporary);
    struct cc_options o;
    cc_strings deps = {0};
    bool ok = options_parse(&o, arena, (int)args.len, (char **)args.data);
    if (ok) {
        o.extra_dep_prefix = arena_printf(arena, "%s/d.", folder);
        deps = dependency_files(arena, &o);
        ok = kudzu_cc_options(&o, arena) == 0 &&
             program_cache_store(arena, e, temporary, &deps,
                                 arena_printf(arena, "%slink", o.extra_dep_prefix));
    }
    temporaries_remove(folder);
    return ok;
}

const char *cached_program(struct arena *arena, int argc, char **argv, int *source) {
    cc_strings options = {0};
    struct program_cache_entry entry;
    int at = 0;
    bool lines = false; // asked for by the user
    vec_push(arena, &options, "-O3");
    for (; at < argc && !cached_program_is_source(argv[at]); ++at) {
        vec_push(arena, &options, argv[at]);
        lines |= gives_lines(argv[at]);
    }
    if (!lines)
        vec_push(arena, &options, "-lineinfo");
    if (at == argc)
        return explain_no_program(argc, argv), NULL;
    *source = at;
    if (is_folder(argv[at]))
        return explain_no_program(argc - at, argv + at), NULL;
    if (!program_cache_find(arena, argv[at], &options, &entry))
        return NULL;
    if (!program_cache_valid(arena, &entry) && !compile(arena, argv[at], &options, &entry))
        return NULL;
    return entry.program;
}
