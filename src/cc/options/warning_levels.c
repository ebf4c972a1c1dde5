#define _GNU_SOURCE // memmem
#include "cc/options/warning_levels.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/options/warning_numbers.h"
#include "cc/processes/file_io.h"
#include "support/vec.h"

enum { MOST_PUSHED = 64 };

// What counts in a text, in the order in which it is compiled.
struct event {
    enum { PRAGMA, END_OF_FILE } kind;
    uint32_t file; // where it stands, or which ends
    unsigned line;
    const char *pragma; // behind "#pragma" or in _Pragma("")
};

struct walk {
    const char *source;      // that the walk begins with
    VEC(const char *) files; // read, or being read, as realpath has them
    VEC(struct event) events;
};

struct warning_texts {
    struct arena *arena;
    const struct cc_options *options;
    VEC(struct walk *) walks;
};

struct warning_texts *warning_texts_new(struct arena *arena, const struct cc_options *o) {
    struct warning_texts *t = arena_alloc(arena, sizeof *t);
    *t = (struct warning_texts){.arena = arena, .options = o};
    return t;
}

// Of all warnings' levels the one that is asked for.
struct state {
    unsigned number, depth;
    enum warning_level start, level, pushed[MOST_PUSHED];
    bool system; // the file is one of the system's, as it says itself
};

static enum warning_level option_level(const struct cc_options *o, unsigned number) {
    enum warning_level level = LEVEL_DEFAULT;
    for (uint32_t i = 0; i < o->warning_levels.len; ++i)
        if (o->warning_levels.data[i].number == number)
            level = (enum warning_level)o->warning_levels.data[i].level;
    return level;
}

// ---- Pragmas ------------------------------------------------------------------------------

static const char *skip_blanks(const char *s) {
    return s + strspn(s, " \t");
}

// Behind the word and the blanks after it; NULL: another word stands there.
static const char *after(const char *s, const char *word) {
    size_t n = strlen(word);
    return !strncmp(s, word, n) && strspn(s + n, " \t") ? skip_blanks(s + n) : NULL;
}

// Whether the warning is among "177, 550" or "177 set_but_not_used".
static bool is_listed(const char *list, unsigned number) {
    for (;;) {
        list += strspn(list, " \t,");
        size_t n = strcspn(list, " \t,\r\n\"");
        if (!n)
            return false;
        if (warning_called(list, n) == number)
            return true;
        list += n;
    }
}

static void obey(struct state *s, const char *pragma) {
    static const struct {
        const char *word;
        enum warning_level level;
    } words[] = {{"diag_suppress", LEVEL_SUPPRESSED},
                 {"diag_warning", LEVEL_WARNING},
                 {"diag_once", LEVEL_WARNING},
                 {"diag_error", LEVEL_ERROR},
                 {"diag_default", LEVEL_DEFAULT}};
    const char *rest = after(pragma, "nv_diagnostic");
    if (rest && !strncmp(rest, "push", 4) && s->depth < MOST_PUSHED)
        s->pushed[s->depth++] = s->level;
    if (rest && !strncmp(rest, "pop", 3) && s->depth)
        s->level = s->pushed[--s->depth];
    pragma += strncmp(pragma, "nv_", 3) ? 0 : 3; // older editions know them without
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if ((rest = after(pragma, words[i].word)) && is_listed(rest, s->number))
            s->level = words[i].level == LEVEL_DEFAULT ? s->start : words[i].level;
}

// ---- Files --------------------------------------------------------------------------------

static void walk_file(const struct warning_texts *t, struct walk *w, const char *path);

// The file that #include names: beside the file `from`, or in a directory of -I. NULL: one of the
// system, which has no pragmas that count.
static const char *included(const struct warning_texts *t, const char *from, const char *name) {
    bool quoted = *name == '"';
    size_t n = strcspn(name + 1, quoted ? "\"\n" : ">\n");
    const char *slash = strrchr(from, '/');
    const char *path = arena_printf(t->arena, "%.*s%.*s", slash ? (int)(slash - from + 1) : 0, from,
                                    (int)n, name + 1);
    if (quoted && is_readable_file(path))
        return path;
    const cc_strings *list = &t->options->preprocessor;
    for (uint32_t i = 0; i < list->len; ++i) {
        path = arena_printf(t->arena, "%s/%.*s", list->data[i] + 2, (int)n, name + 1);
        if (!strncmp(list->data[i], "-I", 2) && is_readable_file(path))
            return path;
    }
    return NULL;
}

