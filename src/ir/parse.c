// Text to kernel IR: the form that print.c describes. Lines are statements; the first problem
// ends the parse, with its line and column.
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "ir/text.h"

enum { MAX_VALUE_ID = 1 << 22, MAX_LIST = 1 << 16, MAX_RESULTS = 4096, MAX_MESSAGE = 300 };

enum token { END, NEWLINE, WORD, NUMBER, STRING, NAME, VALUE, PUNCT };

struct parser {
    const char *p, *end, *line_start;
    uint32_t line;
    struct strbuf *err;
    bool failed;
    struct kir_module *m;
    struct arena tmp;
    // the token
    enum token kind;
    const char *start; // its text
    size_t len;
    uint64_t number[2]; // NUMBER (both halves of 128 bits), VALUE: the id
    bool negative;
    char *text; // STRING, NAME: what is meant
    // of the body that is being read
    struct kir_func *f;
    struct kir_value **values; // by id; seen before definition: def NULL
    uint32_t nvalues;
    uint32_t nblocks; // that stand in the text so far
};

static void fail(struct parser *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct parser *s, const char *fmt, ...) {
    char text[MAX_MESSAGE];
    if (s->failed)
        return;
    s->failed = true;
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    strbuf_printf(s->err, "ir:%" PRIu32 ":%d: error: %s\n", s->line,
                  (int)(s->start - s->line_start) + 1, text);
}

// ---- tokens ----------------------------------------------------------------------------------

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void lex_string(struct parser *s) {
    char *out = arena_alloc(&s->tmp, (size_t)(s->end - s->p) + 1);
    size_t n = 0;
    s->p++;
    while (s->p < s->end && *s->p != '"' && *s->p != '\n') {
        if (*s->p == '\\' && s->end - s->p > 2 && hex_digit(s->p[1]) >= 0 &&
            hex_digit(s->p[2]) >= 0) {
            out[n++] = (char)(hex_digit(s->p[1]) * 16 + hex_digit(s->p[2]));
            s->p += 3;
        } else {
            out[n++] = *s->p++;
        }
    }
    if (s->p == s->end || *s->p != '"')
        fail(s, "expected '\"' at the end of a string");
    else
        s->p++;
    s->text = arena_strndup(&s->m->arena, out, n);
}

static void lex_number(struct parser *s) {
    s->kind = NUMBER;
    s->number[0] = s->number[1] = 0;
    s->negative = *s->p == '-';
    s->p += s->negative;
    unsigned base = 10;
    if (s->end - s->p > 2 && s->p[0] == '0' && s->p[1] == 'x') {
        base = 16;
        s->p += 2;
    }
    for (; s->p < s->end; s->p++) {
        int d = hex_digit(*s->p);
        if (d < 0 || (unsigned)d >= base)
            break;
        unsigned __int128 v = ((unsigned __int128)s->number[1] << 64 | s->number[0]) * base;
        v += (unsigned)d;
        s->number[0] = (uint64_t)v;
        s->number[1] = (uint64_t)(v >> 64);
    }
    if (s->negative)
        s->number[0] = -s->number[0];
}

static void lex_word(struct parser *s) {
    s->kind = WORD;
    while (s->p < s->end && is_word(*s->p))
        s->p++;
}

static void lex_name(struct parser *s) {
    s->kind = NAME;
    s->p++;
    if (s->p < s->end && *s->p == '"') {
        lex_string(s);
        return;
    }
    const char *from = s->p;
    while (s->p < s->end && is_word(*s->p))
        s->p++;
    if (s->p == from)
        fail(s, "expected a name after '@'");
    s->text = arena_strndup(&s->m->arena, from, (size_t)(s->p - from));
}

