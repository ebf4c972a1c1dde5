// kudzu cccl: adds a release of CCCL that the user has to the headers that kudzu cc finds.
#define _GNU_SOURCE // nftw
#include <errno.h>
#include <ftw.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cc/headers/cccl.h"
#include "cc/processes/cc.h"
#include "support/arena.h"
#include "tools/tools.h"

extern char **environ;

static void print_help(void) {
    puts("Usage: kudzu cccl [file or folder...]\n"
         "       kudzu cccl --remove\n\n"
         "Adds Thrust, CUB and libcu++ to the headers that kudzu cc finds: <thrust/...>, "
         "<cub/...>,\n"
         "<cuda/...>. They are not a part of kudzu; it takes a release that you have:\n\n"
         "    pip download --no-deps nvidia-cuda-cccl-cu12 && kudzu cccl "
         "nvidia_cuda_cccl_cu12-*.whl\n"
         "    kudzu cccl cccl-2.8.5.tar.gz         # its source, packed or unpacked\n"
         "    apt download libthrust-dev libcub-dev && kudzu cccl lib*-dev_*.deb\n\n"
         "The headers, and the packages of CMake in a release, are copied to\n"
         "~/.local/share/kudzu/cccl (or below XDG_DATA_HOME), for this user. `kudzu env` and "
         "`kudzu exec`\n"
         "name it to CMake: find_package(CCCL) and find_path find it.\n"
         "Without arguments: says what is there. --remove takes it away.");
}

// ---- Other programs -------------------------------------------------------------------------

static bool run(const char *const *args) {
    pid_t pid;
    int status, error = posix_spawnp(&pid, args[0], NULL, NULL, (char **)args, environ);
    if (error)
        return cc_error("cannot run %s: %s", args[0], strerror(error));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return cc_error("%s: %s", args[0], strerror(errno));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool remove_tree(const char *folder) {
    return run((const char *const[]){"rm", "-rf", "--", folder, NULL});
}

static bool has_suffix(const char *name, const char *suffix) {
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && !strcmp(name + n - m, suffix);
}

static bool unpack(const char *file, const char *folder) {
    if (mkdir(folder, 0777))
        return cc_error("%s: %s", folder, strerror(errno));
    bool done;
    if (has_suffix(file, ".whl") || has_suffix(file, ".zip"))
        done = run((const char *const[]){"python3", "-m", "zipfile", "-e", file, folder, NULL});
    else if (has_suffix(file, ".deb"))
        done = run((const char *const[]){"dpkg-deb", "-x", file, folder, NULL});
    else
        done = run((const char *const[]){"tar", "-xf", file, "-C", folder, NULL});
    return done || cc_error("%s cannot be unpacked", file);
}

// ---- What is in it --------------------------------------------------------------------------

// The folders that are wanted, each known by a file; where they lie.
enum { THRUST, CUB, CUDA, NV, PACKAGES, PARTS };
static const char *const parts[PARTS] = {"thrust", "cub", "cuda", "nv", "cmake"};
static const char *const marks[PARTS] = {"/thrust/version.h", "/cub/version.cuh",
                                         "/cuda/std/type_traits", "/nv/target",
                                         "/cmake/thrust/thrust-config.cmake"};
static char *found[PARTS];

static int look(const char *path, const struct stat *st, int kind, struct FTW *place) {
    for (int i = 0; i < PARTS && kind == FTW_F; ++i) {
        if (!has_suffix(path, marks[i]))
            continue;
        size_t n = strlen(path) - strlen(marks[i]) + 1 + strlen(parts[i]);
        if (found[i] && strlen(found[i]) <= n) // the outermost: copies lie in tests
            continue;
        free(found[i]);
        found[i] = strndup(path, n);
    }
    return 0;
}

static bool find_parts(const char *folder) {
    enum { OPEN_FOLDERS = 16 };
    if (nftw(folder, look, OPEN_FOLDERS, FTW_PHYS))
        return cc_error("%s: %s", folder, strerror(errno));
    return true;
}

// "#define THRUST_VERSION 200805" is 2.8.5; Thrust 1.x counts so, too.
static void print_version(const char *folder) {
    char path[4096], line[512];
    int version = 0;
    snprintf(path, sizeof path, "%s/include/thrust/version.h", folder);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "#define THRUST_VERSION %d", &version) == 1)
            break;
    if (f)
        fclose(f);
    printf("CCCL %d.%d.%d in %s\n", version / 100000, version / 100 % 1000, version % 100, folder);
}

