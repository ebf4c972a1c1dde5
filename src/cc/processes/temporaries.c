#define _GNU_SOURCE // O_TMPFILE
#include "cc/processes/temporaries.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cc/processes/cc.h"
#include "cc/processes/children.h"
#include "cc/processes/command.h"
#include "support/environment.h"

static char directory[4096]; // "" when there is none
enum { MOST_OTHERS = 4 };
static char others[MOST_OTHERS][4096];
static const char *keep_directory;
static unsigned counter, file_number;

void temporaries_remove(const char *path) {
    DIR *d = opendir(path);
    if (d) {
        for (struct dirent *e; (e = readdir(d));)
            if (unlinkat(dirfd(d), e->d_name, 0))
                unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
        closedir(d);
    }
    rmdir(path);
}

static void remove_directory(void) {
    if (directory[0])
        temporaries_remove(directory);
    directory[0] = 0;
}

void temporaries_add(const char *folder) {
    for (int i = 0; i < MOST_OTHERS; ++i)
        if (!others[i][0] || !strcmp(others[i], folder)) {
            snprintf(others[i], sizeof others[i], "%s", folder);
            return;
        }
}

// Ends as the signal's default action would, but the children, too, and cleans up.
static void on_signal(int signal_number) {
    children_end();
    remove_directory();
    for (int i = 0; i < MOST_OTHERS; ++i)
        if (others[i][0])
            temporaries_remove(others[i]);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

// What is ignored stays so.
static void end_on_signals(void) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i)
        if (signal(ends[i], on_signal) == SIG_IGN)
            signal(ends[i], SIG_IGN);
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
    end_on_signals();
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

// Tries with a file that has no name. 0: there is space, or nobody can tell.
static int space_error(const char *folder) {
    enum { PROBE_BYTES = 16 << 20 };
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN); // a limit of the process is an error, too
    int fd = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    int error = fd < 0 ? errno : posix_fallocate(fd, 0, PROBE_BYTES);
    if (fd >= 0)
        close(fd);
    signal(SIGXFSZ, before);
    return error == ENOSPC || error == EDQUOT || error == EFBIG ? error : 0;
}

void temporaries_explain(const char *output_folder) {
    int error = 0;
    if (!directory[0] || command_mode.dry_run)
        return;
    if ((error = space_error(directory)) != 0)
        cc_error("the temporary directory %s has no space for 16 MiB: %s (TMPDIR names another)",
                 directory, strerror(error));
    if ((error = space_error(output_folder)) != 0)
        cc_error("the folder %s has no space for 16 MiB: %s", output_folder, strerror(error));
}

void temporaries_forget(void) {
    directory[0] = 0;
    memset(others, 0, sizeof others);
}
