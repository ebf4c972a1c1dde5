#define _GNU_SOURCE
#include "cc/processes/memory_file.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int memory_file(const char *name) {
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0)
        cc_error("no memory file can be made: %s", strerror(errno));
    return fd;
}

const char *memory_file_path(struct arena *arena, int descriptor) {
    return arena_printf(arena, "/proc/self/fd/%d", descriptor);
}

bool memory_file_write(int fd, const char *text, size_t size) {
    while (size) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cc_error("a memory file cannot be written: %s", strerror(errno));
        text += n;
        size -= (size_t)n;
    }
    return true;
}

bool memory_file_read(int descriptor, struct strbuf *out) {
    char block[65536];
    off_t at = 0;
    for (;;) {
        ssize_t n = pread(descriptor, block, sizeof block, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        strbuf_append(out, block, (size_t)n);
        at += n;
    }
}
