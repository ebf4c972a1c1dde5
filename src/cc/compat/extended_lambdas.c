#include "cc/compat/extended_lambdas.h"

#include <string.h>

#include "cc/compat/source_tokens.h"
#include "support/strbuf.h"

enum { PRESERVED = 8 };

struct lambda {
    const char *file;
    uint32_t line, column;
    int kind;
};

struct search {
    struct source_tokens source;
    VEC(struct lambda) lambdas;
};

// Whether the tokens of [from, to) name a parameter of the list in (open, close).
static bool names_parameter(const struct source_tokens *s, uint32_t from, uint32_t to,
                            uint32_t open, uint32_t close) {
    for (uint32_t p = open + 1; p < close; p++) {
        bool last = token_is(s, p + 1, ",") || token_is(s, p + 1, "=") || token_is(s, p + 1, "[") ||
                    p + 1 == close;
        if (!token_is_name(s, p) || !last || p == open + 1)
            continue;
        for (uint32_t i = from; i < to; i++)
            if (s->tokens.data[i].n == s->tokens.data[p].n &&
                !memcmp(s->tokens.data[i].s, s->tokens.data[p].s, s->tokens.data[p].n))
                return true;
    }
    return false;
}

// What the lambda whose "[" is at i says of itself: execution spaces, and PRESERVED where its
// return type is written down without its parameters.
static unsigned lambda_at(const struct source_tokens *s, uint32_t i) {
    unsigned kind = 0;
    uint32_t at = token_match(s, i, "[", "]") + 1, open = 0, close = 0;
    if (token_is(s, at, "<"))
        at = token_match(s, at, "<", ">") + 1;
    for (; at < s->tokens.len && !token_is(s, at, "{") && !token_is(s, at, "->") &&
           !token_is(s, at, ";");
         at++) {
        kind |= token_spaces(s, at);
        if (token_is(s, at, "(") && !open && !token_is(s, at - 1, "__attribute__")) {
            open = at;
            at = close = token_match(s, at, "(", ")");
        } else if (token_is(s, at, "(")) {
            at = token_match(s, at, "(", ")");
        } else if (!token_is_name(s, at)) {
            return 0;
        }
    }
    uint32_t body = at;
    while (body < s->tokens.len && !token_is(s, body, "{"))
        body++;
    if (token_is(s, at, "->") && !names_parameter(s, at + 1, body, open, close))
        kind |= PRESERVED;
    return body < s->tokens.len ? kind : 0;
}

static void add_entry(struct search *f, const char *path, const struct token *t, unsigned kind) {
    const char *slash = strrchr(path, '/');
    bool device = (kind & (DEVICE | HOST)) == DEVICE, both = (kind & DEVICE) && (kind & HOST);
    int number = both ? 4 : device && kind & PRESERVED ? 3 : device ? 1 : 0;
    vec_push(f->source.arena, &f->lambdas,
             ((struct lambda){slash ? slash + 1 : path, t->line, t->column, number}));
}

static void find_lambdas(struct search *f, const char *path) {
    const struct source_tokens *s = &f->source;
    struct source_scopes scopes = {0};
    for (uint32_t i = 0; i < s->tokens.len; i++) {
        if (token_begins_lambda(s, i) && source_scope_now(&scopes) == IN_HOST)
            add_entry(f, path, &s->tokens.data[i], lambda_at(s, i));
        source_scopes_step(&scopes, s, i);
    }
}

// Whether it is extended or stands where such a one does, as all do to which one macro expands.
static bool stands_with_extended(const struct search *f, const struct lambda *l) {
    bool found = l->kind != 0;
    for (uint32_t i = 0; i < f->lambdas.len && !found; i++) {
        const struct lambda *o = &f->lambdas.data[i];
        found =
            o->kind && o->line == l->line && o->column == l->column && !strcmp(o->file, l->file);
    }
    return found;
}

const char *extended_lambdas(struct arena *arena, const char *source, const cc_strings *options) {
    struct search f = {0};
    source_tokens_read(&f.source, arena, source, options);
    for (uint32_t k = 0; k < f.source.files.len; k++) {
        source_tokens_select(&f.source, k, true);
        find_lambdas(&f, f.source.files.data[k]);
    }
    struct strbuf entries = {0};
    for (uint32_t i = 0; i < f.lambdas.len; i++) {
        const struct lambda *l = &f.lambdas.data[i];
        if (stands_with_extended(&f, l))
            strbuf_printf(&entries, "{\"%s:%u:%u)\", %d},", l->file, l->line, l->column, l->kind);
    }
    const char *list = entries.len ? arena_strndup(arena, strbuf_str(&entries), entries.len) : NULL;
    strbuf_free(&entries);
    return list;
}
