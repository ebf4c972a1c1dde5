#include "cc/compat/launch_tokens.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/compat/device_launches.h"
#include "cc/messages/clang_messages.h"
#include "cc/processes/file_io.h"
#include "cc/processes/temporaries.h"
#include "support/strbuf.h"

// The position behind a comment or a literal that begins at text[at], or `at` itself.
static size_t skip_quiet(const char *text, size_t at, size_t size) {
    if (text[at] == '/' && at + 1 < size && text[at + 1] == '/') {
        while (at < size && text[at] != '\n')
            at++;
    } else if (text[at] == '/' && at + 1 < size && text[at + 1] == '*') {
        for (at += 2; at + 1 < size && (text[at] != '*' || text[at + 1] != '/');)
            at++;
        at = at + 2 < size ? at + 2 : size;
    } else if (text[at] == '"') {
        for (at++; at < size && text[at] != '"' && text[at] != '\n'; at++)
            at += text[at] == '\\' && at + 1 < size;
        at += at < size;
    }
    return at;
}

// Moves the blanks of `<< <` behind it, likewise for '>'; true when something moved.
static bool join(char *text, size_t size, char bracket) {
    bool moved = false;
    for (size_t at = 0; at + 3 < size;) {
        size_t next = skip_quiet(text, at, size);
        if (next != at) {
            at = next;
            continue;
        }
        size_t end = at + 2;
        if (text[at] == bracket && text[at + 1] == bracket) {
            while (end < size && (text[end] == ' ' || text[end] == '\t'))
                end++;
            if (end > at + 2 && end < size && text[end] == bracket) {
                text[end] = ' ';
                text[at + 2] = bracket;
                moved = true;
                at = end;
            }
        }
        at++;
    }
    return moved;
}

