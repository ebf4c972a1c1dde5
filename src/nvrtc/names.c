#define _GNU_SOURCE // memmem
#include "nvrtc/names.h"

#include <ctype.h>
#include <stdio.h>
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

// The first constant's name in a text; NULL: none.
static const char *find_constant(const char *text, size_t size) {
    return memmem(text, size, CONSTANT, strlen(CONSTANT));
}

// What the constant with this name is for; NULL: nothing.
static struct rtc_name *name_of(struct _nvrtcProgram *p, const char *constant) {
    unsigned long i = strtoul(constant + strlen(CONSTANT), NULL, 10);
    return i < p->names.len ? &p->names.data[i] : NULL;
}

// To the name that begins at `s`; false: none does.
static bool set_lowered(struct _nvrtcProgram *p, struct rtc_name *name, const char *s) {
    size_t n = 0;
    while (is_name_char(s[n]))
        ++n;
    if (n)
        name->lowered = arena_strndup(&p->arena, s, n);
    return n;
}

// ---- In PTX ---------------------------------------------------------------------------------

// ".visible .const .align 8 .u64 __kudzu_name_0 = generic(v);"
static void take_name(struct _nvrtcProgram *p, const char *constant) {
    struct rtc_name *name = name_of(p, constant);
    const char *s = strstr(constant, "= ");
    if (name && s)
        set_lowered(p, name, strncmp(s + 2, "generic(", 8) ? s + 2 : s + 10);
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
        const char *constant = find_constant(s, n), *behind = behind_declaration(s);
        if (constant)
            take_name(p, constant);
        else if (behind != s)
            n = (size_t)(behind - s);
        else
            strbuf_append(&out, s, n);
        s += n;
    }
    strbuf_free(&p->ptx);
    p->ptx = out;
}

// ---- In LLVM's text -------------------------------------------------------------------------

// How a variable, of an address space, is referred to: the constants are in the list of what has to
// stay so, and may themselves hold such a reference, or "ptr @" and a kernel's name.
#define OF_SPACE "ptr addrspacecast (ptr addrspace("
#define OF_SPACE_END " to ptr)"

// "@_ZL14__kudzu_name_0 = ... constant ptr addrspacecast (ptr addrspace(1) @v to ptr), align 8" has
// the name "v". False: the line is none of a constant that holds such a reference.
static bool take_reference(struct _nvrtcProgram *p, const char *line, size_t n,
                           const char **references) {
    const char *constant = find_constant(line, n), *value = strstr(line, " constant ");
    struct rtc_name *name = constant ? name_of(p, constant) : NULL;
    if (!name || !value || value > line + n)
        return false;
    value += strlen(" constant ");
    int plain = 0, at = 0;
    (void)sscanf(value, "ptr @%n", &plain);
    (void)sscanf(value, OF_SPACE "%*u) @%n", &at);
    at = plain ? plain : at;
    if (!at || !set_lowered(p, name, value + at))
        return false;
    references[name - p->names.data] =
        arena_printf(&p->arena, "%.*s%s%s", at, value, name->lowered, plain ? "" : OF_SPACE_END);
    return true;
}

// The list of what has to stay, with what the constants refer to in their place.
static void put_list(struct _nvrtcProgram *p, const char *line, size_t n,
                     const char *const *references, struct strbuf *out) {
    const char *end = line + n, *constant;
    while ((constant = find_constant(line, (size_t)(end - line)))) {
        struct rtc_name *name = name_of(p, constant);
        const char *reference = name ? references[name - p->names.data] : NULL;
        const char *from = constant, *behind = strstr(constant, OF_SPACE_END);
        while (from > line && strncmp(from, OF_SPACE, strlen(OF_SPACE)) != 0)
            --from;
        bool replaced = reference && behind && from > line;
        if (!replaced)
            from = behind = constant + strlen(CONSTANT);
        strbuf_append(out, line, (size_t)(from - line));
        if (replaced)
            strbuf_puts(out, reference);
        line = replaced ? behind + strlen(OF_SPACE_END) : behind;
    }
    strbuf_append(out, line, (size_t)(end - line));
}

void rtc_names_take_llvm(struct _nvrtcProgram *p, const char *text, struct strbuf *out) {
    const char **references = arena_array(&p->arena, const char *, p->names.len);
    for (size_t n; *text; text += n) {
        n = strcspn(text, "\n");
        n += text[n] == '\n';
        if (!strncmp(text, "@llvm.", 6))
            put_list(p, text, n, references, out);
        else if (*text != '@' || !take_reference(p, text, n, references))
            strbuf_append(out, text, n);
    }
}