static void add_event(const struct warning_texts *t, struct walk *w, struct event e) {
    vec_push(t->arena, &w->events, e);
}

// A line of n characters.
static void walk_line(const struct warning_texts *t, struct walk *w, const char *path,
                      struct event at, const char *line, size_t n) {
    static const char written[] = "_Pragma(\"";
    const char *s = skip_blanks(line), *rest;
    if (*s == '#') {
        s = skip_blanks(s + 1);
        if ((at.pragma = after(s, "pragma")))
            add_event(t, w, at);
        else if (!strncmp(s, "include", 7) && strchr("\"<", *(rest = skip_blanks(s + 7))) &&
                 *rest && (rest = included(t, path, rest)))
            walk_file(t, w, rest);
        return;
    }
    const size_t length = sizeof written - 1;
    for (s = line; (s = memmem(s, (size_t)(line + n - s), written, length));) {
        s += length;
        at.pragma = skip_blanks(s);
        add_event(t, w, at);
    }
}

static void walk_file(const struct warning_texts *t, struct walk *w, const char *path) {
    char full[PATH_MAX], *text;
    size_t size;
    if (!realpath(path, full))
        return;
    for (uint32_t i = 0; i < w->files.len; ++i)
        if (!strcmp(w->files.data[i], full))
            return;
    struct event at = {.kind = PRAGMA, .file = w->files.len, .line = 1};
    vec_push(t->arena, &w->files, arena_strdup(t->arena, full));
    if (!is_readable_file(path) || !read_file(t->arena, path, &text, &size))
        return;
    for (const char *s = text; *s; ++at.line) {
        size_t n = strcspn(s, "\n");
        walk_line(t, w, path, at, s, n);
        s += n;
        s += *s == '\n';
    }
    at.kind = END_OF_FILE;
    add_event(t, w, at);
}

static const struct walk *walk_of(struct warning_texts *t, const char *source) {
    for (uint32_t i = 0; i < t->walks.len; ++i)
        if (!strcmp(t->walks.data[i]->source, source))
            return t->walks.data[i];
    struct walk *w = arena_alloc(t->arena, sizeof *w);
    *w = (struct walk){.source = arena_strdup(t->arena, source)};
    walk_file(t, w, source);
    vec_push(t->arena, &t->walks, w);
    return w;
}

// The level on a line of a file. False: the walk does not come to the file.
static bool level_on(const struct walk *w, struct state *s, const char *full, unsigned line) {
    uint32_t file = 0;
    while (file < w->files.len && strcmp(w->files.data[file], full))
        file++;
    for (uint32_t i = 0; i < w->events.len && file < w->files.len; ++i) {
        const struct event *e = &w->events.data[i];
        if (e->file == file && (e->kind == END_OF_FILE || e->line > line))
            return true;
        if (e->kind == PRAGMA)
            obey(s, e->pragma);
        if (e->kind == PRAGMA && e->file == file && strstr(e->pragma, " system_header"))
            s->system = true;
    }
    return false;
}

enum warning_level warning_level(struct warning_texts *t, const char *source, const char *path,
                                 unsigned line, unsigned number) {
    char full[PATH_MAX];
    struct state s = {.number = number};
    s.level = s.start = option_level(t->options, number);
    if (!realpath(path, full))
        return s.level;
    if (!level_on(walk_of(t, source), &s, full, line)) {
        s.level = s.start;
        s.depth = 0;
        level_on(walk_of(t, path), &s, full, line);
    }
    // Of other warnings clang knows by itself.
    bool quiet = s.system && number == HOST_CALL && s.level == LEVEL_DEFAULT;
    return quiet ? LEVEL_SUPPRESSED : s.level;
}
