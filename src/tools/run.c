// kudzu run: compile unless it was done before, then become the program.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cc/compile.h"
#include "cc/options.h"
#include "tools/cached_program.h"
#include "tools/tools.h"

static void print_help(void) {
    puts("Usage: kudzu run [options] prog.cu [arguments]\n\n"
         "Compiles the program and runs it with the arguments; the exit status is the program's.\n"
         "Options before the file go to the compiler (`kudzu cc --help` lists them); -O3 is\n"
         "assumed. Compiled programs are kept in $XDG_CACHE_HOME/kudzu/run (~/.cache/kudzu/run)\n"
         "and used again as long as the source, its headers, the options and kudzu itself are\n"
         "the same.");
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
    execv(program, arguments);
    return cc_error("cannot run %s: %s", program, strerror(errno)), 1;
}
