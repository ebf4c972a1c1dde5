#include "cc/diagnostics.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "support/strbuf.h"

// A line without the colours of the terminal.
static char *plain_line(struct arena *arena, const char *line, size_t n) {
    char *out = arena_alloc(arena, n + 1);
    size_t m = 0;
    for (size_t i = 0; i < n; ++i) {
        if (line[i] == '\033') {
            while (i < n && line[i] != 'm')
                ++i;
            continue;
        }
        out[m++] = line[i];
    }
    out[m] = 0;
    return out;
}

// "3 warnings and 1 error generated when compiling for sm_90."
static bool is_count(const char *line) {
    return isdigit((unsigned char)*line) && strstr(line, " generated") &&
           (strstr(line, " warning") || strstr(line, " error"));
}

static bool starts_diagnostic(const char *line) {
    return strstr(line, ": warning: ") || strstr(line, ": error: ") ||
           strstr(line, ": fatal error: ") || strstr(line, ": remark: ");
}

// "In file included from ..." stands before the diagnostic that it belongs to.
static bool starts_context(const char *line) {
    return !strncmp(line, "In file included from ", 22);
}

static bool seen_before(const cc_strings *seen, const char *block) {
    for (uint32_t i = 0; i < seen->len; ++i)
        if (!strcmp(seen->data[i], block))
            return true;
    return false;
}

// Memory space specifiers where only variables have them (guide 18.5.3.1).
static bool is_forbidden(const char *line) {
    static const char *const signs[] = {
        ": warning: 'device' attribute only applies to functions",
        ": warning: 'shared' attribute only applies to variables",
        ": warning: 'constant' attribute only applies to variables"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; ++i)
        if (strstr(line, signs[i]))
            return true;
    return false;
}

// A line of a message, shown as an error where it is one here.
static void put_line(struct strbuf *out, const char *line, size_t n, bool forbidden) {
    static const char warning[] = "warning: ";
    const char *at = forbidden ? strstr(line, warning) : NULL;
    if (at && at < line + n) {
        strbuf_append(out, line, (size_t)(at - line));
        strbuf_puts(out, "error: ");
        n -= (size_t)(at - line) + sizeof warning - 1;
        line = at + sizeof warning - 1;
    }
    strbuf_append(out, line, n);
    strbuf_puts(out, "\n");
}

struct block {
    struct strbuf shown, plain;
    bool has_diagnostic;
};

static void end_block(struct arena *arena, struct block *b, const cc_strings *before,
                      cc_strings *now) {
    if (b->shown.len && !seen_before(before, strbuf_str(&b->plain))) {
        fwrite(b->shown.data, 1, b->shown.len, stderr);
        vec_push(arena, now, arena_strdup(arena, strbuf_str(&b->plain)));
    }
    strbuf_free(&b->shown);
    strbuf_free(&b->plain);
    *b = (struct block){0};
}

static void print_text(struct arena *arena, const char *text, const cc_strings *before,
                       cc_strings *now) {
    struct block b = {0};
    while (*text) {
        size_t n = strcspn(text, "\n");
        const char *line = plain_line(arena, text, n);
        bool context = starts_context(line), diagnostic = starts_diagnostic(line);
        if ((context || diagnostic) && b.has_diagnostic)
            end_block(arena, &b, before, now);
        b.has_diagnostic |= diagnostic;
        if (!is_count(line)) {
            put_line(&b.shown, text, n, is_forbidden(line));
            strbuf_puts(&b.plain, line);
            strbuf_puts(&b.plain, "\n");
        }
        text += n + (text[n] == '\n');
    }
    end_block(arena, &b, before, now);
}

static struct strbuf read_text(const char *path) {
    struct strbuf text = {0};
    FILE *f = fopen(path, "rb");
    if (!f)
        return text;
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        strbuf_append(&text, block, n);
    fclose(f);
    return text;
}

void diagnostics_print(struct arena *arena, const cc_strings *files) {
    cc_strings before = {0};
    for (uint32_t i = 0; i < files->len; ++i) {
        struct strbuf text = read_text(files->data[i]);
        cc_strings now = {0};
        if (text.data)
            print_text(arena, text.data, &before, &now);
        strbuf_free(&text);
        for (uint32_t j = 0; j < now.len; ++j)
            vec_push(arena, &before, now.data[j]);
    }
}

bool diagnostics_forbid(struct arena *arena, const cc_strings *files) {
    bool found = false;
    for (uint32_t i = 0; i < files->len && !found; ++i) {
        struct strbuf text = read_text(files->data[i]);
        for (const char *line = text.data; line && *line && !found;) {
            size_t n = strcspn(line, "\n");
            found = is_forbidden(plain_line(arena, line, n));
            line += n + (line[n] == '\n');
        }
        strbuf_free(&text);
    }
    return found;
}