static void next(struct parser *s) {
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r'))
        s->p++;
    if (s->end - s->p > 1 && s->p[0] == '/' && s->p[1] == '/') // a comment, to the end of the line
        while (s->p < s->end && *s->p != '\n')
            s->p++;
    s->start = s->p;
    s->kind = END;
    s->len = 0;
    if (s->p == s->end || s->failed)
        return;
    char c = *s->p, after = s->end - s->p > 1 ? s->p[1] : 0;
    if (c == '\n') {
        s->kind = NEWLINE;
        s->p++;
    } else if (isdigit((unsigned char)c) || (c == '-' && isdigit((unsigned char)after))) {
        lex_number(s);
    } else if (is_word(c)) {
        lex_word(s);
    } else if (c == '"') {
        s->kind = STRING;
        lex_string(s);
    } else if (c == '@') {
        lex_name(s);
    } else if (c == '%' && isdigit((unsigned char)after)) {
        s->p++;
        lex_number(s);
        s->kind = VALUE;
    } else {
        s->kind = PUNCT;
        s->p += (c == '-' && after == '>') || (c == '<' && after == '-') ? 2 : 1;
    }
    s->len = (size_t)(s->p - s->start);
}

static void end_line(struct parser *s) {
    if (s->kind != NEWLINE && s->kind != END)
        fail(s, "expected the end of the line");
    while (s->kind == NEWLINE && !s->failed) {
        s->line++;
        s->line_start = s->p;
        next(s);
    }
}

static bool is(const struct parser *s, const char *word) {
    return (s->kind == WORD || s->kind == PUNCT) && s->len == strlen(word) &&
           !memcmp(s->start, word, s->len);
}

static bool accept(struct parser *s, const char *word) {
    if (!is(s, word))
        return false;
    next(s);
    return true;
}

static void expect(struct parser *s, const char *word) {
    if (!accept(s, word))
        fail(s, "expected '%s'", word);
}

static uint64_t number(struct parser *s, uint64_t most) {
    uint64_t v = s->number[0];
    if (s->kind != NUMBER || s->negative || s->number[1] || v > most) {
        fail(s, "expected a number up to %" PRIu64, most);
        return 0;
    }
    next(s);
    return v;
}

static uint32_t number32(struct parser *s) {
    return (uint32_t)number(s, UINT32_MAX);
}

static int64_t signed_number(struct parser *s) {
    int64_t v = (int64_t)s->number[0];
    if (s->kind != NUMBER) {
        fail(s, "expected a number");
        return 0;
    }
    next(s);
    return v;
}

static const char *name(struct parser *s) {
    const char *text = s->text;
    if (s->kind != NAME) {
        fail(s, "expected '@' and a name");
        return "";
    }
    next(s);
    return text;
}

static int word_of(struct parser *s, int (*lookup)(const char *, size_t), const char *what) {
    int k = s->kind == WORD ? lookup(s->start, s->len) : -1;
    if (k < 0) {
        fail(s, "expected %s", what);
        return 0;
    }
    next(s);
    return k;
}

static uint8_t value_type(struct parser *s) {
    return (uint8_t)word_of(s, kir_type_by_name, "a type of a value");
}

// ---- symbols ---------------------------------------------------------------------------------

static struct kir_symbol *symbol(struct parser *s, enum isa_space space) {
    struct kir_symbol *sym = arena_new(&s->m->arena, struct kir_symbol);
    sym->space = (uint8_t)space;
    sym->index = -1;
    sym->name = name(s);
    sym->linkage = (uint8_t)word_of(s, kir_linkage_by_name, "a linkage");
    expect(s, "size");
    sym->size = number(s, UINT64_MAX);
    expect(s, "align");
    sym->align = number32(s);
    expect(s, "offset");
    sym->offset = number(s, UINT64_MAX);
    sym->dynamic = accept(s, "dynamic");
    sym->managed = accept(s, "managed");
    end_line(s);
    return sym;
}

static struct kir_symbol *find_symbol(struct kir_symbol **data, uint32_t n, const char *text) {
    for (uint32_t k = 0; k < n; k++)
        if (!strcmp(data[k]->name, text))
            return data[k];
    return NULL;
}

static struct kir_symbol *func_symbol(struct parser *s, const char *text) {
    struct kir_func *f = kir_find_func(s->m, text);
    if (!f)
        return NULL;
    struct kir_symbol *sym = arena_new(&s->m->arena, struct kir_symbol);
    sym->name = f->name;
    sym->space = ISA_SPACE_GENERIC;
    sym->align = 1;
    sym->index = -1;
    sym->func = f;
    return sym;
}

