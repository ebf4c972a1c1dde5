#include "isa/ops/check.h"
#include "passes/check/check.h"

#include <string.h>

#include "passes/check/check_shared.h"

// `bytes` of zeros at the end, at a multiple of 8.
static size_t reserve(struct check_sites *s, size_t bytes) {
    size_t at = (s->bytes.len + 7) / 8 * 8;
    while (s->bytes.len < at + bytes)
        vec_push(&s->tmp, &s->bytes, 0);
    return at;
}

void check_sites_begin(struct check_sites *s, struct kir_module *m) {
    struct kir_symbol *sym = arena_new(&m->arena, struct kir_symbol);
    *s = (struct check_sites){.m = m, .sym = sym};
    sym->name = KD_CHECK_SITES;
    sym->space = ISA_SPACE_GLOBAL;
    sym->linkage = KIR_LINK_INTERNAL;
    sym->align = 8;
    sym->index = (int)m->vars.len;
    vec_push(&m->arena, &m->vars, sym);
    reserve(s, sizeof(struct kd_check_module));
}

static int32_t text_at(struct check_sites *s, const char *text) {
    if (!text)
        return 0;
    for (uint32_t k = s->texts.len; k-- > 0;)
        if (s->texts.data[k].text == text)
            return s->texts.data[k].at;
    size_t n = strlen(text) + 1, at = reserve(s, n);
    memcpy(s->bytes.data + at, text, n);
    vec_push(&s->tmp, &s->texts, ((struct check_text){text, (int32_t)at}));
    return (int32_t)at;
}

int64_t check_sites_add(struct check_sites *s, const struct kir_inst *i,
                        struct kd_check_site site) {
    const char *file = i->line && i->file < s->m->files.len ? s->m->files.data[i->file] : NULL;
    int32_t file_at = text_at(s, file), function_at = text_at(s, i->block->func->name);
    size_t at = reserve(s, sizeof site);
    site.module = -(int32_t)at;
    site.file = file ? file_at - (int32_t)at : 0;
    site.function = function_at - (int32_t)at;
    site.line = file ? i->line : 0;
    site.cause -= site.cause ? (int32_t)at : 0;
    site.array -= site.array ? (int32_t)at : 0;
    memcpy(s->bytes.data + at, &site, sizeof site);
    return (int64_t)at;
}

int64_t check_sites_arrays(struct check_sites *s, struct check_arrays *list,
                           const struct check_program *programs, uint32_t n) {
    uint32_t all = list->n + n;
    size_t arrays = all * sizeof list->array[0], forms = all * sizeof list->form[0];
    size_t at = reserve(s, arrays + forms);
    for (uint32_t k = 0; k < n; k++) {
        size_t bytes = programs[k].steps.len * sizeof programs[k].steps.data[0];
        size_t here = reserve(s, bytes);
        memcpy(s->bytes.data + here, programs[k].steps.data, bytes);
        list->array[list->n + k] =
            (struct kd_check_array){.at = (uint32_t)(here - at), .flags = KD_CHECK_OF_SHARED};
    }
    for (uint32_t k = 0; k < all; k++) {
        list->array[k].index = (uint8_t)k;
        list->array[k].count = (uint8_t)all;
    }
    memcpy(s->bytes.data + at, list->array, arrays);
    memcpy(s->bytes.data + at + arrays, list->form, forms);
    return (int64_t)at;
}

struct kir_inst *check_sites_access(struct check_sites *s, struct kir_inst *i,
                                    struct kd_check_site site, struct kir_value *address,
                                    struct kir_value *more, struct kir_inst **at) {
    struct kir_func *f = i->block->func;
    struct kir_inst *k = kir_inst_new(f, ISA_OP_CHECK_ACCESS, ISA_B64, 4, 0, NULL, 0);
    *at = kir_inst_new(f, ISA_OP_SYMADDR, ISA_B64, 0, 1, &(uint8_t){KIR_B64}, 0);
    (*at)->sym = s->sym;
    (*at)->offset = check_sites_add(s, i, site);
    k->ops[0] = address;
    k->ops[1] = kir_const(f, KIR_B32, KD_CHECK_NONE);
    k->ops[2] = (*at)->res[0];
    k->ops[3] = more;
    (*at)->file = k->file = i->file;
    (*at)->line = k->line = i->line;
    return k;
}

int check_sites_local(struct check_sites *s, const struct kir_symbol *sym) {
    for (uint32_t k = s->locals.len; k-- > 0;)
        if (s->locals.data[k] == sym)
            return (int)k;
    if (s->locals.len == 1 << KD_CHECK_LOCAL_INDEX)
        return -1;
    vec_push(&s->tmp, &s->locals, sym);
    return (int)s->locals.len - 1;
}

static int32_t variables(struct check_sites *s, const struct kir_symbol *const *list, uint32_t n) {
    size_t at = reserve(s, n * sizeof(struct kd_check_variable));
    for (uint32_t k = 0; k < n; k++) {
        size_t here = at + k * sizeof(struct kd_check_variable);
        int32_t name = text_at(s, list[k]->name);
        struct kd_check_variable v = {.name = name - (int32_t)here,
                                      .dynamic = list[k]->dynamic,
                                      .offset = list[k]->offset,
                                      .size = list[k]->size};
        memcpy(s->bytes.data + here, &v, sizeof v);
    }
    return (int32_t)at;
}

void check_sites_end(struct check_sites *s) {
    struct kir_module *m = s->m;
    struct kd_check_module head = {m->shared.len, s->locals.len, m->vars.len, 0, 0, 0,
                                   s->bulk_copies};
    head.shared = variables(s, (const struct kir_symbol *const *)m->shared.data, m->shared.len);
    head.local = variables(s, s->locals.data, s->locals.len);
    head.vars = variables(s, (const struct kir_symbol *const *)m->vars.data, m->vars.len);
    memcpy(s->bytes.data, &head, sizeof head);
    s->sym->size = s->bytes.len;
    s->sym->init = arena_memdup(&m->arena, s->bytes.data, s->bytes.len);
    arena_free(&s->tmp);
}
