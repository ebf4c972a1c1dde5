#define _GNU_SOURCE // dup3
#include "cc/processes/background.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cc/processes/temporaries.h"

enum { KEPT = 3 };

static void lower_priority(void) {
    if (nice(19) < 0) // as low as it gets
        return;
    // Where the system shares time out among sessions first, this one's has a value of its own. It
    // gets a tenth of a core's time then, whatever else there is to do: what it makes saves more.
    int fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (write(fd, "10", 2) < 0) // then it runs as any other
        perror("autogroup");
    close(fd);
}

// As closefrom, which glibc has since 2.34.
static void close_from(int first) {
    DIR *open_files = opendir("/proc/self/fd");
    if (!open_files)
        return;
    for (struct dirent *e; (e = readdir(open_files));) {
        int fd = atoi(e->d_name);
        if (fd >= first && fd != dirfd(open_files))
            close(fd);
    }
    closedir(open_files);
}

// The kept descriptor becomes the first behind the standard ones.
static bool leave_files(int kept) {
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || chdir("/"))
        return false;
    for (int fd = 0; fd < 3; ++fd)
        if (dup2(null, fd) < 0)
            return false;
    if (kept != KEPT && dup3(kept, KEPT, O_CLOEXEC) < 0)
        return false;
    close_from(KEPT + 1);
    return true;
}

bool background_begin(int *kept) {
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child > 0) { // whoever waits for all its children must not meet this one
        while (waitpid(child, NULL, 0) < 0)
            if (errno != EINTR)
                break;
        return false;
    }
    temporaries_forget();
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; ++i)
        signal(caught[i], SIG_DFL);
    if (setsid() < 0 || !leave_files(*kept) || fork() != 0)
        _exit(0);
    lower_priority();
    *kept = KEPT;
    return true;
}
