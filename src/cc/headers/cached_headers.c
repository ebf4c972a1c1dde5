#include "cc/headers/cached_headers.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cc/headers/header_names.h"
#include "cc/headers/header_sets.h"
#include "cc/headers/precompile.h"
#include "cc/processes/background.h"
#include "cc/processes/file_io.h"
#include "cc/processes/make_rule.h"
#include "support/environment.h"
#include "support/private_folder.h"

enum { MAX_DIRECTORIES = 20 }; // of up to 10 MB; the least recently used go first

// One pass with its options, and where its precompiled headers lie.
struct place {
    struct compilation c;
    struct cc_options options;
    enum cc_pass pass;
    const struct architecture *arch;
    const char *directory, *key_head;
};

// ---- Options ------------------------------------------------------------------------------

static bool is_standard(const char *std) {
    return !std || !strncmp(std, "c++", 3) || !strncmp(std, "gnu++", 5);
}

// Options of the host compiler that may change what headers mean go into the command that
// precompiles them; warnings do not. False: one could bring in anything.
static bool take_host_options(struct arena *arena, const cc_strings *given, cc_strings *out) {
    *out = (cc_strings){0};
    for (uint32_t i = 0; i < given->len; ++i) {
        const char *option = given->data[i];
        bool warning = !strncmp(option, "-W", 2);
        if (strchr(option, ',') || (!warning && strncmp(option, "-f", 2) != 0 &&
                                    strncmp(option, "-m", 2) != 0 && strcmp(option, "-pthread")))
            return false;
        if (!warning)
            vec_push(arena, out, option);
    }
    return true;
}

// The options that precompiled headers depend on. With -g clang leaves using-declarations of
// precompiled headers out of debug information.
static bool take_options(struct place *p, const struct cc_options *o) {
    struct cc_options *mine = &p->options;
    *mine = *o;
    mine->phase = CC_COMPILE;
    mine->preprocessor = mine->warnings = mine->host_compiler = (cc_strings){0};
    mine->rdc = mine->device_debug = mine->line_info = mine->debug = false;
    mine->extended_lambda = mine->relaxed_constexpr = false;
    if (p->arch) {
        mine->architectures.list.data = (struct architecture *)p->arch;
        mine->architectures.list.len = 1;
        mine->device_opt = o->device_debug ? "3" : o->device_opt;
        return is_standard(o->std);
    }
    if (!o->host_opt || !strcmp(o->host_opt, "0"))
        mine->host_opt = NULL;
    else if (strchr("123", *o->host_opt))
        mine->host_opt = "2";
    return is_standard(o->std) && !o->debug && !o->profile &&
           take_host_options(p->c.arena, &o->host_compiler, &mine->host_compiler);
}

// ---- Places -------------------------------------------------------------------------------

static const char *cache_directory(struct arena *arena) {
    const char *disabled = environment_get("CUDA_CACHE_DISABLE");
    if (disabled && !strcmp(disabled, "1"))
        return NULL;
    const char *base = environment_get("XDG_CACHE_HOME"), *home = environment_get("HOME");
    if (base && *base == '/')
        return arena_printf(arena, "%s/kudzu/headers", base);
    return home && *home == '/' ? arena_printf(arena, "%s/.cache/kudzu/headers", home) : NULL;
}

static const char *joined(struct arena *arena, const cc_strings *words) {
    struct strbuf text = {0};
    for (uint32_t i = 0; i < words->len; ++i)
        strbuf_printf(&text, " %s", words->data[i]);
    const char *copy = arena_strdup(arena, strbuf_str(&text));
    strbuf_free(&text);
    return copy;
}

static uint64_t hash(const char *s) {
    uint64_t h = 0xcbf29ce484222325u;
    for (; *s; ++s)
        h = (h ^ (uint8_t)*s) * 0x100000001b3u;
    return h;
}

static bool find_place(struct place *p, const struct compilation *c, enum cc_pass pass,
                       const struct architecture *arch) {
    struct command cmd;
    *p = (struct place){.c = *c, .pass = pass, .arch = arch};
    const char *base = cache_directory(c->arena);
    const char *line = precompiled_key_line(c->toolchain, c->arena);
    if (!base || !line || !take_options(p, c->options))
        return false;
    p->c.options = &p->options;
    precompile_command(&cmd, &p->c, pass, 0, NULL);
    p->key_head = arena_printf(c->arena, "%smade by%s\n", line, joined(c->arena, &cmd.args));
    p->directory = arena_printf(c->arena, "%s/%016" PRIx64, base, hash(p->key_head));
    return true;
}

