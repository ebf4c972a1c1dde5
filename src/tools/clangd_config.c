// kudzu clangd-config: writes a .clangd, with which clangd reads CUDA sources as kudzu compiles
// them. The database that CMake and others write (compile_commands.json) holds commands for nvcc.
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/options/options.h"
#include "cc/processes/cc.h"
#include "support/cuda_version.h"
#include "support/strbuf.h"
#include "support/whole_file.h"
#include "tools/tools.h"

#define FIRST_LINE "# Written by kudzu clangd-config."

static void print_help(void) {
    puts(
        "Usage: kudzu clangd-config [--print] [--force] [--database=FOLDER] [folder]\n\n"
        "Writes .clangd in the folder of a project (else in the current one). With it clangd, the\n"
        "language server behind most editors, understands the project's CUDA sources.\n"
        "The project needs compile_commands.json: CMake writes it with\n"
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON.\n\n"
        "  --database=FOLDER  where compile_commands.json is; else the only folder below the\n"
        "                     project's that has one\n"
        "  --print            print the file, write nothing\n"
        "  --force            write over a .clangd that is not from this command\n\n"
        "docs/editors.md tells more.");
}

struct request {
    const char *folder, *database; // database NULL: clangd looks for it
    bool print, force;
};

static const char *const own_options[] = {"print", "force", "database", "help"};

static bool parse(struct request *r, int argc, char **argv) {
    for (int k = 1; k < argc; k++)
        if (!strcmp(argv[k], "--print"))
            r->print = true;
        else if (!strcmp(argv[k], "--force"))
            r->force = true;
        else if (!strncmp(argv[k], "--database=", 11) && argv[k][11])
            r->database = argv[k] + 11;
        else if (*argv[k] == '-')
            return option_unknown(argv[k]);
        else if (r->folder)
            return cc_error("one folder at a time: %s and %s", r->folder, argv[k]);
        else
            r->folder = argv[k];
    if (!r->folder)
        r->folder = ".";
    return true;
}

// ---- What clang does not know of nvcc's command line ------------------------------------------

// A star stands for whatever follows. A value in an argument of its own is named as such.
static const char *const removed[] = {
    "-forward-unknown-*", "--forward-unknown-*", "--options-file*", "-optf*",
    // targets
    "--generate-code*", "-gencode*", "arch=compute_*", "-arch*", "--gpu-architecture*", "-code*",
    "--gpu-code*", "sm_*", "compute_*", "native", "all-major", "-rdc*",
    "--relocatable-device-code*", "-dc", "--device-c", "-dw", "-dlto", "-ewp",
    // code
    "-lineinfo", "--generate-line-info", "-G*", "--device-debug", "-use_fast_math",
    "--use_fast_math", "-ftz*", "--ftz*", "-prec-*", "--prec-*", "-fmad*", "--fmad*",
    "-maxrregcount*", "--maxrregcount*", "-Xptxas*", "--ptxas-options*", "-Xnvlink*", "-Xfatbin*",
    "-Xcudafe*", "-res-usage", "--resource-usage", "-Ofast-compile*", "-Ofc*", "-v",
    // language
    "-extended-lambda", "--extended-lambda", "-expt-*", "--expt-*", "-default-stream*",
    "--default-stream*", "per-thread", "legacy", "-x", "--cudart*", "-cudart*",
    // the host's compiler
    "-Xcompiler*", "--compiler-options*", "-ccbin*", "--compiler-bindir*", "-t", "--threads*",
    // diagnostics
    "-diag-*", "--diag-*", "-Werror", "all-warnings", "cross-execution-space-call",
    "-Wno-deprecated-gpu-targets", "-err-no", "-keep*", "--keep*"};

// Paths follow behind the last two.
static const char *const added[] = {
    "-xcuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-Xclang",
    // The form of <<<>>> follows from it; clang 14 knows none that is later.
    "-target-sdk-version=11.5", "-Xclang", "-fcuda-allow-variadic-functions", "-fdeclspec",
    "-D__NVCC__", "-D__CUDACC__", "-D__CUDACC_VER_BUILD__=0", "-Wno-unknown-cuda-version",
    "-Wno-unknown-warning-option"};

// In single quotes YAML knows one special character.
static void put_quoted(struct strbuf *b, const char *text) {
    strbuf_puts(b, "'");
    for (; *text; text++) {
        if (*text == '\'')
            strbuf_puts(b, "'");
        strbuf_append(b, text, 1);
    }
    strbuf_puts(b, "'");
}

static void put_list(struct strbuf *b, const char *key, const char *const *items, size_t count) {
    strbuf_printf(b, "  %s:\n", key);
    for (size_t k = 0; k < count; k++) {
        strbuf_puts(b, "    - ");
        put_quoted(b, items[k]);
        strbuf_puts(b, "\n");
    }
}

