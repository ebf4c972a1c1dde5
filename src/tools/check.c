// kudzu check: runs a program whose kernels are checked, and tells what was found.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/cc.h"
#include "cc/compile.h"
#include "cc/options.h"
#include "support/check_tools.h"
#include "tools/cached_program.h"
#include "tools/program_cache.h"
#include "tools/supervise.h"
#include "tools/tools.h"

static void print_help(void) {
    puts(
        "Usage: kudzu check [options] program [arguments]\n"
        "       kudzu check [options] [options of kudzu cc] prog.cu [arguments]\n\n"
        "Runs a program, on CPUs, with checks in its kernels, and prints what they find, in the\n"
        "form of compute-sanitizer's reports. A source is compiled before, as `kudzu run` does.\n\n"
        "  --tool NAME            memory, race, init, sync; without it all (memcheck,\n"
        "                         racecheck, initcheck, synccheck: the same)\n"
        "  --error-exitcode N     the exit status when something was found (1; 0: the program's)\n"
        "  --help                 this text\n\n"
        "The exit status is the program's where nothing was found.");
}

struct request {
    unsigned tools;
    int error_status;
    int at; // the first argument that is not the command's own
};

// The names of compute-sanitizer's tools.
static const char *tool_words(const char *name) {
    static const char *const names[][2] = {{"memcheck", "memory"},
                                           {"racecheck", "race"},
                                           {"initcheck", "init"},
                                           {"synccheck", "sync"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k][0]))
            return names[k][1];
    return name;
}

// The value of an option "--name value" or "--name=value" at *at; NULL: it is another option.
static const char *value_of(const char *name, int argc, char **argv, int *at) {
    size_t n = strlen(name);
    if (strncmp(argv[*at], name, n))
        return NULL;
    if (argv[*at][n] == '=')
        return argv[*at] + n + 1;
    return argv[*at][n] || *at + 1 >= argc ? NULL : argv[++*at];
}

static bool read_status(const char *text, int *status) {
    char *end;
    long n = strtol(text, &end, 10);
    if (!*text || *end || n < 0 || n > 255)
        return cc_error("--error-exitcode takes a number from 0 to 255");
    *status = (int)n;
    return true;
}

static bool read_options(int argc, char **argv, struct request *r) {
    unsigned tools;
    for (r->at = 1; r->at < argc && !strncmp(argv[r->at], "--", 2); r->at++) {
        const char *value = value_of("--tool", argc, argv, &r->at);
        if (value) {
            if (!check_tools_parse(tool_words(value), &tools) || !tools)
                return cc_error("'%s' is no tool; `kudzu check --help` lists them", value);
            r->tools |= tools;
            continue;
        }
        value = value_of("--error-exitcode", argc, argv, &r->at);
        if (!value)
            break;
        if (!read_status(value, &r->error_status))
            return false;
    }
    if (!r->tools)
        check_tools_parse("all", &r->tools);
    if (r->at == argc)
        return cc_error("no program to check; `--help` explains");
    return true;
}

static bool is_executable(const char *path) {
    return *path != '-' && !strstr(path, ".cu") && !access(path, X_OK);
}

int tool_check(int argc, char **argv) {
    struct arena arena = {0};
    struct request r = {.error_status = 1};
    unsigned found = 0;
    int source = 0, fd = -1;
    char words[64];
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return print_help(), 0;
    if (!read_options(argc, argv, &r))
        return 1;
    check_tools_print(r.tools, words, sizeof words);
    setenv(CHECK_TOOLS_VARIABLE, words, 1);
    setenv("KUDZU_DEVICE", "cpu", 1);
    setenv("KUDZU_HANG_SECONDS", "30", 0);
    const char *program = argv[r.at];
    bool compiled = is_executable(program);
    if (!compiled)
        program = cached_program(&arena, argc - r.at, argv + r.at, &source);
    if (!program)
        return 1;
    char **arguments = argv + r.at + source;
    if (!compiled) {
        *arguments = (char *)file_stem(&arena, *arguments);
        fd = open(program, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && !program_cache_discard()) {
            close(fd);
            fd = -1;
        }
    }
    puts("========= KUDZU CHECK");
    int status = supervise_checked(fd, program, arguments, &found);
    if (status < 0)
        return 1;
    printf("========= ERROR SUMMARY: %u error%s\n", found, found == 1 ? "" : "s");
    fflush(stdout);
    return found && r.error_status ? r.error_status : status;
}
