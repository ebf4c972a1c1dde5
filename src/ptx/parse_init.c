// Initialisers: = 1, = {1, 2, {3, 4}}, = {sym+4, generic(sym)}, = {0xFF(sym), 0xFF00(sym), ...}.
#include <string.h>

#include "ptx/parser.h"

static const uint64_t MAX_INIT_BYTES = 1ull << 28;

struct init {
    struct ptx_parser *p;
    struct ptx_var *v;
    unsigned bytes; // of one scalar
    uint8_t *data;  // capacity bytes, grown as elements are written
    uint64_t capacity;
    uint64_t scalars; // that fit; an array without a size takes what comes
    uint64_t rows;    // in braces of their own
    // A run of masked bytes that make one address.
    struct ptx_reloc run;
    unsigned run_bytes;
};

static void reserve(struct init *s, uint64_t end) {
    if (end <= s->capacity)
        return;
    if (end > MAX_INIT_BYTES)
        ptx_fail(s->p, s->p->tok.pos, "initialiser of '%s' is too large", s->v->name);
    uint64_t cap = s->capacity ? s->capacity * 2 : 64;
    while (cap < end)
        cap *= 2;
    uint8_t *data = arena_alloc(s->p->arena, cap);
    if (s->capacity)
        memcpy(data, s->data, s->capacity);
    s->data = data;
    s->capacity = cap;
}

static struct ptx_reloc parse_symbol(struct ptx_parser *p) {
    struct ptx_reloc r = {.pos = p->tok.pos};
    bool parens = false;
    if (p->tok.len == 7 && !memcmp(p->tok.text, "generic", 7) && ptx_peek(p).punct == '(') {
        ptx_next(p);
        ptx_next(p);
        r.generic = parens = true;
    }
    struct ptx_pos pos = p->tok.pos;
    const char *name = ptx_expect_name(p, "a variable or function");
    struct ptx_name *e = ptx_names_find(&p->names, name, strlen(name));
    if (e && e->kind == PTX_NAME_VAR)
        r.var = e->var;
    else if (e && e->kind == PTX_NAME_FUNC)
        r.func = e->func;
    else
        ptx_fail(p, pos, "unknown variable or function '%s'", name);
    if (r.var && r.var->ref)
        ptx_fail(p, pos, "'%s' has no address: a .%s stands for the handle in it", name,
                 ptx_ref_name(r.var->ref));
    if (parens)
        ptx_expect(p, ')', "after generic(...");
    if (ptx_accept(p, '+') || ptx_at(p, '-'))
        r.addend = ptx_parse_int(p);
    return r;
}

static void add_reloc(struct init *s, struct ptx_reloc r) {
    reserve(s, r.offset + r.size);
    vec_push(s->p->arena, &s->v->relocs, r);
}

// 0xFF00(symbol): one byte of an address; eight in order make the address.
static void parse_masked(struct init *s, uint64_t mask, struct ptx_pos pos, uint64_t offset) {
    struct ptx_parser *p = s->p;
    ptx_expect(p, '(', "after the mask");
    struct ptx_reloc r = parse_symbol(p);
    ptx_expect(p, ')', "after the masked symbol");
    unsigned byte = s->run_bytes % 8;
    if (s->bytes != 1 || mask != 0xffull << (8 * byte))
        ptx_fail(p, pos, "expected the bytes of an address in order, each .b8 with its mask");
    if (!byte)
        s->run = r;
    else if (r.var != s->run.var || r.func != s->run.func || r.addend != s->run.addend ||
             r.generic != s->run.generic || s->run.offset + byte != offset)
        ptx_fail(p, pos, "expected byte %u of the same address", byte);
    if (!byte)
        s->run.offset = offset;
    if (++s->run_bytes % 8)
        return;
    s->run.size = 8;
    s->run.bytewise = true;
    add_reloc(s, s->run);
}

