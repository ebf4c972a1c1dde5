#include "cc/max_registers.h"

#include <stdbool.h>
#include <string.h>

#include "support/strbuf.h"

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
    if (!registers) {
        *size = strlen(ptx);
        return ptx;
    }
    struct strbuf out = {0};
    const char *done = ptx;
    for (const char *at = ptx; (at = strstr(at, ".entry ")); at++) {
        const char *body = strstr(at, "\n{");
        if (!body || is_bounded(at, body))
            continue;
        strbuf_printf(&out, "%.*s\n.maxnreg %u", (int)(body - done), done, registers);
        done = body;
    }
    strbuf_puts(&out, done);
    *size = out.len;
    const char *text = arena_strndup(arena, strbuf_str(&out), out.len);
    strbuf_free(&out);
    return text;
}
