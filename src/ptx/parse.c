// PTX text -> AST. This file: tokens, errors, and the module's directives. The others:
// parse_decl.c (variables, parameters, registers), parse_init.c (initialisers),
// parse_function.c (functions and their statements), parse_instruction.c and parse_operand.c,
// match.c (which form of the instruction table an instruction is), parse_constant.c.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ptx/parser.h"

void ptx_error_at(struct ptx_parser *p, struct ptx_pos pos, const char *fmt, ...) {
    if (p->errors++ >= PTX_MAX_ERRORS)
        return;
    va_list ap;
    va_start(ap, fmt);
    char text[512];
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    strbuf_printf(p->err, "ptx:%u:%u: error: %s\n", pos.line, pos.col, text);
}

_Noreturn void ptx_fail(struct ptx_parser *p, struct ptx_pos pos, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char text[512];
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    ptx_error_at(p, pos, "%s", text);
    longjmp(*p->recover, 1);
}

_Noreturn void ptx_expected(struct ptx_parser *p, const char *what) {
    const struct ptx_token *t = &p->tok;
    if (t->kind == PTX_TOKEN_END)
        ptx_fail(p, t->pos, "expected %s, found the end of the text", what);
    if (t->kind == PTX_TOKEN_BAD)
        ptx_fail(p, t->pos, "%s", t->text);
    ptx_fail(p, t->pos, "expected %s, found '%.*s'", what, t->len > 60 ? 60 : (int)t->len, t->text);
}

void ptx_next(struct ptx_parser *p) {
    p->tok = ptx_lexer_next(&p->lexer);
}

struct ptx_token ptx_peek(const struct ptx_parser *p) {
    struct ptx_lexer copy = p->lexer;
    return ptx_lexer_next(&copy);
}

bool ptx_at(const struct ptx_parser *p, char punct) {
    return p->tok.kind == PTX_TOKEN_PUNCT && p->tok.punct == punct;
}

bool ptx_at_directive(const struct ptx_parser *p, const char *name) {
    return p->tok.kind == PTX_TOKEN_DIRECTIVE && p->tok.len == strlen(name) &&
           !memcmp(p->tok.text, name, p->tok.len);
}

bool ptx_accept(struct ptx_parser *p, char punct) {
    bool yes = ptx_at(p, punct);
    if (yes)
        ptx_next(p);
    return yes;
}

bool ptx_accept_directive(struct ptx_parser *p, const char *name) {
    bool yes = ptx_at_directive(p, name);
    if (yes)
        ptx_next(p);
    return yes;
}

void ptx_expect(struct ptx_parser *p, char punct, const char *where) {
    if (ptx_accept(p, punct))
        return;
    char what[128];
    snprintf(what, sizeof what, "'%c' %s", punct, where);
    ptx_expected(p, what);
}

char *ptx_expect_name(struct ptx_parser *p, const char *what) {
    if (p->tok.kind != PTX_TOKEN_NAME)
        ptx_expected(p, what);
    char *s = arena_strndup(p->arena, p->tok.text, p->tok.len);
    ptx_next(p);
    return s;
}

uint64_t ptx_expect_u32(struct ptx_parser *p, const char *what) {
    if (p->tok.kind != PTX_TOKEN_INT || p->tok.value > UINT32_MAX)
        ptx_expected(p, what);
    uint64_t v = p->tok.value;
    ptx_next(p);
    return v;
}

// ---- .version, .target, .address_size -------------------------------------------------------

static _Thread_local bool refused_version;

bool ptx_refused_version(void) {
    return refused_version;
}

static void parse_version(struct ptx_parser *p) {
    struct ptx_token t = p->tok;
    if (!ptx_at_directive(p, ".version"))
        ptx_expected(p, ".version");
    ptx_next(p);
    unsigned major = 0, minor = 0;
    int used = 0;
    t = p->tok;
    char text[32];
    snprintf(text, sizeof text, "%.*s", t.len > 30 ? 30 : (int)t.len, t.text);
    if (t.kind != PTX_TOKEN_F64 || sscanf(text, "%3u.%3u%n", &major, &minor, &used) != 2 ||
        text[used])
        ptx_expected(p, "a version such as 8.5");
    ptx_next(p);
    refused_version = major < 1 || major > 9;
    if (refused_version)
        ptx_fail(p, t.pos, "PTX version %u.%u is not supported", major, minor);
    p->module->version_major = major;
    p->module->version_minor = minor;
}

