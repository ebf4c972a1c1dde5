// Files without an end, or larger than allowed, are refused; nothing waits.
#include "support/whole_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

// `expected`: the text, or NULL where the file is refused with a reason that contains `reason`.
static void expect(const char *path, enum whole_file_kinds kinds, uint64_t most,
                   const char *expected, const char *reason) {
    struct whole_file f;
    bool ok = whole_file_read(&f, path, kinds, most);
    if (ok != !!expected ||
        (ok && (f.size != strlen(expected) || memcmp(f.data, expected, f.size + 1) != 0)) ||
        (!ok && (!strstr(f.why, reason) || f.data))) {
        printf("%s: %s\n", path, ok ? "is read, or wrong" : f.why);
        failures++;
    }
    free(f.data);
}

static void expect_end(const char *path, bool has) {
    if (whole_file_has_end(path) == has)
        return;
    printf("%s: %s\n", path, has ? "is taken for endless" : "is taken for a file");
    failures++;
}

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f)) {
        perror(path);
        exit(1);
    }
}

static void pipes(void) {
    char path[32];
    int ends[2];
    if (mkfifo("fifo", 0600) || pipe(ends))
        exit(1);
    expect("fifo", WHOLE_FILE_REGULAR, 100, NULL, "no regular file");
    expect("fifo", WHOLE_FILE_PIPES, 100, "", NULL); // nobody writes
    pid_t child = fork();
    if (!child) {
        close(ends[0]);
        usleep(50000);
        _exit(write(ends[1], "slow ", 5) + write(ends[1], "text", 4) != 9);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    expect(path, WHOLE_FILE_PIPES, 100, "slow text", NULL);
    close(ends[0]);
    waitpid(child, NULL, 0);
}

int main(void) {
    char base[] = "/tmp/kudzu-test-XXXXXX", command[64];
    if (!mkdtemp(base) || chdir(base)) {
        perror(base);
        return 1;
    }
    write_text("text", "a text");
    write_text("empty", "");
    expect("text", WHOLE_FILE_REGULAR, 100, "a text", NULL);
    expect("text", WHOLE_FILE_REGULAR, 6, "a text", NULL);
    expect("text", WHOLE_FILE_REGULAR, 5, NULL, "more than 5");
    expect("empty", WHOLE_FILE_REGULAR, 0, "", NULL);
    expect("missing", WHOLE_FILE_PIPES, 100, NULL, "No such file");
    expect(".", WHOLE_FILE_PIPES, 100, NULL, "directory");
    expect("/dev/zero", WHOLE_FILE_REGULAR, 100, NULL, "device");
    expect("/dev/zero", WHOLE_FILE_PIPES, 100, NULL, "device");
    expect("/dev/null", WHOLE_FILE_REGULAR, 100, NULL, "device");
    expect("/dev/null", WHOLE_FILE_PIPES, 100, "", NULL);
    // The kernel's own files have no size.
    expect("/proc/self/comm", WHOLE_FILE_REGULAR, 100, "test_whole_file\n", NULL);
    expect("/proc/self/comm", WHOLE_FILE_REGULAR, 4, NULL, "larger than 4");
    if (truncate("text", 1ll << 40))
        failures++;
    expect("text", WHOLE_FILE_REGULAR, 1ull << 32, NULL, "more than 4294967296");
    expect_end("empty", true);
    expect_end("missing", true);
    expect_end("/dev/null", true);
    expect_end("/dev/zero", false);
    expect_end("/dev/urandom", false);
    pipes();
    snprintf(command, sizeof command, "rm -r %s", base);
    return system(command) || failures;
}
