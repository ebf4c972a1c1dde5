#include "cc/headers/cccl.h"

#include <unistd.h>

#include "support/environment.h"

const char *cccl_folder(struct arena *arena) {
    const char *data = environment_get("XDG_DATA_HOME"), *home = environment_get("HOME");
    if (data && *data == '/')
        return arena_printf(arena, "%s/kudzu/cccl", data);
    return home && *home == '/' ? arena_printf(arena, "%s/.local/share/kudzu/cccl", home) : NULL;
}

void cccl_use(struct cc_options *o, struct arena *arena) {
    const char *folder = cccl_folder(arena);
    const char *headers = folder ? arena_printf(arena, "%s/include", folder) : NULL;
    if (!headers || access(headers, X_OK) != 0)
        return;
    vec_push(arena, &o->preprocessor, "-isystem");
    vec_push(arena, &o->preprocessor, headers);
}
