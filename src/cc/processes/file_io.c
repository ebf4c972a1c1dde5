#include "cc/processes/file_io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/memory.h"
#include "support/whole_file.h"

static const uint64_t MOST_BYTES = 1ull << 32;

bool is_folder(const char *path) {
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool is_same_folder(const char *a, const char *b) {
    struct stat of_a, of_b;
    return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

bool is_readable_file(const char *path) {
    return !access(path, R_OK) && !is_folder(path);
}

const char *path_without_dots(struct arena *arena, const char *path) {
    char *out = arena_strdup(arena, path), *end = out, *fixed = out;
    const bool absolute = *path == '/';
    for (size_t n; *path; path += n + (path[n] == '/')) {
        n = strcspn(path, "/");
        bool parent = n == 2 && path[0] == '.' && path[1] == '.';
        if (!n || (n == 1 && *path == '.') || (parent && absolute && end == out))
            continue;
        if (parent && end > fixed) {
            while (end > out && *--end != '/')
                ;
            continue;
        }
        if (absolute || end > out)
            *end++ = '/';
        memcpy(end, path, n);
        end += n;
        fixed = parent ? end : fixed; // of a relative path
    }
    *end = 0;
    return out;
}

bool read_file(struct arena *arena, const char *path, char **data, size_t *size) {
    struct whole_file f;
    if (!whole_file_read(&f, path, WHOLE_FILE_PIPES, MOST_BYTES)) {
        if (f.no_memory)
            memory_ran_out();
        return cc_error("cannot read %s: %s", path, f.why);
    }
    *data = arena_try_alloc(arena, f.size + 1);
    if (*data)
        memcpy(*data, f.data, f.size + 1);
    free(f.data);
    if (!*data)
        memory_ran_out();
    *size = f.size;
    return true;
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
