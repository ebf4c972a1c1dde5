// Turns local memory into values: bytes of a local variable that are loaded and stored at constant
// offsets, always with one size, when the variable's address goes nowhere else. Accesses through
// generic addresses of locals become local ones on the way, promoted or not.
#include <stdlib.h>

#include "ir/clean/simplify.h"
#include "ir/order.h"
#include "ir/ssa.h"
#include "support/check/check_tools.h"

// What is known about a value: the address of local `sym - 1`, plus offset. sym 0: nothing.
struct address {
    uint32_t sym;
    int64_t offset;
};

struct access {
    struct kir_inst *inst;
    uint32_t sym, part; // part: which element of a vector
    int64_t offset;
    unsigned size;
    uint32_t var; // 1 + variable, 0: stays in memory
};

struct promote {
    struct kir_func *f;
    struct arena tmp;
    struct address *known;    // by value id
    uint32_t nvalues;         // when the pass began
    bool *escapes;            // by local
    struct kir_value **bases; // by local: its address, once it was needed
    VEC(struct access) accesses;
    struct kir_vars vars;
    bool progress;
};

static struct address address_of(const struct promote *p, const struct kir_value *v) {
    bool old = v->kind == KIR_VALUE_INST && v->id < p->nvalues;
    return old ? p->known[v->id] : (struct address){0, 0};
}

static bool constant(const struct kir_value *v, int64_t *out) {
    *out = v->bits.s64;
    return v->kind == KIR_VALUE_CONST;
}

// or with bits that the aligned address cannot have is an addition.
static bool or_is_add(const struct promote *p, struct address a, int64_t c) {
    int64_t align = p->f->locals.data[a.sym - 1]->align;
    return c >= 0 && c < align && !(a.offset & c);
}

// The address that a pointwise instruction makes from one, or nothing.
static struct address derive(const struct promote *p, const struct kir_inst *i) {
    struct address none = {0, 0}, a = i->nops ? address_of(p, i->ops[0]) : none;
    int64_t c = 0;
    if (i->nres != 1 || kir_type_bits(i->res[0]->type) != 64 || isa_type_bits(i->ty) != 64 ||
        i->mods.cc)
        return none;
    if (i->op == ISA_OP_ADD && !a.sym && constant(i->ops[0], &c)) {
        a = address_of(p, i->ops[1]);
        a.offset = (int64_t)((uint64_t)a.offset + (uint64_t)c);
        return a.sym ? a : none;
    }
    if (!a.sym)
        return none;
    switch (i->op) {
    case ISA_OP_MOV:
        return a;
    case ISA_OP_CVTA:
        return i->mods.space == ISA_SPACE_LOCAL ? a : none;
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        if (!constant(i->ops[1], &c))
            return none;
        c = i->op == ISA_OP_ADD ? c : (int64_t) - (uint64_t)c;
        break;
    case ISA_OP_OR:
        if (!constant(i->ops[1], &c) || !or_is_add(p, a, c))
            return none;
        break;
    default:
        return none;
    }
    a.offset = (int64_t)((uint64_t)a.offset + (uint64_t)c);
    return a;
}

