// kudzu compare: one executable, run on kudzu's CPU device and on an NVIDIA GPU.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cc/driver/compile.h"
#include "cc/options/options.h"
#include "cc/processes/cc.h"
#include "runtime/load/find_driver.h"
#include "tools/cached_program.h"
#include "tools/compare_text.h"
#include "tools/tools.h"

enum { SAME = 0, DIFFERENT = 1, FAILED = 2, NO_GPU = 77 };
enum { SHOWN_LINES = 20 };

static void print_help(void) {
    puts(
        "Usage: kudzu compare [--runs=N] [--tolerance=X] [--ignore=REGEX] [options] prog.cu "
        "[args]\n"
        "       kudzu compare [--runs=N] [--tolerance=X] [--ignore=REGEX] program [args]\n\n"
        "Compiles the program once, or takes an executable that kudzu compiled before, and runs "
        "it\n"
        "on kudzu's CPU device and on the machine's NVIDIA GPU; shows lines of output that "
        "differ,\n"
        "exit statuses, and the time of both.\n"
        "  --runs=N         run N times on each; the best time counts (default 1)\n"
        "  --tolerance=X    numbers may differ by X times the larger one (default 0)\n"
        "  --ignore=REGEX   leave out lines that match, such as timings; REGEX is POSIX extended\n"
        "Other options before the file go to the compiler, as with `kudzu run`. Standard input is\n"
        "empty. Exit status: 0 same output, 1 different, 2 not compared, 77 no GPU here.");
}

struct options {
    int runs;
    regex_t ignore;
    struct text_comparison text;
};

// Takes what is ours from the front of argv. Returns how many, or -1 after a message.
static int parse(struct options *o, int argc, char **argv) {
    int at = 0;
    o->runs = 1;
    for (; at < argc; ++at) {
        char *value = strchr(argv[at], '='), *end = "";
        if (!value++)
            break;
        if (!strncmp(argv[at], "--runs=", 7)) {
            o->runs = (int)strtol(value, &end, 10);
        } else if (!strncmp(argv[at], "--tolerance=", 12)) {
            o->text.tolerance = strtod(value, &end);
        } else if (!strncmp(argv[at], "--ignore=", 9)) {
            if (regcomp(&o->ignore, value, REG_EXTENDED | REG_NOSUB))
                return cc_error("'%s' is no regular expression", value), -1;
            o->text.ignore = &o->ignore;
        } else {
            break;
        }
        if (*end || !*value || o->runs < 1 || !(o->text.tolerance >= 0))
            return cc_error("'%s' is no value for its option", argv[at]), -1;
    }
    return at;
}

// ---- Running ------------------------------------------------------------------------------

