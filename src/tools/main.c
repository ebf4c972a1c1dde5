// kudzu: the one command.
#include <stdio.h>
#include <string.h>

#include "cc/cc.h"
#include "tools/tools.h"

static int print_help(int argc, char **argv) {
    puts("Usage: kudzu <command> [arguments]\n\n"
         "Commands:\n"
         "  cc [options] file...    compile and link CUDA C++, with nvcc's options\n"
         "  run prog.cu [args]      compile (cached) and run one program\n"
         "  compare prog.cu [args]  run it on the CPU and on a GPU; compare output and time\n"
         "  explain prog.cu         say how kernels become SIMD code, and what makes them slow\n"
         "  env                     print what a shell has to export to use kudzu\n"
         "  exec command [args]     run a command with that environment\n"
         "  cccl [file...]          add Thrust, CUB and libcu++, which you have, to the headers\n"
         "  smi                     show the devices that programs see\n"
         "  help                    this text\n"
         "  version                 the version\n\n"
         "`kudzu <command> --help` explains each one.");
    return 0;
}

static int print_version(int argc, char **argv) {
    puts("kudzu " KUDZU_VERSION);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"cc", kudzu_cc},
    {"run", tool_run},
    {"smi", tool_smi},
    {"explain", tool_explain},
    {"env", tool_env},
    {"exec", tool_exec},
    {"compare", tool_compare},
    {"cccl", tool_cccl},
    {"help", print_help},
    {"--help", print_help},
    {"-h", print_help},
    {"version", print_version},
    {"--version", print_version},
};

int main(int argc, char **argv) {
    // Links of these names stand in for those programs in build systems.
    const char *slash = strrchr(argv[0], '/');
    if (!strcmp(slash ? slash + 1 : argv[0], "nvcc"))
        return kudzu_cc(argc, argv);
    if (!strcmp(slash ? slash + 1 : argv[0], "nvidia-smi"))
        return tool_smi(argc, argv);
    if (argc < 2) {
        print_help(argc, argv);
        return 1;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "kudzu: '%s' is not a command; `kudzu help` lists them\n", argv[1]);
    return 1;
}