// What compilation is told of CUDA's version.
static void put_version(struct strbuf *b, bool compiler) {
    int version = cuda_version_of_headers();
    if (compiler)
        strbuf_printf(b, "    - '-D__CUDACC_VER_MAJOR__=%d'\n    - '-D__CUDACC_VER_MINOR__=%d'\n",
                      version / 1000, version % 1000 / 10);
    if (version >= 13000)
        strbuf_printf(b, "    - '-DKUDZU_CUDA_VERSION=%d'\n", version);
}

static void put_include(struct strbuf *b, struct arena *arena, const char *include,
                        const char *below) {
    strbuf_puts(b, "    - ");
    put_quoted(b, arena_printf(arena, "-isystem%s%s", include, below));
    strbuf_puts(b, "\n");
}

static void write_text(struct strbuf *b, struct arena *arena, const char *include,
                       const char *database) {
    strbuf_puts(b, FIRST_LINE " CUDA sources are read as host code, in which\n"
                              "# clang checks device functions, too.\n");
    if (database) {
        strbuf_puts(b, "CompileFlags:\n  CompilationDatabase: ");
        put_quoted(b, database);
        strbuf_puts(b, "\n---\n");
    }
    strbuf_puts(b, "If:\n  PathMatch: .*\\.cuh?\nCompileFlags:\n  Compiler: clang++\n");
    put_list(b, "Remove", removed, sizeof removed / sizeof removed[0]);
    put_list(b, "Add", added, sizeof added / sizeof added[0]);
    put_version(b, true);
    put_include(b, arena, include, "/kudzu/std");
    put_include(b, arena, include, "");
    strbuf_puts(b, "    - -include\n    - kudzu/editor.h\n");
    strbuf_puts(b, "---\n# Host code that includes the runtime's headers.\n"
                   "If:\n  PathMatch: .*\\.(c|cc|cpp|cxx|h|hpp)\nCompileFlags:\n  Add:\n");
    put_version(b, false);
    put_include(b, arena, include, "");
}

// ---- Where the database is --------------------------------------------------------------------

// clangd itself looks in the folders above a source, and in `build` of each. NULL: it is there, or
// nowhere, or in several places.
static const char *find_database(struct arena *arena, const char *folder) {
    static const char *const known[] = {"", "/build"};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (!access(arena_printf(arena, "%s%s/compile_commands.json", folder, known[k]), R_OK))
            return NULL;
    glob_t found = {0};
    const char *result = NULL;
    if (!glob(arena_printf(arena, "%s/*/compile_commands.json", folder), 0, NULL, &found) &&
        found.gl_pathc == 1) {
        const char *path = found.gl_pathv[0] + strlen(folder) + 1;
        result = arena_strndup(arena, path, strcspn(path, "/"));
    }
    globfree(&found);
    return result;
}

static bool is_ours(const char *path) {
    struct whole_file f;
    bool ours = whole_file_read(&f, path, WHOLE_FILE_REGULAR, 1 << 20) &&
                !strncmp(f.data, FIRST_LINE, strlen(FIRST_LINE));
    free(f.data);
    return ours;
}

static bool write_config(const struct request *r, struct arena *arena, const struct strbuf *text) {
    const char *path = arena_printf(arena, "%s/.clangd", r->folder);
    if (!access(path, F_OK) && !r->force && !is_ours(path))
        return cc_error("%s is there already, and not from this command: --force writes over it, "
                        "--print shows what it lacks",
                        path);
    FILE *f = fopen(path, "w");
    if (!f)
        return cc_error("cannot write %s: %s", path, strerror(errno));
    bool ok = fwrite(text->data, 1, text->len, f) == text->len;
    ok &= fclose(f) == 0;
    if (!ok)
        return cc_error("cannot write %s: %s", path, strerror(errno));
    printf("%s is written\n", path);
    return true;
}

int tool_clangd_config(int argc, char **argv) {
    struct arena arena = {0};
    struct request r = {0};
    struct strbuf text = {0};
    char here[PATH_MAX] = "", include[PATH_MAX];
    options_of_command(own_options, sizeof own_options / sizeof own_options[0]);
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return print_help(), 0;
    if (!parse(&r, argc, argv))
        return 1;
    ssize_t n = readlink("/proc/self/exe", here, sizeof here - 1);
    char *slash = n > 0 ? strrchr(here, '/') : NULL;
    if (slash)
        *slash = 0;
    if (!slash || !realpath(arena_printf(&arena, "%s/../include", here), include))
        return cc_error("kudzu's headers are missing: %s/../include: %s", here, strerror(errno)), 1;
    if (!r.database)
        r.database = find_database(&arena, r.folder);
    write_text(&text, &arena, include, r.database);
    bool ok = r.print ? fputs(strbuf_str(&text), stdout) >= 0 : write_config(&r, &arena, &text);
    strbuf_free(&text);
    arena_free(&arena);
    return !ok;
}
