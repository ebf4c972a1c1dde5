#include "cc/launch_tokens.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cc/file_io.h"
#include "cc/temporaries.h"

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

const char *launch_tokens_overlay(struct arena *arena, const char *source) {
    char *text, absolute[PATH_MAX];
    size_t size;
    if (!realpath(source, absolute) || strpbrk(absolute, "\"\\") ||
        !read_file(arena, source, &text, &size) || !join(text, size, '<'))
        return NULL;
    join(text, size, '>');
    const char *copy = scratch_path(arena, ".cu"), *overlay = scratch_path(arena, ".yaml");
    const char *yaml = arena_printf(arena,
                                    "{ \"version\": 0, \"use-external-names\": false, \"roots\": "
                                    "[ { \"type\": \"file\", \"name\": \"%s\", "
                                    "\"external-contents\": \"%s\" } ] }\n",
                                    absolute, copy);
    if (!write_file(copy, text, size) || !write_file(overlay, yaml, strlen(yaml)))
        return NULL;
    return overlay;
}
