#include "assembler/ptx_symbols.h"

#include <string.h>

#include "isa/device_functions.h"

struct lines {
    const char *text;
    size_t size;
    VEC(size_t) starts; // by line
};

static struct lines find_lines(struct arena *arena, const char *text, size_t size) {
    struct lines l = {.text = text, .size = size};
    vec_push(arena, &l.starts, 0);
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n')
            vec_push(arena, &l.starts, i + 1);
    return l;
}

static size_t offset_of(const struct lines *l, uint32_t line, uint32_t column) {
    size_t at = line && line <= l->starts.len ? l->starts.data[line - 1] : l->size;
    at += column ? column - 1 : 0;
    return at < l->size ? at : l->size;
}

// Behind the brace that ends a function whose last statement begins at `at`.
static size_t end_of_body(const struct lines *l, size_t at, bool statement) {
    const char *p = l->text + at, *end = l->text + l->size;
    const char *stop = statement ? memchr(p, ';', (size_t)(end - p)) : p;
    const char *brace = stop ? memchr(stop, '}', (size_t)(end - stop)) : NULL;
    return brace ? (size_t)(brace + 1 - l->text) : l->size;
}

static bool ends_with_semicolon(const struct ptx_stmt *s) {
    return s->kind == PTX_STMT_INST || s->kind == PTX_STMT_REG || s->kind == PTX_STMT_VAR ||
           s->kind == PTX_STMT_PRAGMA || s->kind == PTX_STMT_PROTO || s->kind == PTX_STMT_TARGETS;
}

static void place_function(const struct lines *l, const struct ptx_func *f,
                           struct cubin_symbol *s) {
    s->offset = offset_of(l, f->pos.line, 0);
    size_t last = offset_of(l, f->pos.line, f->pos.col);
    const struct ptx_stmt *tail = f->body.len ? &vec_last(&f->body) : NULL;
    if (tail)
        last = offset_of(l, tail->pos.line, tail->pos.col);
    last += tail && tail->kind == PTX_STMT_CLOSE && last < l->size;
    size_t end = end_of_body(l, last, tail && ends_with_semicolon(tail));
    s->size = end > s->offset ? end - s->offset : 0;
}

static enum cubin_binding binding_of(uint8_t linkage) {
    return linkage == PTX_LINK_INTERNAL                             ? CUBIN_LOCAL
           : linkage == PTX_LINK_WEAK || linkage == PTX_LINK_COMMON ? CUBIN_WEAK
                                                                    : CUBIN_EXTERNAL;
}

cubin_symbols ptx_symbols(struct arena *arena, const struct ptx_module *m, const char *text,
                          size_t size) {
    cubin_symbols list = {0};
    struct lines lines = find_lines(arena, text, size);
    for (uint32_t i = 0; i < m->funcs.len; i++) {
        const struct ptx_func *f = m->funcs.data[i];
        struct cubin_symbol s = {.name = f->name,
                                 .kind = f->is_entry ? CUBIN_KERNEL : CUBIN_FUNCTION,
                                 .binding = binding_of(f->linkage),
                                 .defined = f->has_body || f->alias};
        if (!s.defined && device_provides(f->name))
            continue;
        if (!s.defined)
            s.binding = CUBIN_EXTERNAL;
        else if (f->has_body)
            place_function(&lines, f, &s);
        vec_push(arena, &list, s);
    }
    for (uint32_t i = 0; i < m->vars.len; i++) {
        const struct ptx_var *v = m->vars.data[i];
        if (v->space != ISA_SPACE_GLOBAL && v->space != ISA_SPACE_CONST)
            continue;
        struct cubin_symbol s = {.name = v->name,
                                 .kind =
                                     v->space == ISA_SPACE_CONST ? CUBIN_CONSTANT : CUBIN_GLOBAL,
                                 .binding = binding_of(v->linkage),
                                 .defined = v->linkage != PTX_LINK_EXTERN,
                                 .size = v->size,
                                 .align = v->align,
                                 .value = v->init};
        vec_push(arena, &list, s);
    }
    return list;
}
