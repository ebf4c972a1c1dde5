#define _GNU_SOURCE // dladdr1, posix_spawn's kin
#include "support/check_host.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check_tools.h"
#include "support/run_report.h"

extern char **environ;

enum { FRAMES = 48, SHOWN = 8, PLACES = 256, TEXT = 4096 };

// ---- source lines -------------------------------------------------------------------------

static pid_t start(const char *program, char **arguments, int out) {
    posix_spawn_file_actions_t files;
    pid_t child;
    if (posix_spawn_file_actions_init(&files))
        return -1;
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&child, program, &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    return failed ? -1 : child;
}

static size_t read_all(int fd, char *text, size_t size) {
    size_t n = 0;
    ssize_t r;
    while (n + 1 < size && (r = read(fd, text + n, size - 1 - n)) > 0)
        n += (size_t)r;
    text[n] = 0;
    return n;
}

// Asks a program that reads debug information: "function\nfile:line\n". False: none could be run,
// or it knew nothing.
static bool ask(const char *program, const char *module, uint64_t offset, char *text, size_t size) {
    char at[32];
    int ends[2];
    char *arguments[] = {(char *)program, (char *)"-f", (char *)"-C", (char *)"-e",
                         (char *)module,  at,           NULL};
    snprintf(at, sizeof at, "0x%llx", (unsigned long long)offset);
    if (pipe2(ends, O_CLOEXEC))
        return false;
    pid_t child = start(program, arguments, ends[1]);
    close(ends[1]);
    size_t n = child > 0 ? read_all(ends[0], text, size) : 0;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return n && !strstr(text, "??:") && strchr(text, '\n');
}

static bool source_of(const char *module, uint64_t offset, char *text, size_t size) {
    static const char *const programs[] = {"addr2line", "llvm-addr2line-19", "llvm-addr2line",
                                           "/usr/lib/llvm-19/bin/llvm-addr2line"};
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
        if (ask(programs[k], module, offset, text, size))
            return true;
    return false;
}

// ---- frames -------------------------------------------------------------------------------

static void add(char *out, const char *text) {
    size_t n = strlen(out);
    snprintf(out + n, TEXT - n, "%s", text);
}

// One frame's line; how many remain to be shown.
static void add_frame(char *out, const void *pc) {
    Dl_info info;
    struct link_map *map = NULL;
    char source[1024], line[1400];
    if (!dladdr1(pc, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname)
        return;
    uint64_t offset = (uint64_t)(uintptr_t)pc - 1 - (map ? (uint64_t)map->l_addr : 0);
    const char *module = *info.dli_fname ? info.dli_fname : "/proc/self/exe";
    char *at = source_of(module, offset, source, sizeof source) ? strchr(source, '\n') : NULL;
    if (at) {
        *at++ = 0;
        at[strcspn(at, "\n (")] = 0;
        snprintf(line, sizeof line, "=========     Host Frame: %s in %s\n", source, at);
    } else {
        snprintf(line, sizeof line, "=========     Host Frame: %s [0x%llx] in %s\n",
                 info.dli_sname ? info.dli_sname : "", (unsigned long long)offset, module);
    }
    add(out, line);
}

static const void *base_of(const void *pc, const char **symbol) {
    Dl_info info;
    if (!dladdr(pc, &info))
        return NULL;
    if (symbol)
        *symbol = info.dli_sname;
    return info.dli_fbase;
}

// The frame that called the library, and the library's function that it called.
static int caller(void *const *frames, int n, const char **function) {
    const void *own = base_of((const void *)check_host_failed, NULL);
    int k = 0;
    while (k < n && base_of(frames[k], function) == own)
        k++;
    if (k > 0)
        base_of(frames[k - 1], function);
    return k;
}

static bool is_new(const void *pc) {
    static _Atomic(const void *) places[PLACES];
    for (int k = 0; k < PLACES; k++) {
        const void *there = NULL;
        if (atomic_compare_exchange_strong(&places[k], &there, pc))
            return true;
        if (there == pc)
            return false;
    }
    return false;
}

static bool is_about_memory(const char *function) {
    static const char *const families[] = {"cudaFree", "cudaMemcpy", "cudaMemset"};
    for (size_t k = 0; function && k < sizeof families / sizeof *families; k++)
        if (!strncmp(function, families[k], strlen(families[k])))
            return true;
    return false;
}

void check_host_failed(int error, const char *name, const char *text, const char *reason) {
    void *frames[FRAMES];
    const char *function = NULL;
    if (!(check_tools() & CHECK_MEMORY))
        return;
    int n = backtrace(frames, FRAMES), first = caller(frames, n, &function);
    if (first == n || !is_about_memory(function) || !is_new(frames[first]))
        return;
    char *out = calloc(1, TEXT), line[1024];
    if (!out)
        return;
    run_report_checked();
    snprintf(line, sizeof line,
             "========= Program hit %s (error %d) due to \"%s\" on CUDA API call to %s.\n", name,
             error, text, function);
    add(out, line);
    if (reason && *reason) {
        snprintf(line, sizeof line, "=========     %s\n", reason);
        add(out, line);
    }
    for (int k = first; k < n && k < first + SHOWN; k++) {
        Dl_info info;
        if (dladdr(frames[k], &info) && info.dli_fname && strstr(info.dli_fname, "libc.so"))
            break;
        add_frame(out, frames[k]);
    }
    add(out, "=========\n");
    ssize_t written = write(STDOUT_FILENO, out, strlen(out));
    (void)written;
    free(out);
}
