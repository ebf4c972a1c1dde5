// Folders that a cache may use, and those in which another user has a hand. Without root there is
// no other user: then half of the cases are left out, and the test counts as skipped.
#include "support/private_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OTHER = 65533, SKIPPED = 77 };
static int failures;

static void expect(const char *path, bool make, bool good) {
    if (private_folder_is(path, make) == good)
        return;
    printf("%s: %s\n", path, good ? "is refused" : "is taken");
    failures++;
}

static void folder(const char *path, mode_t mode, uid_t owner) {
    if (mkdir(path, 0700) || (owner != geteuid() && chown(path, owner, owner)) ||
        chmod(path, mode)) {
        perror(path);
        exit(1);
    }
}

static void link_to(const char *target, const char *path, uid_t owner) {
    if (symlink(target, path) || (owner != geteuid() && lchown(path, owner, owner))) {
        perror(path);
        exit(1);
    }
}

static void alone(void) {
    uid_t me = geteuid();
    folder("mine", 0700, me);
    expect("mine", false, true);
    folder("mine/readable", 0755, me);
    expect("mine/readable", false, true);
    folder("mine/group", 0770, me);
    expect("mine/group", false, false);
    folder("mine/all", 0777, me);
    expect("mine/all", false, false);
    expect("mine/all/below", true, false);
    folder("mine/sticky", 01777, me);
    expect("mine/sticky", false, false); // others can put files there
    expect("mine/sticky/new/newer", true, true);
    expect("mine/missing", false, false);
    expect("mine/a/b/c", true, true);
    expect("mine/a/b/c/", false, true);
    expect("mine/a/../a/./b//c", false, true);
    link_to("a/b", "mine/link", me);
    expect("mine/link/c", false, true);
    link_to("../mine/all", "mine/astray", me);
    expect("mine/astray", false, false);
    link_to("round", "mine/round", me);
    expect("mine/round", false, false);
    expect("mine/round", true, false);
    link_to("nowhere", "mine/dangling", me);
    expect("mine/dangling", false, false);
    expect("mine/dangling/x", true, true); // the user's own link says where
    int fd = open("mine/file", O_CREAT | O_RDWR, 0600);
    expect("mine/file", true, false);
    if (!private_file_is(fd) || fchmod(fd, 0620) || private_file_is(fd)) {
        printf("a file's mode is not looked at\n");
        failures++;
    }
    close(fd);
    char deep[5000];
    memset(deep, 'x', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    expect(deep, true, false);
    deep[300] = 0;
    expect(deep, true, false);
    expect("", true, false);
}

static void with_another(void) {
    folder("theirs", 0755, OTHER);
    expect("theirs", false, false);
    expect("theirs/new", true, false);
    folder("theirs/mine", 0700, 0);
    expect("theirs/mine", false, false); // its owner can put another in its place
    folder("public", 01777, 0);
    folder("public/planted", 0777, OTHER);
    expect("public/planted", false, false);
    folder("public/mine", 0700, 0);
    expect("public/mine", false, true);
    link_to("../mine", "public/trap", OTHER);
    expect("public/trap", false, false); // it can be made to lead elsewhere
    link_to("../theirs", "public/my_link", 0);
    expect("public/my_link", false, false);
    folder("shared", 0777, 0); // without the sticky bit
    folder("shared/mine", 0700, 0);
    expect("shared/mine", false, false);
    int fd = open("mine/foreign", O_CREAT | O_RDWR, 0600);
    if (fd < 0 || fchown(fd, OTHER, OTHER) || private_file_is(fd)) {
        printf("a file's owner is not looked at\n");
        failures++;
    }
    close(fd);
}

int main(void) {
    char base[] = "/tmp/kudzu-test-XXXXXX", command[64];
    if (!mkdtemp(base) || chdir(base)) {
        perror(base);
        return 1;
    }
    umask(0);
    alone();
    bool root = geteuid() == 0;
    if (root)
        with_another();
    snprintf(command, sizeof command, "rm -r %s", base);
    if (system(command))
        failures++;
    if (failures)
        return 1;
    if (!root)
        printf("skipped: another user's folders (not root)\n");
    return root ? 0 : SKIPPED;
}
