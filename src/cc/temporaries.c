#include "cc/temporaries.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cc/cc.h"
#include "cc/command.h"
#include "support/environment.h"

static char directory[4096]; // "" when there is none
static const char *keep_directory;
static unsigned counter, file_number;

static void remove_directory(void) {
    if (!directory[0])
        return;
    DIR *d = opendir(directory);
    if (d) {
        for (struct dirent *e; (e = readdir(d));)
            if (unlinkat(dirfd(d), e->d_name, 0))
                unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
        closedir(d);
    }
    rmdir(directory);
    directory[0] = 0;
}

// Children get the terminal's signal themselves; what is left to do is to clean up and to end as
// the signal's default action would.
static void on_signal(int signal_number) {
    remove_directory();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

bool temporaries_open(const char *keep_dir) {
    keep_directory = keep_dir;
    if (keep_dir && mkdir(keep_dir, 0777) && errno != EEXIST)
        return cc_error("cannot make the directory %s: %s", keep_dir, strerror(errno));
    const char *base = environment_get("TMPDIR");
    if (!base || !*base)
        base = "/tmp";
    if (command_mode.dry_run) {
        snprintf(directory, sizeof directory, "%s/kudzu-cc", base);
        return true;
    }
    snprintf(directory, sizeof directory, "%s/kudzu-cc-XXXXXX", base);
    if (!mkdtemp(directory)) {
        directory[0] = 0;
        return cc_error("cannot make a temporary directory in %s: %s", base, strerror(errno));
    }
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    signal(SIGHUP, on_signal);
    return true;
}

const char *temporary_path(struct arena *arena, const char *stem, const char *suffix) {
    if (keep_directory)
        return arena_printf(arena, "%s/%s.%s", keep_directory, stem, suffix);
    return arena_printf(arena, "%s/%u.%u-%s.%s", directory, file_number, counter++, stem, suffix);
}

const char *scratch_path(struct arena *arena, const char *suffix) {
    return arena_printf(arena, "%s/%u.%u.%s", directory, file_number, counter++, suffix);
}

void temporaries_begin_file(unsigned number) {
    file_number = number;
}

void temporaries_close(void) {
    if (!command_mode.dry_run)
        remove_directory();
}

void temporaries_explain(void) {
    enum { PROBE_BYTES = 16 << 20 };
    struct arena arena = {0};
    if (!directory[0] || command_mode.dry_run)
        return;
    const char *path = arena_printf(&arena, "%s/probe", directory);
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN); // a limit of the process is an error, too
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int error = fd < 0 ? errno : posix_fallocate(fd, 0, PROBE_BYTES);
    if (fd >= 0)
        close(fd);
    unlink(path);
    signal(SIGXFSZ, before);
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        cc_error("the temporary directory %s has no space for 16 MiB: %s (TMPDIR names another)",
                 directory, strerror(error));
    arena_free(&arena);
}

void temporaries_forget(void) {
    directory[0] = 0;
}
