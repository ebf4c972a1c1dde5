// The file's bytes are the modes; behind them lie bytes that processes lock while they have
// contexts: one that may be shared in the default mode, alone in the exclusive one. Such locks
// belong to the open file, not to the process: whoever else in the process reads the file and
// closes it does not give them back.
#define _GNU_SOURCE
#include "support/compute_modes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/environment.h"
#include "support/private_folder.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned contexts[COMPUTE_MODE_DEVICES]; // of this process
static int locked_file = -1;                    // stays open: closing it would drop the locks

static bool folder(char path[PATH_MAX]) {
    const char *xdg = environment_get("XDG_CONFIG_HOME"), *home = environment_get("HOME");
    int n = xdg && xdg[0] == '/' ? snprintf(path, PATH_MAX, "%s/kudzu", xdg)
            : home && *home      ? snprintf(path, PATH_MAX, "%s/.config/kudzu", home)
                                 : -1;
    return n > 0 && n < PATH_MAX;
}

// -1: it is not there, or others can write it.
static int open_file(bool make) {
    char path[PATH_MAX];
    errno = ENOENT;
    int at = folder(path) ? private_folder_open(path, make) : -1;
    if (at < 0)
        return -1;
    int fd =
        openat(at, "compute-modes", O_RDWR | O_CLOEXEC | O_NOFOLLOW | (make ? O_CREAT : 0), 0600);
    int error = errno;
    close(at);
    if (fd >= 0 && !private_file_is(fd)) {
        close(fd);
        fd = -1;
        error = EACCES;
    }
    errno = error;
    return fd;
}

static enum compute_mode read_mode(int fd, unsigned device) {
    char digit = '0';
    if (fd < 0 || pread(fd, &digit, 1, device) != 1)
        return COMPUTE_MODE_DEFAULT;
    return digit == '2'   ? COMPUTE_MODE_PROHIBITED
           : digit == '3' ? COMPUTE_MODE_EXCLUSIVE
                          : COMPUTE_MODE_DEFAULT;
}

enum compute_mode compute_mode_get(unsigned device) {
    int fd = open_file(false);
    enum compute_mode mode = read_mode(fd, device);
    if (fd >= 0)
        close(fd);
    return mode;
}

bool compute_mode_set(unsigned device, enum compute_mode mode) {
    char modes[COMPUTE_MODE_DEVICES];
    int fd = open_file(true);
    if (fd < 0)
        return false;
    // A new file is filled; two that do so at once write the same.
    memset(modes, '0', sizeof modes);
    ssize_t have = pread(fd, modes, sizeof modes, 0);
    bool good =
        have == sizeof modes || (have >= 0 && pwrite(fd, modes, sizeof modes, 0) == sizeof modes);
    char digit = (char)('0' + mode);
    good = good && pwrite(fd, &digit, 1, device) == 1;
    int error = errno;
    close(fd);
    errno = error;
    return good;
}

static bool set_lock(unsigned device, short type) {
    struct flock range = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = COMPUTE_MODE_DEVICES + device, .l_len = 1};
    return !fcntl(locked_file, F_OFD_SETLK, &range);
}

static bool may_enter(unsigned device) {
    if (locked_file < 0)
        locked_file = open_file(false);
    switch (read_mode(locked_file, device)) {
    case COMPUTE_MODE_PROHIBITED:
        return false;
    case COMPUTE_MODE_EXCLUSIVE:
        return !contexts[device] && set_lock(device, F_WRLCK);
    default:
        // Who was alone when the mode changed may stay so.
        if (locked_file >= 0 && !contexts[device])
            (void)set_lock(device, F_RDLCK);
        return true;
    }
}

bool compute_mode_enter(unsigned device) {
    pthread_mutex_lock(&lock);
    bool allowed = may_enter(device);
    contexts[device] += allowed;
    pthread_mutex_unlock(&lock);
    return allowed;
}

void compute_mode_leave(unsigned device) {
    pthread_mutex_lock(&lock);
    if (!--contexts[device] && locked_file >= 0)
        (void)set_lock(device, F_UNLCK);
    pthread_mutex_unlock(&lock);
}