struct result {
    const char *device; // as KUDZU_DEVICE
    int output;         // a file with all that it printed
    int status;         // as waitpid gives it
    double seconds;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void become(const char *program, char **argv, const struct result *r) {
    int null = open("/dev/null", O_RDONLY);
    setenv("KUDZU_DEVICE", r->device, 1);
    unsetenv("KUDZU_DRIVER"); // it would decide for both
    dup2(null, STDIN_FILENO);
    dup2(r->output, STDOUT_FILENO);
    dup2(r->output, STDERR_FILENO);
    execv(program, argv);
    fprintf(stderr, "cannot run %s: %s\n", program, strerror(errno));
    _exit(127);
}

// Runs the program so often; output and status are those of the last run, the time is the best.
static bool run(struct result *r, const char *program, char **argv, int runs) {
    r->output = memfd_create("output", MFD_CLOEXEC);
    for (int i = 0; i < runs; ++i) {
        if (r->output < 0 || ftruncate(r->output, 0) || lseek(r->output, 0, SEEK_SET))
            return cc_error("no room for the output: %s", strerror(errno));
        double start = now();
        pid_t child = fork();
        if (child < 0)
            return cc_error("cannot start %s: %s", program, strerror(errno));
        if (!child) {
            prctl(PR_SET_PDEATHSIG, SIGKILL); // who ends the comparison ends the program
            become(program, argv, r);
        }
        while (waitpid(child, &r->status, 0) < 0 && errno == EINTR)
            continue;
        double seconds = now() - start;
        r->seconds = i == 0 || seconds < r->seconds ? seconds : r->seconds;
    }
    return true;
}

static char *text_of(struct arena *arena, const struct result *r) {
    off_t size = lseek(r->output, 0, SEEK_END);
    char *text = arena_alloc(arena, (size_t)size + 1);
    for (off_t at = 0; at < size;) {
        ssize_t n = pread(r->output, text + at, (size_t)(size - at), at);
        if (n <= 0)
            break;
        at += n;
    }
    return text;
}

// ---- The report ---------------------------------------------------------------------------

static size_t shown;

static void show_difference(size_t line, const char *cpu, const char *gpu) {
    if (shown++ < SHOWN_LINES)
        printf("line %zu\n    cpu: %s\n    gpu: %s\n", line, cpu ? cpu : "(no such line)",
               gpu ? gpu : "(no such line)");
}

static const char *outcome(struct arena *arena, int status) {
    if (WIFSIGNALED(status))
        return arena_printf(arena, "ended by %s", strsignal(WTERMSIG(status)));
    return arena_printf(arena, "exit status %d", WEXITSTATUS(status));
}

static int report(struct arena *arena, struct options *o, const struct result r[2]) {
    compare_texts(&o->text, text_of(arena, &r[0]), text_of(arena, &r[1]), show_difference);
    if (shown > SHOWN_LINES)
        printf("and %zu lines more\n", shown - SHOWN_LINES);
    for (int i = 0; i < 2; ++i)
        printf("%s: %s, %.3f s\n", r[i].device, outcome(arena, r[i].status), r[i].seconds);
    printf("time on the CPU is %.2f of that on the GPU\n", r[0].seconds / r[1].seconds);
    printf("%zu of %zu lines differ", o->text.different, o->text.lines);
    if (o->text.largest > 0)
        printf("; the largest relative difference of two numbers is %.3g", o->text.largest);
    puts("");
    return o->text.different || r[0].status != r[1].status ? DIFFERENT : SAME;
}

static bool gpu_is_there(void) {
    struct found_driver found;
    setenv("KUDZU_DEVICE", "gpu", 1);
    unsetenv("KUDZU_DRIVER");
    find_driver(&found);
    if (!found.handle)
        cc_error("%s", found.why);
    return found.handle;
}

static bool is_executable(const char *path) {
    char magic[4] = "";
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool elf = file >= 0 && read(file, magic, sizeof magic) == sizeof magic &&
               !memcmp(magic, "\177ELF", sizeof magic);
    if (file >= 0)
        close(file);
    return elf && access(path, X_OK) == 0;
}

// The program's path, compiled if need be, and *rest at its name before its arguments; or NULL
// after a message.
static const char *find_program(struct arena *arena, int argc, char ***rest) {
    int source;
    if (argc > 0 && is_executable(**rest))
        return arena_printf(arena, "%s", **rest);
    const char *program = cached_program(arena, argc, *rest, &source);
    if (!program)
        return NULL;
    *rest += source;
    **rest = (char *)file_stem(arena, **rest);
    return program;
}

int tool_compare(int argc, char **argv) {
    struct arena arena = {0};
    struct options o = {0};
    struct result results[2] = {{.device = "cpu"}, {.device = "gpu"}};
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return print_help(), 0;
    static const char *const names[] = {"runs", "tolerance", "ignore", "help"};
    options_of_command(names, sizeof names / sizeof names[0]);
    int taken = parse(&o, argc - 1, argv + 1);
    if (taken < 0)
        return FAILED;
    char **rest = argv + 1 + taken;
    const char *program = find_program(&arena, argc - 1 - taken, &rest);
    if (!program)
        return FAILED;
    if (!gpu_is_there())
        return NO_GPU;
    for (int i = 0; i < 2; ++i)
        if (!run(&results[i], program, rest, o.runs))
            return FAILED;
    return report(&arena, &o, results);
}
