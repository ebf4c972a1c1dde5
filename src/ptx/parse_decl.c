// Declarations: variables, parameters, registers.
#include <stdio.h>
#include <string.h>

#include "ptx/parser.h"

// More than any device has, little enough that sums of sizes cannot wrap.
static const uint64_t MAX_VARIABLE_BYTES = 1ull << 40;
enum { MAX_DIMS = 16, MAX_PARAMS = 4096, MAX_VECTOR_RANGE = 4096, MAX_BANK = 10 };

enum isa_type ptx_parse_type(struct ptx_parser *p) {
    if (p->tok.kind == PTX_TOKEN_DIRECTIVE) {
        enum isa_type t = isa_type_find(p->tok.text + 1, p->tok.len - 1);
        if (t != ISA_VOID) {
            ptx_next(p);
            return t;
        }
    }
    ptx_expected(p, "a type such as .b32");
}

bool ptx_space_directive(const struct ptx_parser *p, enum isa_space *space) {
    static const struct {
        const char *name;
        enum isa_space space;
    } words[] = {
        {".global", ISA_SPACE_GLOBAL}, {".shared", ISA_SPACE_SHARED}, {".const", ISA_SPACE_CONST},
        {".local", ISA_SPACE_LOCAL},   {".param", ISA_SPACE_PARAM},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_at_directive(p, words[i].name)) {
            *space = words[i].space;
            return true;
        }
    return false;
}

static unsigned parse_vec(struct ptx_parser *p) {
    if (ptx_accept_directive(p, ".v2"))
        return 2;
    if (ptx_accept_directive(p, ".v4"))
        return 4;
    return 1;
}

void ptx_parse_attributes(struct ptx_parser *p, bool *managed) {
    while (ptx_accept_directive(p, ".attribute")) {
        ptx_expect(p, '(', "after .attribute");
        do {
            if (ptx_accept_directive(p, ".managed"))
                *managed = true;
            else if (ptx_accept_directive(p, ".unified")) {
                ptx_expect(p, '(', "after .unified");
                ptx_parse_int(p);
                ptx_expect(p, ',', "in .unified");
                ptx_parse_int(p);
                ptx_expect(p, ')', "after .unified");
            } else
                ptx_expected(p, ".managed or .unified");
        } while (ptx_accept(p, ','));
        ptx_expect(p, ')', "after the attributes");
    }
}

static uint32_t parse_align(struct ptx_parser *p) {
    struct ptx_pos pos = p->tok.pos;
    uint64_t n = ptx_expect_u32(p, "an alignment");
    if (!n || n > 1 << 20 || (n & (n - 1)))
        ptx_fail(p, pos, "alignment must be a power of two");
    return (uint32_t)n;
}

static void parse_ptr(struct ptx_parser *p, struct ptx_var *v) {
    enum isa_space space;
    v->is_ptr = true;
    v->ptr_space = ISA_SPACE_GENERIC;
    if (ptx_space_directive(p, &space)) {
        v->ptr_space = (uint8_t)space;
        ptx_next(p);
    }
    if (ptx_accept_directive(p, ".align"))
        v->ptr_align = parse_align(p);
}

// .texref and its kind: in .global memory, or a kernel's parameter.
static bool parse_ref(struct ptx_parser *p, struct ptx_var *v) {
    for (uint8_t ref = PTX_REF_TEXTURE; ref <= PTX_REF_SURFACE; ref++) {
        char word[16];
        snprintf(word, sizeof word, ".%s", ptx_ref_name(ref));
        if (!ptx_at_directive(p, word))
            continue;
        if ((v->space != ISA_SPACE_GLOBAL && v->space != ISA_SPACE_PARAM) || v->vec > 1 ||
            v->managed || p->func)
            ptx_fail(p, p->tok.pos,
                     "a %s stands in .global memory outside of functions, or is a parameter of a "
                     "kernel",
                     word);
        v->ref = ref;
        return ptx_accept_directive(p, word);
    }
    return false;
}

// .align, vector and type, in any order that compilers write.
static void parse_var_type(struct ptx_parser *p, struct ptx_var *v) {
    v->vec = 1;
    for (;;) {
        if (ptx_accept_directive(p, ".align")) {
            v->align = parse_align(p);
            v->align_stated = true;
        } else if (ptx_at_directive(p, ".v2") || ptx_at_directive(p, ".v4")) {
            v->vec = (uint8_t)parse_vec(p);
        } else if (ptx_at_directive(p, ".attribute")) {
            ptx_parse_attributes(p, &v->managed);
        } else if (!v->type && parse_ref(p, v)) {
            v->type = ISA_U64;
        } else if (v->type && ptx_accept_directive(p, ".ptr")) {
            parse_ptr(p, v);
        } else if (!v->type) {
            struct ptx_pos pos = p->tok.pos;
            v->type = (uint8_t)ptx_parse_type(p);
            if (v->type == ISA_PRED)
                ptx_fail(p, pos, "a variable in memory cannot be .pred");
        } else {
            return;
        }
    }
}

