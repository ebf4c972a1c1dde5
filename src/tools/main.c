// kudzu: the one command.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "binutils/binutils.h"
#include "cc/processes/cc.h"
#include "support/closest_word.h"
#include "tools/tools.h"

static int print_help(int argc, char **argv);

static int print_version(int argc, char **argv) {
    puts("kudzu " KUDZU_VERSION);
    return 0;
}

static const struct {
    const char *name, *full; // with which messages begin
    int (*run)(int argc, char **argv);
} commands[] = {
    {"cc", "kudzu cc", kudzu_cc},
    {"run", "kudzu run", tool_run},
    {"check", "kudzu check", tool_check},
    {"compare", "kudzu compare", tool_compare},
    {"explain", "kudzu explain", tool_explain},
    {"ptxas", "kudzu ptxas", tool_ptxas},
    {"nvlink", "kudzu nvlink", tool_nvlink},
    {"fatbinary", "kudzu fatbinary", tool_fatbinary},
    {"bin2c", "kudzu bin2c", tool_bin2c},
    {"objdump", "kudzu objdump", tool_objdump},
    {"nvdisasm", "kudzu nvdisasm", tool_nvdisasm},
    {"nvprune", "kudzu nvprune", tool_nvprune},
    {"cu++filt", "kudzu cu++filt", tool_cufilt},
    {"clangd-config", "kudzu clangd-config", tool_clangd_config},
    {"env", "kudzu env", tool_env},
    {"exec", "kudzu exec", tool_exec},
    {"cccl", "kudzu cccl", tool_cccl},
    {"smi", "kudzu smi", tool_smi},
    {"mps-control", "kudzu mps-control", tool_mps_control},
    {"help", "kudzu help", print_help},
    {"version", "kudzu", print_version},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

// ---- What is no command -------------------------------------------------------------------

static bool is_source(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && (!strcmp(dot, ".cu") || !strcmp(dot, ".cpp") || !strcmp(dot, ".c")) &&
           !access(name, F_OK);
}

static int unknown_command(const char *name) {
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; ++i)
        names[i] = commands[i].name;
    const char *meant = closest_word(name, strlen(name), names, COMMANDS);
    if (is_source(name))
        cc_error("'%s' is not a command; `kudzu run %s` compiles and runs it", name, name);
    else if (meant)
        cc_error("'%s' is not a command: did you mean `kudzu %s`? `kudzu help` lists all", name,
                 meant);
    else
        cc_error("'%s' is not a command; `kudzu help` lists them", name);
    return 1;
}

// ---- Commands -----------------------------------------------------------------------------

static int run_command(int argc, char **argv) {
    for (int i = 0; i < COMMANDS; ++i)
        if (!strcmp(argv[0], commands[i].name)) {
            cc_name_command(commands[i].full);
            return commands[i].run(argc, argv);
        }
    return unknown_command(argv[0]);
}

static int print_help(int argc, char **argv) {
    static char option[] = "--help";
    char *asked[] = {argc > 1 ? argv[1] : NULL, option, NULL};
    bool itself = argc > 1 && (*argv[1] == '-' || !strcmp(argv[1], "help"));
    if (argc > 1 && !strcmp(argv[1], "version"))
        return print_version(argc, argv);
    if (argc > 1 && !itself)
        return run_command(2, asked);
    puts("Usage: kudzu <command> [arguments]\n\n"
         "Commands:\n"
         "  cc [options] file...    compile and link CUDA C++, with nvcc's options\n"
         "  run prog.cu [args]      compile (cached) and run one program\n"
         "  check prog [args]       find what a program does wrong: memory, races, calls, leaks\n"
         "  compare prog.cu [args]  run it on the CPU and on a GPU; compare output and time\n"
         "  explain prog.cu         say how kernels become SIMD code, and what makes them slow\n"
         "  env                     print what a shell has to export to use kudzu\n"
         "  exec command [args]     run a command with that environment\n"
         "  cccl [file...]          add Thrust, CUB and libcu++, which you have, to the headers\n"
         "  ptxas [options] a.ptx   make an image of PTX, with ptxas's options\n"
         "  nvlink [options] a.o..  link device code to one image, with nvlink's options\n"
         "  fatbinary [options]     put images into one container, with fatbinary's options\n"
         "  bin2c [options] file    write a file as an array in C, with bin2c's options\n"
         "  objdump [options] file  show the device code in a file, with cuobjdump's options\n"
         "  nvdisasm [options] file show the code in an image, with nvdisasm's options\n"
         "  nvprune [options] file  drop device code of other architectures, with nvprune's "
         "options\n"
         "  cu++filt [name...]      print what mangled names stand for, with cu++filt's options\n"
         "  smi                     show the devices that programs see\n"
         "  mps-control             limit the threads of processes, and list them\n"
         "  clangd-config           write a .clangd, with which editors understand CUDA sources\n"
         "  help [command]          this text, or a command's\n"
         "  version                 the version\n\n"
         "`kudzu help <command>` explains each one.");
    return 0;
}

static bool is_one_of(const char *arg, const char *a, const char *b) {
    return !strcmp(arg, a) || !strcmp(arg, b);
}

// Links of these names stand in for those programs in build systems.
static const struct {
    const char *name, *full; // with which messages begin
    int (*run)(int argc, char **argv);
} stand_ins[] = {
    {"nvcc", "nvcc (kudzu cc)", kudzu_cc},
    {"ptxas", "ptxas", tool_ptxas},
    {"nvlink", "nvlink", tool_nvlink},
    {"fatbinary", "fatbinary", tool_fatbinary},
    {"bin2c", "bin2c", tool_bin2c},
    {"cuobjdump", "cuobjdump (kudzu objdump)", tool_objdump},
    {"nvdisasm", "nvdisasm (kudzu nvdisasm)", tool_nvdisasm},
    {"nvprune", "nvprune", tool_nvprune},
    {"cu++filt", "cu++filt", tool_cufilt},
    {"nvidia-smi", "nvidia-smi (kudzu smi)", tool_smi},
    {"nvidia-cuda-mps-control", "nvidia-cuda-mps-control (kudzu mps-control)", tool_mps_control},
    {"compute-sanitizer", "compute-sanitizer (kudzu check)", tool_compute_sanitizer},
};

int main(int argc, char **argv) {
    cc_name_command("kudzu");
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
    for (size_t i = 0; i < sizeof stand_ins / sizeof stand_ins[0]; ++i) {
        if (!strcmp(name, stand_ins[i].name)) {
            cc_name_command(stand_ins[i].full);
            return stand_ins[i].run(argc, argv);
        }
    }
    if (argc < 2) {
        print_help(0, NULL);
        return 1;
    }
    if (is_one_of(argv[1], "--help", "-h"))
        return print_help(argc - 1, argv + 1);
    if (is_one_of(argv[1], "--version", "-V"))
        return print_version(argc - 1, argv + 1);
    return run_command(argc - 1, argv + 1);
}