// Architectures that PTX was or is made for.
static bool is_known(unsigned sm) {
    static const unsigned char known[] = {10, 11, 12, 13, 20,  21,  30,  32,  35,  37, 50,
                                          52, 53, 60, 61, 62,  70,  72,  75,  80,  82, 86,
                                          87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
    return sm < 256 && memchr(known, (int)sm, sizeof known);
}

static void parse_sm(struct ptx_parser *p, const char *name, struct ptx_pos pos) {
    unsigned sm = 0;
    int used = 0;
    const char *prefix = strncmp(name, "sm_", 3) ? "compute_" : "sm_";
    size_t n = strlen(prefix);
    if (strncmp(name, prefix, n) || sscanf(name + n, "%4u%n", &sm, &used) != 1 || !sm)
        ptx_fail(p, pos, "unknown target '%s'", name);
    const char *rest = name + n + used;
    bool specific = !strcmp(rest, "a") && sm >= 90, family = !strcmp(rest, "f") && sm >= 100;
    if (!is_known(sm) || (*rest && !specific && !family))
        ptx_fail(p, pos, "unknown target '%s'", name);
    p->module->sm = sm;
    p->module->features = *rest;
    p->module->lockstep = p->module->sm < 70;
}

static void parse_target(struct ptx_parser *p) {
    static const char *const ignored[] = {"texmode_unified", "texmode_independent", "texmode_raw",
                                          "map_f64_to_f32"};
    ptx_next(p);
    do {
        struct ptx_pos pos = p->tok.pos;
        const char *name = ptx_expect_name(p, "a target such as sm_90");
        bool known = false;
        for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
            known |= !strcmp(name, ignored[i]);
        if (!strcmp(name, "debug"))
            p->module->debug = true;
        else if (!known)
            parse_sm(p, name, pos);
    } while (ptx_accept(p, ','));
}

static void parse_header(struct ptx_parser *p) {
    parse_version(p);
    if (!ptx_at_directive(p, ".target"))
        ptx_expected(p, ".target");
    struct ptx_pos target = p->tok.pos;
    parse_target(p);
    if (!p->module->sm)
        ptx_fail(p, target, ".target names no architecture such as sm_90");
    p->module->address_size = 64; // the only one there is on this machine
    if (ptx_accept_directive(p, ".address_size")) {
        struct ptx_pos pos = p->tok.pos;
        uint64_t bits = ptx_expect_u32(p, "32 or 64");
        if (bits != 32 && bits != 64)
            ptx_fail(p, pos, "expected 32 or 64 after .address_size");
        p->module->address_size = (unsigned)bits;
    }
}

// ---- Module-level directives ------------------------------------------------------------------

static void add_item(struct ptx_parser *p, struct ptx_item item) {
    vec_push(p->arena, &p->module->items, item);
}

static void parse_file(struct ptx_parser *p) {
    struct ptx_pos pos = p->tok.pos;
    ptx_next(p);
    uint64_t index = ptx_expect_u32(p, "a file number");
    if (index > 1 << 20)
        ptx_fail(p, pos, "file number is too large");
    if (p->tok.kind != PTX_TOKEN_STRING)
        ptx_expected(p, "a file name in quotes");
    const char *name = arena_strndup(p->arena, p->tok.text, p->tok.len);
    ptx_next(p);
    while (ptx_accept(p, ',')) // timestamp, size
        ptx_parse_int(p);
    while (p->module->files.len <= index)
        vec_push(p->arena, &p->module->files, NULL);
    p->module->files.data[index] = name;
    add_item(p, (struct ptx_item){.kind = PTX_ITEM_FILE, .index = (uint32_t)index, .pos = pos});
}

static void parse_module_pragma(struct ptx_parser *p) {
    struct ptx_pos pos = p->tok.pos;
    ptx_next(p);
    do {
        if (p->tok.kind != PTX_TOKEN_STRING)
            ptx_expected(p, "a string");
        const char *text = arena_strndup(p->arena, p->tok.text, p->tok.len);
        ptx_next(p);
        p->module->lockstep |= !strcmp(text, PTX_LOCKSTEP);
        add_item(p, (struct ptx_item){.kind = PTX_ITEM_PRAGMA, .text = text, .pos = pos});
    } while (ptx_accept(p, ','));
    ptx_expect(p, ';', "after .pragma");
}

static struct ptx_func *expect_function(struct ptx_parser *p) {
    struct ptx_token t = p->tok;
    const char *name = ptx_expect_name(p, "a function's name");
    struct ptx_name *e = ptx_names_find(&p->names, name, strlen(name));
    if (!e || e->kind != PTX_NAME_FUNC)
        ptx_fail(p, t.pos, "unknown function '%s'", name);
    return e->func;
}

static void parse_alias(struct ptx_parser *p) {
    struct ptx_pos pos = p->tok.pos;
    ptx_next(p);
    struct ptx_func *from = expect_function(p);
    ptx_expect(p, ',', "between alias and function");
    struct ptx_func *to = expect_function(p);
    ptx_expect(p, ';', "after .alias");
    if (from->has_body || from->alias || from->is_entry)
        ptx_fail(p, pos, "'%s' is defined already", from->name);
    if (ptx_func_target(to) == from || to->is_entry)
        ptx_fail(p, pos, "'%s' cannot be an alias of '%s'", from->name, to->name);
    from->alias = to;
    add_item(p, (struct ptx_item){.kind = PTX_ITEM_ALIAS, .func = from, .pos = pos});
}

static enum ptx_linkage parse_linkage(struct ptx_parser *p) {
    static const struct {
        const char *name;
        enum ptx_linkage linkage;
    } words[] = {
        {".visible", PTX_LINK_VISIBLE},
        {".extern", PTX_LINK_EXTERN},
        {".weak", PTX_LINK_WEAK},
        {".common", PTX_LINK_COMMON},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_accept_directive(p, words[i].name))
            return words[i].linkage;
    return PTX_LINK_INTERNAL;
}

static void parse_linked(struct ptx_parser *p) {
    enum ptx_linkage linkage = parse_linkage(p);
    enum isa_space space;
    if (ptx_at_directive(p, ".func") || ptx_at_directive(p, ".entry")) {
        bool is_entry = p->tok.text[1] == 'e';
        if (is_entry && (linkage == PTX_LINK_COMMON))
            ptx_fail(p, p->tok.pos, "a function cannot be .common");
        ptx_next(p);
        ptx_parse_function(p, linkage, is_entry);
    } else if (ptx_space_directive(p, &space)) {
        if (space == ISA_SPACE_LOCAL || space == ISA_SPACE_PARAM)
            ptx_fail(p, p->tok.pos, "%.*s variables must stand in a function", (int)p->tok.len,
                     p->tok.text);
        ptx_next(p);
        ptx_parse_vars(p, space, linkage);
        ptx_expect(p, ';', "after the variable's declaration");
    } else if (ptx_at_directive(p, ".tex") || ptx_at_directive(p, ".reg") ||
               ptx_at_directive(p, ".sreg")) {
        ptx_fail(p, p->tok.pos, "%.*s variables at module level are not supported", (int)p->tok.len,
                 p->tok.text);
    } else {
        ptx_expected(p, linkage == PTX_LINK_INTERNAL ? "a directive"
                                                     : ".func, .entry or a variable's state space");
    }
}

static void parse_item(struct ptx_parser *p) {
    if (ptx_at_directive(p, ".file"))
        parse_file(p);
    else if (ptx_at_directive(p, ".pragma"))
        parse_module_pragma(p);
    else if (ptx_at_directive(p, ".alias"))
        parse_alias(p);
    else if (ptx_at_directive(p, ".section"))
        ptx_skip_section(p);
    else if (ptx_at_directive(p, ".target"))
        parse_target(p);
    else if (ptx_at_directive(p, ".version"))
        parse_version(p);
    else if (!ptx_accept(p, ';'))
        parse_linked(p);
}

struct ptx_module *ptx_parse(struct arena *a, const char *text, size_t len, struct strbuf *err) {
    struct ptx_parser *p = arena_new(a, struct ptx_parser);
    jmp_buf out;
    refused_version = false;
    p->arena = a;
    p->err = err;
    p->recover = &out;
    p->module = arena_new(a, struct ptx_module);
    p->module->arena = a;
    ptx_names_init(&p->names, a);
    ptx_lexer_init(&p->lexer, text, len);
    if (!setjmp(out)) {
        ptx_next(p);
        parse_header(p);
        while (p->tok.kind != PTX_TOKEN_END)
            parse_item(p);
    }
    return p->errors ? NULL : p->module;
}