// @kind:name, or @kind:"name"
static struct kir_symbol *symbol_ref(struct parser *s) {
    const char *kind = name(s);
    const char *text = "";
    if (!is(s, ":")) {
        fail(s, "expected ':'");
    } else if (s->p < s->end) { // the name itself has no '@' here
        s->p--;
        lex_name(s);
        text = s->text;
        next(s);
    }
    struct kir_symbol *sym = NULL;
    if (!strcmp(kind, "local") && s->f)
        sym = find_symbol(s->f->locals.data, s->f->locals.len, text);
    else if (!strcmp(kind, "param") && s->f)
        sym = find_symbol(s->f->params.data, s->f->params.len, text);
    else if (!strcmp(kind, "shared"))
        sym = find_symbol(s->m->shared.data, s->m->shared.len, text);
    else if (!strcmp(kind, "var"))
        sym = find_symbol(s->m->vars.data, s->m->vars.len, text);
    else if (!strcmp(kind, "func"))
        sym = func_symbol(s, text);
    if (!sym)
        fail(s, "no %s is called '%s'", kind, text);
    return sym;
}

// ---- declarations ----------------------------------------------------------------------------

static uint8_t *type_list(struct parser *s, uint32_t *n) {
    VEC(uint8_t) types = {0};
    expect(s, "(");
    while (!s->failed && !is(s, ")")) {
        vec_push(&s->m->arena, &types, value_type(s));
        if (!accept(s, ","))
            break;
    }
    expect(s, ")");
    *n = types.len;
    return types.data;
}

static void proto(struct parser *s, struct kir_proto *p) {
    p->params = type_list(s, &p->nparams);
    expect(s, "->");
    p->rets = type_list(s, &p->nrets);
}

static void three(struct parser *s, const char *word, uint32_t *out) {
    expect(s, word);
    for (int k = 0; k < 3; k++)
        out[k] = number32(s);
}

static void declaration(struct parser *s, bool is_kernel) {
    const char *text = name(s);
    if (kir_find_func(s->m, text))
        fail(s, "'%s' is declared twice", text);
    struct kir_func *f = kir_func_new(s->m, text);
    f->is_kernel = is_kernel;
    f->linkage = (uint8_t)word_of(s, kir_linkage_by_name, "a linkage");
    if (is_kernel) {
        expect(s, "param_bytes");
        f->param_bytes = number32(s);
        expect(s, "shared");
        f->shared_static = number32(s);
        three(s, "maxntid", f->maxntid);
        three(s, "reqntid", f->reqntid);
        expect(s, "minnctapersm");
        f->minnctapersm = number32(s);
        expect(s, "maxnreg");
        f->maxnreg = number32(s);
        if (accept(s, "cluster")) {
            for (int k = 0; k < 3; k++)
                f->cluster[k] = number32(s);
            expect(s, "of");
            f->max_cluster = number32(s);
            f->cluster_required = accept(s, "required");
            if (!f->cluster_required)
                expect(s, "optional");
        }
    } else {
        proto(s, &f->proto);
    }
    expect(s, "frame");
    f->frame_bytes = number32(s);
    expect(s, "align");
    f->frame_align = number32(s);
    f->is_extern = accept(s, "extern");
    f->noreturn = accept(s, "noreturn");
    end_line(s);
}

static void variable(struct parser *s) {
    bool is_const = accept(s, "const");
    if (!is_const)
        expect(s, "global");
    struct kir_symbol *sym = symbol(s, is_const ? ISA_SPACE_CONST : ISA_SPACE_GLOBAL);
    sym->index = (int)s->m->vars.len;
    if (find_symbol(s->m->vars.data, s->m->vars.len, sym->name))
        fail(s, "'%s' is declared twice", sym->name);
    vec_push(&s->m->arena, &s->m->vars, sym);
}

static void initialiser(struct parser *s) {
    struct kir_symbol *sym = symbol_ref(s);
    if (s->failed)
        return;
    const char *digits = s->start;
    size_t n = 0;
    while (digits + n < s->end && hex_digit(digits[n]) >= 0)
        n++;
    if (n % 2 || n / 2 != sym->size || !n) {
        fail(s, "expected %" PRIu64 " bytes in hexadecimal digits", sym->size);
        return;
    }
    uint8_t *bytes = arena_alloc(&s->m->arena, n / 2);
    for (size_t k = 0; k < n / 2; k++)
        bytes[k] = (uint8_t)(hex_digit(digits[2 * k]) * 16 + hex_digit(digits[2 * k + 1]));
    sym->init = bytes;
    s->p = digits + n;
    next(s);
    end_line(s);
}

