#define _GNU_SOURCE // dladdr
#include "support/library_path.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

static char path[PATH_MAX];

__attribute__((constructor)) static void find(void) {
    Dl_info info;
    if (!dladdr(path, &info) || !realpath(info.dli_fname, path))
        path[0] = 0;
}

const char *library_path(void) {
    return path;
}
