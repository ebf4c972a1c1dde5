#include "cc/compat/late_templates.h"

#include <string.h>

#include "cc/compat/launch_tokens.h"
#include "cc/compat/source_tokens.h"
#include "cc/messages/clang_messages.h"

static bool is_about_name(const struct clang_message *m) {
    static const char *const kinds[] = {"use of undeclared identifier '", "unknown type name '",
                                        "no member named '", "no matching function for call to '"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncmp(m->text, kinds[i], strlen(kinds[i])))
            return true;
    return false;
}

static bool is_of_use(const struct clang_message *m) {
    return m->note && !strncmp(m->text, "in instantiation of ", 20);
}

static bool ends_statement(const struct source_tokens *s, uint32_t i) {
    return token_is(s, i, ";") || token_is(s, i, "{") || token_is(s, i, "}");
}

// Whether the word stands between the statement's beginning and the token at i.
static bool begins_with_template(const struct source_tokens *s, uint32_t i) {
    for (; i && !ends_statement(s, i - 1); i--)
        if (token_is(s, i - 1, "template"))
            return true;
    return false;
}

// Whether one of the braces around a place is a template's.
static bool is_in_template(const struct source_tokens *s, uint32_t line, uint32_t column) {
    uint32_t i = 0, depth = 0;
    while (i < s->tokens.len &&
           (s->tokens.data[i].line < line ||
            (s->tokens.data[i].line == line && s->tokens.data[i].column < column)))
        i++;
    while (i--) {
        depth += token_is(s, i, "}");
        if (!token_is(s, i, "{") || (depth && depth--))
            continue;
        if (begins_with_template(s, i))
            return true;
    }
    return false;
}

bool late_templates_told(struct arena *arena, const cc_strings *diagnostics,
                         const struct rewrites *read) {
    clang_messages messages = {0};
    bool told = false;
    clang_messages_read(arena, diagnostics, &messages);
    for (uint32_t i = 0; i < messages.len; i++) {
        const struct clang_message *m = &messages.data[i];
        struct source_tokens t;
        char *text;
        size_t size;
        if (is_of_use(m))
            return false;
        if (!m->error)
            continue;
        if (!launch_tokens_read(arena, m->path, read, &text, &size))
            return false;
        source_tokens_read_text(&t, arena, m->path, NULL, text);
        if (!is_in_template(&t, m->line, m->column))
            return false;
        told |= is_about_name(m);
    }
    return told;
}
