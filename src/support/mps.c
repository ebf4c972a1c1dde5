#include "support/mps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/environment.h"

const char *mps_folder(void) {
    const char *folder = environment_get("CUDA_MPS_PIPE_DIRECTORY");
    return folder && *folder ? folder : "/tmp/nvidia-mps";
}

static bool address(struct sockaddr_un *a) {
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(a->sun_path, sizeof a->sun_path, "%s/control", mps_folder());
    return n > 0 && (size_t)n < sizeof a->sun_path;
}

int mps_connect(void) {
    struct sockaddr_un a;
    struct stat st;
    // Another user's folder says nothing.
    if (!address(&a) || stat(a.sun_path, &st) || !S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
        return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a)) {
        close(fd);
        return -1;
    }
    return fd;
}

int mps_listen(void) {
    struct sockaddr_un a;
    if (!address(&a)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int other = mps_connect();
    if (other >= 0) {
        close(other);
        errno = EADDRINUSE;
        return -1;
    }
    if (mkdir(mps_folder(), 0700) && errno != EEXIST)
        return -1;
    unlink(a.sun_path); // of one that has been killed
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    mode_t mask = umask(0177);
    bool ok = fd >= 0 && !bind(fd, (struct sockaddr *)&a, sizeof a) && !listen(fd, 64);
    int error = errno;
    umask(mask);
    if (!ok && fd >= 0)
        close(fd);
    errno = error;
    return ok ? fd : -1;
}

void mps_unlink(void) {
    struct sockaddr_un a;
    if (address(&a))
        unlink(a.sun_path);
}

bool mps_percentage(const char *text, double *out) {
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !(v > 0 && v <= 100))
        return false;
    *out = v;
    return true;
}

// The rest of the text begins at *end.
static bool memory_from(const char *text, char **end, uint64_t *bytes) {
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long v = strtoull(text, end, 10);
    int shift = **end == 'G' ? 30 : **end == 'M' ? 20 : 0;
    if (errno || !shift || !v || v > UINT64_MAX >> shift)
        return false;
    *end += (*end)[1] == 'B' ? 2 : 1;
    *bytes = (uint64_t)v << shift;
    return true;
}

bool mps_memory(const char *text, uint64_t *bytes) {
    char *end;
    uint64_t v;
    if (!memory_from(text, &end, &v) || *end)
        return false;
    *bytes = v;
    return true;
}

bool mps_memory_list(const char *text, uint64_t bytes[MPS_DEVICES]) {
    uint64_t all[MPS_DEVICES] = {0};
    for (char *end;; text = end + 1) {
        unsigned long device = strtoul(text, &end, 10);
        if (end == text || *end != '=' || device >= MPS_DEVICES ||
            !memory_from(end + 1, &end, &all[device]))
            return false;
        if (!*end)
            break;
        if (*end != ',')
            return false;
    }
    memcpy(bytes, all, sizeof all);
    return true;
}

bool mps_priority(const char *text, int *out) {
    bool ok = (*text == '0' || *text == '1') && !text[1];
    if (ok)
        *out = *text - '0';
    return ok;
}
