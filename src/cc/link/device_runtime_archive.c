#include "cc/link/device_runtime_archive.h"

#include <string.h>
#include <sys/stat.h>

#include "support/environment.h"

enum { EMPTY_ARCHIVE_BYTES = 8 };

bool calls_device_runtime(const char *ptx) {
    return strstr(ptx, "__cudaCDP2") || strstr(ptx, "cudaLaunchDevice");
}

static const char *in_folder(struct arena *arena, const char *folder, const char *below) {
    const char *path = arena_printf(arena, "%s%s/libcudadevrt.a", folder, below);
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode) && s.st_size > EMPTY_ARCHIVE_BYTES ? path : NULL;
}

const char *device_runtime_archive(struct arena *arena, const struct cc_options *o) {
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
    static const char *const below[] = {"/lib64", "/lib", "/targets/x86_64-linux/lib"};
    const char *path = NULL;
    if (o->no_device_runtime)
        return NULL;
    for (uint32_t i = 0; i < o->link.len && !path; i++)
        if (!strncmp(o->link.data[i], "-L", 2))
            path = in_folder(arena, o->link.data[i] + 2, "");
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++) {
        const char *home = environment_get(variables[v]);
        for (size_t i = 0; home && *home && !path && i < sizeof below / sizeof *below; i++)
            path = in_folder(arena, home, below[i]);
    }
    return path;
}
