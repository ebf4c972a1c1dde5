#include "cc/messages/launch_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/strbuf.h"

const char launch_text_before_launch[] = "__kudzu_launch([&]()->void{";
const char launch_text_before_call[] = "__kudzu_launch([&]{return ";
const char launch_text_behind[] = ";})";

// What text begins with: its length. 0: neither.
static size_t opening(const char *text) {
    size_t n = strlen(launch_text_before_launch), m = strlen(launch_text_before_call);
    return !strncmp(text, launch_text_before_launch, n) ? n
           : !strncmp(text, launch_text_before_call, m) ? m
                                                        : 0;
}

// A line of the user's, shown as " 12 | text", and which of the text's columns are not the user's.
struct shown {
    unsigned number; // 0: none
    size_t text;     // where it begins
    bool *gone;
    size_t columns;
};

static size_t escape_length(const char *s) {
    return *s == '\033' ? strcspn(s, "m") + 1 : 0;
}

// " 12 | ", or "    | " below it: its length, and the number. 0: the line is another one.
static size_t margin(const char *plain, unsigned *number) {
    size_t n = strspn(plain, " "), digits = strspn(plain + n, "0123456789");
    *number = digits ? (unsigned)atoi(plain + n) : 0;
    n += digits + strspn(plain + n + digits, " ");
    if (!n || plain[n] != '|')
        return 0;
    return n + (plain[n + 1] ? 2 : 1);
}

static size_t mark(bool *gone, size_t from, size_t n) {
    memset(gone + from, true, n);
    return from + n;
}

// Marks what was written, up to the brace that ends it, or the line's end. False: there is nothing.
static bool find_gone(const char *s, bool *gone) {
    enum { MOST = 16 };
    int opened_at[MOST], opened = 0, depth = 0;
    bool any = false;
    for (size_t i = 0; s[i];) {
        size_t n = opening(s + i);
        if (n && opened < MOST) {
            opened_at[opened++] = depth++;
            any = true;
            i = mark(gone, i, n);
            continue;
        }
        if (s[i] == '"')
            while (s[i + 1] && s[++i] != '"')
                i += s[i] == '\\' && s[i + 1];
        depth += s[i] == '{' ? 1 : s[i] == '}' ? -1 : 0;
        bool ends = s[i] == '}' && opened && depth == opened_at[opened - 1];
        if (ends && i && !strncmp(s + i - 1, launch_text_behind, strlen(launch_text_behind))) {
            i = mark(gone, i - 1, strlen(launch_text_behind));
            opened--;
            continue;
        }
        i++;
    }
    return any;
}

static char *without_colours(struct arena *arena, const char *line) {
    char *plain = arena_alloc(arena, strlen(line) + 1), *out = plain;
    for (size_t n; *line; line += n ? n : 1)
        if (!(n = escape_length(line)))
            *out++ = *line;
    return plain;
}

static void print_line(struct strbuf *out, const char *line, const struct shown *s) {
    size_t at = 0;
    bool caret = false; // stood below what is gone
    for (size_t n; *line; line += n ? n : 1) {
        if ((n = escape_length(line))) {
            strbuf_append(out, line, n);
            continue;
        }
        size_t column = at++ - s->text;
        if (at > s->text && column < s->columns && s->gone[column]) {
            caret |= *line == '^';
            continue;
        }
        strbuf_append(out, caret ? "^" : line, 1);
        caret = false;
    }
    strbuf_puts(out, "\n");
}

// "path:12:34: kind: ", where the line says so: where the column's digits stand.
static const char *column_of(const char *line, unsigned *number) {
    for (const char *s = line; (s = strchr(s, ':')); s++) {
        size_t n = strspn(s + 1, "0123456789");
        size_t m = n && s[n + 1] == ':' ? strspn(s + n + 2, "0123456789") : 0;
        if (m && s[n + m + 2] == ':') {
            *number = (unsigned)atoi(s + 1);
            return s + n + 2;
        }
    }
    return NULL;
}

static size_t gone_before(const struct shown *s, size_t column) {
    size_t n = 0;
    for (size_t i = 0; i < column && i < s->columns; i++)
        n += s->gone[i];
    return n;
}

// The message's line, with the column as the user has it.
static void print_message(struct arena *arena, struct strbuf *out, const char *line,
                          const struct shown *s, const char *marks) {
    unsigned number;
    const char *digits = column_of(line, &number), *end;
    const char *caret = marks ? strchr(marks, '^') : NULL;
    if (!digits || number != s->number) {
        strbuf_puts(out, line);
        strbuf_puts(out, "\n");
        return;
    }
    size_t column = (size_t)strtoul(digits, (char **)&end, 10);
    size_t before = gone_before(s, caret ? (size_t)(caret - marks) - s->text : column - 1);
    strbuf_puts(out, arena_printf(arena, "%.*s%zu%s\n", (int)(digits - line), line,
                                  column > before ? column - before : 1, end));
}

const char *launch_text_remove(struct arena *arena, const char *messages) {
    if (!strstr(messages, "__kudzu_launch"))
        return messages;
    struct strbuf out = {0};
    struct shown shown = {0};
    const char *message = NULL; // held until the line that it shows
    for (const char *next; *messages; messages = next) {
        size_t n = strcspn(messages, "\n"), text;
        unsigned number = 0;
        next = messages + n + (messages[n] == '\n');
        const char *line = arena_strndup(arena, messages, n);
        const char *plain = without_colours(arena, line);
        if (!(text = margin(plain, &number))) {
            if (message)
                print_message(arena, &out, message, &(struct shown){0}, NULL);
            message = line;
            continue;
        }
        if (number) {
            shown = (struct shown){number, text, NULL, strlen(plain + text)};
            shown.gone = arena_array(arena, bool, shown.columns + 1);
            find_gone(plain + text, shown.gone);
        }
        if (message) {
            size_t below = strcspn(next, "\n");
            unsigned none;
            const char *marks = without_colours(arena, arena_strndup(arena, next, below));
            bool has_marks = margin(marks, &none) == text && !none;
            print_message(arena, &out, message, &shown, has_marks ? marks : NULL);
        }
        message = NULL;
        print_line(&out, line, &shown);
    }
    if (message)
        print_message(arena, &out, message, &(struct shown){0}, NULL);
    const char *result = arena_strdup(arena, strbuf_str(&out));
    strbuf_free(&out);
    return result;
}
