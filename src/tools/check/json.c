#include <inttypes.h>
#include <string.h>

#include "tools/check/results.h"

// The length of the character of UTF-8 that begins here; 0: it is none.
static size_t utf8_length(const unsigned char *s) {
    size_t n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : 0;
    if (*s >= 0xf0 && *s < 0xf5)
        n = 4;
    for (size_t k = 1; k < n; k++)
        if ((s[k] & 0xc0) != 0x80)
            return 0;
    return n;
}

void check_json_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t n = utf8_length(s);
        if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", out);
        else if (*s < 0x20 || !n)
            fprintf(out, "\\u%04x", *s);
        else
            fwrite(s, 1, n, out);
        s += n ? n : 1;
    }
    fputc('"', out);
}

static void member(FILE *out, const char *name, const char *value) {
    if (!value)
        return;
    fprintf(out, ", \"%s\": ", name);
    check_json_string(out, value);
}

static void three(FILE *out, const char *name, const uint32_t v[3]) {
    fprintf(out, ", \"%s\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", name, v[0], v[1], v[2]);
}

static void write_site(FILE *out, const struct check_site *s) {
    fputs("{\"function\": ", out);
    check_json_string(out, s->function);
    fprintf(out, ", \"offset\": %" PRIu32, s->offset);
    member(out, "file", s->file);
    if (s->file)
        fprintf(out, ", \"line\": %" PRIu32, s->line);
    fputc('}', out);
}

static void write_frame(FILE *out, const struct check_frame *f) {
    fputs("{\"module\": ", out);
    check_json_string(out, f->module);
    fprintf(out, ", \"offset\": %" PRIu64, f->offset);
    member(out, "symbol", f->symbol);
    member(out, "file", f->file);
    if (f->file)
        fprintf(out, ", \"line\": %" PRIu32, f->line);
    fputc('}', out);
}

static void write_record(FILE *out, const struct check_record *r) {
    fputs("    {\"kind\": ", out);
    check_json_string(out, r->kind);
    member(out, "message", r->what);
    member(out, "kernel", r->kernel);
    if (r->has_thread) {
        three(out, "thread", r->thread);
        three(out, "block", r->block);
    }
    fputs(", \"sites\": [", out);
    for (uint32_t k = 0; k < r->nsites; k++) {
        fputs(k ? ", " : "", out);
        write_site(out, &r->sites[k]);
    }
    fputs("], \"details\": [", out);
    for (uint32_t k = 0; k < r->nlines; k++) {
        fputs(k ? ", " : "", out);
        check_json_string(out, r->lines[k]);
    }
    fputs("], \"host\": [", out);
    for (uint32_t k = 0; k < r->nframes; k++) {
        fputs(k ? ", " : "", out);
        write_frame(out, &r->frames[k]);
    }
    fputc(']', out);
    member(out, "call", r->call);
    member(out, "error", r->error);
    if (r->error)
        fprintf(out, ", \"number\": %" PRId32, r->error_number);
    if (r->leaked)
        fprintf(out, ", \"leaked\": %" PRIu64, r->leaked);
    fputc('}', out);
}

void check_write_json(FILE *out, const struct check_results *all) {
    fputs("{\n  \"version\": 1,\n  \"program\": ", out);
    check_json_string(out, all->program);
    fputs(",\n  \"tools\": ", out);
    check_json_string(out, all->tools);
    fprintf(out, ",\n  \"status\": %d,\n  \"errors\": %" PRIu32 ",\n  \"reports\": [", all->status,
            all->records.len);
    for (uint32_t k = 0; k < all->records.len; k++) {
        fputs(k ? ",\n" : "\n", out);
        write_record(out, &all->records.data[k]);
    }
    fputs(all->records.len ? "\n  ]\n}\n" : "]\n}\n", out);
}