static bool is_plain_access(const struct kir_inst *i) {
    return (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK &&
           (i->mods.space == ISA_SPACE_LOCAL || i->mods.space == ISA_SPACE_GENERIC);
}

static void escape(struct promote *p, const struct kir_value *v) {
    struct address a = address_of(p, v);
    if (a.sym)
        p->escapes[a.sym - 1] = true;
}

// The address of a local, made once at the head of the function.
static struct kir_value *base_of(struct promote *p, uint32_t sym) {
    if (!p->bases[sym]) {
        struct kir_inst *i =
            kir_inst_new(p->f, ISA_OP_SYMADDR, ISA_B64, 0, 1, &(uint8_t){KIR_B64}, 0);
        i->sym = p->f->locals.data[sym];
        kir_insert_before(p->f->blocks.data[0]->first, i);
        p->bases[sym] = i->res[0];
    }
    return p->bases[sym];
}

// Makes a load or store at a known address one that names the variable.
static void name_variable(struct promote *p, struct kir_inst *i, struct address a) {
    const struct kir_inst *def = i->ops[0]->def;
    int64_t offset = (int64_t)((uint64_t)a.offset + (uint64_t)i->offset);
    i->mods.space = ISA_SPACE_LOCAL;
    if (def->op == ISA_OP_SYMADDR && !def->offset && !def->flag)
        return;
    i->ops[0] = base_of(p, a.sym - 1);
    i->offset = offset;
    p->progress = true;
}

static void visit_access(struct promote *p, struct kir_inst *i, struct address a) {
    unsigned size = isa_type_bits(i->ty) / 8, parts = i->mods.vec ? i->mods.vec : 1;
    int64_t offset = (int64_t)((uint64_t)a.offset + (uint64_t)i->offset);
    uint64_t bytes = p->f->locals.data[a.sym - 1]->size;
    name_variable(p, i, a);
    if (!size || size > 8 || offset < 0 || (uint64_t)offset > bytes ||
        size * parts > bytes - (uint64_t)offset) {
        p->escapes[a.sym - 1] = true;
        return;
    }
    for (unsigned k = 0; k < parts; k++)
        vec_push(&p->tmp, &p->accesses,
                 (struct access){i, a.sym, k, offset + (int64_t)(k * size), size, 0});
}

static void visit(struct promote *p, struct kir_inst *i) {
    if (i->op == ISA_OP_SYMADDR && i->sym->space == ISA_SPACE_LOCAL) {
        // sym->index of a local is its position while this pass runs
        p->known[i->res[0]->id] = (struct address){(uint32_t)i->sym->index + 1, i->offset};
        return;
    }
    struct address made = derive(p, i);
    if (made.sym) {
        p->known[i->res[0]->id] = made;
        return;
    }
    uint32_t first = 0;
    if (is_plain_access(i) && address_of(p, i->ops[0]).sym) {
        visit_access(p, i, address_of(p, i->ops[0]));
        first = 1;
    }
    for (uint32_t k = first; k < i->nops; k++)
        escape(p, i->ops[k]);
}

static int by_place(const void *x, const void *y) {
    const struct access *a = x, *b = y;
    if (a->sym != b->sym)
        return a->sym < b->sym ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static enum kir_type type_of_size(unsigned size) {
    return size <= 2 ? KIR_B16 : size == 4 ? KIR_B32 : KIR_B64;
}

// Accesses in order of place fall into groups that overlap; a group of one place and size is a
// variable.
static void choose_variables(struct promote *p) {
    struct access *a = p->accesses.data;
    uint32_t n = p->accesses.len, end;
    if (n)
        qsort(a, n, sizeof *a, by_place);
    for (uint32_t k = 0; k < n; k = end) {
        int64_t limit = a[k].offset + a[k].size;
        bool same = !p->escapes[a[k].sym - 1];
        for (end = k; end < n && a[end].sym == a[k].sym && a[end].offset < limit; end++) {
            same = same && a[end].offset == a[k].offset && a[end].size == a[k].size;
            if (a[end].offset + a[end].size > limit)
                limit = a[end].offset + a[end].size;
        }
        uint32_t var = same ? kir_var_new(p->f, &p->vars, type_of_size(a[k].size)) + 1 : 0;
        for (uint32_t j = k; j < end; j++)
            a[j].var = var;
    }
}

static enum isa_type bit_type(unsigned bits) {
    return bits == 16 ? ISA_U16 : bits == 32 ? ISA_U32 : ISA_U64;
}

// result = the variable, read as the load's type.
static void replace_load(struct promote *p, const struct access *a) {
    struct kir_inst *ld = a->inst;
    struct kir_value *read = p->vars.reads.data[a->var - 1], *res = ld->res[a->part];
    unsigned bits = kir_type_bits(read->type);
    bool copy = isa_type_bits(ld->ty) == bits && kir_type_bits(res->type) == bits;
    struct kir_inst *i =
        kir_inst_new(p->f, copy ? ISA_OP_MOV : ISA_OP_CVT,
                     copy ? kir_isa_type(res->type) : (enum isa_type)ld->ty, 1, 0, NULL, 0);
    if (!copy) {
        bool is_signed = isa_type_is_signed(ld->ty);
        static const uint8_t unsigned_types[] = {ISA_U8, ISA_U16, ISA_U32, ISA_U64};
        static const uint8_t signed_types[] = {ISA_S8, ISA_S16, ISA_S32, ISA_S64};
        unsigned log = a->size == 1 ? 0 : a->size == 2 ? 1 : a->size == 4 ? 2 : 3;
        i->ty = is_signed ? signed_types[log] : unsigned_types[log];
        i->ty2 = (uint8_t)bit_type(bits);
    }
    i->ops[0] = read;
    i->nres = 1;
    i->res = arena_new(&p->f->module->arena, struct kir_value *);
    i->res[0] = res;
    res->def = i;
    res->result = 0;
    i->file = ld->file;
    i->line = ld->line;
    kir_insert_before(ld, i);
}

static void replace_store(struct promote *p, const struct access *a) {
    struct kir_inst *st = a->inst;
    struct kir_value *v = st->ops[1 + a->part];
    uint8_t type = p->vars.reads.data[a->var - 1]->type;
    unsigned bits = kir_type_bits(type);
    if (kir_type_bits(v->type) != bits) {
        struct kir_inst *cvt = kir_inst_new(p->f, ISA_OP_CVT, bit_type(bits), 1, 1, &type, 0);
        cvt->ty2 = (uint8_t)bit_type(kir_type_bits(v->type));
        cvt->ops[0] = v;
        kir_insert_before(st, cvt);
        v = cvt->res[0];
    }
    kir_insert_before(st, kir_var_assign(p->f, a->var - 1, v));
}

// All parts of one access are promoted, or none; `flag` of an access: it stays in memory.
static void keep_vectors_whole(struct promote *p) {
    bool *lost = arena_array(&p->tmp, bool, p->vars.reads.len + 1);
    lost[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < p->accesses.len; k++)
            p->accesses.data[k].inst->flag |= lost[p->accesses.data[k].var];
        for (uint32_t k = 0; k < p->accesses.len; k++) {
            struct access *a = &p->accesses.data[k];
            if (!a->inst->flag || lost[a->var])
                continue;
            lost[a->var] = true;
            changed = true;
        }
    }
    for (uint32_t k = 0; k < p->accesses.len; k++) {
        p->accesses.data[k].inst->flag = false;
        if (lost[p->accesses.data[k].var])
            p->accesses.data[k].var = 0;
    }
}

static void rewrite(struct promote *p) {
    for (uint32_t k = 0; k < p->accesses.len; k++) {
        struct access *a = &p->accesses.data[k];
        if (!a->var)
            continue;
        if (a->inst->op == ISA_OP_LD)
            replace_load(p, a);
        else
            replace_store(p, a);
        p->progress = true;
    }
    for (uint32_t k = 0; k < p->accesses.len; k++)
        if (p->accesses.data[k].var && p->accesses.data[k].inst->block)
            kir_remove(p->accesses.data[k].inst);
}

bool kir_promote_locals(struct kir_func *f) {
    // What reads such a value before it is set would be gone.
    if (!f->locals.len || check_tools() & CHECK_INIT)
        return false;
    struct promote p = {.f = f};
    struct kir_order order;
    kir_order_blocks(f, &p.tmp, &order);
    p.known = arena_array(&p.tmp, struct address, f->value_count);
    p.bases = arena_array(&p.tmp, struct kir_value *, f->locals.len);
    p.nvalues = f->value_count;
    p.escapes = arena_array(&p.tmp, bool, f->locals.len);
    for (uint32_t k = 0; k < f->locals.len; k++)
        f->locals.data[k]->index = (int)k;
    // Instructions that the walk inserts stand before where it is; their values are new, and
    // nothing looks them up.
    for (uint32_t k = 0; k < order.n; k++)
        for (struct kir_inst *i = f->blocks.data[order.blocks[k]]->first; i; i = i->next)
            visit(&p, i);
    // A phi may have been visited before the addresses that come round a loop were known.
    for (uint32_t k = 0; k < f->blocks.len; k++)
        for (struct kir_inst *i = f->blocks.data[k]->first; i && i->op == ISA_OP_PHI; i = i->next)
            for (uint32_t j = 0; j < i->nops; j++)
                escape(&p, i->ops[j]);
    choose_variables(&p);
    keep_vectors_whole(&p);
    rewrite(&p);
    for (uint32_t k = 0; k < f->locals.len; k++)
        f->locals.data[k]->index = -1;
    if (p.vars.reads.len)
        kir_ssa_construct(f, &p.vars);
    bool progress = p.progress;
    arena_free(&p.tmp);
    return progress;
}
