#include "cc/options/warning_levels.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/options/warning_numbers.h"
#include "cc/processes/file_io.h"

enum { MOST_PUSHED = 64, MOST_FILES = 256 };

// A walk over the text, in the order in which it is compiled, up to the warning's line. Of all
// warnings' levels only the one that is asked for is followed.
struct walk {
    struct arena *arena;
    const struct cc_options *options;
    const char *path; // of the warning, as realpath has it
    unsigned line, number;
    enum warning_level start, level, pushed[MOST_PUSHED];
    unsigned depth;
    const char *files[MOST_FILES]; // read, or being read
    unsigned file_count;
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

static void obey(struct walk *w, const char *pragma) {
    static const struct {
        const char *word;
        enum warning_level level;
    } words[] = {{"diag_suppress", LEVEL_SUPPRESSED},
                 {"diag_warning", LEVEL_WARNING},
                 {"diag_once", LEVEL_WARNING},
                 {"diag_error", LEVEL_ERROR},
                 {"diag_default", LEVEL_DEFAULT}};
    const char *rest = after(pragma, "nv_diagnostic");
    if (rest && !strncmp(rest, "push", 4) && w->depth < MOST_PUSHED)
        w->pushed[w->depth++] = w->level;
    if (rest && !strncmp(rest, "pop", 3) && w->depth)
        w->level = w->pushed[--w->depth];
    pragma += strncmp(pragma, "nv_", 3) ? 0 : 3; // older editions know them without
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if ((rest = after(pragma, words[i].word)) && is_listed(rest, w->number))
            w->level = words[i].level == LEVEL_DEFAULT ? w->start : words[i].level;
}

// ---- Files --------------------------------------------------------------------------------

static bool walk_file(struct walk *w, const char *path);

// The file that #include names: beside the file `from`, or in a directory of -I. NULL: one of the
// system, which has no pragmas that count.
static const char *included(struct walk *w, const char *from, const char *name) {
    bool quoted = *name == '"';
    size_t n = strcspn(name + 1, quoted ? "\"\n" : ">\n");
    const char *slash = strrchr(from, '/');
    const char *path = arena_printf(w->arena, "%.*s%.*s", slash ? (int)(slash - from + 1) : 0, from,
                                    (int)n, name + 1);
    if (quoted && is_readable_file(path))
        return path;
    const cc_strings *list = &w->options->preprocessor;
    for (uint32_t i = 0; i < list->len; ++i) {
        path = arena_printf(w->arena, "%s/%.*s", list->data[i] + 2, (int)n, name + 1);
        if (!strncmp(list->data[i], "-I", 2) && is_readable_file(path))
            return path;
    }
    return NULL;
}

// True: the warning's line has been reached.
static bool walk_line(struct walk *w, const char *path, const char *line) {
    const char *s = skip_blanks(line), *rest;
    if (*s == '#') {
        s = skip_blanks(s + 1);
        if ((rest = after(s, "pragma")))
            obey(w, rest);
        else if (!strncmp(s, "include", 7) && strchr("\"<", *(rest = skip_blanks(s + 7))) && *rest)
            return (rest = included(w, path, rest)) && walk_file(w, rest);
        return false;
    }
    size_t n = strcspn(line, "\n");
    for (s = line; (s = strstr(s, "_Pragma(\"")) && s < line + n; s += 9)
        obey(w, skip_blanks(s + 9));
    return false;
}

static bool walk_file(struct walk *w, const char *path) {
    char full[PATH_MAX], *text;
    size_t size;
    if (!realpath(path, full) || w->file_count == MOST_FILES)
        return false;
    for (unsigned i = 0; i < w->file_count; ++i)
        if (!strcmp(w->files[i], full))
            return false;
    w->files[w->file_count++] = arena_strdup(w->arena, full);
    if (!is_readable_file(path) || !read_file(w->arena, path, &text, &size))
        return false;
    bool here = !strcmp(full, w->path);
    unsigned line = 1;
    for (const char *s = text; *s; ++line) {
        bool last = here && line == w->line; // what _Pragma says there comes first
        if (walk_line(w, path, s) || last)
            return true;
        s += strcspn(s, "\n");
        s += *s == '\n';
    }
    return here;
}

enum warning_level warning_level(struct arena *arena, const struct cc_options *o,
                                 const char *source, const char *path, unsigned line,
                                 unsigned number) {
    char full[PATH_MAX];
    struct walk w = {.arena = arena, .options = o, .line = line, .number = number};
    w.level = w.start = option_level(o, number);
    if (!realpath(path, full))
        return w.level;
    w.path = full;
    if (!walk_file(&w, source)) {
        w.level = w.start;
        w.depth = w.file_count = 0;
        walk_file(&w, path);
    }
    return w.level;
}
