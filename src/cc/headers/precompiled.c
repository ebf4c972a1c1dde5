#include "cc/headers/precompiled.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cc/headers/header_sets.h"
#include "cc/processes/file_io.h"
#include "support/environment.h"

const char *precompiled_directory(const struct toolchain *t, struct arena *arena) {
    return arena_printf(arena, "%s/pch", t->lib);
}

// ---- The key ------------------------------------------------------------------------------

const char *precompiled_key_line(const struct toolchain *t, struct arena *arena) {
    struct stat st;
    if (stat(t->clang, &st))
        return NULL;
    return arena_printf(arena, "%s %lld %lld %s %s\n", t->clang, (long long)st.st_size,
                        (long long)st.st_mtim.tv_sec, t->include,
                        t->foreign_include ? t->foreign_include : "-");
}

const char *precompiled_key_file(struct arena *arena, const char *path) {
    struct stat st;
    if (stat(path, &st))
        return NULL;
    return arena_printf(arena, "file %lld %lld %ld %s\n", (long long)st.st_size,
                        (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, path);
}

char *precompiled_read_key(const struct toolchain *t, struct arena *arena) {
    const char *path = arena_printf(arena, "%s/key", precompiled_directory(t, arena));
    const char *line = precompiled_key_line(t, arena);
    char *text;
    size_t size;
    if (!line || !is_readable_file(path) || !read_file(arena, path, &text, &size))
        return NULL;
    size_t n = strlen(line);
    return strncmp(text, line, n) ? NULL : text + n;
}

// The value of the next line that begins with the word and a blank, copied; NULL: no more.
static const char *next_value(struct arena *arena, const char **key, const char *word) {
    size_t n = strlen(word);
    while (**key) {
        const char *line = *key;
        size_t length = strcspn(line, "\n");
        *key = line + length + (line[length] == '\n');
        if (!strncmp(line, word, n) && line[n] == ' ')
            return arena_strndup(arena, line + n + 1, length - n - 1);
    }
    return NULL;
}

bool precompiled_is_fresh(struct arena *arena, const char *key) {
    uint32_t files = 0;
    for (const char *value; (value = next_value(arena, &key, "file")); ++files) {
        int at = 0;
        if (sscanf(value, "%*d %*d %*d %n", &at) < 0 || !at)
            return false;
        const char *now = precompiled_key_file(arena, value + at);
        if (!now || strncmp(now + 5, value, strlen(value)) != 0)
            return false;
    }
    return files > 0;
}

bool precompiled_directories(const struct toolchain *t, struct arena *arena, cc_strings *out) {
    const char *key = precompiled_read_key(t, arena);
    if (!key)
        return false;
    for (const char *value; (value = next_value(arena, &key, "option"));)
        vec_push(arena, out, value);
    return true;
}

// ---- What the user's options may change ---------------------------------------------------

// The headers that every program includes, or the optional ones besides.
static struct header_part implicit_headers(const struct toolchain *t, struct arena *arena,
                                           const char *key) {
    return (struct header_part){
        key, "include", arena_printf(arena, "%s/identifiers", precompiled_directory(t, arena)),
        t->include};
}

static struct header_part optional_headers(const struct toolchain *t, struct arena *arena,
                                           const char *key) {
    return (struct header_part){
        key, "optional",
        arena_printf(arena, "%s/identifiers-optional", precompiled_directory(t, arena)),
        t->include};
}

// A header found there would take the place of one that was precompiled. Build systems name kudzu's
// own directory, where the headers are the same.
static bool shadows(struct arena *arena, const struct header_part *p, const char *directory) {
    const char *key = p->key;
    if (access(directory, F_OK) || is_same_folder(directory, p->own))
        return false;
    for (const char *spelling; (spelling = next_value(arena, &key, p->includes));) {
        const char *path = arena_printf(arena, "%s/%s", directory, spelling);
        if (!access(path, F_OK) && !is_folder(path))
            return true;
    }
    return false;
}

// A list of directories; an empty one is the current directory.
static bool list_shadows(struct arena *arena, const struct header_part *p, const char *list) {
    while (list && *list) {
        size_t n = strcspn(list, ":");
        if (shadows(arena, p, n ? arena_strndup(arena, list, n) : "."))
            return true;
        list += n + (list[n] == ':');
    }
    return false;
}

// Macros reach headers only if these name them; a reserved name may also be put together.
static bool macro_reaches_headers(struct arena *arena, const char *identifiers, const char *macro) {
    size_t n = 0;
    while (isalnum((unsigned char)macro[n]) || macro[n] == '_')
        ++n;
    return !n || *macro == '_' ||
           strstr(identifiers, arena_printf(arena, "\n%.*s\n", (int)n, macro));
}

static bool read_identifiers(struct arena *arena, const char *path, char **text) {
    size_t size;
    return *text || (is_readable_file(path) && read_file(arena, path, text, &size));
}

static bool preprocessor_fits(struct arena *arena, const struct header_part *p,
                              const cc_strings *options) {
    char *identifiers = NULL;
    for (uint32_t i = 0; i < options->len; ++i) {
        const char *option = options->data[i];
        if (!strncmp(option, "-D", 2) || !strncmp(option, "-U", 2)) {
            if (!read_identifiers(arena, p->identifiers, &identifiers) ||
                macro_reaches_headers(arena, identifiers, option + 2))
                return false;
        } else if (!strncmp(option, "-I", 2)) {
            if (shadows(arena, p, option + 2))
                return false;
        } else if (!strcmp(option, "-isystem") && i + 1 < options->len) {
            if (shadows(arena, p, options->data[++i]))
                return false;
        } else {
            return false; // -include: what the file defines could reach headers
        }
    }
    return true;
}

static bool environment_fits(struct arena *arena, const struct header_part *p) {
    static const char *const lists[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i)
        if (list_shadows(arena, p, environment_get(lists[i])))
            return false;
    // For the implicit header clang looks in the current directory first.
    return access("cuda_runtime.h", F_OK) && !environment_get("CCC_OVERRIDE_OPTIONS");
}

bool precompiled_fits(struct arena *arena, const struct header_part *p, const struct cc_options *o,
                      const cc_strings *defined) {
    char *identifiers = NULL;
    for (uint32_t i = 0; i < defined->len; ++i)
        if (!read_identifiers(arena, p->identifiers, &identifiers) ||
            macro_reaches_headers(arena, identifiers, defined->data[i]))
            return false;
    return preprocessor_fits(arena, p, &o->preprocessor) && environment_fits(arena, p);
}

// Not where clang writes other things with a precompiled header, or where the headers are those of
// another machine.
static bool phase_fits(const struct cc_options *o) {
    return !o->dep_phony && !o->host_target && !o->host_sysroot && o->phase != CC_PREPROCESS &&
           o->phase != CC_DEPENDENCIES;
}

// Options that change clang's language or predefined macros for both passes: what is made ahead
// has none of them but the standard, and is of version 12.9 where that makes a difference.
static bool language_fits(const struct cc_options *o, enum cc_pass pass) {
    return !o->per_thread_stream && (pass == CC_RTC_PASS || o->cuda_version < 13000) &&
           (!o->std || !strcmp(o->std, "c++17") || !strcmp(o->std, "c++20"));
}

bool precompiled_usable(const struct toolchain *t, struct arena *arena,
                        const struct cc_options *o) {
    const char *key = o->no_precompiled || !phase_fits(o) ? NULL : precompiled_read_key(t, arena);
    struct header_part p = implicit_headers(t, arena, key);
    return key && precompiled_fits(arena, &p, o, &(cc_strings){0}) &&
           precompiled_is_fresh(arena, key);
}

unsigned precompiled_set(const struct toolchain *t, struct arena *arena, const struct cc_options *o,
                         const char *source) {
    cc_strings defined = {0};
    unsigned set = header_set_of(arena, o, t->include, source, &defined);
    const char *key = set ? precompiled_read_key(t, arena) : NULL;
    struct header_part p = optional_headers(t, arena, key);
    return key && precompiled_fits(arena, &p, o, &defined) ? set : 0;
}

const char *precompiled_rtc_identifiers(const struct toolchain *t, struct arena *arena) {
    return arena_printf(arena, "%s/identifiers-rtc", precompiled_directory(t, arena));
}

bool precompiled_usable_rtc(const struct toolchain *t, struct arena *arena,
                            const struct cc_options *o) {
    bool fits = phase_fits(o) && language_fits(o, CC_RTC_PASS) && !o->fast_math && o->prec_sqrt &&
                (!o->std || strcmp(o->std, "c++20") != 0);
    const char *key = fits ? precompiled_read_key(t, arena) : NULL;
    const char *names = precompiled_rtc_identifiers(t, arena);
    char *identifiers = NULL;
    for (uint32_t i = 0; key && i < o->preprocessor.len; ++i) {
        const char *option = o->preprocessor.data[i];
        if ((!strncmp(option, "-D", 2) || !strncmp(option, "-U", 2)) &&
            (!read_identifiers(arena, names, &identifiers) ||
             macro_reaches_headers(arena, identifiers, option + 2)))
            return false;
    }
    return key && !environment_get("CCC_OVERRIDE_OPTIONS") && precompiled_is_fresh(arena, key);
}

// ---- Which one ----------------------------------------------------------------------------

// Tables of lines alone: debug information without declarations, so none of a header is missing.
static bool asks_for_lines(const char *option) {
    return !strcmp(option, "-g1") || !strcmp(option, "-gline-tables-only");
}

// Warnings, -fPIC and tables of lines are the only options of the host compiler that cannot change
// what a header means.
static bool host_options_fit(const cc_strings *options) {
    for (uint32_t i = 0; i < options->len; ++i)
        if (strcmp(options->data[i], "-fPIC") != 0 && !asks_for_lines(options->data[i]) &&
            (strncmp(options->data[i], "-W", 2) != 0 || strchr(options->data[i], ',')))
            return false;
    return true;
}

bool precompiled_is_shared(const struct cc_options *o) {
    for (uint32_t i = 0; i < o->host_compiler.len; ++i)
        if (!strcmp(o->host_compiler.data[i], "-fPIC"))
            return true;
    return false;
}

static const char *kind(const struct cc_options *o, enum cc_pass pass) {
    bool optimised = !strcmp(o->device_opt, "3");
    bool plain = !o->fast_math && !o->ftz && o->prec_sqrt;
    bool fast = o->fast_math && o->ftz && !o->prec_sqrt; // as -use_fast_math has it
    if (pass == CC_RTC_PASS) // -ftz concerns code alone where square roots are exact
        return o->fast_math || !o->prec_sqrt || !o->fmad || !optimised || o->rdc ? NULL : "rtc";
    if (pass == CC_DEVICE_PASS)
        return !o->fmad || !(optimised || o->device_debug) ? NULL
               : plain                                     ? "device"
               : fast                                      ? "device-fast"
                                                           : NULL;
    // With -g clang leaves using-declarations of precompiled headers out of debug information.
    if (!host_options_fit(&o->host_compiler) || o->profile || o->debug)
        return NULL;
    if (!o->host_opt || !strcmp(o->host_opt, "0"))
        return "host-O0";
    return strchr("123", *o->host_opt) ? "host" : NULL;
}

const char *precompiled_path(const struct toolchain *t, struct arena *arena,
                             const struct cc_options *o, enum cc_pass pass, unsigned set) {
    const char *name = kind(o, pass);
    return name ? arena_printf(arena, "%s/%s%s-%s.pch", precompiled_directory(t, arena),
                               header_set_name(set), name, o->std ? o->std : "gnu++17")
                : NULL;
}

// Whether the header for run-time compilation, made for sm_90, can stand for another architecture:
// it looks at __CUDA_ARCH__ in __isClusterShared, and to leave out functions, of which clang itself
// says what they need. What has features of its own (sm_90a) has macros of its own, and of
// architectures that clang does not know (sm_100) the headers look at more. The program has to be
// shown the right __CUDA_ARCH__, and clang not to compare.
static bool serves(const char *arch) {
    size_t n = strlen(arch);
    return n == strlen("sm_90") && strspn(arch + 3, "0123456789") == n - 3;
}

const char *precompiled_header(const struct toolchain *t, struct arena *arena,
                               const struct cc_options *o, enum cc_pass pass, const char *arch,
                               unsigned set) {
    bool made_for_it = pass == CC_HOST_PASS || !strcmp(arch, "sm_90");
    if (!language_fits(o, pass) || (!made_for_it && (pass != CC_RTC_PASS || !serves(arch))))
        return NULL;
    return precompiled_path(t, arena, o, pass, set);
}

bool precompiled_stands_for(const struct cc_options *o, enum cc_pass pass) {
    return o->rdc || o->device_debug || (pass == CC_HOST_PASS && precompiled_is_shared(o));
}

bool precompiled_header_refused(struct arena *arena, const cc_strings *diagnostics) {
    // A precompiled header does not keep what kind of section was declared: constant managed
    // variables beside others need that (host_defines.h).
    static const char *const signs[] = {".pch",     "PCH",        "precompiled",
                                        "AST file", "bug report", "section type conflict"};
    for (uint32_t i = 0; i < diagnostics->len; ++i) {
        char *text;
        size_t size;
        if (!is_readable_file(diagnostics->data[i]) ||
            !read_file(arena, diagnostics->data[i], &text, &size))
            continue;
        for (size_t s = 0; s < sizeof signs / sizeof signs[0]; ++s)
            if (strstr(text, signs[s]))
                return true;
    }
    return false;
}
