#define _GNU_SOURCE
#include "nvrtc/log.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "nvrtc/names.h"
#include "nvrtc/virtual_files.h"

// "3 warnings and 1 error generated when compiling for sm_90."
static bool is_count(const char *line, size_t n) {
    return isdigit((unsigned char)*line) && memmem(line, n, " generated", 10);
}

// Within a line: the position of `word`, NULL: not there.
static const char *within(const char *line, size_t n, const char *word) {
    return memmem(line, n, word, strlen(word));
}

// With the program's own names of headers.
static void put_names(struct strbuf *log, const char *line, size_t n) {
    static const char *const folders[] = {VIRTUAL_FOLDER "/", LIBRARY_FOLDER "/"};
    for (bool found = true; found;) {
        const char *first = line + n, *behind = first;
        for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
            const char *at = within(line, (size_t)(first - line), folders[i]);
            first = at ? at : first;
            behind = at ? at + strlen(folders[i]) : behind;
        }
        strbuf_append(log, line, (size_t)(first - line));
        found = first < line + n;
        n -= (size_t)(behind - line);
        line = behind;
    }
}

// The line with "name(line): " where it has "name:line:column: " before the kind of a message, and
// without clang's name of a warning.
static const char *in_nvrtc_form(struct strbuf *form, const char *line, size_t *n) {
    static const char *const kinds[] = {"error: ", "fatal error: ", "warning: ", "note: "};
    for (const char *at = line; at < line + *n; at++) {
        size_t row = *at == ':' ? strspn(at + 1, "0123456789") : 0;
        const char *next = row ? at + 1 + row : at; // the second colon
        size_t column = *next == ':' ? strspn(next + 1, "0123456789") : 0;
        const char *kind = next + 1 + column;
        bool known = false;
        for (size_t k = 0; row && column && !strncmp(kind, ": ", 2) && k < 4; k++)
            known |= !strncmp(kind + 2, kinds[k], strlen(kinds[k]));
        if (!known)
            continue;
        strbuf_append(form, line, (size_t)(at - line));
        strbuf_printf(form, "(%.*s)", (int)row, at + 1);
        const char *end = line + *n, *option = within(kind, (size_t)(end - kind), " [-W");
        strbuf_append(form, kind, (size_t)((option && end[-1] == ']' ? option : end) - kind));
        *n = form->len;
        return strbuf_str(form);
    }
    return line;
}

// A header that is missing, in the words by which programs find out its name and supply it.
static bool put_missing_header(struct strbuf *log, const char *line, size_t n) {
    const char *fatal = within(line, n, ": fatal error: '");
    const char *end = within(line, n, "' file not found");
    if (!fatal || !end || end < fatal)
        return false;
    put_names(log, line, (size_t)(fatal - line));
    strbuf_printf(log, ": catastrophic error: cannot open source file \"%.*s\"\n",
                  (int)(end - fatal - 16), fatal + 16);
    return true;
}

// What programs look for in a log: clang's words before and behind a name, and NVRTC's.
static const struct {
    const char *before, *instead_before, *instead_behind;
} nvrtc_words[] = {
    {"error: unknown type name '", "error: identifier \"", "\" is undefined"},
    {"error: use of undeclared identifier '", "error: identifier \"", "\" is undefined"},
    {"warning: unused variable '", "warning: variable \"", "\" was declared but never referenced"},
};

static bool put_in_nvrtc_words(struct strbuf *log, const char *line, size_t n) {
    for (size_t i = 0; i < sizeof nvrtc_words / sizeof nvrtc_words[0]; ++i) {
        const char *at = within(line, n, nvrtc_words[i].before), *end = line + n;
        const char *name = at ? at + strlen(nvrtc_words[i].before) : NULL;
        if (!at || end == name || end[-1] != '\'' ||
            memchr(name, '\'', n - (size_t)(name - line)) != end - 1)
            continue;
        put_names(log, line, (size_t)(at - line));
        strbuf_printf(log, "%s%.*s%s\n", nvrtc_words[i].instead_before, (int)(end - 1 - name), name,
                      nvrtc_words[i].instead_behind);
        return true;
    }
    return false;
}

void rtc_log_append(struct strbuf *log, const char *text, const char *name) {
    unsigned errors = 0, fatal = 0;
    while (*text) {
        size_t length = strcspn(text, "\n"), n = length;
        struct strbuf form = {0};
        const char *line = in_nvrtc_form(&form, text, &n);
        bool in_names = within(line, n, NAME_EXPRESSIONS "(") == line;
        if (in_names && within(line, n, ": error: "))
            strbuf_puts(log, "Error in parsing name expression for lowered name lookup.\n");
        errors += within(line, n, ": error: ") != NULL;
        fatal += within(line, n, ": fatal error: ") != NULL;
        if (!is_count(line, n) && !put_missing_header(log, line, n) &&
            !put_in_nvrtc_words(log, line, n)) {
            put_names(log, line, n);
            strbuf_puts(log, "\n");
        }
        strbuf_free(&form);
        text += length + (text[length] == '\n');
    }
    if (errors)
        strbuf_printf(log, "\n%u error%s detected in the compilation of \"%s\".\n", errors,
                      errors > 1 ? "s" : "", name);
    if (fatal)
        strbuf_printf(log,
                      "\n%u catastrophic error%s detected in the compilation of \"%s\".\n"
                      "Compilation terminated.\n",
                      fatal, fatal > 1 ? "s" : "", name);
}
