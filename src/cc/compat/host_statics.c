#include "cc/compat/host_statics.h"

#include "cc/compat/source_tokens.h"

static bool is_space(const struct source_tokens *s, uint32_t i) {
    return token_is(s, i, "__constant__") || token_is(s, i, "__managed__") ||
           token_is(s, i, "__shared__") || (token_spaces(s, i) & DEVICE);
}

// Behind what stands in brackets at i: an alignment's, an attribute's, template arguments.
static uint32_t skip_brackets(const struct source_tokens *s, uint32_t i) {
    bool attribute = token_is(s, i - 1, "__attribute__") || token_is(s, i - 1, "__align__") ||
                     token_is(s, i - 1, "alignas") || token_is(s, i - 1, "decltype");
    if (token_is(s, i, "(") && attribute)
        return token_match(s, i, "(", ")");
    if (token_is(s, i, "[") && token_is(s, i + 1, "["))
        return token_match(s, i, "[", "]");
    return token_is(s, i, "<") ? token_match(s, i, "<", ">") : i;
}

// The name that the statement from i on declares as a static variable of the device, or 0. What
// has parentheses behind its name may be a function.
static uint32_t declared_at(const struct source_tokens *s, uint32_t i) {
    uint32_t name = 0;
    bool is_static = false, space = false;
    for (uint32_t first = i; i < s->tokens.len; i++) {
        uint32_t behind = i > first ? skip_brackets(s, i) : i;
        if (behind != i) {
            i = behind;
        } else if (token_is_name(s, i)) {
            is_static |= token_is(s, i, "static");
            space |= is_space(s, i);
            name = i;
        } else if (!token_is(s, i, "*") && !token_is(s, i, "&") && !token_is(s, i, "::")) {
            break;
        }
    }
    return is_static && space && !token_is(s, i, "(") ? name : 0;
}

static void find_in_file(const struct source_tokens *s, const char *path, host_statics *found) {
    struct source_scopes scopes = {0};
    for (uint32_t i = 0; i < s->tokens.len; i++) {
        uint32_t name =
            i == scopes.statement && source_scope_now(&scopes) == IN_HOST ? declared_at(s, i) : 0;
        if (name) {
            const struct token *t = &s->tokens.data[name];
            vec_push(s->arena, found,
                     ((struct host_static){path, arena_strndup(s->arena, t->s, t->n), t->line,
                                           t->column}));
        }
        source_scopes_step(&scopes, s, i);
    }
}

void host_statics_find(struct arena *arena, const char *source, const cc_strings *options,
                       host_statics *found) {
    struct source_tokens s;
    source_tokens_read(&s, arena, source, options);
    for (uint32_t k = 0; k < s.files.len; k++) {
        source_tokens_select(&s, k, false);
        find_in_file(&s, s.files.data[k], found);
    }
}
