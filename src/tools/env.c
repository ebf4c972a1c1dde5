// kudzu env: the environment in which build systems and programs find kudzu, as a shell's commands.
// kudzu exec: a command in that environment.
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/headers/cccl.h"
#include "cc/processes/cc.h"
#include "support/arena.h"
#include "support/cuda_version.h"
#include "support/environment.h"
#include "support/vec.h"
#include "tools/tools.h"

enum { EXEC_FAILED = 125, EXEC_NOT_EXECUTABLE = 126, EXEC_NOT_FOUND = 127 }; // as env's and nohup's

struct setting {
    const char *name, *value;
};
typedef VEC(struct setting) settings;

// ---- Values -------------------------------------------------------------------------------

// The folder above bin, in which kudzu lies.
static const char *installation(struct arena *arena) {
    char path[PATH_MAX];
    if (!realpath("/proc/self/exe", path))
        return NULL;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return NULL;
        *slash = 0;
    }
    return *path ? arena_strdup(arena, path) : "/";
}

// The list with `folder` at its head, and nowhere else. `otherwise`: what stands for no list.
static const char *prepended(struct arena *arena, const char *list, const char *folder,
                             const char *otherwise) {
    const char *result = folder;
    if (!list || !*list)
        list = otherwise;
    for (bool more = list != NULL; more;) {
        size_t n = strcspn(list, ":");
        if (n != strlen(folder) || strncmp(list, folder, n) != 0)
            result = arena_printf(arena, "%s:%.*s", result, (int)n, list);
        more = list[n] != 0;
        list += n + 1;
    }
    return result;
}

static void set(struct arena *arena, settings *out, const char *name, const char *value) {
    struct setting s = {name, value};
    vec_push(arena, out, s);
}

static void set_program(struct arena *arena, settings *out, const char *name, const char *path) {
    if (access(path, X_OK) == 0)
        set(arena, out, name, path);
}

static bool make_settings(struct arena *arena, settings *out) {
    const char *root = installation(arena);
    if (!root)
        return cc_error("cannot tell where kudzu is installed");
    if (strchr(root, ':'))
        return cc_error("lists of folders cannot hold %s, which has a colon in its name", root);
    const char *bin = arena_printf(arena, "%s/bin", root);
    const char *lib = arena_printf(arena, "%s/lib", root), *home = root;
    const char *path = prepended(arena, environment_get("PATH"), bin, ENVIRONMENT_SYSTEM_PATH);
    const char *linked = prepended(arena, environment_get("LIBRARY_PATH"), lib, NULL);
    if (cuda_version_unknown())
        return cc_error("KUDZU_CUDA_VERSION is '%s', which is no version of CUDA that is known",
                        cuda_version_unknown());
    if (cuda_version_asked())
        set(arena, out, "KUDZU_CUDA_VERSION", environment_get("KUDZU_CUDA_VERSION"));
    if (cuda_version_of_headers() >= 13000) {
        home = arena_printf(arena, "%s/cuda-13", root);
        bin = arena_printf(arena, "%s/bin", home);
        path = prepended(arena, path, bin, NULL);
        linked = prepended(arena, linked, arena_printf(arena, "%s/lib64", home), NULL);
    }
    set(arena, out, "PATH", path);
    set(arena, out, "LD_LIBRARY_PATH",
        prepended(arena, environment_get("LD_LIBRARY_PATH"), lib, NULL));
    set(arena, out, "LIBRARY_PATH", linked);
    const char *cccl = cccl_folder(arena);
    if (cccl && !access(cccl, X_OK) && !strchr(cccl, ':'))
        set(arena, out, "CMAKE_PREFIX_PATH",
            prepended(arena, environment_get("CMAKE_PREFIX_PATH"), cccl, NULL));
    set(arena, out, "CUDA_HOME", home);
    set(arena, out, "CUDA_PATH", home);
    // Triton looks for its own copies of these unless told otherwise.
    static const struct {
        const char *variable, *program;
    } programs[] = {{"CUDACXX", "nvcc"},
                    {"TRITON_PTXAS_PATH", "ptxas"},
                    {"TRITON_PTXAS_BLACKWELL_PATH", "ptxas"},
                    {"TRITON_CUOBJDUMP_PATH", "cuobjdump"},
                    {"TRITON_NVDISASM_PATH", "nvdisasm"}};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        set_program(arena, out, programs[i].variable,
                    arena_printf(arena, "%s/%s", bin, programs[i].program));
    return true;
}

// ---- kudzu env ----------------------------------------------------------------------------

static void print_env_help(void) {
    puts("Usage: kudzu env\n\n"
         "Prints the shell commands after which build systems and programs find kudzu:\n\n"
         "    eval \"$(kudzu env)\"\n\n"
         "PATH, LD_LIBRARY_PATH and LIBRARY_PATH get kudzu's folders as their first, CUDA_HOME\n"
         "and CUDA_PATH name its installation, CUDACXX its nvcc, and TRITON_PTXAS_PATH and three\n"
         "more of Triton's variables its ptxas, cuobjdump and nvdisasm, where there are such\n"
         "programs. CMAKE_PREFIX_PATH gets the CCCL that `kudzu cccl` added. With\n"
         "KUDZU_CUDA_VERSION=13.0 they name cuda-13, the toolkit of CUDA 13, in it.\n"
         "`kudzu exec` runs one command so.");
}

// In single quotes nothing has a meaning but the quote itself.
static void print_quoted(const char *text) {
    putchar('\'');
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*text);
    putchar('\'');
}

int tool_env(int argc, char **argv) {
    struct arena arena = {0};
    settings all = {0};
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return print_env_help(), 0;
    if (argc > 1)
        return cc_error("no arguments are taken; `kudzu exec` runs a command"), 1;
    if (!make_settings(&arena, &all))
        return 1;
    for (uint32_t i = 0; i < all.len; i++) {
        printf("export %s=", all.data[i].name);
        print_quoted(all.data[i].value);
        putchar('\n');
    }
    arena_free(&arena);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}

// ---- kudzu exec ---------------------------------------------------------------------------

static void print_exec_help(void) {
    puts("Usage: kudzu exec [--] command [arguments]\n\n"
         "Becomes the command, in the environment that `kudzu env` prints: its exit status is the\n"
         "command's. 127: there is no such command; 126: it cannot be executed; 125: an error of\n"
         "kudzu exec itself.");
}

int tool_exec(int argc, char **argv) {
    struct arena arena = {0};
    settings all = {0};
    char **command = argv + 1;
    if (*command && (!strcmp(*command, "--help") || !strcmp(*command, "-h")))
        return print_exec_help(), 0;
    if (*command && !strcmp(*command, "--"))
        command++;
    else if (*command && **command == '-')
        return cc_error("unknown option '%s'", *command), EXEC_FAILED;
    if (!*command)
        return cc_error("no command is named"), EXEC_FAILED;
    if (!make_settings(&arena, &all))
        return EXEC_FAILED;
    for (uint32_t i = 0; i < all.len; i++)
        if (setenv(all.data[i].name, all.data[i].value, 1) != 0)
            return cc_error("%s: %s", all.data[i].name, strerror(errno)), EXEC_FAILED;
    execvp(*command, command);
    int why = errno;
    cc_error("cannot run %s: %s", *command, strerror(why));
    return why == ENOENT ? EXEC_NOT_FOUND : EXEC_NOT_EXECUTABLE;
}