static bool is_name_char(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Length of the memory space specifier at text[at], with the blanks after it, when alignas( comes
// next; else 0.
static size_t aligned_specifier(const char *text, size_t at, size_t size) {
    static const char *const words[] = {"__shared__", "__constant__", "__device__", "__managed__"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t n = strlen(words[k]);
        if (at + n >= size || strncmp(text + at, words[k], n) || (at && is_name_char(text[at - 1])))
            continue;
        while (at + n < size && (text[at + n] == ' ' || text[at + n] == '\t'))
            n++;
        if (at + n + 8 < size && !strncmp(text + at + n, "alignas", 7) &&
            !is_name_char(text[at + n + 7]))
            return n;
    }
    return 0;
}

// After a specifier that is a GNU attribute clang wants _Alignas, which it takes in C++ too, where
// nvcc takes alignas. True when something was changed.
static bool spell_alignment(struct arena *arena, char **text, size_t *size) {
    struct strbuf out = {0};
    size_t from = 0;
    for (size_t at = 0; at < *size;) {
        size_t next = skip_quiet(*text, at, *size);
        size_t n = next == at ? aligned_specifier(*text, at, *size) : 0;
        if (n) {
            strbuf_printf(&out, "%.*s_Alignas", (int)(at + n - from), *text + from);
            from = next = at + n + 7;
        }
        at = next == at ? at + 1 : next;
    }
    if (from) {
        strbuf_printf(&out, "%.*s", (int)(*size - from), *text + from);
        *size = out.len;
        *text = arena_strndup(arena, strbuf_str(&out), out.len);
    }
    strbuf_free(&out);
    return from != 0;
}

// Launches and alignments as clang reads them. False: there was nothing to do.
static bool spell(struct arena *arena, char **text, size_t *size) {
    bool joined = join(*text, *size, '<'), spelled = spell_alignment(arena, text, size);
    if (joined || spelled)
        join(*text, *size, '>');
    return joined || spelled;
}

bool launch_tokens_rewrite(struct arena *arena, char **text, size_t *size, bool everywhere,
                           const struct device_launches *found, const char *path) {
    bool spelled = spell(arena, text, size);
    bool wrapped = device_launches_rewrite(arena, text, size, everywhere, found, path);
    return spelled || wrapped;
}

static bool is_listed(const cc_strings *list, const char *path) {
    for (uint32_t i = 0; i < list->len; i++)
        if (!strcmp(list->data[i], path))
            return true;
    return false;
}

static bool rewritten(struct arena *arena, const char *path, const struct device_launches *found,
                      char **text, size_t *size) {
    return launch_tokens_rewrite(arena, text, size, is_listed(&found->files, path), found, path);
}

bool launch_tokens_text(struct arena *arena, const char *path, const struct device_launches *found,
                        char **text, size_t *size) {
    if (!is_readable_file(path) || !read_file(arena, path, text, size))
        return false;
    rewritten(arena, path, found, text, size);
    return true;
}

// False: nothing is changed in the file's text.
static bool rewrite_all(struct arena *arena, const char *path, const struct rewrites *found,
                        char **text, size_t *size) {
    bool changed = rewritten(arena, path, found->launches, text, size);
    changed |= unroll_counts_rewrite(arena, text, size, found->counts, path);
    changed |= declared_spaces_rewrite(arena, text, size, found->spaces, path);
    changed |= lenient_words_rewrite(arena, text, size, found->words, path);
    return changed;
}

const struct memory_text *memory_text_find(struct arena *arena, const struct rewrites *found,
                                           const char *path) {
    const char *plain = found->memory ? path_without_dots(arena, path) : NULL;
    for (uint32_t i = 0; plain && i < found->memory->len; i++)
        if (!strcmp(found->memory->data[i].path, plain))
            return &found->memory->data[i];
    return NULL;
}

bool launch_tokens_read(struct arena *arena, const char *path, const struct rewrites *found,
                        char **text, size_t *size) {
    const struct memory_text *m = memory_text_find(arena, found, path);
    if (m) {
        *text = arena_strdup(arena, m->text);
        *size = strlen(*text);
        lenient_words_rewrite(arena, text, size, found->words, m->path);
        return true;
    }
    if (!is_readable_file(path) || !read_file(arena, path, text, size))
        return false;
    rewrite_all(arena, path, found, text, size);
    return true;
}

struct overlay {
    struct arena *arena;
    const struct rewrites *found;
    cc_strings done;
    struct strbuf roots;
};

// Adds the file to the overlay's list, when something is changed in it.
static void add_root(struct overlay *o, const char *source) {
    char *text, absolute[PATH_MAX];
    size_t size;
    if (!realpath(source, absolute) || strpbrk(absolute, "\"\\") || is_listed(&o->done, absolute))
        return;
    vec_push(o->arena, &o->done, arena_strdup(o->arena, absolute));
    if (!read_file(o->arena, source, &text, &size) ||
        !rewrite_all(o->arena, source, o->found, &text, &size))
        return;
    const char *copy = scratch_path(o->arena, ".cu");
    if (write_file(copy, text, size))
        strbuf_printf(&o->roots,
                      "%s{ \"type\": \"file\", \"name\": \"%s\", \"external-contents\": \"%s\" }",
                      o->roots.len ? ", " : "", absolute, copy);
}

// The path of an entry of device_launches.addresses.
static const char *path_of_address(struct arena *arena, const char *entry) {
    const char *name = strrchr(entry, ':');
    while (*--name != ':')
        ;
    return arena_strndup(arena, entry, (size_t)(name - entry));
}

bool launch_tokens_find(struct arena *arena, const char *source, const cc_strings *diagnostics,
                        cc_strings *files) {
    clang_messages messages = {0};
    clang_messages_read(arena, diagnostics, &messages);
    const char *before = source; // several messages in a row are about one file
    bool any = false;
    for (uint32_t i = 0; i < messages.len; i++) {
        const char *path = messages.data[i].path;
        char *text;
        size_t size;
        if (!messages.data[i].error || !strcmp(path, before) || !strcmp(path, source) ||
            is_listed(files, path))
            continue;
        before = path;
        if (is_readable_file(path) && read_file(arena, path, &text, &size) &&
            spell(arena, &text, &size)) {
            vec_push(arena, files, path);
            any = true;
        }
    }
    return any;
}

const char *launch_tokens_overlay(struct arena *arena, const char *source,
                                  const struct rewrites *found) {
    struct overlay o = {.arena = arena, .found = found};
    for (uint32_t i = 0; i < found->launches->files.len; i++)
        add_root(&o, found->launches->files.data[i]);
    for (uint32_t i = 0; i < found->launches->addresses.len; i++)
        add_root(&o, path_of_address(arena, found->launches->addresses.data[i]));
    for (uint32_t i = 0; i < found->spaces->list.len; i++)
        add_root(&o, found->spaces->list.data[i].path);
    for (uint32_t i = 0; i < found->counts->list.len; i++)
        add_root(&o, found->counts->list.data[i].path);
    for (uint32_t i = 0; i < found->words->list.len; i++)
        add_root(&o, found->words->list.data[i].path);
    for (uint32_t i = 0; found->spelled && i < found->spelled->len; i++)
        add_root(&o, found->spelled->data[i]);
    add_root(&o, source);
    if (!o.roots.len)
        return NULL;
    const char *overlay = scratch_path(arena, ".yaml");
    const char *yaml = arena_printf(arena,
                                    "{ \"version\": 0, \"use-external-names\": false, \"roots\": "
                                    "[ %s ] }\n",
                                    strbuf_str(&o.roots));
    strbuf_free(&o.roots);
    return write_file(overlay, yaml, strlen(yaml)) ? overlay : NULL;
}
