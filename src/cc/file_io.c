#include "cc/file_io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/memory.h"

bool is_folder(const char *path) {
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool is_readable_file(const char *path) {
    return !access(path, R_OK) && !is_folder(path);
}

bool read_file(struct arena *arena, const char *path, char **data, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f)
        return cc_error("cannot read %s: %s", path, strerror(errno));
    if (is_folder(path)) { // its end is at the largest offset there is
        fclose(f);
        return cc_error("cannot read %s: %s", path, strerror(EISDIR));
    }
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    *data = arena_try_alloc(arena, n > 0 ? (size_t)n + 1 : 1);
    if (!*data) {
        fclose(f);
        memory_ran_out();
    }
    *size = n > 0 ? fread(*data, 1, (size_t)n, f) : 0;
    bool ok = n >= 0 && *size == (size_t)n && !ferror(f);
    fclose(f);
    return ok || cc_error("cannot read %s", path);
}

bool write_file(const char *path, const void *data, size_t size) {
    FILE *f = fopen(path, "wb");
    if (!f)
        return cc_error("cannot write %s: %s", path, strerror(errno));
    bool ok = fwrite(data, 1, size, f) == size;
    ok &= fclose(f) == 0;
    return ok || cc_error("cannot write %s: %s", path, strerror(errno));
}

void remove_output(const char *path) {
    struct stat st;
    if (!stat(path, &st) && S_ISREG(st.st_mode))
        unlink(path);
}
