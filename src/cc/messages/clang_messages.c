#include "cc/messages/clang_messages.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/processes/file_io.h"

void clang_messages_uncolour(char *text) {
    char *to = text;
    for (const char *at = text; *at; at++) {
        if (*at == '\033')
            while (*at && *at != 'm' && at[1])
                at++;
        else
            *to++ = *at;
    }
    *to = 0;
}

// The number behind the colon at *at, which moves behind the number; 0: there is none.
static uint32_t number_at(const char **at) {
    if (**at != ':' || (*at)[1] < '1' || (*at)[1] > '9')
        return 0;
    char *end;
    unsigned long n = strtoul(*at + 1, &end, 10);
    *at = end;
    return n <= UINT32_MAX ? (uint32_t)n : 0;
}

const char *clang_message_place_first(struct arena *arena, const char *line) {
    static const char *const kinds[] = {"error: ", "warning: "};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        size_t n = strlen(kinds[k]);
        const char *colon = strncmp(line, kinds[k], n) ? NULL : strchr(line + n, ':');
        while (colon && !isdigit((unsigned char)colon[1]))
            colon = strchr(colon + 1, ':');
        const char *end = colon ? colon + 1 + strspn(colon + 1, "0123456789:") : NULL;
        if (end && end[-1] == ':' && *end == ' ')
            return arena_printf(arena, "%.*s %s%s", (int)(end - line - n), line + n, kinds[k],
                                end + 1);
    }
    return line;
}

// "path:1:2: error: text"
static bool read_message(struct arena *arena, const char *line, struct clang_message *m) {
    static const char *const kinds[] = {": error: ", ": note: ", ": warning: "};
    for (const char *colon = strchr(line, ':'); colon; colon = strchr(colon + 1, ':')) {
        const char *at = colon;
        m->line = number_at(&at);
        m->column = m->line ? number_at(&at) : 0;
        for (size_t k = 0; m->column && k < sizeof kinds / sizeof *kinds; k++)
            if (!strncmp(at, kinds[k], strlen(kinds[k]))) {
                m->path = arena_strndup(arena, line, (size_t)(colon - line));
                m->text = at + strlen(kinds[k]);
                m->error = k == 0;
                m->note = k == 1;
                return true;
            }
    }
    return false;
}

void clang_messages_read(struct arena *arena, const cc_strings *files, clang_messages *out) {
    for (uint32_t i = 0; i < files->len; i++) {
        char *text;
        size_t size;
        if (!is_readable_file(files->data[i]) || !read_file(arena, files->data[i], &text, &size))
            continue;
        clang_messages_uncolour(text);
        for (char *line = text, *next; line; line = next) {
            struct clang_message m;
            next = strchr(line, '\n');
            if (next)
                *next++ = 0;
            if (read_message(arena, clang_message_place_first(arena, line), &m))
                vec_push(arena, out, m);
        }
    }
}

bool clang_messages_lack_places(struct arena *arena, const cc_strings *files, const char *kind) {
    for (uint32_t i = 0; i < files->len; i++) {
        char *text;
        size_t size;
        if (!is_readable_file(files->data[i]) || !read_file(arena, files->data[i], &text, &size))
            continue;
        clang_messages_uncolour(text);
        for (const char *at = text; (at = strstr(at, kind)); at++)
            if (at == text || at[-1] == '\n')
                return true;
    }
    return false;
}