// ---- The command ----------------------------------------------------------------------------

static bool make_folders(const char *path) {
    return run((const char *const[]){"mkdir", "-p", "--", path, NULL}) ||
           cc_error("%s cannot be made", path);
}

static bool copy_part(int part, const char *folder) {
    return !found[part] ||
           (make_folders(folder) &&
            run((const char *const[]){"cp", "-R", "--", found[part], folder, NULL})) ||
           cc_error("%s cannot be copied to %s", found[part], folder);
}

static const char *replaced(struct arena *arena, const char *text, const char *from,
                            const char *to) {
    const char *at;
    while ((at = strstr(text, from)))
        text = arena_printf(arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return text;
}

// CMake's packages lie beside the headers, as in what NVIDIA's toolkit installs. In a source tree
// they look where headers lie there; what an installation has in their place comes from a template.
static bool place_packages(struct arena *arena, const char *folder) {
    static const char *const packages[] = {"thrust", "cub", "libcudacxx"};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; ++i) {
        char text[4096];
        const char *path = arena_printf(arena, "%s/cmake/%s/%s-header-search.cmake", folder,
                                        packages[i], packages[i]);
        FILE *f = fopen(arena_printf(arena, "%s.in", path), "r");
        if (!f)
            continue;
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
        const char *made = replaced(arena, text, "@from_install_prefix@", "../../..");
        made = replaced(arena, made, "@CMAKE_INSTALL_INCLUDEDIR@", "include");
        f = fopen(path, "w");
        if (!f || fputs(made, f) < 0 || fclose(f))
            return cc_error("%s: %s", path, strerror(errno));
    }
    return true;
}

static bool copy_parts(struct arena *arena, const char *folder) {
    const char *include = arena_printf(arena, "%s/include", folder);
    const char *lib = arena_printf(arena, "%s/lib", folder);
    for (int i = 0; i < PARTS; ++i)
        if (!copy_part(i, i == PACKAGES ? lib : include))
            return false;
    return !found[PACKAGES] || place_packages(arena, lib);
}

static bool gather(struct arena *arena, char **files, const char *work) {
    for (int i = 0; files[i]; ++i) {
        struct stat st;
        if (stat(files[i], &st))
            return cc_error("%s: %s", files[i], strerror(errno));
        const char *folder = arena_printf(arena, "%s/%d", work, i);
        if (S_ISDIR(st.st_mode) ? !find_parts(files[i])
                                : !unpack(files[i], folder) || !find_parts(folder))
            return false;
    }
    for (int i = THRUST; i <= CUB; ++i)
        if (!found[i])
            return cc_error("there is no %s in what was given: it is no release of CCCL",
                            marks[i] + 1);
    return copy_parts(arena, arena_printf(arena, "%s/new", work));
}

// In a folder beside the final one, so that it takes its place at once.
static bool add(struct arena *arena, char **files, const char *folder) {
    char *work = arena_printf(arena, "%s.XXXXXX", folder);
    if (!make_folders(arena_printf(arena, "%.*s", (int)(strrchr(folder, '/') - folder), folder)))
        return false;
    if (!mkdtemp(work))
        return cc_error("%s: %s", work, strerror(errno));
    bool done = gather(arena, files, work) && remove_tree(folder);
    if (done && rename(arena_printf(arena, "%s/new", work), folder))
        done = cc_error("%s: %s", folder, strerror(errno));
    return remove_tree(work) && done;
}

int tool_cccl(int argc, char **argv) {
    struct arena arena = {0};
    const char *folder = cccl_folder(&arena);
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return print_help(), 0;
    if (!folder)
        return cc_error("neither XDG_DATA_HOME nor HOME says where the headers belong"), 1;
    if (argc > 1 && !strcmp(argv[1], "--remove"))
        return remove_tree(folder) ? 0 : 1;
    if (argc > 1 && *argv[1] == '-')
        return cc_error("cccl has no option %s", argv[1]), 1;
    bool there = argc > 1 ? add(&arena, argv + 1, folder) : !access(folder, X_OK);
    if (there)
        print_version(folder);
    else if (argc == 1)
        puts("no CCCL was added; `kudzu cccl --help` says how");
    arena_free(&arena);
    return there || argc == 1 ? 0 : 1;
}
