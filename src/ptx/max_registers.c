#include "ptx/max_registers.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/strbuf.h"

// What the plugin writes for __maxnreg__: the mark, the kernel's name, a number.
static const char mark[] = "// kudzu.maxnreg ";

// The number that kernel `name` (n characters) asks for itself; 0: none.
static unsigned own_limit(const char *ptx, const char *name, size_t n) {
    for (const char *at = ptx; (at = strstr(at, mark)); at++) {
        const char *of = at + sizeof mark - 1;
        unsigned limit;
        if (!strncmp(of, name, n) && of[n] == ' ' && sscanf(of + n, "%u", &limit) == 1)
            return limit;
    }
    return 0;
}

// Whether one of the directives between a kernel's parameters and its body bounds the kernel.
static bool is_bounded(const char *from, const char *to) {
    static const char *const bounds[] = {".maxnreg", ".maxntid", ".reqntid", ".minnctapersm"};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; ++i) {
        const char *at = strstr(from, bounds[i]);
        if (at && at < to)
            return true;
    }
    return false;
}

const char *max_registers_apply(struct arena *arena, const char *ptx, unsigned registers,
                                size_t *size) {
    *size = strlen(ptx);
    bool marked = strstr(ptx, mark) != NULL;
    if (!registers && !marked)
        return ptx;
    struct strbuf out = {0};
    const char *done = ptx;
    for (const char *at = ptx; (at = strstr(at, ".entry ")); at++) {
        const char *name = at + 7, *body = strstr(at, "\n{");
        if (!body || is_bounded(at, body))
            continue;
        unsigned limit = marked ? own_limit(ptx, name, strcspn(name, "( \n")) : 0;
        if (!limit)
            limit = registers;
        if (!limit)
            continue;
        strbuf_printf(&out, "%.*s\n.maxnreg %u", (int)(body - done), done, limit);
        done = body;
    }
    strbuf_puts(&out, done);
    *size = out.len;
    const char *text = arena_strndup(arena, strbuf_str(&out), out.len);
    strbuf_free(&out);
    return text;
}
