// Runs RUN_BESIDE, a program by its path from this one's folder, under this one's name: what a
// symbolic link would do, for packages that can have none. RUN_CUDA ("13"), if it is defined: the
// program is told a version of CUDA that begins so, RUN_CUDA ".0" where another or none is asked for.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef RUN_CUDA
#include "support/environment.h"

static void choose_version(void) {
    const char *asked = environment_get("KUDZU_CUDA_VERSION");
    if (!asked || strncmp(asked, RUN_CUDA ".", sizeof RUN_CUDA) != 0)
        setenv("KUDZU_CUDA_VERSION", RUN_CUDA ".0", 1);
}
#else
static void choose_version(void) {
}
#endif

int main(int argc, char **argv) {
    char self[PATH_MAX], path[PATH_MAX + sizeof RUN_BESIDE];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *slash = strrchr(self, '/');
    if (!slash || argc < 1) {
        fprintf(stderr, "kudzu: cannot tell where this program lies: %s\n", strerror(errno));
        return 1;
    }
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - self), self, RUN_BESIDE);
    argv[0] = self;
    choose_version();
    execv(path, argv);
    fprintf(stderr, "kudzu: cannot run %s: %s\n", path, strerror(errno));
    return 1;
}
