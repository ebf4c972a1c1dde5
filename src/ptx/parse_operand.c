// Operands as they stand in the text; which kinds and types are right is for match.c.
#include <string.h>

#include "isa/video.h"
#include "ptx/parser.h"

enum { MAX_VECTOR = 128 }; // the sums of wgmma

// %r12 as a register of the range %r<20>.
static struct ptx_name *find_in_range(struct ptx_parser *p, const char *text, size_t len,
                                      uint64_t *index) {
    size_t prefix = len;
    while (prefix && text[prefix - 1] >= '0' && text[prefix - 1] <= '9')
        prefix--;
    // A prefix may end in digits itself: %r1<20> declares %r10 ... %r119.
    for (size_t cut = prefix; cut < len && len - cut < 11; cut++) {
        char key[256];
        if (!cut || cut + 3 > sizeof key || (text[cut] == '0' && cut + 1 < len))
            continue;
        memcpy(key, text, cut);
        memcpy(key + cut, "<>", 3);
        struct ptx_name *e = ptx_names_find(&p->names, key, cut + 2);
        *index = 0;
        for (size_t i = cut; i < len; i++)
            *index = *index * 10 + (uint64_t)(text[i] - '0');
        if (e && *index < e->decl->range)
            return e;
    }
    return NULL;
}

// What a name stands for; makes the register of a range on its first use.
static struct ptx_name *find_name(struct ptx_parser *p, const char *text, size_t len) {
    struct ptx_name *e = ptx_names_find(&p->names, text, len);
    uint64_t index;
    struct ptx_name *range = find_in_range(p, text, len, &index);
    if (!range || (e && e->depth >= range->depth))
        return e;
    struct ptx_reg *r =
        ptx_new_reg(p, arena_strndup(p->arena, text, len), (enum isa_type)range->decl->type);
    e = ptx_names_add(&p->names, p->arena, r->name, PTX_NAME_REG, range->depth);
    e->reg = r;
    return e;
}

static void set_constant(struct ptx_operand *o, struct ptx_constant c) {
    o->kind = PTX_OPERAND_IMM;
    o->imm = c.bits;
    o->n = c.kind;
}

// Special registers; the fourth component of a vector one is always zero.
static bool parse_sreg(struct ptx_parser *p, struct ptx_operand *o, const struct ptx_token *t) {
    enum isa_sreg r = isa_sreg_find(t->text, t->len);
    if (r != ISA_SREG_NONE) {
        o->kind = PTX_OPERAND_SREG;
        o->sreg = (uint8_t)r;
        return true;
    }
    char first[64];
    if (t->len < 3 || t->len >= sizeof first || memcmp(t->text + t->len - 2, ".w", 2))
        return false;
    memcpy(first, t->text, t->len);
    first[t->len - 1] = 'x';
    if (isa_sreg_find(first, t->len) == ISA_SREG_NONE)
        return false;
    set_constant(o, (struct ptx_constant){.kind = PTX_CONST_INT});
    return true;
}

static void expand_vector(struct ptx_parser *p, struct ptx_operand *o,
                          const struct ptx_reg_decl *d) {
    o->kind = PTX_OPERAND_VEC;
    o->n = d->vec;
    o->elems = arena_array(p->arena, struct ptx_operand, d->vec);
    for (unsigned i = 0; i < d->vec; i++)
        o->elems[i] =
            (struct ptx_operand){.kind = PTX_OPERAND_REG, .reg = d->regs[i], .pos = o->pos};
}

// %r1.b0: part of a register of 32 bits.
static bool parse_part(struct ptx_parser *p, struct ptx_operand *o, const struct ptx_token *t) {
    size_t cut = t->len;
    while (cut && t->text[cut - 1] != '.')
        cut--;
    uint16_t part = cut && p->parts ? isa_part_parse(t->text + cut, t->len - cut) : 0;
    struct ptx_name *e = part ? find_name(p, t->text, cut - 1) : NULL;
    if (!e || e->kind != PTX_NAME_REG || isa_type_bits((enum isa_type)e->reg->type) != 32)
        return false;
    o->kind = PTX_OPERAND_REG;
    o->reg = e->reg;
    o->part = part;
    return true;
}

// A register, special register, variable or function.
static void parse_named(struct ptx_parser *p, struct ptx_operand *o) {
    struct ptx_token t = p->tok;
    ptx_next(p);
    if (t.len == 1 && *t.text == '_') {
        o->kind = PTX_OPERAND_SINK;
        return;
    }
    struct ptx_name *e = find_name(p, t.text, t.len);
    if (!e && (parse_sreg(p, o, &t) || parse_part(p, o, &t)))
        return;
    if (!e)
        ptx_fail(p, t.pos, "unknown name '%.*s'", t.len > 200 ? 200 : (int)t.len, t.text);
    switch (e->kind) {
    case PTX_NAME_REG:
        o->kind = PTX_OPERAND_REG;
        o->reg = e->reg;
        return;
    case PTX_NAME_VECREG:
        expand_vector(p, o, e->decl);
        return;
    case PTX_NAME_VAR:
        o->kind = PTX_OPERAND_SYM;
        o->var = e->var;
        break;
    default:
        o->kind = PTX_OPERAND_SYM;
        o->func = e->func;
        break;
    }
    if (ptx_accept(p, '+') || ptx_at(p, '-'))
        o->offset = ptx_parse_int(p);
}

