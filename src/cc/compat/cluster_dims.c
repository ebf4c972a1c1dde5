#include "cc/compat/cluster_dims.h"

#include <stdio.h>
#include <string.h>

#include "support/strbuf.h"

// What the plugin writes: the mark, the kernel's name, three numbers.
static const char mark[] = "// kudzu.cluster_dims ";

// Where the body of kernel `name` begins in the text; NULL: it has none.
static const char *body_of(const char *ptx, const char *name) {
    size_t n = strlen(name);
    for (const char *at = ptx; (at = strstr(at, ".entry ")); at++) {
        const char *end = at + 7 + n;
        bool same = !strncmp(at + 7, name, n) && (*end == '(' || *end == ' ' || *end == '\n');
        if (same)
            return strstr(end, "\n{");
    }
    return NULL;
}

static const char *with_directives(struct arena *arena, const char *ptx, const char *body,
                                   const unsigned shape[3]) {
    struct strbuf out = {0};
    strbuf_printf(&out, "%.*s\n.explicitcluster", (int)(body - ptx), ptx);
    if (shape[0]) // otherwise the launch gives the shape
        strbuf_printf(&out, "\n.reqnctapercluster %u, %u, %u", shape[0], shape[1], shape[2]);
    strbuf_puts(&out, body);
    const char *text = arena_strndup(arena, strbuf_str(&out), out.len);
    strbuf_free(&out);
    return text;
}

const char *cluster_dims_apply(struct arena *arena, const char *ptx, size_t *size) {
    char name[1024];
    unsigned shape[3];
    const char *text = ptx;
    for (const char *at = ptx; (at = strstr(at, mark)); at++) {
        if (sscanf(at + sizeof mark - 1, "%1023s %u %u %u", name, &shape[0], &shape[1],
                   &shape[2]) != 4)
            continue;
        const char *body = body_of(text, name);
        if (body)
            text = with_directives(arena, text, body, shape);
    }
    *size = strlen(text);
    return text;
}
