#include "tools/check/schedules.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

uint64_t check_schedule_of(uint64_t seed, uint64_t k) {
    enum { MOST = 1000000007 };
    return k < 2 ? k : 2 + (seed * 7919 + k) % MOST;
}

struct text {
    const char *at;
    size_t size;
};

static struct text map(int fd) {
    struct stat st;
    void *p = !fstat(fd, &st) && st.st_size > 0
                  ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                  : MAP_FAILED;
    return p == MAP_FAILED ? (struct text){"", 0} : (struct text){p, (size_t)st.st_size};
}

static void unmap(struct text t) {
    if (t.size)
        munmap((void *)t.at, t.size);
}

static const char *line_at(struct arena *arena, struct text t, size_t from) {
    enum { MOST = 160 };
    const char *end = memchr(t.at + from, '\n', t.size - from);
    size_t n = end ? (size_t)(end - t.at) - from : t.size - from;
    return from < t.size ? arena_strndup(arena, t.at + from, n < MOST ? n : MOST) : "(the end)";
}

// The first line that differs.
static const char *difference(struct arena *arena, struct text a, struct text b) {
    size_t k = 0, line = 0, number = 1, least = a.size < b.size ? a.size : b.size;
    for (; k < least && a.at[k] == b.at[k]; k++)
        if (a.at[k] == '\n') {
            line = k + 1;
            number++;
        }
    if (k == a.size && k == b.size)
        return NULL;
    return arena_printf(arena, "line %zu of the output is \"%s\" in place of \"%s\"", number,
                        line_at(arena, b, line), line_at(arena, a, line));
}

static const char *ending(struct arena *arena, int status) {
    return WIFSIGNALED(status) ? arena_printf(arena, "signal %d", WTERMSIG(status))
                               : arena_printf(arena, "status %d", WEXITSTATUS(status));
}

bool check_runs_differ(struct arena *arena, const struct check_run *first,
                       const struct check_run *other, struct check_record *r) {
    struct text a = map(first->output), b = map(other->output);
    const char *what = difference(arena, a, b);
    unmap(a);
    unmap(b);
    *r = (struct check_record){.kind = "schedule",
                               .what = "Results depend on the order in which threads come"};
    if (first->status != other->status)
        r->lines[r->nlines++] =
            arena_printf(arena, "the program ends with %s in place of %s",
                         ending(arena, other->status), ending(arena, first->status));
    if (what)
        r->lines[r->nlines++] = what;
    r->lines[r->nlines] =
        arena_printf(arena, "KUDZU_SCHEDULE=%" PRIu64 " has this order", other->schedule);
    return r->nlines++ > 0;
}
