#include "cc/compat/references.h"

#include <string.h>
#include <unistd.h>

#include "cc/messages/clang_messages.h"
#include "cc/processes/file_io.h"

enum { MOST_FILES = 256 };

struct search {
    struct arena *arena;
    const struct cc_options *options;
    const char *files[MOST_FILES]; // looked at, or to be looked at
    unsigned count;
    bool used, declared;
};

static bool is_name_char(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The position behind a comment or a string that begins at text[at], or `at` itself.
static size_t skip_quiet(const char *text, size_t at, size_t size) {
    bool line = text[at] == '/' && at + 1 < size && text[at + 1] == '/';
    bool block = text[at] == '/' && at + 1 < size && text[at + 1] == '*';
    if (line) {
        const char *end = memchr(text + at, '\n', size - at);
        return end ? (size_t)(end - text) : size;
    }
    if (block) {
        for (at += 2; at + 1 < size && !(text[at] == '*' && text[at + 1] == '/');)
            at++;
        return at + 2 < size ? at + 2 : size;
    }
    if (text[at] != '"')
        return at;
    for (at++; at < size && text[at] != '"' && text[at] != '\n'; at++)
        at += text[at] == '\\' && at + 1 < size;
    return at < size ? at + 1 : size;
}

// ---- Files --------------------------------------------------------------------------------------

static void add_file(struct search *s, const char *path) {
    for (unsigned k = 0; k < s->count; k++)
        if (!strcmp(s->files[k], path))
            return;
    if (s->count < MOST_FILES)
        s->files[s->count++] = path;
}

// What an #include names: with quotes beside the file that it stands in, or in a directory of -I.
static void add_include(struct search *s, const char *from, const char *name, bool quoted) {
    const char *slash = strrchr(from, '/');
    const char *path = slash && *name != '/'
                           ? arena_printf(s->arena, "%.*s/%s", (int)(slash - from), from, name)
                           : name;
    if (quoted && is_readable_file(path)) {
        add_file(s, path);
        return;
    }
    const cc_strings *list = &s->options->preprocessor;
    for (uint32_t k = 0; k < list->len; k++) {
        const char *directory = list->data[k];
        if (strncmp(directory, "-I", 2) != 0)
            continue;
        directory = directory[2] ? directory + 2 : k + 1 < list->len ? list->data[k + 1] : "";
        path = arena_printf(s->arena, "%s/%s", directory, name);
        if (is_readable_file(path)) {
            add_file(s, path);
            return;
        }
    }
}

// A line that begins with '#' at text[at]; the position behind it.
static size_t directive(struct search *s, const char *from, const char *text, size_t at,
                        size_t size) {
    const char *end = memchr(text + at, '\n', size - at);
    size_t stop = end ? (size_t)(end - text) : size;
    for (at++; at < stop && is_blank(text[at]);)
        at++;
    if (stop - at > 7 && !memcmp(text + at, "include", 7)) {
        const char *open = text + at + 7, *line_end = text + stop;
        while (open < line_end && *open != '"' && *open != '<')
            open++;
        bool quoted = open < line_end && *open == '"';
        const char *first = open < line_end ? open + 1 : line_end;
        const char *close = memchr(first, quoted ? '"' : '>', (size_t)(line_end - first));
        if (close)
            add_include(s, from, arena_strndup(s->arena, first, (size_t)(close - first)), quoted);
        return stop;
    }
    return at;
}

// ---- Names --------------------------------------------------------------------------------------

static bool word_before(const char *text, size_t at, const char *word) {
    size_t n = strlen(word);
    while (at && is_blank(text[at - 1]))
        at--;
    return at >= n && !memcmp(text + at - n, word, n) &&
           (at == n || !is_name_char(text[at - n - 1]));
}

// The name at text[at, end).
static void look_at_name(struct search *s, const char *text, size_t at, size_t end, size_t size) {
    if (end - at != 7 || (memcmp(text + at, "texture", 7) && memcmp(text + at, "surface", 7)))
        return;
    if (word_before(text, at, "class") || word_before(text, at, "struct"))
        s->declared = true;
    if (at && (text[at - 1] == ':' || text[at - 1] == '.' || text[at - 1] == '>'))
        return; // another scope's
    while (end < size && is_blank(text[end]))
        end++;
    s->used |= end < size && text[end] == '<';
}

static void look_at_file(struct search *s, const char *path) {
    char *text;
    size_t size;
    bool line_begins = true;
    if (!is_readable_file(path) || !read_file(s->arena, path, &text, &size))
        return;
    for (size_t at = 0; at < size;) {
        size_t next = skip_quiet(text, at, size);
        if (next == at && text[at] == '#' && line_begins)
            next = directive(s, path, text, at, size);
        if (next == at && is_name_char(text[at])) {
            while (next < size && is_name_char(text[next]))
                next++;
            look_at_name(s, text, at, next, size);
        }
        line_begins = text[at] == '\n' || (line_begins && is_blank(text[at]));
        at = next == at ? at + 1 : next;
    }
}

bool uses_references(struct arena *arena, const struct cc_options *o, const char *source) {
    struct search s = {.arena = arena, .options = o};
    add_file(&s, source);
    for (unsigned k = 0; k < s.count; k++)
        look_at_file(&s, s.files[k]);
    return s.used && !s.declared;
}

// ---- Messages -----------------------------------------------------------------------------------

bool references_are_in_the_way(struct arena *arena, const cc_strings *diagnostics) {
    clang_messages messages = {0};
    clang_messages_read(arena, diagnostics, &messages);
    for (uint32_t i = 0; i < messages.len; i++)
        if (!strncmp(messages.data[i].text, "redefinition of 'texture'", 25) ||
            !strncmp(messages.data[i].text, "redefinition of 'surface'", 25))
            return true;
    return false;
}
