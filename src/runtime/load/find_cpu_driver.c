#define _GNU_SOURCE
#include "runtime/load/find_cpu_driver.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/environment.h"

// Written by the compiler driver into every object with device code: where kudzu's libraries were
// when it was compiled. For programs that another linker made, without a search path of their own.
extern const char __kudzu_library_directory[] __attribute__((weak));

static const char *const usual_folders[] = {"/usr/lib/kudzu/lib", "/usr/local/lib",
                                            "/usr/local/kudzu/lib", "/opt/kudzu/lib"};

struct search {
    bool (*open)(const char *path, void *data);
    void *data;
};

// FOLDER/tail/libcuda.so.1, with the JIT beside it.
__attribute__((format(printf, 2, 3))) static bool try_folder(const struct search *s,
                                                             const char *format, ...) {
    char folder[PATH_MAX], path[PATH_MAX + 32];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(folder, sizeof folder, format, args);
    va_end(args);
    if (n <= 0 || n >= (int)sizeof folder)
        return false;
    snprintf(path, sizeof path, "%s/libkudzu-jit.so", folder);
    if (access(path, R_OK) != 0)
        return false;
    snprintf(path, sizeof path, "%s/libcuda.so.1", folder);
    return access(path, R_OK) == 0 && s->open(path, s->data);
}

// The folder that a file, or what a link leads to, lies in: cuts the path.
static bool folder_of(const char *file, char real[PATH_MAX]) {
    if (!realpath(file, real) || !strrchr(real, '/'))
        return false;
    *strrchr(real, '/') = 0;
    return true;
}

static bool try_beside(const struct search *s) {
    Dl_info info;
    char here[PATH_MAX];
    if (!dladdr((void *)&usual_folders, &info) || !info.dli_fname ||
        !folder_of(info.dli_fname, here))
        return false;
    return try_folder(s, "%s", here) || try_folder(s, "%s/../lib", here);
}

// Where pip puts the package of kudzu below a prefix: the newest Python's first.
static bool try_pip(const struct search *s, const char *prefix, const char *packages) {
    char pattern[PATH_MAX];
    glob_t found = {0};
    bool ok = false;
    if (snprintf(pattern, sizeof pattern, "%s/lib/python3*/%s/kudzu/toolkit/lib", prefix,
                 packages) >= (int)sizeof pattern)
        return false;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = found.gl_pathc; i-- > 0 && !ok;)
            ok = try_folder(s, "%s", found.gl_pathv[i]);
    globfree(&found);
    return ok;
}

static bool try_path(const struct search *s) {
    const char *list = environment_get("PATH");
    char file[PATH_MAX], real[PATH_MAX];
    while (list && *list) {
        size_t n = strcspn(list, ":");
        int length = snprintf(file, sizeof file, "%.*s/kudzu", (int)n, list);
        if (*list == '/' && length < (int)sizeof file && access(file, X_OK) == 0 &&
            folder_of(file, real)) {
            if (try_folder(s, "%s/../lib", real))
                return true;
            if (snprintf(file, sizeof file, "%s/..", real) < (int)sizeof file &&
                try_pip(s, file, "site-packages"))
                return true;
        }
        list += n + (list[n] == ':');
    }
    return false;
}

static bool try_pip_folders(const struct search *s) {
    const char *venv = environment_get("VIRTUAL_ENV"), *home = environment_get("HOME");
    char user[PATH_MAX];
    if (venv && *venv == '/' && try_pip(s, venv, "site-packages"))
        return true;
    if (home && *home == '/' && snprintf(user, sizeof user, "%s/.local", home) < (int)sizeof user &&
        try_pip(s, user, "site-packages"))
        return true;
    return try_pip(s, "/usr/local", "dist-packages") || try_pip(s, "/usr/local", "site-packages");
}

bool find_cpu_driver(bool (*open)(const char *path, void *data), bool (*library_path)(void *data),
                     void *data) {
    const struct search s = {open, data};
    const char *home = environment_get("KUDZU_HOME");
    if (home && *home == '/' && try_folder(&s, "%s/lib", home))
        return true;
    if (try_beside(&s) ||
        (__kudzu_library_directory && try_folder(&s, "%s", __kudzu_library_directory)) ||
        library_path(data) || try_path(&s) || try_pip_folders(&s))
        return true;
    for (size_t i = 0; i < sizeof usual_folders / sizeof *usual_folders; i++)
        if (try_folder(&s, "%s", usual_folders[i]))
            return true;
    return false;
}