static void relocation(struct parser *s) {
    struct kir_symbol *sym = symbol_ref(s);
    struct kir_reloc r = {.offset = number(s, UINT64_MAX)};
    expect(s, "size");
    r.size = (uint8_t)number(s, 8);
    r.sym = symbol_ref(s);
    r.addend = signed_number(s);
    r.generic = accept(s, "generic");
    end_line(s);
    if (!s->failed)
        vec_push(&s->m->arena, &sym->relocs, r);
}

// ---- bodies ----------------------------------------------------------------------------------

static struct kir_value **value_slot(struct parser *s) {
    uint64_t id = s->number[0];
    static struct kir_value *none;
    if (s->kind != VALUE || s->number[1] || id >= MAX_VALUE_ID) {
        fail(s, "expected a value, such as %%5");
        return &none;
    }
    if (id >= s->nvalues) {
        uint32_t cap = s->nvalues ? s->nvalues : 256;
        while (cap <= id)
            cap *= 2;
        struct kir_value **v = arena_array(&s->tmp, struct kir_value *, cap);
        if (s->nvalues)
            memcpy(v, s->values, sizeof *v * s->nvalues);
        s->values = v;
        s->nvalues = cap;
    }
    next(s);
    if (!s->values[id]) {
        s->values[id] = arena_new(&s->m->arena, struct kir_value);
        s->values[id]->kind = KIR_VALUE_INST;
        s->values[id]->id = (uint32_t)id;
    }
    return &s->values[id];
}

static struct kir_value *operand(struct parser *s) {
    if (s->kind == VALUE)
        return *value_slot(s);
    if (accept(s, "undef")) {
        expect(s, ":");
        return kir_undef(s->f, (enum kir_type)value_type(s));
    }
    uint64_t lo = s->number[0], hi = s->number[1];
    if (s->kind != NUMBER)
        fail(s, "expected an operand");
    next(s);
    expect(s, ":");
    struct kir_value *v = kir_const(s->f, (enum kir_type)value_type(s), lo);
    v->bits.u64[1] = v->type == KIR_B128 ? hi : 0;
    return v;
}

static struct kir_block *block_ref(struct parser *s) {
    uint64_t id = 0;
    bool ok = s->kind == WORD && s->len > 2 && !memcmp(s->start, "bb", 2) && s->len < 10;
    for (size_t k = 2; ok && k < s->len; k++) {
        ok = isdigit((unsigned char)s->start[k]);
        id = id * 10 + (uint64_t)(s->start[k] - '0');
    }
    if (!ok || id >= MAX_VALUE_ID) {
        fail(s, "expected a block, such as bb1");
        return NULL;
    }
    while (s->f->blocks.len <= id)
        kir_block_new(s->f, NULL);
    next(s);
    return s->f->blocks.data[id];
}

static void one_mod(struct parser *s, struct isa_mods *mods) {
    for (unsigned k = 0; k < kir_mod_field_count; k++) {
        const struct kir_mod_field *f = &kir_mod_fields[k];
        uint8_t *to = (uint8_t *)mods + f->offset;
        if (!accept(s, f->name))
            continue;
        *to = 1;
        if (f->is_flag)
            return;
        expect(s, "=");
        if (!f->values) {
            *to = (uint8_t)number(s, 255);
            return;
        }
        for (unsigned v = 0; v < f->nvalues; v++)
            if (f->values[v] && accept(s, f->values[v])) {
                *to = (uint8_t)v;
                return;
            }
        fail(s, "this is no value of '%s'", f->name);
        return;
    }
    fail(s, "expected a modifier");
}

static void modifiers(struct parser *s, struct isa_mods *mods) {
    if (!accept(s, "{"))
        return;
    do
        one_mod(s, mods);
    while (!s->failed && accept(s, ","));
    expect(s, "}");
}

static void callee(struct parser *s, struct kir_inst *i) {
    const char *text = name(s);
    i->callee = kir_find_func(s->m, text);
    if (!i->callee)
        fail(s, "no function is called '%s'", text);
}

