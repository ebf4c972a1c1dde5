// kudzu run: compile unless it was done before, run the program, tell what it does not look at.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/driver/compile.h"
#include "cc/options/options.h"
#include "support/environment.h"
#include "support/run_report.h"
#include "tools/cached_program.h"
#include "tools/program_cache.h"
#include "tools/supervise.h"
#include "tools/tools.h"

static void print_help(void) {
    puts(
        "Usage: kudzu run [options] prog.cu [arguments]\n\n"
        "Compiles the program and runs it with the arguments; the exit status is the program's.\n"
        "Options before the file go to the compiler (`kudzu cc --help` lists them); -O3 and\n"
        "-lineinfo are assumed. Compiled programs are kept in $XDG_CACHE_HOME/kudzu/run "
        "(~/.cache/kudzu/run)\n"
        "and used again as long as the source, its headers, what is linked, the options and kudzu\n"
        "itself are the same.\n\n"
        "A kernel that faults, and a launch that fails and whose error the program does not ask\n"
        "for, is told of on stderr, with kernel, block, thread and line, and makes an exit status\n"
        "of 0 to 1. With KUDZU_REPORT=0 kudzu becomes the program and nothing is told.\n\n"
        "When nothing has happened for KUDZU_HANG_SECONDS (30 here; 0: never), and when it is\n"
        "interrupted, the program lists the threads of kernels that wait, and for what.");
}

static bool is_reported(void) {
    const char *value = environment_get(RUN_REPORT_VARIABLE);
    return !value || strcmp(value, "0") != 0;
}

int tool_run(int argc, char **argv) {
    struct arena arena = {0};
    int source;
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return print_help(), 0;
    const char *program = cached_program(&arena, argc - 1, argv + 1, &source);
    if (!program)
        return 1;
    char **arguments = argv + 1 + source;
    *arguments = (char *)file_stem(&arena, *arguments);
    setenv("KUDZU_HANG_SECONDS", "30", 0);
    // The program is open while its folder goes, if that is a temporary one.
    int fd = open(program, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !program_cache_discard()) {
        close(fd);
        fd = -1;
    }
    int status = is_reported() ? supervise(fd, program, arguments) : -1;
    if (status < 0)
        become(fd, program, arguments);
    return status < 0 ? 1 : status;
}
