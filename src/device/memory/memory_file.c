#include "device/memory/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kinds[] = {
    [MEMORY_FILE_PHYSICAL] = "kudzu memory",     [MEMORY_FILE_POOL] = "kudzu pool",
    [MEMORY_FILE_SHARED] = "kudzu shared",       [MEMORY_FILE_WORDS] = "kudzu words",
    [MEMORY_FILE_MULTICAST] = "kudzu multicast",
};

int memory_file_new(enum memory_file_kind kind, int device, uint64_t size) {
    char name[64];
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return -1;
    int n = snprintf(name, sizeof name, "%s %016" PRIx64, kinds[kind], number);
    if (device >= 0)
        snprintf(name + n, sizeof name - (size_t)n, " %d", device);
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)size) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK)) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

// What the system calls the file: "/memfd:", its name, " (deleted)".
static bool read_name(int fd, char *name, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, name, size - 1);
    name[n > 0 ? n : 0] = 0;
    return n > 0;
}

static bool is_named(int fd, const char *kind) {
    static const char prefix[] = "/memfd:";
    char name[128];
    size_t n = sizeof prefix - 1, m = strlen(kind);
    return read_name(fd, name, sizeof name) && !strncmp(name, prefix, n) &&
           !strncmp(name + n, kind, m) && name[n + m] == ' ';
}

bool memory_file_check(int fd, enum memory_file_kind kind, uint64_t *size) {
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || seals & F_SEAL_WRITE || fstat(fd, &st))
        return false;
    bool ours = kind == MEMORY_FILE_ANY || is_named(fd, kinds[kind]);
    *size = (uint64_t)st.st_size;
    return ours;
}

int memory_file_device(int fd) {
    char name[128];
    int device;
    return read_name(fd, name, sizeof name) && sscanf(name, "/memfd:kudzu %*s %*s %d", &device) == 1
               ? device
               : -1;
}

static uint64_t mix(uint64_t h, const void *data, size_t size) {
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++) {
        h = (h ^ p[i]) * 0x9e3779b97f4a7c15;
        h ^= h >> 29;
    }
    return h;
}

uint64_t memory_file_sign(int fd, const void *data, size_t size) {
    char name[128];
    if (!read_name(fd, name, sizeof name))
        name[0] = 0;
    return mix(mix(mix(0, name, strlen(name)), data, size), name, strlen(name));
}

int memory_file_duplicate(int fd) {
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

uint64_t memory_file_inode(int fd) {
    struct stat st;
    return fstat(fd, &st) ? 0 : (uint64_t)st.st_ino;
}
