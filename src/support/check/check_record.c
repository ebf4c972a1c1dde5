// A record is lines "name value", with \ and newlines of values written as \\ and \n, and ends with
// an empty line. It is written at once, so that records of processes do not mix.
#include "support/check/check_record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/environment.h"

// ---- Encoding -----------------------------------------------------------------------------

static void put(FILE *out, const char *name, const char *value) {
    if (!value)
        return;
    fprintf(out, "%s ", name);
    for (; *value; value++)
        if (*value == '\n')
            fputs("\\n", out);
        else if (*value == '\\')
            fputs("\\\\", out);
        else
            fputc(*value, out);
    fputs("\n", out);
}

static void put_number(FILE *out, const char *name, uint64_t value) {
    if (value)
        fprintf(out, "%s %" PRIu64 "\n", name, value);
}

static void put_three(FILE *out, const char *name, const uint32_t v[3]) {
    fprintf(out, "%s %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", name, v[0], v[1], v[2]);
}

void check_record_encode(const struct check_record *r, FILE *out) {
    put(out, "kind", r->kind);
    put(out, "what", r->what);
    for (uint32_t k = 0; k < r->nsites; k++) {
        put(out, "site", r->sites[k].function ? r->sites[k].function : "");
        put(out, "file", r->sites[k].file);
        put_number(out, "line", r->sites[k].line);
        put_number(out, "offset", r->sites[k].offset);
    }
    for (uint32_t k = 0; k < r->nlines; k++)
        put(out, "more", r->lines[k]);
    put(out, "kernel", r->kernel);
    if (r->has_thread) {
        put_three(out, "thread", r->thread);
        put_three(out, "block", r->block);
    }
    put(out, "frames", r->frames_of);
    for (uint32_t k = 0; k < r->nframes; k++) {
        put(out, "frame", r->frames[k].module);
        put_number(out, "offset", r->frames[k].offset);
        put(out, "symbol", r->frames[k].symbol);
    }
    put(out, "call", r->call);
    put(out, "error", r->error);
    put(out, "message", r->message);
    put_number(out, "number", (uint32_t)r->error_number);
    put_number(out, "leaked", r->leaked);
    put_number(out, "process", (uint64_t)getpid());
    put(out, "held", r->held);
    put_number(out, "host_thread", (uint64_t)r->host_thread);
    fputs("\n", out);
}

// ---- Text ---------------------------------------------------------------------------------

static void print_site(const struct check_site *s, const char *prefix, const char *word,
                       FILE *out) {
    fprintf(out, "%s     %sat %s+0x%" PRIx32, prefix, word, s->function, s->offset);
    if (s->file)
        fprintf(out, " in %s:%" PRIu32, s->file, s->line);
    fputs("\n", out);
}

static void print_frame(const struct check_frame *f, const char *prefix, FILE *out) {
    const char *slash = strrchr(f->module, '/'), *name = slash ? slash + 1 : f->module;
    fprintf(out, "%s         Host Frame: %s", prefix, f->symbol ? f->symbol : "");
    if (f->file)
        fprintf(out, "%sin %s:%" PRIu32, f->symbol ? " " : "", f->file, f->line);
    fprintf(out, "%s[0x%" PRIx64 "]", f->symbol || f->file ? " " : "", f->offset);
    if (*name)
        fprintf(out, " in %s", name);
    fputs("\n", out);
}

void check_record_print(const struct check_record *r, const char *prefix, FILE *out) {
    fprintf(out, "%s %s\n", prefix, r->what);
    for (uint32_t k = 0; k < r->nsites; k++)
        print_site(&r->sites[k], prefix, k ? "and " : "", out);
    if (r->has_thread)
        fprintf(out,
                "%s     by thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") in block (%" PRIu32
                ",%" PRIu32 ",%" PRIu32 ")\n",
                prefix, r->thread[0], r->thread[1], r->thread[2], r->block[0], r->block[1],
                r->block[2]);
    for (uint32_t k = 0; k < r->nlines; k++)
        fprintf(out, "%s     %s\n", prefix, r->lines[k]);
    if (r->kernel && (!r->nsites || strcmp(r->kernel, r->sites[0].function)))
        fprintf(out, "%s     in kernel %s\n", prefix, r->kernel);
    if (r->nframes)
        fprintf(out, "%s     Saved host backtrace up to %s\n", prefix,
                r->frames_of ? r->frames_of : "driver entry point");
    for (uint32_t k = 0; k < r->nframes; k++)
        print_frame(&r->frames[k], prefix, out);
    fprintf(out, "%s\n", prefix);
}

// ---- Handing over -------------------------------------------------------------------------

static void write_all(int fd, const char *text, size_t n) {
    while (n) {
        ssize_t w = write(fd, text, n);
        if (w <= 0)
            return;
        text += w;
        n -= (size_t)w;
    }
}

void check_record_send(const struct check_record *r) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    const char *path = environment_get(CHECK_RECORDS_VARIABLE);
    // A file that a process keeps open may be closed by a program that closes what it does not
    // know.
    int fd = path && *path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (fd >= 0)
        check_record_encode(r, out);
    else if (!r->held && *r->what)
        check_record_print(r, "=========", out);
    if (!fclose(out))
        write_all(fd >= 0 ? fd : STDOUT_FILENO, text, size);
    if (fd >= 0)
        close(fd);
    free(text);
}
