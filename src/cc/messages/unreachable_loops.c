#include "cc/messages/unreachable_loops.h"

#include <ctype.h>
#include <string.h>

#include "cc/processes/file_io.h"

static const char *skip_blanks(const char *at) {
    for (;;) {
        if (isspace((unsigned char)*at))
            at++;
        else if (at[0] == '/' && at[1] == '/')
            at += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*')
            at = strstr(at + 2, "*/") ? strstr(at + 2, "*/") + 2 : at + strlen(at);
        else
            return at;
    }
}

static bool is_word(const char *at, const char *word) {
    size_t n = strlen(word);
    return !strncmp(at, word, n) && !isalnum((unsigned char)at[n]) && at[n] != '_';
}

// Whether the word that ends before `at` is `do`.
static bool is_behind_do(const char *text, const char *at) {
    while (at > text && isspace((unsigned char)at[-1]))
        at--;
    return at - text > 2 && !strncmp(at - 2, "do", 2) && !isalnum((unsigned char)at[-3]) &&
           at[-3] != '_';
}

bool is_unreachable_loop(struct arena *arena, const char *path, uint32_t line, uint32_t column) {
    char *text;
    size_t size;
    if (!is_readable_file(path) || !read_file(arena, path, &text, &size))
        return false;
    const char *at = text;
    while (--line && at)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    if (!at || column == 0 || column > strcspn(at, "\n"))
        return false;
    for (at += column - 1; at > text && !strchr(";{}", at[-1]);)
        at--;
    if (at > text && at[-1] == '{' && is_behind_do(text, at - 1))
        return true;
    at = skip_blanks(at);
    return is_word(at, "for") || is_word(at, "while") || is_word(at, "do");
}
