// Runs RUN_BESIDE, a program that lies beside this one, under this one's name: what a symbolic link
// would do, for packages that can have none.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    execv(path, argv);
    fprintf(stderr, "kudzu: cannot run %s: %s\n", path, strerror(errno));
    return 1;
}
