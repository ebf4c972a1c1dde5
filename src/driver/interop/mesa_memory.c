// Recognised by the file's name, and by a header that agrees with the file and with itself: Mesa
// keeps the memory's offset a second time in front of the memory.
#include "driver/interop/mesa_memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// What Mesa's src/util/os_memory_fd.c writes.
struct header {
    uint64_t size, offset;
    uint8_t driver[16];
};

static int has_name(int fd) {
    static const char mesa[] = "/memfd:llvmpipe memory fd";
    char path[64], name[sizeof mesa];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, name, sizeof name - 1);
    return n == (ssize_t)sizeof mesa - 1 && !memcmp(name, mesa, sizeof mesa - 1);
}

uint64_t drv_mesa_memory_begin(int fd, uint64_t size) {
    struct header h;
    uint64_t again;
    if (!has_name(fd) || pread(fd, &h, sizeof h, 0) != (ssize_t)sizeof h || h.size > size ||
        h.offset < sizeof h + sizeof again || h.offset >= h.size ||
        pread(fd, &again, sizeof again, (off_t)(h.offset - sizeof again)) !=
            (ssize_t)sizeof again ||
        again != h.offset)
        return 0;
    return h.offset;
}
