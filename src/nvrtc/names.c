#include "nvrtc/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define CONSTANT "__kudzu_name_"

// An address that comes out of a template's argument may be a kernel's even in device code, and
// naming it there instantiates it.
void rtc_names_add(const struct _nvrtcProgram *p, struct strbuf *source) {
    if (!p->names.len)
        return;
    strbuf_puts(source, "\n#line 1 \"" NAME_EXPRESSIONS "\"\n"
                        "template <class T> __host__ __device__ T *__kudzu_pointer(T *);"
                        "template <class T, T P> struct __kudzu_address {"
                        " static constexpr T value = P; };\n");
    for (uint32_t i = 0; i < p->names.len; ++i)
        strbuf_printf(source,
                      "__device__ __attribute__((used)) const void *const " CONSTANT
                      "%u = (const void *)__kudzu_address<decltype(__kudzu_pointer(%s)), "
                      "(%s)>::value;\n",
                      i, p->names.data[i].expression, p->names.data[i].expression);
}

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

// ".visible .const .align 8 .u64 __kudzu_name_0 = generic(v);"
static void take_name(struct _nvrtcProgram *p, const char *line, const char *constant) {
    char *end;
    unsigned long i = strtoul(constant + strlen(CONSTANT), &end, 10);
    const char *s = strstr(end, "= ");
    if (i >= p->names.len || !s)
        return;
    s += 2;
    if (!strncmp(s, "generic(", 8))
        s += 8;
    size_t n = 0;
    while (is_name_char(s[n]))
        ++n;
    if (n)
        p->names.data[i].lowered = arena_strndup(&p->arena, s, n);
}

// Where a declaration of a kernel that begins at `line` ends; `line` itself when it is none: a
// constant makes the compiler declare the kernel before it.
static const char *behind_declaration(const char *line) {
    if (strncmp(line, ".visible .entry ", 16) && strncmp(line, ".entry ", 7) &&
        strncmp(line, ".weak .entry ", 13))
        return line;
    const char *end = line + strcspn(line, "{;");
    return *end == ';' ? end + 1 + (end[1] == '\n') : line;
}

void rtc_names_take(struct _nvrtcProgram *p) {
    if (!p->names.len)
        return;
    struct strbuf out = {0};
    for (const char *s = strbuf_str(&p->ptx); *s;) {
        size_t n = strcspn(s, "\n");
        n += s[n] == '\n';
        const char *constant = strstr(s, CONSTANT), *behind = behind_declaration(s);
        if (constant && constant < s + n)
            take_name(p, s, constant);
        else if (behind != s)
            n = (size_t)(behind - s);
        else
            strbuf_append(&out, s, n);
        s += n;
    }
    strbuf_free(&p->ptx);
    p->ptx = out;
}
