#include "cc/processes/toolchain.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/processes/cc.h"
#include "llvm_version.h"
#include "support/environment.h"

const char *find_on_path(struct arena *arena, const char *name) {
    if (strchr(name, '/'))
        return access(name, X_OK) ? NULL : name;
    const char *path = environment_is_trusted() ? environment_get("PATH") : ENVIRONMENT_SYSTEM_PATH;
    while (path && *path) {
        size_t n = strcspn(path, ":");
        char *file = arena_printf(arena, "%.*s/%s", (int)n, path, name);
        if (n && !access(file, X_OK))
            return file;
        path += n + (path[n] == ':');
    }
    return NULL;
}

static const char *directory_of(struct arena *arena, const char *path) {
    char real[PATH_MAX];
    if (!realpath(path, real))
        return NULL;
    char *slash = strrchr(real, '/');
    return slash == real ? "/" : arena_strndup(arena, real, (size_t)(slash - real));
}

static const char *if_readable(const char *path) {
    return access(path, R_OK) ? NULL : path;
}

static bool find_clang(struct toolchain *t, struct arena *arena) {
    const char *asked = environment_get("KUDZU_CLANG");
    const char *own = arena_printf(arena, "%s/kudzu-clang", t->lib);
    bool has_own = !access(own, X_OK);
    if (asked && *asked) {
        t->clang = find_on_path(arena, asked);
        if (!t->clang)
            return cc_error("KUDZU_CLANG names %s, which is not there", asked);
        if (has_own && !t->plugin)
            return cc_error("this kudzu comes with a clang of its own and has no plugin for "
                            "another: unset KUDZU_CLANG");
    } else if (has_own) {
        t->clang = own;
        t->plugin = "kudzu-clang-plugin.so"; // linked in: no file, a name
    } else {
        t->clang = find_on_path(arena, "clang++-" KUDZU_LLVM);
        if (!t->clang)
            return cc_error("clang++-" KUDZU_LLVM " is not on PATH; install clang-" KUDZU_LLVM
                            ", or set KUDZU_CLANG");
    }
    t->clang_dir = directory_of(arena, t->clang);
    if (t->clang_dir)
        t->lld = find_on_path(arena, arena_printf(arena, "%s/ld.lld", t->clang_dir));
    if (!t->lld)
        t->lld = find_on_path(arena, "ld.lld-" KUDZU_LLVM);
    if (t->clang_dir)
        t->ar = find_on_path(arena, arena_printf(arena, "%s/llvm-ar", t->clang_dir));
    if (!t->ar)
        t->ar = "ar";
    return true;
}

bool toolchain_find(struct toolchain *t, struct arena *arena, const char *inside) {
    memset(t, 0, sizeof *t);
    const char *bin = directory_of(arena, inside);
    if (!bin)
        return cc_error("cannot tell where kudzu is installed");
    const char *root = directory_of(arena, bin);
    t->include = arena_printf(arena, "%s/include", root);
    t->lib = arena_printf(arena, "%s/lib", root);
    t->cuda_13 = arena_printf(arena, "%s/cuda-13", root);
    if (access(t->include, R_OK))
        return cc_error("kudzu's headers are not in %s", t->include);
    t->devicelib = if_readable(arena_printf(arena, "%s/kudzu-devicelib.bc", t->lib));
    t->plugin = if_readable(arena_printf(arena, "%s/kudzu-clang-plugin.so", t->lib));
    if (!access("/usr/local/include/cuda_runtime.h", F_OK))
        t->foreign_include = "/usr/local/include";
    return find_clang(t, arena);
}
