#include "cc/headers/own_headers.h"

#include <string.h>

#include "cc/processes/file_io.h"

// Those of another version of CUDA stay: that the versions are mixed is an error of the headers.
static bool is_own(const struct cc_options *o, const struct toolchain *t, const char *folder,
                   struct arena *arena) {
    return is_same_folder(folder, t->include) ||
           (o->cuda_version >= 13000 &&
            is_same_folder(folder, arena_printf(arena, "%s/include", t->cuda_13)));
}

void own_headers_last(struct cc_options *o, const struct toolchain *t, struct arena *arena) {
    cc_strings kept = {0};
    for (uint32_t i = 0; i < o->preprocessor.len; ++i) {
        const char *option = o->preprocessor.data[i];
        bool two = (!strcmp(option, "-isystem") || !strcmp(option, "-idirafter")) &&
                   i + 1 < o->preprocessor.len;
        const char *folder = two                         ? o->preprocessor.data[i + 1]
                             : !strncmp(option, "-I", 2) ? option + 2
                                                         : NULL;
        if (folder && is_own(o, t, folder, arena)) {
            i += two;
            continue;
        }
        vec_push(arena, &kept, option);
        if (two)
            vec_push(arena, &kept, o->preprocessor.data[++i]);
    }
    o->preprocessor = kept;
}