static uint64_t element_bytes(const struct ptx_var *v) {
    return (uint64_t)isa_type_bits((enum isa_type)v->type) / 8 * v->vec;
}

static void parse_dims(struct ptx_parser *p, struct ptx_var *v) {
    uint64_t dims[MAX_DIMS];
    struct ptx_pos pos = p->tok.pos;
    while (ptx_accept(p, '[')) {
        if (v->ndims == MAX_DIMS)
            ptx_fail(p, pos, "array has more than %d dimensions", MAX_DIMS);
        int64_t n = 0;
        if (!ptx_at(p, ']')) {
            n = ptx_parse_int(p);
            if (n < 0 || (uint64_t)n > MAX_VARIABLE_BYTES)
                ptx_fail(p, pos, "array size is out of range");
        } else if (v->ndims) {
            ptx_fail(p, p->tok.pos, "only the first dimension may be left out");
        } else {
            v->unsized = true;
        }
        ptx_expect(p, ']', "after the array's size");
        dims[v->ndims++] = (uint64_t)n;
        v->is_array = true;
    }
    v->dims = arena_memdup(p->arena, dims, v->ndims * sizeof *dims);
}

static void compute_size(struct ptx_parser *p, struct ptx_var *v) {
    uint64_t size = element_bytes(v);
    if (!v->align)
        v->align = (uint32_t)size;
    for (uint32_t i = 0; i < v->ndims; i++) {
        uint64_t n = i == 0 && v->unsized ? 1 : v->dims[i];
        if (n && size > MAX_VARIABLE_BYTES / n)
            ptx_fail(p, v->pos, "'%s' is too large", v->name);
        size *= n;
    }
    v->size = v->unsized ? 0 : size;
}

// The entry that a name has in the current scope itself, NULL when it is new there.
static struct ptx_name *own_name(struct ptx_parser *p, const char *name) {
    struct ptx_name *e = ptx_names_find(&p->names, name, strlen(name));
    return e && e->depth == p->names.depth ? e : NULL;
}

static struct ptx_name *declare(struct ptx_parser *p, const char *name, struct ptx_pos pos,
                                uint8_t kind) {
    if (own_name(p, name))
        ptx_fail(p, pos, "'%s' is declared already", name);
    return ptx_names_add(&p->names, p->arena, name, kind, p->names.depth);
}

static bool same_type(const struct ptx_var *a, const struct ptx_var *b) {
    return a->space == b->space && a->type == b->type && a->ref == b->ref && a->vec == b->vec &&
           a->is_array == b->is_array && (a->unsized || b->unsized || a->size == b->size);
}

// A variable that was declared before is defined: the earlier item stays, as a declaration.
static void add_definition(struct ptx_parser *p, struct ptx_var *v) {
    for (uint32_t i = 0; i < p->module->items.len; i++)
        if (p->module->items.data[i].var == v)
            p->module->items.data[i].kind = PTX_ITEM_VAR_DECL;
    struct ptx_item item = {.kind = PTX_ITEM_VAR, .var = v, .pos = v->pos};
    vec_push(p->arena, &p->module->items, item);
}

// A module-level name may be declared again when one of the two is .extern.
static struct ptx_var *merge_var(struct ptx_parser *p, struct ptx_var *v) {
    struct ptx_name *e = own_name(p, v->name);
    struct ptx_var *old = e && e->kind == PTX_NAME_VAR && !p->func ? e->var : NULL;
    if (!old || (old->linkage != PTX_LINK_EXTERN && v->linkage != PTX_LINK_EXTERN)) {
        declare(p, v->name, v->pos, PTX_NAME_VAR)->var = v;
        return v;
    }
    if (!same_type(old, v))
        ptx_fail(p, v->pos, "'%s' was declared with another type on line %u", v->name,
                 old->pos.line);
    bool defines = v->linkage != PTX_LINK_EXTERN;
    if (defines || (old->unsized && !v->unsized)) {
        uint32_t id = old->id;
        *old = *v;
        old->id = id;
    }
    if (defines)
        add_definition(p, old);
    return old;
}

