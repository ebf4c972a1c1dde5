#include "cc/messages/missing_parts.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "cc/processes/cc.h"
#include "cc/processes/command.h"
#include "llvm_version.h"

#define CCCL                                                                                       \
    "it is a part of CCCL (Thrust, CUB, libcu++), which is not in kudzu: `kudzu cccl --help` "     \
    "says "                                                                                        \
    "how to add it"
#define NVIDIA_LIBRARY(name, instead)                                                              \
    name " is not a part of kudzu, and NVIDIA's runs on GPUs alone" instead
#define SAMPLES "it comes with NVIDIA's CUDA samples: -I with their folder Common, or Common/inc"

static const struct {
    const char *beginning; // of the header's name
    const char *advice;
} headers[] = {
    {"thrust/", CCCL},
    {"cub/", CCCL},
    {"cuda/", CCCL},
    {"nv/", CCCL},
    {"cublas", NVIDIA_LIBRARY("cuBLAS", "; on the CPU programs use <cblas.h> (libopenblas-dev)")},
    {"cufft", NVIDIA_LIBRARY("cuFFT", "; on the CPU programs use <fftw3.h> (libfftw3-dev)")},
    {"cusparse", NVIDIA_LIBRARY("cuSPARSE", "")},
    {"cusolver",
     NVIDIA_LIBRARY("cuSOLVER", "; on the CPU programs use <lapacke.h> (liblapacke-dev)")},
    {"cudnn", NVIDIA_LIBRARY("cuDNN", "")},
    {"cutensor", NVIDIA_LIBRARY("cuTENSOR", "")},
    {"nccl", NVIDIA_LIBRARY("NCCL", "")},
    {"npp", NVIDIA_LIBRARY("NPP", "")},
    {"nvjpeg", NVIDIA_LIBRARY("nvJPEG", "")},
    {"cupti", NVIDIA_LIBRARY("CUPTI", "")},
    {"optix", NVIDIA_LIBRARY("OptiX", "")},
    {"cutlass/", "CUTLASS is not a part of kudzu: -I with the folder include of its source"},
    {"cute/", "CuTe is a part of CUTLASS, not of kudzu: -I with the folder include of its source"},
    {"helper_", SAMPLES},
    {"cutil",
     "it came with the samples of CUDA 4 and older; helper_cuda.h of later ones takes its place"},
    {"mpi.h", "MPI is not a part of kudzu: libopenmpi-dev, and the options that `mpicxx "
              "--showme:compile` prints"},
    {"opencv", "OpenCV is not a part of kudzu: libopencv-dev, and the options that `pkg-config "
               "opencv4 --cflags --libs` prints"},
    {"omp.h", "OpenMP's runtime is not installed: libomp-" KUDZU_LLVM
              "-dev on Debian, libomp-devel on Fedora"},
};

// Of the list's beginnings the first that the name has.
static const char *advice_on(const char *name) {
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; ++i)
        if (!strncmp(name, headers[i].beginning, strlen(headers[i].beginning)))
            return headers[i].advice;
    return NULL;
}

const char *missing_part_advice(const char *line) {
    static const char header[] = "fatal error: '", not_there[] = "' file not found";
    static const char *const waits[] = {
        "error: no matching function for call to 'cudaDeviceSynchronize'",
        "error: reference to __host__ function 'cudaDeviceSynchronize' in __"};
    const char *name = strstr(line, header);
    if (name && strstr(name, not_there))
        return advice_on(name + strlen(header));
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; ++i)
        if (strstr(line, waits[i]))
            return "device code cannot wait for kernels that it launches since CUDA 12; what is to "
                   "come behind them is launched by the host, or into cudaStreamTailLaunch";
    return NULL;
}

static bool is_installed_as_usual(void) {
    glob_t found = {0};
    bool any = glob("/usr/include/c++/*/climits", 0, NULL, &found) == 0;
    globfree(&found);
    return any;
}

void missing_library_explain(const struct toolchain *t, const struct cc_options *o,
                             struct arena *arena) {
    struct command cmd;
    if (o->host_sysroot || o->host_target || command_mode.dry_run || is_installed_as_usual())
        return;
    command_init(&cmd, arena, NULL, t->clang);
    static const char *const args[] = {"-xc++", "-fsyntax-only", "-include", "climits",
                                       "/dev/null"};
    for (size_t i = 0; i < sizeof args / sizeof args[0]; ++i)
        command_arg(&cmd, args[i]);
    cmd.stdout_path = cmd.stderr_path = "/dev/null";
    if (!command_run(&cmd))
        cc_error("there is no C++ library on this machine to compile with; install g++ (Debian, "
                 "Ubuntu: apt install g++; Fedora: dnf install gcc-c++)");
}
