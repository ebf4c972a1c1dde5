#include "cc/link/target_directive.h"

#include <string.h>

#include "cc/processes/file_io.h"

// What CUDA 12.9 writes for what it knows; 11.0 and 8.8 are CUDA 13's.
static const char *version_of(const struct architecture *arch) {
    return arch->number == 110 || arch->number == 88 ? "9.0" : "8.8";
}

const char *target_directive_apply(struct arena *arena, const struct architecture *arch,
                                   const char *ptx, size_t *size) {
    static const char version[] = ".version ", target[] = ".target ";
    const char *v = arch->stand_in ? strstr(ptx, version) : NULL, *t = v ? strstr(v, target) : NULL;
    if (!t)
        return ptx;
    v += strlen(version);
    t += strlen(target);
    const char *after_version = v + strcspn(v, "\r\n"), *after_target = t + strcspn(t, ",\r\n");
    const char *text =
        arena_printf(arena, "%.*s%s%.*s%s%s", (int)(v - ptx), ptx, version_of(arch),
                     (int)(t - after_version), after_version, arch->name, after_target);
    *size = strlen(text);
    return text;
}

bool target_directive_apply_to_file(struct arena *arena, const struct architecture *arch,
                                    const char *path) {
    char *text;
    size_t size;
    if (!arch->stand_in)
        return true;
    if (!read_file(arena, path, &text, &size))
        return false;
    const char *full = target_directive_apply(arena, arch, text, &size);
    return write_file(path, full, size);
}
