#include "cc/headers/header_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cc/processes/file_io.h"

// ---- Sets of words ------------------------------------------------------------------------

static int compare(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void word_set(cc_strings *words) {
    uint32_t n = 0;
    if (words->len)
        qsort(words->data, words->len, sizeof words->data[0], compare);
    for (uint32_t i = 0; i < words->len; ++i)
        if (!n || strcmp(words->data[n - 1], words->data[i]) != 0)
            words->data[n++] = words->data[i];
    words->len = n;
}

// Leaves in `words` what is not in `others`; both are sets.
void word_set_leave_out(cc_strings *words, const cc_strings *others) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < words->len; ++i)
        if (!others->len ||
            !bsearch(&words->data[i], others->data, others->len, sizeof others->data[0], compare))
            words->data[n++] = words->data[i];
    words->len = n;
}

// ---- What headers name --------------------------------------------------------------------

// The position behind a comment or a string that begins here, else `s` itself.
static const char *skip_quiet(const char *s) {
    if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");
        return end ? end + 2 : s + strlen(s);
    }
    if (s[0] == '/' && s[1] == '/')
        return s + strcspn(s, "\n");
    if (!strncmp(s, "'\"'", 3) || !strncmp(s, "'\\\"'", 4))
        return strchr(s + 1, '\'') + 1;
    if (*s != '"')
        return s;
    for (++s; *s && *s != '"' && *s != '\n'; ++s)
        s += *s == '\\' && s[1];
    return s + (*s == '"');
}

static void add_identifiers(struct arena *arena, const char *s, cc_strings *out) {
    while (*s) {
        const char *next = skip_quiet(s);
        size_t n = 0;
        if (next != s) {
            s = next;
            continue;
        }
        while (isalnum((unsigned char)s[n]) || s[n] == '_')
            ++n;
        if (n && !isdigit((unsigned char)*s))
            vec_push(arena, out, arena_strndup(arena, s, n));
        s += n ? n : 1;
    }
}

// What stands behind #include, #include_next, __has_include: "x" or <x>.
static void add_includes(struct arena *arena, const char *text, cc_strings *out) {
    for (const char *s = text; (s = strstr(s, "include")); s += 7) {
        const char *name = s + strcspn(s, "<\"\n");
        size_t n = *name == '<' || *name == '"' ? strcspn(name + 1, ">\"\n") : 0;
        if (n && name[1] != '/')
            vec_push(arena, out, arena_strndup(arena, name + 1, n));
    }
}

bool header_names_read(struct arena *arena, const cc_strings *files, cc_strings *identifiers,
                       cc_strings *includes) {
    for (uint32_t i = 0; i < files->len; ++i) {
        char *text;
        size_t size;
        if (!read_file(arena, files->data[i], &text, &size))
            return false;
        add_identifiers(arena, text, identifiers);
        add_includes(arena, text, includes);
    }
    word_set(identifiers);
    word_set(includes);
    return true;
}
