#include "cc/compat/attribute_lists.h"

#include <ctype.h>
#include <string.h>

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " \t\r\n");
}

static size_t word_length(const char *at) {
    size_t n = 0;
    while (at[n] == '_' || isalnum((unsigned char)at[n]))
        n++;
    return n;
}

static bool is_word(const char *at, size_t n, const char *word) {
    return strlen(word) == n && !memcmp(at, word, n);
}

const char *attribute_list_word(const char *at) {
    if (strncmp(at, "[[", 2) != 0)
        return NULL;
    at = skip_blanks(at + 2);
    return word_length(at) ? at : NULL;
}

bool attribute_list_follows(const struct source_tokens *s, uint32_t i) {
    static const char *const words[] = {"inline",          "__inline__",   "__inline",
                                        "__forceinline__", "__noinline__", "static",
                                        "constexpr",       "consteval",    "virtual",
                                        "explicit",        "extern",       "__inline_hint__"};
    if (i == 0 || !token_is(s, i, "[") || !attribute_list_word(s->tokens.data[i].s))
        return false;
    bool known = token_is_name(s, i - 1) && token_spaces(s, i - 1);
    for (size_t k = 0; k < sizeof words / sizeof words[0] && !known; k++)
        known = token_stands_for(s, i - 1, words[k]);
    return known;
}

// ---- The other form -----------------------------------------------------------------------

// Behind what stands in brackets at `at`.
static const char *skip_group(const char *at) {
    int depth = 0;
    do {
        if (*at == '"')
            for (at++; *at && *at != '"' && *at != '\n'; at++)
                at += *at == '\\' && at[1];
        depth += (*at == '(') - (*at == ')');
    } while (*at && *at++ != ';' && depth > 0);
    return at;
}

// One attribute, of a namespace or not, with its arguments.
static const char *put_attribute(struct strbuf *out, const char *at, const char *scope) {
    const char *name = at, *behind = skip_blanks(at + word_length(at));
    size_t n = word_length(name);
    if (!strncmp(behind, "::", 2))
        return put_attribute(out, skip_blanks(behind + 2), name);
    const char *end = *behind == '(' ? skip_group(behind) : behind;
    if (scope && !is_word(scope, word_length(scope), "gnu") &&
        !is_word(scope, word_length(scope), "clang"))
        return end; // nobody here knows it
    strbuf_puts(out, "__attribute__((");
    if (is_word(name, n, "nodiscard"))
        strbuf_puts(out, "warn_unused_result"); // which takes no reason
    else if (is_word(name, n, "maybe_unused"))
        strbuf_puts(out, "unused");
    else
        strbuf_append(out, name, (size_t)(end - name));
    strbuf_puts(out, "))");
    return end;
}

// The list's brackets at the end of what has been written go away. False: there are none.
static bool drop_brackets(struct strbuf *out) {
    size_t n = out->len;
    while (n && isspace((unsigned char)out->data[n - 1]))
        n--;
    if (n < 2 || strncmp(out->data + n - 2, "[[", 2) != 0)
        return false;
    out->data[n - 2] = out->data[n - 1] = ' '; // lines stay
    return true;
}

const char *attribute_list_put(struct strbuf *out, const char *at) {
    const char *scope = NULL, *start = at;
    if (!drop_brackets(out))
        return at;
    if (is_word(at, word_length(at), "using")) {
        scope = skip_blanks(at + word_length(at));
        at = skip_blanks(scope + word_length(scope));
        at = skip_blanks(at + (*at == ':'));
    }
    while (*at && *at != ']') {
        const char *next = word_length(at) ? put_attribute(out, at, scope) : at + 1;
        at = skip_blanks(next);
    }
    at = skip_blanks(at + (*at == ']'));
    at += *at == ']';
    for (const char *s = start; s < at; s++)
        if (*s == '\n')
            strbuf_puts(out, "\n");
    return at;
}

bool attribute_lists_rewrite(struct arena *arena, char **text, size_t *size) {
    struct source_tokens t;
    struct strbuf out = {0};
    const char *from = *text;
    if (!strstr(from, "[["))
        return false;
    source_tokens_read_text(&t, arena, "", NULL, from);
    for (uint32_t i = 0; i < t.tokens.len; i++) {
        const char *at = t.tokens.data[i].s;
        if (at < from || !attribute_list_follows(&t, i))
            continue;
        strbuf_append(&out, from, (size_t)(attribute_list_word(at) - from));
        from = attribute_list_put(&out, attribute_list_word(at));
    }
    bool any = out.len != 0;
    if (any) {
        strbuf_append(&out, from, *size - (size_t)(from - *text));
        *size = out.len;
        *text = arena_strndup(arena, strbuf_str(&out), out.len);
    }
    strbuf_free(&out);
    return any;
}
