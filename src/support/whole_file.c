#include "support/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static bool refuse(struct whole_file *f, const char *why) {
    snprintf(f->why, sizeof f->why, "%s", why);
    free(f->data);
    f->data = NULL;
    f->size = 0;
    return false;
}

static bool is_null_device(const struct stat *st) {
    return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

static bool is_terminal_or_null(const struct stat *st) {
    // A terminal's input ends when its user says so.
    return S_ISCHR(st->st_mode) && (is_null_device(st) || major(st->st_rdev) == 4 ||
                                    major(st->st_rdev) == 5 || major(st->st_rdev) == 136);
}

static const char *reason_against(const struct stat *st, enum whole_file_kinds kinds) {
    if (S_ISREG(st->st_mode) ||
        (kinds == WHOLE_FILE_PIPES && (S_ISFIFO(st->st_mode) || is_null_device(st))))
        return NULL;
    return S_ISDIR(st->st_mode)                           ? strerror(EISDIR)
           : S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode) ? "a device is no file to be read"
                                                          : "it is no regular file";
}

// Reads on from what there is; false: `why`.
static bool read_to_end(struct whole_file *f, int fd, uint64_t most, size_t capacity) {
    for (;;) {
        if (f->size + 1 >= capacity)
            capacity = capacity < 4096 ? 8192 : capacity * 2;
        char *more = realloc(f->data, capacity);
        if (!more) {
            f->no_memory = true;
            return refuse(f, strerror(ENOMEM));
        }
        f->data = more;
        ssize_t n = read(fd, f->data + f->size, capacity - 1 - f->size);
        if (n < 0 && errno != EINTR)
            return refuse(f, strerror(errno));
        if (n > 0)
            f->size += (size_t)n;
        if (f->size > most) {
            refuse(f, "");
            snprintf(f->why, sizeof f->why, "it is larger than %llu bytes",
                     (unsigned long long)most);
            return false;
        }
        if (n == 0)
            break;
    }
    f->data[f->size] = 0;
    return true;
}

static bool read_opened(struct whole_file *f, int fd, enum whole_file_kinds kinds, uint64_t most) {
    struct stat st;
    if (fstat(fd, &st))
        return refuse(f, strerror(errno));
    const char *why = reason_against(&st, kinds);
    if (why)
        return refuse(f, why);
    // Only the opening does not wait: a writer may take its time.
    if (S_ISFIFO(st.st_mode) && fcntl(fd, F_SETFL, 0))
        return refuse(f, strerror(errno));
    uint64_t size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
    if (size > most) {
        snprintf(f->why, sizeof f->why, "it has %llu bytes, more than %llu",
                 (unsigned long long)size, (unsigned long long)most);
        return false;
    }
    return read_to_end(f, fd, most, (size_t)size + 2);
}

bool whole_file_read(struct whole_file *f, const char *path, enum whole_file_kinds kinds,
                     uint64_t most) {
    memset(f, 0, sizeof *f);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return refuse(f, strerror(errno));
    bool ok = read_opened(f, fd, kinds, most);
    close(fd);
    return ok;
}

bool whole_file_has_end(const char *path) {
    struct stat st;
    return stat(path, &st) || S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISDIR(st.st_mode) ||
           is_terminal_or_null(&st);
}
