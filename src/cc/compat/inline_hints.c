#include "cc/compat/inline_hints.h"

#include "cc/compat/source_tokens.h"

// The hint that the token at i is, by itself or as a macro; NULL.
static const char *hint_at(const struct source_tokens *s, uint32_t i) {
    static const char *const hints[] = {"__noinline__", "__forceinline__", "__inline_hint__"};
    for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
        if (token_stands_for(s, i, hints[k]))
            return hints[k];
    return NULL;
}

// The name in front of the function's parameters.
static bool is_function_name(const struct source_tokens *s, uint32_t i) {
    return token_is_name(s, i) && token_is(s, i + 1, "(") && !token_is(s, i, "__attribute__") &&
           !token_is(s, i, "__align__") && !token_is(s, i, "alignas") &&
           !token_is(s, i, "decltype") && !token_is(s, i, "__launch_bounds__") &&
           !token_is(s, i, "__maxnreg__") && !token_is(s, i, "__cluster_dims__");
}

// Looks at the declaration that begins at i: at what stands before the parameters.
static void find_in_declaration(const struct source_tokens *s, uint32_t i, const char *path,
                                inline_conflicts *found) {
    struct inline_conflict c = {.path = path, .name = ""};
    for (; i < s->tokens.len && !token_is(s, i, ";") && !token_is(s, i, "{"); i++) {
        const char *hint = hint_at(s, i);
        if (hint && !c.first)
            c.first = hint;
        if (hint && hint != c.first && !c.second) {
            c.second = hint;
            c.line = s->tokens.data[i].line;
            c.column = s->tokens.data[i].column;
        }
        if (is_function_name(s, i)) {
            c.name = arena_strndup(s->arena, s->tokens.data[i].s, s->tokens.data[i].n);
            break;
        }
        if (token_is(s, i, "("))
            i = token_match(s, i, "(", ")");
    }
    if (c.second)
        vec_push(s->arena, found, c);
}

void inline_conflicts_find(struct arena *arena, const char *source, const cc_strings *options,
                           inline_conflicts *found) {
    struct source_tokens s;
    source_tokens_read(&s, arena, source, options);
    for (uint32_t k = 0; k < s.files.len; k++) {
        struct source_scopes scopes = {0};
        source_tokens_select(&s, k, false);
        for (uint32_t i = 0; i < s.tokens.len; i++) {
            if (i == scopes.statement)
                find_in_declaration(&s, i, s.files.data[k], found);
            source_scopes_step(&scopes, &s, i);
        }
    }
}