static void add_var(struct ptx_parser *p, struct ptx_var *v) {
    if (p->func) {
        v->func = p->func;
        v->id = p->func->vars.len;
        declare(p, v->name, v->pos, PTX_NAME_VAR)->var = v;
        vec_push(p->arena, &p->func->vars, v);
        struct ptx_stmt s = {.kind = PTX_STMT_VAR, .pos = v->pos, .var = v};
        vec_push(p->arena, &p->func->body, s);
        return;
    }
    v->id = p->module->vars.len;
    struct ptx_var *known = merge_var(p, v);
    if (known != v)
        return;
    vec_push(p->arena, &p->module->vars, v);
    struct ptx_item item = {.kind = PTX_ITEM_VAR, .var = v, .pos = v->pos};
    vec_push(p->arena, &p->module->items, item);
}

static void check_var(struct ptx_parser *p, const struct ptx_var *v) {
    if (v->unsized && v->linkage != PTX_LINK_EXTERN && v->space != ISA_SPACE_PARAM)
        ptx_fail(p, v->pos, "'%s' needs a size: only .extern arrays may leave it out", v->name);
    if (v->managed && v->space != ISA_SPACE_GLOBAL)
        ptx_fail(p, v->pos, "only .global variables can be managed");
    if (v->linkage == PTX_LINK_COMMON && v->space != ISA_SPACE_GLOBAL)
        ptx_fail(p, v->pos, "only .global variables can be .common");
    if (v->ref && v->is_array)
        ptx_fail(p, v->pos, "there are no arrays of .%s", ptx_ref_name(v->ref));
}

// Names such as %p<4>: four variables p0 .. p3.
static void parse_named_vars(struct ptx_parser *p, const struct ptx_var *like) {
    struct ptx_var *v = arena_memdup(p->arena, like, sizeof *like);
    v->pos = p->tok.pos;
    v->name = ptx_expect_name(p, "a variable's name");
    uint64_t count = 0;
    if (ptx_accept(p, '<')) {
        count = ptx_expect_u32(p, "a number of variables");
        ptx_expect(p, '>', "after the number of variables");
        if (count > 65536)
            ptx_fail(p, v->pos, "too many variables");
    }
    parse_dims(p, v);
    compute_size(p, v);
    for (uint64_t i = 0; i < count; i++) {
        struct ptx_var *one = arena_memdup(p->arena, v, sizeof *v);
        one->name = arena_printf(p->arena, "%s%u", v->name, (unsigned)i);
        check_var(p, one);
        add_var(p, one);
    }
    if (count)
        return;
    if (ptx_at(p, '=')) {
        if (v->linkage == PTX_LINK_EXTERN || v->space == ISA_SPACE_SHARED ||
            v->space == ISA_SPACE_LOCAL || v->space == ISA_SPACE_PARAM)
            ptx_fail(p, p->tok.pos, "'%s' cannot have an initial value", v->name);
        ptx_next(p);
        ptx_parse_init(p, v);
    }
    check_var(p, v);
    add_var(p, v);
}

void ptx_parse_vars(struct ptx_parser *p, enum isa_space space, enum ptx_linkage linkage) {
    struct ptx_var like = {.space = (uint8_t)space, .linkage = (uint8_t)linkage};
    if (space == ISA_SPACE_CONST && ptx_accept(p, '[')) {
        struct ptx_pos pos = p->tok.pos;
        like.const_bank = (uint32_t)ptx_expect_u32(p, "a bank's number");
        if (like.const_bank > MAX_BANK)
            ptx_fail(p, pos, "constant banks are 0 to %d", MAX_BANK);
        ptx_expect(p, ']', "after the bank");
    }
    parse_var_type(p, &like);
    do
        parse_named_vars(p, &like);
    while (ptx_accept(p, ','));
}

// ---- Parameters ------------------------------------------------------------------------------

static struct ptx_var *parse_param_var(struct ptx_parser *p, bool is_entry) {
    struct ptx_var *v = arena_new(p->arena, struct ptx_var);
    v->space = ISA_SPACE_PARAM;
    parse_var_type(p, v);
    v->pos = p->tok.pos;
    v->name = ptx_expect_name(p, "a parameter's name");
    parse_dims(p, v);
    compute_size(p, v);
    if (v->unsized && is_entry)
        ptx_fail(p, v->pos, "a kernel's parameter needs a size");
    if (v->ref && (!is_entry || v->is_array))
        ptx_fail(p, v->pos, "a .%s can only be the parameter of a kernel, and no array",
                 ptx_ref_name(v->ref));
    return v;
}

static struct ptx_param parse_param(struct ptx_parser *p, bool is_entry) {
    struct ptx_param param = {0};
    if (ptx_accept_directive(p, ".param")) {
        param.var = parse_param_var(p, is_entry);
    } else if (!is_entry && ptx_accept_directive(p, ".reg")) {
        struct ptx_reg *r = arena_new(p->arena, struct ptx_reg);
        r->type = (uint8_t)ptx_parse_type(p);
        r->pos = p->tok.pos;
        r->name = ptx_expect_name(p, "a parameter's name");
        param.reg = r;
    } else {
        ptx_expected(p, is_entry ? ".param" : ".param or .reg");
    }
    return param;
}

