#include "cc/messages/clang_failures.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "cc/messages/clang_messages.h"
#include "cc/processes/file_io.h"

// The page's first line begins with this.
static const char sign[] = "PLEASE submit a bug report to ";

bool clang_failures_told(struct arena *arena, const cc_strings *files) {
    for (uint32_t i = 0; i < files->len; ++i) {
        char *text;
        size_t size;
        if (is_readable_file(files->data[i]) && read_file(arena, files->data[i], &text, &size) &&
            strstr(text, sign))
            return true;
    }
    return false;
}

// "3.\tpath:2:17: what clang was doing": behind the tabulator; NULL: another line.
static const char *activity(const char *line) {
    const char *s = line;
    while (isdigit((unsigned char)*s))
        s++;
    return s > line && s[0] == '.' && s[1] == '\t' ? s + 2 : NULL;
}

// Behind "path:2:17"; NULL: what clang was doing has no place.
static const char *behind_place(const char *text, size_t n) {
    for (const char *s = text; s < text + n; ++s) {
        size_t line = *s == ':' ? strspn(s + 1, "0123456789") : 0;
        size_t column = line && s[1 + line] == ':' ? strspn(s + 2 + line, "0123456789") : 0;
        if (column && s[2 + line + column] == ':')
            return s + 2 + line + column;
    }
    return NULL;
}

// clang's back end takes that for a failure of its own; driver.c tells which folder it is.
static bool is_full_disk(const char *messages, const char *page) {
    const char *found = strstr(messages, strerror(ENOSPC));
    return found && found < page;
}

const char *clang_failures_shorten(struct arena *arena, const char *messages) {
    const char *page = strstr(messages, sign), *place = NULL;
    size_t length = 0;
    if (!page)
        return messages;
    if (is_full_disk(messages, page))
        return arena_strndup(arena, messages, (size_t)(page - messages));
    char *plain = arena_strdup(arena, page);
    clang_messages_uncolour(plain);
    for (const char *line = plain; line; line = (line = strchr(line, '\n')) ? line + 1 : NULL) {
        const char *text = activity(line);
        size_t n = text ? strcspn(text, "\n") : 0;
        if (text && behind_place(text, n)) {
            place = text;
            length = n;
        }
    }
    const char *end = place ? behind_place(place, length) : NULL;
    const char *doing =
        end ? arena_printf(arena, " (%.*s)", (int)(place + length - end - 2), end + 2) : "";
    return arena_printf(arena, "%.*s%.*s: error: clang itself fails on this%s\n",
                        (int)(page - messages), messages, end ? (int)(end - place) : 8,
                        end ? place : cc_command_name(), doing);
}
