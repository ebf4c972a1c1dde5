// kudzu-host-linker: links host code, for `kudzu cc` and for build systems that ask with -dryrun
// which command links.
//
//     kudzu-host-linker <options and files for clang++>...
//
// It is clang++ but for OpenMP. Code that clang compiled with -fopenmp calls LLVM's runtime, which
// serves gcc's code too, while gcc's runtime serves gcc's alone: with such code among the files
// LLVM's is linked, and gcc's, which makefiles and CMake name (-lgomp, .../libgomp.so), is not.
// With both in a program omp_get_thread_num would ask the one that runs no threads.
#define _GNU_SOURCE // memmem
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cc/processes/cc.h"
#include "cc/processes/toolchain.h"

static bool contains(const char *path, const char *text) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool regular = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size;
    size_t size = regular ? (size_t)st.st_size : 0;
    void *data = regular ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (data == MAP_FAILED)
        return false;
    bool found = memmem(data, size, text, strlen(text)) != NULL;
    munmap(data, size);
    return found;
}

static bool has_suffix(const char *path, const char *suffix) {
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && !strcmp(path + n - m, suffix);
}

static bool is_object(const char *arg) {
    return *arg != '-' &&
           (has_suffix(arg, ".o") || has_suffix(arg, ".a") || has_suffix(arg, ".obj"));
}

// gcc's runtime, or LLVM's under any name: -fopenmp brings the one that is wanted.
static bool is_runtime(const char *arg) {
    static const char *const names[] = {"-lgomp", "-liomp5", "-lomp"};
    const char *slash = strrchr(arg, '/'), *file = slash ? slash + 1 : arg;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (!strcmp(arg, names[i]))
            return true;
    return *arg != '-' && (!strncmp(file, "libgomp.", 8) || !strncmp(file, "libomp.so", 9));
}

static bool uses_llvm_openmp(int argc, char **argv) {
    for (int i = 1; i < argc; ++i)
        if (!strcmp(argv[i], "-fopenmp") || (is_object(argv[i]) && contains(argv[i], "__kmpc_")))
            return true;
    return false;
}

int main(int argc, char **argv) {
    cc_take_command_name();
    struct arena arena = {0};
    struct toolchain t;
    cc_strings args = {0};
    if (!toolchain_find(&t, &arena, "/proc/self/exe"))
        return 1;
    bool openmp = uses_llvm_openmp(argc, argv);
    vec_push(&arena, &args, t.clang);
    if (openmp)
        vec_push(&arena, &args, "-fopenmp");
    for (int i = 1; i < argc; ++i)
        if (!openmp || !is_runtime(argv[i]))
            vec_push(&arena, &args, argv[i]);
    vec_push(&arena, &args, NULL);
    execv(t.clang, (char **)args.data);
    cc_error("cannot run %s: %s", t.clang, strerror(errno));
    return 1;
}
