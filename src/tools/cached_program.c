#include "tools/cached_program.h"

#include <string.h>
#include <unistd.h>

#include "cc/compile.h"
#include "cc/options.h"
#include "tools/program_cache.h"

static bool is_source(const char *arg) {
    static const char *const suffixes[] = {".cu", ".cpp", ".cc", ".cxx", ".c"};
    size_t n = strlen(arg);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; ++i) {
        size_t m = strlen(suffixes[i]);
        if (*arg != '-' && n > m && !strcmp(arg + n - m, suffixes[i]))
            return true;
    }
    return false;
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
    const char *temporary = arena_printf(arena, "%s.%d", e->program, (int)getpid());
    vec_push(arena, &args, "kudzu cc");
    for (uint32_t i = 0; i < options->len; ++i)
        vec_push(arena, &args, options->data[i]);
    vec_push(arena, &args, source);
    vec_push(arena, &args, "-o");
    vec_push(arena, &args, temporary);
    struct cc_options o;
    if (!options_parse(&o, arena, (int)args.len, (char **)args.data))
        return false;
    o.extra_dep_prefix = arena_printf(arena, "%s.d.", temporary);
    cc_strings deps = dependency_files(arena, &o);
    bool ok = kudzu_cc_options(&o, arena) == 0 && program_cache_store(arena, e, temporary, &deps);
    unlink(temporary);
    for (uint32_t i = 0; i < deps.len; ++i)
        unlink(deps.data[i]);
    return ok;
}

const char *cached_program(struct arena *arena, int argc, char **argv, int *source) {
    cc_strings options = {0};
    struct program_cache_entry entry;
    int at = 0;
    bool lines = false; // asked for by the user
    vec_push(arena, &options, "-O3");
    for (; at < argc && !is_source(argv[at]); ++at) {
        vec_push(arena, &options, argv[at]);
        lines |= gives_lines(argv[at]);
    }
    if (!lines)
        vec_push(arena, &options, "-lineinfo");
    if (at == argc)
        return cc_error("no program to run; `--help` explains"), NULL;
    *source = at;
    if (!program_cache_find(arena, argv[at], &options, &entry))
        return NULL;
    if (!program_cache_valid(arena, &entry) && !compile(arena, argv[at], &options, &entry))
        return NULL;
    return entry.program;
}
