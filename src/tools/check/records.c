#define _GNU_SOURCE // memfd_create
#include "tools/check/records.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cc/processes/cc.h"

// ---- Decoding -----------------------------------------------------------------------------

static const char *read_text(struct arena *arena, const char *text, size_t n) {
    char *out = arena_alloc(arena, n + 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        bool escaped = text[i] == '\\' && i + 1 < n;
        if (escaped)
            i++;
        out[k++] = escaped && text[i] == 'n' ? '\n' : text[i];
    }
    out[k] = 0;
    return out;
}

static const struct {
    const char *name;
    size_t at;
} texts[] = {
    {"kind", offsetof(struct check_record, kind)},
    {"what", offsetof(struct check_record, what)},
    {"kernel", offsetof(struct check_record, kernel)},
    {"frames", offsetof(struct check_record, frames_of)},
    {"call", offsetof(struct check_record, call)},
    {"error", offsetof(struct check_record, error)},
    {"message", offsetof(struct check_record, message)},
    {"held", offsetof(struct check_record, held)},
};

static bool read_simple(struct check_record *r, const char *name, const char *value) {
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (!strcmp(name, texts[k].name)) {
            memcpy((char *)r + texts[k].at, &value, sizeof value);
            return true;
        }
    return false;
}

static void read_three(const char *value, uint32_t out[3]) {
    for (int k = 0; k < 3; k++) {
        char *end;
        out[k] = (uint32_t)strtoul(value, &end, 10);
        value = end;
    }
}

static void read_of_site(struct check_site *s, const char *name, const char *value) {
    if (!strcmp(name, "file"))
        s->file = value;
    if (!strcmp(name, "line"))
        s->line = (uint32_t)strtoul(value, NULL, 10);
    if (!strcmp(name, "offset"))
        s->offset = (uint32_t)strtoul(value, NULL, 10);
}

static void read_of_frame(struct check_frame *f, const char *name, const char *value) {
    if (!strcmp(name, "offset"))
        f->offset = strtoull(value, NULL, 10);
    if (!strcmp(name, "symbol"))
        f->symbol = value;
}

static void read_line(struct check_record *r, const char *name, const char *value) {
    if (read_simple(r, name, value))
        return;
    if (!strcmp(name, "site")) {
        if (r->nsites < CHECK_RECORD_SITES)
            r->sites[r->nsites++].function = value;
    } else if (!strcmp(name, "more")) {
        if (r->nlines < CHECK_RECORD_LINES)
            r->lines[r->nlines++] = value;
    } else if (!strcmp(name, "frame")) {
        if (r->nframes < CHECK_RECORD_FRAMES)
            r->frames[r->nframes++].module = value;
    } else if (!strcmp(name, "thread")) {
        r->has_thread = true;
        read_three(value, r->thread);
    } else if (!strcmp(name, "block")) {
        read_three(value, r->block);
    } else if (!strcmp(name, "number")) {
        r->error_number = (int32_t)strtoul(value, NULL, 10);
    } else if (!strcmp(name, "host_thread")) {
        r->host_thread = (int32_t)strtol(value, NULL, 10);
    } else if (!strcmp(name, "process")) {
        r->process = (int32_t)strtol(value, NULL, 10);
    } else if (!strcmp(name, "leaked")) {
        r->leaked = strtoull(value, NULL, 10);
    } else if (r->nframes) {
        read_of_frame(&r->frames[r->nframes - 1], name, value);
    } else if (r->nsites) {
        read_of_site(&r->sites[r->nsites - 1], name, value);
    }
}

// The first record of `size` bytes; its texts are the arena's. Returns the bytes read; 0: there is
// no whole one.
static size_t decode(const char *text, size_t size, struct arena *arena, struct check_record *r) {
    *r = (struct check_record){.kind = "", .what = ""};
    for (size_t at = 0; at < size;) {
        const char *line = text + at, *end = memchr(line, '\n', size - at);
        if (!end)
            return 0;
        at = (size_t)(end - text) + 1;
        if (end == line)
            return at;
        const char *blank = memchr(line, ' ', (size_t)(end - line));
        if (blank)
            read_line(r, arena_strndup(arena, line, (size_t)(blank - line)),
                      read_text(arena, blank + 1, (size_t)(end - blank - 1)));
    }
    return 0;
}

// ---- The file -----------------------------------------------------------------------------

bool check_records_open(struct check_records *s) {
    char path[64];
    s->fd = memfd_create("kudzu-check", MFD_CLOEXEC);
    if (s->fd < 0)
        return cc_error("no file for reports: %s", strerror(errno));
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), s->fd);
    if (access(path, W_OK))
        return cc_error("%s: %s; reports come by this path", path, strerror(errno));
    setenv(CHECK_RECORDS_VARIABLE, path, 1);
    return true;
}

static void read_more(struct check_records *s) {
    char piece[4096];
    for (ssize_t n; (n = read(s->fd, piece, sizeof piece)) > 0;) {
        char *more = realloc(s->text, s->size + (size_t)n);
        if (!more)
            return;
        s->text = more;
        memcpy(s->text + s->size, piece, (size_t)n);
        s->size += (size_t)n;
    }
}

void check_records_take(struct check_records *s) {
    size_t at = 0, n;
    struct check_record r;
    read_more(s);
    while ((n = decode(s->text + at, s->size - at, s->arena, &r))) {
        at += n;
        s->take(s->data, &r);
    }
    if (at)
        memmove(s->text, s->text + at, s->size - at);
    s->size -= at;
}

void check_records_close(struct check_records *s) {
    close(s->fd);
    free(s->text);
}
