#define _GNU_SOURCE // pipe2
#include "cc/processes/mpi_wrapper.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cc/processes/command.h"

enum { MOST_BYTES = 1 << 16 };

bool mpi_wrapper_is(const char *program) {
    const char *slash = strrchr(program, '/');
    return !strncmp(slash ? slash + 1 : program, "mpi", 3);
}

// The end of a pipe is read while the program writes, so that it cannot be blocked by a full one.
static size_t read_all(int fd, char *text, size_t room) {
    size_t n = 0;
    for (;;) {
        ssize_t got = read(fd, text + n, room - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || (n += (size_t)got) == room)
            return n;
    }
}

// What the program prints with this option; NULL: it fails.
static const char *ask(struct arena *arena, const char *program, const char *option) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    struct command c;
    command_init(&c, arena, "MPI", program);
    command_arg(&c, option);
    c.stdin_path = c.stderr_path = "/dev/null";
    c.stdout_path = arena_printf(arena, "/proc/self/fd/%d", ends[1]);
    char *text = arena_array(arena, char, MOST_BYTES + 1);
    bool started = command_start(&c);
    close(ends[1]);
    size_t n = started ? read_all(ends[0], text, MOST_BYTES) : 0;
    close(ends[0]);
    text[n] = 0;
    return started && command_wait(&c) == 0 && n < MOST_BYTES ? text : NULL;
}

const char *mpi_wrapper_options(struct arena *arena, const char *program, bool link) {
    // Open MPI's have the options alone, MPICH's and its descendants' the compiler before them.
    const char *text = ask(arena, program, link ? "--showme:link" : "--showme:compile");
    if (text)
        return text;
    text = ask(arena, program, link ? "-link_info" : "-compile_info");
    return text ? text + strcspn(text, " \n") : NULL;
}
