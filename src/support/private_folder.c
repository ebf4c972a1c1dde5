#define _GNU_SOURCE // O_PATH
#include "support/private_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

// The way that is left, without slashes before it.
struct way {
    char left[PATH_MAX];
    int fd; // where it begins
    unsigned links;
    bool make;
};

static bool only_mine(const struct stat *st) {
    return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static bool own_group(const struct stat *st) {
    return st->st_gid == getegid() && st->st_gid == geteuid();
}

// Whether others can put something else in the place of what is in a folder. Who owns a folder can
// change its mode; under the sticky bit others cannot touch what is not theirs.
static bool is_safe_above(const struct stat *st) {
    mode_t others = st->st_mode & (own_group(st) ? S_IWOTH : S_IWGRP | S_IWOTH);
    return (st->st_uid == geteuid() || st->st_uid == 0) && (!others || (st->st_mode & S_ISVTX));
}

static bool go_to(struct way *w, int fd) {
    if (w->fd >= 0)
        close(w->fd);
    w->fd = fd;
    return fd >= 0;
}

static bool go_to_root(struct way *w) {
    return go_to(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// What the link names comes before what is left.
static bool follow(struct way *w, const char *link) {
    char target[PATH_MAX], left[PATH_MAX];
    ssize_t n = readlinkat(w->fd, link, target, sizeof target - 1);
    if (n <= 0 || ++w->links > MOST_LINKS)
        return false;
    target[n] = 0;
    int size = snprintf(left, sizeof left, "%s/%s", target, w->left);
    if (size < 0 || (size_t)size >= sizeof left || (*target == '/' && !go_to_root(w)))
        return false;
    memcpy(w->left, left, (size_t)size + 1);
    return true;
}

static bool enter(struct way *w, const char *name) {
    struct stat st;
    int fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && w->make && (!mkdirat(w->fd, name, 0700) || errno == EEXIST))
        fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = fstat(fd, &st) == 0;
    if (ok && S_ISLNK(st.st_mode) && (st.st_uid == geteuid() || st.st_uid == 0)) {
        close(fd);
        return follow(w, name);
    }
    if (ok && S_ISDIR(st.st_mode) && is_safe_above(&st))
        return go_to(w, fd);
    close(fd);
    return false;
}

static bool walk(struct way *w) {
    struct stat st;
    char name[NAME_MAX + 1];
    for (;;) {
        size_t slashes = strspn(w->left, "/");
        memmove(w->left, w->left + slashes, strlen(w->left + slashes) + 1);
        size_t n = strcspn(w->left, "/");
        if (!n)
            return fstat(w->fd, &st) == 0 && S_ISDIR(st.st_mode) && only_mine(&st);
        if (n > NAME_MAX)
            return false;
        memcpy(name, w->left, n);
        name[n] = 0;
        memmove(w->left, w->left + n, strlen(w->left + n) + 1);
        if (!enter(w, name))
            return false;
    }
}

// From the root on, so that every folder is looked at.
static bool begin(struct way *w, const char *path, bool make) {
    char here[PATH_MAX];
    *w = (struct way){.fd = -1, .make = make};
    if (!*path)
        return false;
    int n = *path == '/'                ? snprintf(w->left, sizeof w->left, "%s", path)
            : getcwd(here, sizeof here) ? snprintf(w->left, sizeof w->left, "%s/%s", here, path)
                                        : -1;
    return n > 0 && (size_t)n < sizeof w->left && go_to_root(w);
}

int private_folder_open(const char *path, bool make) {
    struct way w;
    int fd = -1;
    if (begin(&w, path, make) && walk(&w))
        fd = openat(w.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (w.fd >= 0)
        close(w.fd);
    return fd;
}

bool private_folder_is(const char *path, bool make) {
    int fd = private_folder_open(path, make);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bool private_file_is(int fd) {
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && only_mine(&st);
}