static bool extra(struct parser *s, struct kir_inst *i) {
    if (accept(s, "sreg")) {
        expect(s, "=");
        if (s->kind == PUNCT && *s->start == '%') {
            lex_word(s); // the rest of %tid.x
            s->len = (size_t)(s->p - s->start);
        }
        i->sreg = (uint8_t)word_of(s, kir_sreg_by_name, "a special register");
    } else if (accept(s, "sym")) {
        expect(s, "=");
        i->sym = symbol_ref(s);
    } else if (accept(s, "offset")) {
        expect(s, "=");
        i->offset = signed_number(s);
    } else if (accept(s, "index")) {
        expect(s, "=");
        i->index = number32(s);
    } else if (accept(s, "flag")) {
        i->flag = true;
    } else if (accept(s, "callee")) {
        expect(s, "=");
        callee(s, i);
    } else if (accept(s, "proto")) {
        expect(s, "=");
        i->proto = arena_new(&s->m->arena, struct kir_proto);
        proto(s, i->proto);
    } else if (accept(s, "loc")) {
        expect(s, "=");
        i->file = number32(s);
        expect(s, ":");
        i->line = number32(s);
    } else {
        return false;
    }
    return true;
}

struct pending {
    VEC(struct kir_value *) res, ops;
    VEC(struct kir_block *) targets;
};

static void results(struct parser *s, struct pending *t) {
    while (s->kind == VALUE && !s->failed) {
        struct kir_value *v = *value_slot(s);
        if (v && v->def)
            fail(s, "%%%" PRIu32 " is defined twice", v->id);
        expect(s, ":");
        if (v)
            v->type = value_type(s);
        vec_push(&s->m->arena, &t->res, v);
        if (!accept(s, ","))
            expect(s, "=");
    }
}

static void operands(struct parser *s, struct pending *t) {
    while (!s->failed && (s->kind == VALUE || s->kind == NUMBER || is(s, "undef"))) {
        vec_push(&s->m->arena, &t->ops, operand(s));
        if (!accept(s, ","))
            return;
    }
}

static void targets(struct parser *s, struct pending *t) {
    if (!accept(s, "->"))
        return;
    do
        vec_push(&s->m->arena, &t->targets, block_ref(s));
    while (!s->failed && accept(s, ","));
}

static void attach(struct parser *s, struct kir_inst *i, const struct pending *t) {
    i->nres = t->res.len;
    i->res = t->res.data;
    i->nops = t->ops.len;
    i->ops = t->ops.data;
    i->ntargets = t->targets.len;
    i->targets = t->targets.data;
    for (uint32_t k = 0; k < i->nres && !s->failed; k++) {
        if (i->res[k]->def)
            fail(s, "%%%" PRIu32 " is defined twice", i->res[k]->id);
        i->res[k]->def = i;
        i->res[k]->result = (uint16_t)k;
    }
}

static void instruction(struct parser *s, struct kir_block *b) {
    struct pending t = {0};
    results(s, &t);
    isa_op op = (isa_op)word_of(s, kir_op_by_name, "an opcode");
    struct kir_inst *i = kir_inst_new(s->f, op, ISA_VOID, 0, 0, NULL, 0);
    expect(s, ":");
    i->ty = (uint8_t)word_of(s, kir_isa_type_by_name, "a type");
    if (accept(s, ":"))
        i->ty2 = (uint8_t)word_of(s, kir_isa_type_by_name, "a type");
    modifiers(s, &i->mods);
    operands(s, &t);
    while (extra(s, i))
        ;
    targets(s, &t);
    while (extra(s, i))
        ;
    if (t.res.len > MAX_RESULTS)
        fail(s, "too many results");
    attach(s, i, &t);
    kir_append(b, i);
    end_line(s);
}

static struct kir_block *block_header(struct parser *s) {
    uint32_t known = s->nblocks;
    struct kir_block *b = block_ref(s);
    if (!b)
        return NULL;
    if (b->id != known)
        fail(s, "blocks stand in order: expected bb%" PRIu32, known);
    s->nblocks++;
    if (s->kind == STRING) {
        b->label = s->text;
        next(s);
    }
    if (accept(s, "<-"))
        do {
            struct kir_block *pred = block_ref(s);
            vec_push(&s->m->arena, &b->preds, pred);
        } while (!s->failed && accept(s, ","));
    expect(s, ":");
    end_line(s);
    return b;
}

