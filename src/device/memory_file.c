#include "device/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int memory_file_new(const char *name, uint64_t size) {
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

bool memory_file_check(int fd, uint64_t *size) {
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || seals & F_SEAL_WRITE || fstat(fd, &st))
        return false;
    *size = (uint64_t)st.st_size;
    return true;
}

int memory_file_duplicate(int fd) {
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

uint64_t memory_file_inode(int fd) {
    struct stat st;
    return fstat(fd, &st) ? 0 : (uint64_t)st.st_ino;
}