static void parse_vector(struct ptx_parser *p, struct ptx_operand *o) {
    struct ptx_operand elems[MAX_VECTOR] = {0};
    ptx_next(p);
    o->kind = PTX_OPERAND_VEC;
    do {
        if (o->n == MAX_VECTOR)
            ptx_fail(p, p->tok.pos, "vector has more than %d elements", MAX_VECTOR);
        if (ptx_at(p, '{') || ptx_at(p, '['))
            ptx_expected(p, "a vector's element");
        ptx_parse_operand(p, &elems[o->n++]);
    } while (ptx_accept(p, ','));
    ptx_expect(p, '}', "after the vector");
    o->elems = arena_memdup(p->arena, elems, o->n * sizeof *elems);
}

static void parse_coordinate_vector(struct ptx_parser *p, struct ptx_operand *c) {
    ptx_next(p);
    if (ptx_at(p, '['))
        ptx_expected(p, "coordinates");
    ptx_parse_operand(p, c);
}

// [object(, sampler), coordinates], after the object: a register or symbol.
static void parse_coordinates(struct ptx_parser *p, struct ptx_operand *o) {
    struct ptx_operand c = {0}, object = *o, *sampler = NULL;
    parse_coordinate_vector(p, &c);
    if (ptx_at(p, ',')) {
        sampler = arena_memdup(p->arena, &c, sizeof c);
        c = (struct ptx_operand){0};
        parse_coordinate_vector(p, &c);
    }
    uint32_t n = c.kind == PTX_OPERAND_VEC ? c.n : 1;
    *o = (struct ptx_operand){
        .kind = PTX_OPERAND_TEX, .n = 1 + n, .pos = object.pos, .sampler = sampler};
    o->elems = arena_array(p->arena, struct ptx_operand, 1 + n);
    o->elems[0] = object;
    for (uint32_t k = 0; k < n; k++)
        o->elems[1 + k] = c.kind == PTX_OPERAND_VEC ? c.elems[k] : c;
    ptx_expect(p, ']', "after the coordinates");
}

static void parse_address(struct ptx_parser *p, struct ptx_operand *o) {
    ptx_next(p);
    if (p->tok.kind == PTX_TOKEN_NAME && !ptx_at_constant(p)) {
        struct ptx_pos pos = p->tok.pos;
        parse_named(p, o);
        if (o->kind != PTX_OPERAND_REG && o->kind != PTX_OPERAND_SYM)
            ptx_fail(p, pos, "expected a register or variable in the address");
        if (o->kind == PTX_OPERAND_REG && (ptx_accept(p, '+') || ptx_at(p, '-')))
            o->offset = ptx_parse_int(p);
    } else {
        o->offset = ptx_parse_int(p);
        if (ptx_at(p, ','))
            ptx_fail(p, o->pos, "expected a register that holds a texture object");
    }
    if (ptx_at(p, ',')) {
        if (o->offset)
            ptx_fail(p, o->pos, "a texture object has no offset");
        parse_coordinates(p, o);
        return;
    }
    o->kind = PTX_OPERAND_ADDR;
    ptx_expect(p, ']', "after the address");
    ptx_accept_directive(p, ".unified");
}

// a[3], after the name: an element of an array. Where an instruction wants an address it is one.
static void parse_element(struct ptx_parser *p, struct ptx_operand *o) {
    const struct ptx_var *v = o->var;
    ptx_next(p);
    struct ptx_pos pos = p->tok.pos;
    int64_t at, index = ptx_parse_int(p);
    ptx_expect(p, ']', "after an index, which is a constant");
    int64_t bytes = (int64_t)(isa_type_bits((enum isa_type)v->type) / 8) * v->vec;
    if (__builtin_mul_overflow(index, bytes, &at))
        ptx_fail(p, pos, "the index is too large");
    o->offset = at;
    o->element = true;
}

// first | second
static void parse_pair(struct ptx_parser *p, struct ptx_operand *o) {
    struct ptx_operand first = *o;
    struct ptx_pos pos = o->pos;
    ptx_next(p);
    *o = (struct ptx_operand){.kind = PTX_OPERAND_PAIR, .n = 2, .pos = pos};
    o->elems = arena_array(p->arena, struct ptx_operand, 2);
    o->elems[0] = first;
    o->elems[1].pos = p->tok.pos;
    if (p->tok.kind != PTX_TOKEN_NAME)
        ptx_expected(p, "a register after '|'");
    parse_named(p, &o->elems[1]);
}

void ptx_parse_operand(struct ptx_parser *p, struct ptx_operand *o) {
    o->pos = p->tok.pos;
    if (ptx_at(p, '{')) {
        parse_vector(p, o);
        if (ptx_at(p, '|'))
            parse_pair(p, o);
    } else if (ptx_at(p, '[')) {
        parse_address(p, o);
    } else if (ptx_at(p, '!') && ptx_peek(p).kind == PTX_TOKEN_NAME) {
        ptx_next(p);
        parse_named(p, o);
        o->negated = true;
        if (o->kind != PTX_OPERAND_REG || p->parts)
            ptx_fail(p, o->pos, "expected a predicate register after '!'");
    } else if (p->parts && ptx_at(p, '-') && ptx_peek(p).kind == PTX_TOKEN_NAME) {
        ptx_next(p);
        parse_named(p, o);
        o->negated = true;
    } else if (p->tok.kind == PTX_TOKEN_NAME && !ptx_at_constant(p)) {
        parse_named(p, o);
        if (ptx_at(p, '[') && o->kind == PTX_OPERAND_SYM && !o->offset && o->var &&
            o->var->ndims == 1)
            parse_element(p, o);
        if (ptx_at(p, '|') && (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_SINK))
            parse_pair(p, o);
    } else if (ptx_at_constant(p)) {
        set_constant(o, ptx_parse_constant(p));
    } else {
        ptx_expected(p, "an operand");
    }
}
