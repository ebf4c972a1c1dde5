#include "tools/program_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "cc/processes/file_io.h"
#include "cc/processes/make_rule.h"
#include "cc/processes/temporaries.h"
#include "support/environment.h"
#include "support/private_folder.h"
#include "support/strbuf.h"

enum { MAX_PROGRAMS = 100 }; // the least recently used go first

// ---- The folder ---------------------------------------------------------------------------

static char temporary[PATH_MAX]; // "": there is none

bool program_cache_discard(void) {
    DIR *d = *temporary ? opendir(temporary) : NULL;
    if (!d)
        return false;
    for (struct dirent *e; (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    rmdir(temporary);
    *temporary = 0;
    return true;
}

static void discard_at_exit(void) {
    program_cache_discard();
}

static const char *temporary_directory(void) {
    const char *base = environment_get("TMPDIR");
    snprintf(temporary, sizeof temporary, "%s/kudzu-run-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(temporary)) {
        cc_error("cannot make a temporary directory in %s: %s", base && *base ? base : "/tmp",
                 strerror(errno));
        *temporary = 0;
        return NULL;
    }
    atexit(discard_at_exit);
    temporaries_add(temporary);
    return temporary;
}

static const char *wished_directory(struct arena *arena) {
    const char *base = environment_get("XDG_CACHE_HOME"), *home = environment_get("HOME");
    if (base && *base == '/')
        return arena_printf(arena, "%s/kudzu/run", base);
    return home && *home == '/' ? arena_printf(arena, "%s/.cache/kudzu/run", home) : NULL;
}

// Without a folder that can be trusted nothing is kept.
static const char *cache_directory(struct arena *arena) {
    const char *wished = wished_directory(arena);
    if (wished && private_folder_is(wished, true))
        return wished;
    if (wished)
        cc_warning("compiled programs are not kept: %s cannot be made, or others could write "
                   "there",
                   wished);
    return temporary_directory();
}

// ---- Names --------------------------------------------------------------------------------

static void add_text(XXH3_state_t *h, const char *text) {
    XXH3_128bits_update(h, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_file_identity(XXH3_state_t *h, const char *path) {
    struct stat st;
    if (!stat(path, &st)) {
        XXH3_128bits_update(h, &st.st_size, sizeof st.st_size);
        XXH3_128bits_update(h, &st.st_mtim, sizeof st.st_mtim);
    }
}

// kudzu itself: another build of it, of clang's plugin or of the device library may compile the
// same source to another program.
static void add_own_identity(XXH3_state_t *h, struct arena *arena) {
    static const char *const parts[] = {"kudzu-clang", "kudzu-clang-plugin.so",
                                        "kudzu-devicelib.bc", "kudzu-device-linker",
                                        "libcudadevrt.a"};
    char path[PATH_MAX] = "";
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n > 0)
        add_file_identity(h, path);
    add_text(h, path);
    char *slash = strrchr(path, '/');
    for (size_t i = 0; slash && i < sizeof parts / sizeof parts[0]; i++)
        add_file_identity(
            h, arena_printf(arena, "%.*s/../lib/%s", (int)(slash - path), path, parts[i]));
}

bool program_cache_find(struct arena *arena, const char *source, const cc_strings *options,
                        struct program_cache_entry *out) {
    const char *dir = cache_directory(arena);
    char path[PATH_MAX], cwd[PATH_MAX];
    if (!dir)
        return false;
    if (!realpath(source, path))
        return cc_error("%s: %s", source, strerror(errno));
    XXH3_state_t *h = XXH3_createState();
    XXH3_128bits_reset(h);
    add_own_identity(h, arena);
    add_text(h, path);
    add_text(h, getcwd(cwd, sizeof cwd)); // options may name files relative to it
    static const char *const variables[] = {
        "KUDZU_CLANG", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "KUDZU_COMPUTE_CAPABILITY",
        "CPATH",       "CPLUS_INCLUDE_PATH", "LIBRARY_PATH",      "KUDZU_CUDA_VERSION"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i)
        add_text(h, environment_get(variables[i]));
    for (uint32_t i = 0; i < options->len; ++i)
        add_text(h, options->data[i]);
    XXH128_hash_t key = XXH3_128bits_digest(h);
    XXH3_freeState(h);
    out->folder = dir;
    out->program = arena_printf(arena, "%s/%016" PRIx64 "%016" PRIx64, dir, key.high64, key.low64);
    out->list = arena_printf(arena, "%s.files", out->program);
    return true;
}

// ---- Files that a program was made from ---------------------------------------------------

struct file_state {
    long long size, seconds;
    long nanoseconds;
    uint64_t hash;
};

static bool stat_file(const char *path, struct file_state *s) {
    struct stat st;
    if (stat(path, &st))
        return false;
    s->size = st.st_size;
    s->seconds = st.st_mtim.tv_sec;
    s->nanoseconds = st.st_mtim.tv_nsec;
    return true;
}

static bool hash_file(struct arena *arena, const char *path, uint64_t *hash) {
    char *data;
    size_t size;
    if (access(path, R_OK) || !read_file(arena, path, &data, &size))
        return false;
    *hash = XXH3_64bits(data, size);
    return true;
}

// A file that was only touched counts as unchanged.
static bool is_unchanged(struct arena *arena, const char *path, const struct file_state *then) {
    struct file_state now;
    if (!stat_file(path, &now) || now.size != then->size)
        return false;
    if (now.seconds == then->seconds && now.nanoseconds == then->nanoseconds)
        return true;
    return hash_file(arena, path, &now.hash) && now.hash == then->hash;
}

// Whether a file is one that this cache may have written.
static bool is_own_file(const char *path) {
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool ok = fd >= 0 && private_file_is(fd);
    if (fd >= 0)
        close(fd);
    return ok;
}

bool program_cache_valid(struct arena *arena, const struct program_cache_entry *e) {
    char *text;
    size_t size;
    if (access(e->program, X_OK) || !is_own_file(e->program) || !is_own_file(e->list) ||
        !read_file(arena, e->list, &text, &size))
        return false;
    bool any = false;
    while (*text) {
        struct file_state then;
        int at = 0;
        char *end = strchr(text, '\n');
        if (!end || sscanf(text, "%lld %lld %ld %" SCNx64 " %n", &then.size, &then.seconds,
                           &then.nanoseconds, &then.hash, &at) != 4)
            return false;
        *end = 0;
        if (!is_unchanged(arena, text + at, &then))
            return false;
        any = true;
        text = end + 1;
    }
    utimensat(AT_FDCWD, e->program, NULL, 0); // for the order of use
    return any;
}

static bool write_list(struct arena *arena, const char *file, const cc_strings *paths) {
    struct strbuf text = {0};
    bool ok = true;
    for (uint32_t i = 0; i < paths->len && ok; ++i) {
        struct file_state s;
        ok = stat_file(paths->data[i], &s) && hash_file(arena, paths->data[i], &s.hash);
        strbuf_printf(&text, "%lld %lld %ld %" PRIx64 " %s\n", s.size, s.seconds, s.nanoseconds,
                      s.hash, paths->data[i]);
    }
    const char *new_list = arena_printf(arena, "%s.%d", file, (int)getpid());
    ok = ok && write_file(new_list, strbuf_str(&text), text.len) && !chmod(new_list, 0600) &&
         !rename(new_list, file);
    strbuf_free(&text);
    return ok;
}

// ---- Size ---------------------------------------------------------------------------------

struct old_program {
    char path[PATH_MAX];
    struct timespec used;
};

static bool find_oldest(const char *dir, struct old_program *oldest) {
    DIR *d = opendir(dir);
    int count = 0;
    if (!d)
        return false;
    for (struct dirent *e; (e = readdir(d));) {
        struct stat st;
        if (strlen(e->d_name) != 32 || fstatat(dirfd(d), e->d_name, &st, 0))
            continue;
        if (!count++ || st.st_mtim.tv_sec < oldest->used.tv_sec) {
            snprintf(oldest->path, sizeof oldest->path, "%s/%s", dir, e->d_name);
            oldest->used = st.st_mtim;
        }
    }
    closedir(d);
    return count > MAX_PROGRAMS;
}

static void remove_oldest(struct arena *arena, const char *folder) {
    struct old_program oldest = {0};
    if (!find_oldest(folder, &oldest))
        return;
    unlink(oldest.path);
    unlink(arena_printf(arena, "%s.files", oldest.path));
}

// Archives, objects and libraries, which can change as sources do.
static void add_linked_files(struct arena *arena, const char *link_file, cc_strings *paths) {
    cc_strings all = {0};
    char *text;
    size_t size;
    if (access(link_file, R_OK) || !read_file(arena, link_file, &text, &size))
        return;
    make_rule_prerequisites(arena, text, &all);
    for (uint32_t i = 0; i < all.len; ++i)
        if (!access(all.data[i], F_OK))
            vec_push(arena, paths, all.data[i]);
}

bool program_cache_store(struct arena *arena, const struct program_cache_entry *e,
                         const char *program, const cc_strings *dep_files, const char *link_file) {
    cc_strings paths = {0};
    for (uint32_t i = 0; i < dep_files->len; ++i) {
        char *text;
        size_t size;
        if (!read_file(arena, dep_files->data[i], &text, &size))
            return false;
        make_rule_prerequisites(arena, text, &paths);
    }
    add_linked_files(arena, link_file, &paths);
    unlink(e->list); // an old list must not vouch for the new program
    if (chmod(program, 0700) || rename(program, e->program))
        return cc_error("cannot write %s: %s", e->program, strerror(errno));
    remove_oldest(arena, e->folder);
    // Without a list the entry counts as stale: it is compiled again the next time.
    write_list(arena, e->list, &paths);
    return true;
}
