#include "cc/processes/make_rule.h"

#include <string.h>

#include "support/strbuf.h"

// "\ ", "\#" and "$$" stand for the plain characters.
void make_rule_prerequisites(struct arena *arena, const char *rule, cc_strings *paths) {
    struct strbuf path = {0};
    const char *c = strstr(rule, ": ");
    for (c = c ? c + 2 : ""; *c; ++c) {
        if (*c == '\\' && c[1] == '\n') {
            ++c;
        } else if (*c == '\n') { // the linker's other rules name its files as targets
            break;
        } else if (*c == ' ') {
            if (path.len)
                vec_push(arena, paths, arena_strdup(arena, strbuf_str(&path)));
            strbuf_free(&path);
            path = (struct strbuf){0};
            continue;
        } else {
            if ((*c == '\\' && (c[1] == ' ' || c[1] == '#')) || (*c == '$' && c[1] == '$'))
                ++c;
            strbuf_append(&path, c, 1);
        }
    }
    if (path.len)
        vec_push(arena, paths, arena_strdup(arena, strbuf_str(&path)));
    strbuf_free(&path);
}