static const char *file_of(const struct place *p, unsigned set, const char *suffix) {
    return arena_printf(p->c.arena, "%s/%s%s.%s", p->directory, header_set_name(set),
                        p->pass == CC_DEVICE_PASS ? "device" : "host", suffix);
}

// The key of a set that is up to date, behind its head; NULL: it is not.
static const char *fresh_key(const struct place *p, unsigned set) {
    const char *path = file_of(p, set, "key");
    size_t size, n = strlen(p->key_head);
    char *text;
    if (!private_folder_is(p->directory, false) || !is_readable_file(path) ||
        !read_file(p->c.arena, path, &text, &size) || strncmp(text, p->key_head, n) != 0)
        return NULL;
    return precompiled_is_fresh(p->c.arena, text + n) ? text + n : NULL;
}

static bool fits(const struct place *p, const struct cc_options *o, const char *source,
                 unsigned set) {
    cc_strings defined = {0};
    const char *key = fresh_key(p, set);
    if (set)
        header_set_of(p->c.arena, o, p->c.toolchain->include, source, &defined);
    struct header_part part = {key, "include", file_of(p, set, "identifiers"),
                               p->c.toolchain->include};
    return key && precompiled_fits(p->c.arena, &part, o, &defined);
}

const char *cached_header(const struct compilation *c, enum cc_pass pass,
                          const struct architecture *arch, const char *source, unsigned set) {
    struct place p;
    if (c->precompiling || !find_place(&p, c, pass, arch))
        return NULL;
    if (!fits(&p, c->options, source, set)) {
        if (!set || !fits(&p, c->options, source, 0))
            return NULL;
        set = 0;
    }
    utimensat(AT_FDCWD, arena_printf(c->arena, "%s/used", p.directory), NULL, 0);
    return file_of(&p, set, "pch");
}

// ---- The cache ----------------------------------------------------------------------------

// The lock is held as long as a process has it open: clang, too, which may outlive its maker.
static int take_lock(struct arena *arena) {
    const char *base = cache_directory(arena);
    if (!private_folder_is(base, true))
        return -1;
    int lock = open(arena_printf(arena, "%s/.lock", base), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB)) {
        close(lock);
        lock = -1;
    }
    return lock;
}

static bool has_suffix(const char *name, const char *suffix) {
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && !strcmp(name + n - m, suffix);
}

static bool is_finished(const char *name) {
    return has_suffix(name, ".pch") || has_suffix(name, ".key") ||
           has_suffix(name, ".identifiers") || !strcmp(name, "used");
}

// What processes that were killed have left, or everything.
static void remove_files(const char *directory, bool all) {
    DIR *d = private_folder_is(directory, false) ? opendir(directory) : NULL;
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));)
        if (all || !is_finished(e->d_name))
            unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
}

static void remove_least_used(struct arena *arena) {
    const char *base = cache_directory(arena), *oldest = NULL;
    DIR *d = opendir(base);
    int count = 0;
    time_t used = 0;
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        struct stat st;
        if (*e->d_name == '.' ||
            fstatat(dirfd(d), arena_printf(arena, "%s/used", e->d_name), &st, 0))
            continue;
        if (!count++ || st.st_mtim.tv_sec < used) {
            oldest = arena_printf(arena, "%s/%s", base, e->d_name);
            used = st.st_mtim.tv_sec;
        }
    }
    closedir(d);
    if (count <= MAX_DIRECTORIES)
        return;
    remove_files(oldest, true);
    rmdir(oldest);
}

// ---- Making -------------------------------------------------------------------------------

// Written beside the old one, which somebody may be reading.
static const char *unfinished(const struct place *p, unsigned set) {
    return file_of(p, set, "new");
}

static bool run_clang(const struct place *p, unsigned set, const char *rule, const int *lock) {
    struct command cmd;
    const char *below = set ? file_of(p, set - 1, "pch") : NULL;
    precompile_command(&cmd, &p->c, p->pass, set, below);
    cmd.inherited = lock;
    cmd.inherited_count = 1;
    command_arg(&cmd, rule);
    command_arg(&cmd, "-o");
    command_arg(&cmd, unfinished(p, set));
    return command_run(&cmd) && !rename(unfinished(p, set), file_of(p, set, "pch"));
}

static bool write_whole(const struct place *p, unsigned set, const char *suffix,
                        const struct strbuf *text) {
    return write_file(unfinished(p, set), strbuf_str(text), text->len) &&
           !rename(unfinished(p, set), file_of(p, set, suffix));
}

static bool put_files(struct arena *arena, struct strbuf *key, const cc_strings *files) {
    for (uint32_t i = 0; i < files->len; ++i) {
        const char *line = precompiled_key_file(arena, files->data[i]);
        if (!line)
            return false;
        strbuf_puts(key, line);
    }
    return true;
}