static void parse_scalar(struct init *s, uint64_t index) {
    struct ptx_parser *p = s->p;
    struct ptx_pos pos = p->tok.pos;
    uint64_t offset = index * s->bytes;
    if (index >= s->scalars)
        ptx_fail(p, pos, "'%s' has more initial values than elements", s->v->name);
    bool is_symbol = p->tok.kind == PTX_TOKEN_NAME && !ptx_at_constant(p);
    if (p->tok.kind == PTX_TOKEN_INT && ptx_peek(p).punct == '(') {
        uint64_t mask = p->tok.value;
        ptx_next(p);
        parse_masked(s, mask, pos, offset);
        return;
    }
    if (s->run_bytes % 8)
        ptx_fail(p, pos, "expected byte %u of an address", s->run_bytes % 8);
    if (is_symbol) {
        struct ptx_reloc r = parse_symbol(p);
        r.offset = offset;
        r.size = (uint8_t)s->bytes;
        if (s->bytes != 8 && s->bytes != 4)
            ptx_fail(p, pos, "an address does not fit in .%s",
                     isa_type_name((enum isa_type)s->v->type));
        add_reloc(s, r);
        return;
    }
    uint64_t bits;
    struct ptx_constant c = ptx_parse_constant(p);
    if (!ptx_constant_bits(c, (enum isa_type)s->v->type, &bits))
        ptx_fail(p, pos, "expected a constant of type .%s",
                 isa_type_name((enum isa_type)s->v->type));
    reserve(s, offset + s->bytes);
    memcpy(s->data + offset, &bits, s->bytes);
}

// Scalars below one element of the given dimension.
static uint64_t stride_of(const struct ptx_var *v, uint32_t dim) {
    uint64_t n = v->vec;
    for (uint32_t i = dim + 1; i < v->ndims; i++)
        n *= v->dims[i];
    return n;
}

// Parses { ... } of dimension `dim` (ndims: a vector) that begins at scalar `base`; returns how
// many scalars it reached. Short rows are not filled up: the next one's scalars follow, as they do
// for NVIDIA's assembler.
static uint64_t parse_braces(struct init *s, uint32_t dim, uint64_t base) {
    struct ptx_parser *p = s->p;
    const struct ptx_var *v = s->v;
    if (dim > v->ndims)
        ptx_fail(p, p->tok.pos, "too many braces");
    ptx_expect(p, '{', "before the initial values");
    uint64_t at = base, rows = 0, most = dim < v->ndims ? v->dims[dim] : v->vec;
    while (!ptx_at(p, '}')) {
        struct ptx_pos pos = p->tok.pos;
        bool row = ptx_at(p, '{');
        at = row ? parse_braces(s, dim + 1, at) : (parse_scalar(s, at), at + 1);
        rows += row || dim > 0;
        if (rows > most && !(v->unsized && dim == 0))
            ptx_fail(p, pos, "'%s' has more initial values than elements", v->name);
        if (!ptx_accept(p, ','))
            break;
    }
    if (dim == 0)
        s->rows = rows;
    ptx_expect(p, '}', "after the initial values");
    return at;
}

// The size of an array without one comes from its initialiser.
static void take_size(struct ptx_var *v, struct init *s, uint64_t scalars, unsigned bytes) {
    struct ptx_parser *p = s->p;
    uint64_t stride = stride_of(v, 0);
    uint64_t rows = stride ? (scalars + stride - 1) / stride : 0;
    rows = rows > s->rows ? rows : s->rows;
    if (stride && rows > MAX_INIT_BYTES / bytes / stride)
        ptx_fail(p, p->tok.pos, "initialiser of '%s' is too large", v->name);
    uint64_t *dims = arena_memdup(p->arena, v->dims, v->ndims * sizeof *dims);
    dims[0] = rows;
    v->dims = dims;
    v->unsized = false;
    v->size = rows * stride * bytes;
}

void ptx_parse_init(struct ptx_parser *p, struct ptx_var *v) {
    if (v->ref == PTX_REF_SAMPLER) {
        ptx_parse_sampler(p, v);
        return;
    }
    if (v->ref)
        ptx_fail(p, p->tok.pos, "a .%s cannot have an initial value", ptx_ref_name(v->ref));
    unsigned bytes = isa_type_bits((enum isa_type)v->type) / 8;
    struct init s = {.p = p, .v = v, .bytes = bytes};
    s.scalars = v->unsized ? MAX_INIT_BYTES / bytes : v->size / bytes;
    if (bytes > 8)
        ptx_fail(p, p->tok.pos, "variables of type .%s cannot have an initial value",
                 isa_type_name((enum isa_type)v->type));
    uint64_t reached = 1;
    if (v->is_array || v->vec > 1 || ptx_at(p, '{'))
        reached = parse_braces(&s, 0, 0);
    else
        parse_scalar(&s, 0);
    if (s.run_bytes % 8)
        ptx_fail(p, p->tok.pos, "expected byte %u of an address", s.run_bytes % 8);
    if (v->unsized)
        take_size(v, &s, reached, bytes);
    reserve(&s, v->size);
    v->init = s.data;
}
