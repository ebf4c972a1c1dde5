#include "cc/processes/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cc/processes/children.h"
#include "support/environment.h"
#include "support/strbuf.h"

extern char **environ;
struct command_mode command_mode;

void command_init(struct command *c, struct arena *arena, const char *what, const char *program) {
    memset(c, 0, sizeof *c);
    c->arena = arena;
    c->what = what;
    command_arg(c, program);
}

void command_arg(struct command *c, const char *arg) {
    vec_push(c->arena, &c->args, arg);
}

void command_args(struct command *c, const cc_strings *args) {
    for (uint32_t i = 0; i < args->len; ++i)
        command_arg(c, args->data[i]);
}

void command_argf(struct command *c, const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    size_t size = (size_t)vsnprintf(NULL, 0, fmt, ap) + 1; // lists of lambdas are long
    char *text = arena_alloc(c->arena, size);
    vsnprintf(text, size, fmt, again);
    va_end(again);
    va_end(ap);
    command_arg(c, text);
}

static uint64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

// As a shell would need it written.
static void put_quoted(struct strbuf *b, const char *arg) {
    if (*arg && !strpbrk(arg, " \t\n\"'\\$`&|;<>()*?[]#~{}!")) {
        strbuf_puts(b, arg);
        return;
    }
    strbuf_puts(b, "'");
    for (; *arg; ++arg)
        if (*arg == '\'')
            strbuf_puts(b, "'\\''");
        else
            strbuf_append(b, arg, 1);
    strbuf_puts(b, "'");
}

static void show(const struct command *c) {
    struct strbuf b = {0};
    strbuf_puts(&b, "#$");
    if (c->environment)
        strbuf_printf(&b, " %s", c->environment);
    for (uint32_t i = 0; i < c->args.len; ++i) {
        strbuf_puts(&b, " ");
        put_quoted(&b, c->args.data[i]);
    }
    strbuf_puts(&b, "\n");
    fputs(strbuf_str(&b), stderr);
    strbuf_free(&b);
}

static bool redirect(posix_spawn_file_actions_t *actions, int fd, const char *path) {
    int flags = fd ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY;
    return !path || !posix_spawn_file_actions_addopen(actions, fd, path, flags, 0600);
}

// LLVM need not look for its functions' names when it crashes (clang_failures.h). What a program
// with rights of its own starts has nothing of its caller's environment.
static char **environment_of(const struct command *c) {
    static char *none[] = {"PATH=" ENVIRONMENT_SYSTEM_PATH, NULL};
    char **given = environment_is_trusted() ? environ : none;
    size_t n = 0, own = 0;
    while (given[n])
        ++n;
    char **all = arena_array(c->arena, char *, n + 4);
    all[own++] = "LLVM_DISABLE_SYMBOLIZATION=1";
    all[own++] = (char *)arena_printf(c->arena, CC_COMMAND_VARIABLE "=%s", cc_command_name());
    if (c->environment)
        all[own++] = (char *)c->environment;
    memcpy(all + own, given, (n + 1) * sizeof *all);
    return all;
}

// The child gets the signals that this process gets.
static int spawn(struct command *c, const posix_spawn_file_actions_t *actions, char **environment) {
    posix_spawnattr_t attributes;
    sigset_t before;
    children_begin_start(&before);
    int error = posix_spawnattr_init(&attributes);
    if (!error) {
        posix_spawnattr_setsigmask(&attributes, &before);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        error = posix_spawnp(&c->pid, c->args.data[0], actions, &attributes, (char **)c->args.data,
                             environment);
        posix_spawnattr_destroy(&attributes);
    }
    children_end_start(error ? 0 : c->pid, &before);
    return error;
}

bool command_start(struct command *c) {
    if (command_mode.verbose || command_mode.dry_run)
        show(c);
    c->start_us = now_us();
    if (command_mode.dry_run) {
        c->done = true;
        return true;
    }
    vec_push(c->arena, &c->args, NULL);
    c->args.len--;
    char **environment = environment_of(c);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    int error = 0;
    if (!redirect(&actions, 0, c->stdin_path) || !redirect(&actions, 1, c->stdout_path) ||
        !redirect(&actions, 2, c->stderr_path))
        error = ENOMEM;
    // A descriptor that becomes itself loses its close-on-exec mark.
    for (uint32_t i = 0; i < c->inherited_count && !error; ++i)
        error = posix_spawn_file_actions_adddup2(&actions, c->inherited[i], c->inherited[i]);
    if (!error)
        error = spawn(c, &actions, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (error) {
        c->pid = 0;
        c->done = true;
        c->status = 1;
        return cc_error("cannot run %s: %s", c->args.data[0], strerror(error));
    }
    return true;
}

static void note_time(const struct command *c) {
    if (!command_mode.time_file || !c->what)
        return;
    FILE *f = strcmp(command_mode.time_file, "-") ? fopen(command_mode.time_file, "a") : stdout;
    if (!f)
        return;
    fprintf(f, "%s,%.3f,ms\n", c->what, (double)(c->end_us - c->start_us) / 1000);
    if (f != stdout)
        fclose(f);
}

static void finish(struct command *c, int status) {
    c->end_us = now_us();
    c->done = true;
    children_ended(c->pid);
    c->pid = 0;
    c->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM)
        cc_error("%s was ended by signal %d (%s)", c->args.data[0], WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    note_time(c);
}

static void lose(struct command *c, int status) {
    children_ended(c->pid);
    c->done = true;
    c->status = status;
}

int command_wait(struct command *c) {
    int status;
    while (!c->done)
        if (waitpid(c->pid, &status, 0) == c->pid)
            finish(c, status);
        else if (errno != EINTR)
            lose(c, errno == ECHILD ? -1 : 1);
    return c->status;
}

bool command_poll(struct command *c) {
    int status;
    if (!c->done && waitpid(c->pid, &status, WNOHANG) == c->pid)
        finish(c, status);
    return c->done;
}

void command_kill(struct command *c) {
    if (!c->done && c->pid > 0)
        kill(c->pid, SIGTERM);
    command_wait(c);
}

bool command_run(struct command *c) {
    return command_start(c) && command_wait(c) == 0;
}