static bool describe(const struct place *p, unsigned set, cc_strings *files) {
    struct arena *arena = p->c.arena;
    cc_strings names = {0}, includes = {0};
    struct strbuf text = {0}, key = {0};
    for (unsigned s = 1; s <= set; ++s)
        for (const char *const *name = header_set_adds(s); *name; ++name)
            vec_push(arena, &includes, *name);
    if (!header_names_read(arena, files, &names, &includes))
        return false;
    strbuf_puts(&text, "\n");
    for (uint32_t i = 0; i < names.len; ++i)
        strbuf_printf(&text, "%s\n", names.data[i]);
    strbuf_puts(&key, p->key_head);
    for (uint32_t i = 0; i < includes.len; ++i)
        strbuf_printf(&key, "include %s\n", includes.data[i]);
    for (unsigned s = 0; s <= set; ++s)
        vec_push(arena, files, file_of(p, s, "pch"));
    bool ok = put_files(arena, &key, files) && write_whole(p, set, "identifiers", &text) &&
              write_whole(p, set, "key", &key);
    strbuf_free(&text);
    strbuf_free(&key);
    return ok;
}

static bool make_set(const struct place *p, unsigned set, const int *lock) {
    const char *rule = file_of(p, set, "d");
    cc_strings files = {0};
    char *text;
    size_t size;
    unlink(file_of(p, set, "key")); // nothing fits until all is made
    if (!run_clang(p, set, rule, lock) || !read_file(p->c.arena, rule, &text, &size))
        return false;
    make_rule_prerequisites(p->c.arena, text, &files);
    return describe(p, set, &files);
}

// Where they cannot be made it is not tried again for an hour.
static bool has_failed(const struct place *p) {
    struct stat st;
    return !stat(arena_printf(p->c.arena, "%s/failed", p->directory), &st) &&
           time(NULL) - st.st_mtim.tv_sec < 3600;
}

// A set is parsed behind the one before it.
static void make_sets(const struct place *p, unsigned set, const int *lock) {
    bool ok = private_folder_is(p->directory, true) &&
              write_file(arena_printf(p->c.arena, "%s/used", p->directory), "", 0);
    remove_files(p->directory, false);
    for (unsigned s = 0; s <= set && ok; ++s)
        ok = fresh_key(p, s) || make_set(p, s, lock);
    remove_files(p->directory, false);
    if (!ok)
        write_file(arena_printf(p->c.arena, "%s/failed", p->directory), "", 0);
}

// The passes for which nothing was made ahead.
static uint32_t find_places(const struct compilation *c, unsigned set, bool host,
                            struct place *places) {
    const struct architectures *a = &c->options->architectures;
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->list.len; ++i)
        if (!precompiled_header(c->toolchain, c->arena, c->options, CC_DEVICE_PASS,
                                a->list.data[i].name, set) &&
            find_place(&places[n], c, CC_DEVICE_PASS, &a->list.data[i]))
            ++n;
    if (host && !precompiled_header(c->toolchain, c->arena, c->options, CC_HOST_PASS, NULL, set) &&
        find_place(&places[n], c, CC_HOST_PASS, NULL))
        ++n;
    return n;
}

void cached_headers_make(const struct compilation *c, const char *source, bool host) {
    // The process in the background has another current directory.
    if (!c->precompiled || command_mode.dry_run || *c->toolchain->clang != '/')
        return;
    unsigned set = precompiled_set(c->toolchain, c->arena, c->options, source);
    struct place *places =
        arena_array(c->arena, struct place, c->options->architectures.list.len + 1);
    uint32_t n = find_places(c, set, host, places);
    bool missing = false;
    for (uint32_t i = 0; i < n; ++i)
        missing |= !fresh_key(&places[i], set) && !has_failed(&places[i]);
    int lock = missing ? take_lock(c->arena) : -1;
    if (lock < 0)
        return;
    if (!background_begin(&lock)) {
        close(lock); // the other process has it
        return;
    }
    command_mode = (struct command_mode){0};
    for (uint32_t i = 0; i < n; ++i)
        if (!fresh_key(&places[i], set) && !has_failed(&places[i]))
            make_sets(&places[i], set, &lock);
    remove_least_used(c->arena);
    _exit(0);
}

void cached_headers_discard(const struct compilation *c, bool host) {
    struct place *places =
        arena_array(c->arena, struct place, c->options->architectures.list.len + 1);
    uint32_t n = find_places(c, 0, host, places);
    for (uint32_t i = 0; i < n; ++i)
        for (unsigned set = 0; set < HEADER_SETS; ++set)
            unlink(file_of(&places[i], set, "key"));
}