struct ptx_param *ptx_parse_params(struct ptx_parser *p, uint32_t *n, bool is_entry) {
    VEC(struct ptx_param) list = {0};
    *n = 0;
    if (!ptx_accept(p, '('))
        return NULL;
    if (!ptx_at(p, ')')) {
        do {
            if (list.len == MAX_PARAMS)
                ptx_fail(p, p->tok.pos, "more than %d parameters", MAX_PARAMS);
            vec_push(p->arena, &list, parse_param(p, is_entry));
        } while (ptx_accept(p, ','));
    }
    ptx_expect(p, ')', "after the parameters");
    *n = list.len;
    return list.data;
}

// ---- Registers -------------------------------------------------------------------------------

struct ptx_reg *ptx_new_reg(struct ptx_parser *p, const char *name, enum isa_type t) {
    struct ptx_reg *r = arena_new(p->arena, struct ptx_reg);
    r->name = name;
    r->type = (uint8_t)t;
    r->pos = p->tok.pos;
    r->id = p->func->regs.len;
    vec_push(p->arena, &p->func->regs, r);
    return r;
}

static void declare_single(struct ptx_parser *p, struct ptx_reg_decl *d, struct ptx_pos pos) {
    if (d->vec == 1) {
        d->regs[0] = ptx_new_reg(p, d->name, (enum isa_type)d->type);
        declare(p, d->name, pos, PTX_NAME_REG)->reg = d->regs[0];
        return;
    }
    declare(p, d->name, pos, PTX_NAME_VECREG)->decl = d;
    for (unsigned i = 0; i < d->vec; i++) {
        const char *name = arena_printf(p->arena, "%s.%c", d->name, "xyzw"[i]);
        d->regs[i] = ptx_new_reg(p, name, (enum isa_type)d->type);
        declare(p, name, pos, PTX_NAME_REG)->reg = d->regs[i];
        const char *colour = arena_printf(p->arena, "%s.%c", d->name, "rgba"[i]);
        declare(p, colour, pos, PTX_NAME_REG)->reg = d->regs[i];
    }
}

// Registers of a range are made when they are used; vectors, which are rare, at once.
static void declare_range(struct ptx_parser *p, struct ptx_reg_decl *d, struct ptx_pos pos) {
    if (d->vec == 1) {
        const char *key = arena_printf(p->arena, "%s<>", d->name);
        if (own_name(p, key))
            ptx_fail(p, pos, "'%s<...>' is declared already", d->name);
        ptx_names_add(&p->names, p->arena, key, PTX_NAME_RANGE, p->names.depth)->decl = d;
        return;
    }
    if (d->range > MAX_VECTOR_RANGE)
        ptx_fail(p, pos, "too many vector registers");
    for (uint32_t i = 0; i < d->range; i++) {
        struct ptx_reg_decl *one = arena_memdup(p->arena, d, sizeof *d);
        one->name = arena_printf(p->arena, "%s%u", d->name, i);
        declare_single(p, one, pos);
    }
}

void ptx_parse_reg_decl(struct ptx_parser *p) {
    unsigned vec = parse_vec(p);
    struct ptx_pos type_pos = p->tok.pos;
    enum isa_type t = ptx_parse_type(p);
    if (t > ISA_BF16X2 && t != ISA_F32 && t != ISA_F64)
        ptx_fail(p, type_pos, "a register cannot be .%s", isa_type_name(t));
    do {
        struct ptx_reg_decl *d = arena_new(p->arena, struct ptx_reg_decl);
        struct ptx_pos pos = p->tok.pos;
        *d = (struct ptx_reg_decl){.type = (uint8_t)t, .vec = (uint8_t)vec};
        d->name = ptx_expect_name(p, "a register's name");
        if (strchr(d->name, '.') || !strcmp(d->name, "_"))
            ptx_fail(p, pos, "'%s' cannot be a register's name", d->name);
        if (ptx_accept(p, '<')) {
            d->range = (uint32_t)ptx_expect_u32(p, "a number of registers");
            ptx_expect(p, '>', "after the number of registers");
            declare_range(p, d, pos);
        } else {
            declare_single(p, d, pos);
        }
        struct ptx_stmt s = {.kind = PTX_STMT_REG, .pos = pos, .reg = d};
        vec_push(p->arena, &p->func->body, s);
    } while (ptx_accept(p, ','));
}