static bool at_block(const struct parser *s) {
    return s->kind == WORD && s->len > 2 && !memcmp(s->start, "bb", 2) &&
           isdigit((unsigned char)s->start[2]);
}

static void finish_values(struct parser *s) {
    for (uint32_t k = 0; k < s->nvalues && !s->failed; k++)
        if (s->values[k] && !s->values[k]->def)
            fail(s, "%%%" PRIu32 " is used and never defined", k);
    // Constants and undefined values, which have no number in the text, come behind the others.
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->nvalues; k++)
        if (s->values[k])
            n = k + 1;
    for (uint32_t b = 0; b < s->f->blocks.len; b++)
        for (struct kir_inst *i = s->f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                if (i->ops[k]->kind != KIR_VALUE_INST)
                    i->ops[k]->id = n++;
    s->f->value_count = n;
}

static void body(struct parser *s) {
    const char *text = name(s);
    s->f = kir_find_func(s->m, text);
    if (!s->f || s->f->blocks.len || s->f->params.len || s->f->locals.len) {
        fail(s, "expected a declared function without a body");
        return;
    }
    s->values = NULL;
    s->nvalues = s->nblocks = 0;
    expect(s, "{");
    end_line(s);
    while (accept(s, "param"))
        vec_push(&s->m->arena, &s->f->params, symbol(s, ISA_SPACE_PARAM));
    while (accept(s, "local"))
        vec_push(&s->m->arena, &s->f->locals, symbol(s, ISA_SPACE_LOCAL));
    while (!s->failed && at_block(s)) {
        struct kir_block *b = block_header(s);
        while (!s->failed && !at_block(s) && !is(s, "}"))
            instruction(s, b);
    }
    if (s->f->blocks.len != s->nblocks)
        fail(s, "bb%" PRIu32 " is named and does not exist", s->nblocks);
    expect(s, "}");
    end_line(s);
    if (!s->failed)
        finish_values(s);
    s->f = NULL;
}

static void file(struct parser *s) {
    uint32_t at = (uint32_t)number(s, MAX_LIST);
    while (s->m->files.len <= at)
        vec_push(&s->m->arena, &s->m->files, NULL);
    if (s->kind != STRING)
        fail(s, "expected a file name");
    s->m->files.data[at] = s->text;
    next(s);
    end_line(s);
}

static void header(struct parser *s) {
    expect(s, "ir");
    expect(s, "ptx");
    // "8.5" is one word to the lexer's eye for numbers: major, then ".minor"
    s->m->ptx_major = number32(s);
    if (s->kind == WORD && *s->start == '.') {
        s->p = s->start + 1;
        next(s);
    }
    s->m->ptx_minor = number32(s);
    expect(s, "sm");
    s->m->target_sm = number32(s);
    s->m->lockstep = accept(s, "lockstep");
    end_line(s);
}

static void item(struct parser *s) {
    if (accept(s, "file")) {
        file(s);
    } else if (accept(s, "var")) {
        variable(s);
    } else if (accept(s, "shared")) {
        vec_push(&s->m->arena, &s->m->shared, symbol(s, ISA_SPACE_SHARED));
    } else if (accept(s, "shared_bytes")) {
        s->m->shared_bytes = number32(s);
        end_line(s);
    } else if (accept(s, "kernel")) {
        declaration(s, true);
    } else if (accept(s, "func")) {
        declaration(s, false);
    } else if (accept(s, "init")) {
        initialiser(s);
    } else if (accept(s, "reloc")) {
        relocation(s);
    } else if (accept(s, "body")) {
        body(s);
    } else {
        fail(s, "expected file, var, shared, shared_bytes, kernel, func, init, reloc or body");
    }
}

struct kir_module *kir_parse(const char *text, size_t len, struct strbuf *err) {
    struct parser s = {
        .p = text, .end = text + len, .line_start = text, .line = 1, .err = err, .start = text};
    s.m = kir_module_new();
    next(&s);
    if (s.kind == NEWLINE)
        end_line(&s);
    header(&s);
    while (!s.failed && s.kind != END)
        item(&s);
    arena_free(&s.tmp);
    if (!s.failed)
        return s.m;
    kir_module_free(s.m);
    return NULL;
}
