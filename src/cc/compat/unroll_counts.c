#include "cc/compat/unroll_counts.h"

#include <string.h>

#include "cc/messages/clang_messages.h"
#include "support/strbuf.h"

static bool is_refusal(const char *text) {
    return (!strncmp(text, "invalid value '", 15) && strstr(text, "'; must be positive")) ||
           (!strncmp(text, "value '", 7) && strstr(text, "' is too large"));
}

static bool is_listed(const struct unroll_counts *found, const char *path, uint32_t line) {
    for (uint32_t i = 0; i < found->list.len; i++)
        if (found->list.data[i].line == line && !strcmp(found->list.data[i].path, path))
            return true;
    return false;
}

bool unroll_counts_find(struct arena *arena, const cc_strings *diagnostics,
                        struct unroll_counts *found) {
    clang_messages messages = {0};
    uint32_t before = found->list.len;
    clang_messages_read(arena, diagnostics, &messages);
    for (uint32_t i = 0; i < messages.len; i++) {
        const struct clang_message *m = &messages.data[i];
        if (is_refusal(m->text) && !is_listed(found, m->path, m->line))
            vec_push(arena, &found->list, ((struct unroll_count){m->path, m->line}));
    }
    return found->list.len != before;
}

// `#pragma unroll`, `#pragma GCC unroll`: up to the end of the line.
static bool is_pragma(const char *line, size_t n) {
    const char *hash = line + strspn(line, " \t"), *word = hash + 1 + strspn(hash + 1, " \t");
    const char *unroll = strstr(line, "unroll");
    return *hash == '#' && !strncmp(word, "pragma", 6) && unroll && unroll < line + n;
}

// The number behind it: digits, a sign, parentheses around them, and nothing else.
static bool has_bad_number(const char *line, size_t n) {
    const char *s = strstr(line, "unroll") + strlen("unroll"), *end = line + n;
    while (s < end && (*s == ' ' || *s == '\t' || *s == '('))
        s++;
    bool negative = s < end && *s == '-';
    s += negative;
    size_t digits = strspn(s, "0123456789");
    const char *rest = s + digits;
    while (rest < end && (*rest == ' ' || *rest == '\t' || *rest == ')' || *rest == '\r'))
        rest++;
    bool large = digits > 10 || (digits == 10 && strncmp(s, "2147483647", 10) > 0);
    return digits && rest == end && (negative || large);
}

// Replaces the pragmas in the lines that are `listed`, or, if that is NULL, whose number is bad.
static bool rewrite(struct arena *arena, char **text, size_t *size,
                    const struct unroll_counts *listed, const char *path) {
    static const char instead[] =
        "#pragma GCC warning \"'#pragma unroll' has a number that is not positive or too large: "
        "it is ignored\"";
    struct strbuf out = {0};
    uint32_t number = 1;
    bool any = false;
    for (const char *line = *text; *line; number++) {
        size_t n = strcspn(line, "\n");
        bool replace = (!listed || is_listed(listed, path, number)) && is_pragma(line, n) &&
                       (listed || has_bad_number(line, n));
        if (replace)
            strbuf_puts(&out, instead);
        else
            strbuf_append(&out, line, n);
        any |= replace;
        line += n;
        if (*line)
            strbuf_append(&out, line++, 1);
    }
    if (any) {
        *size = out.len;
        *text = arena_strndup(arena, strbuf_str(&out), out.len);
    }
    strbuf_free(&out);
    return any;
}

bool unroll_counts_rewrite(struct arena *arena, char **text, size_t *size,
                           const struct unroll_counts *found, const char *path) {
    return rewrite(arena, text, size, found, path);
}

bool unroll_counts_rewrite_written(struct arena *arena, char **text, size_t *size) {
    return strstr(*text, "unroll") && rewrite(arena, text, size, NULL, NULL);
}
