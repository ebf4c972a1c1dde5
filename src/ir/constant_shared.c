// Shared variables in which nothing is stored but one constant, and whose address stays in sight:
// what is loaded from them is that constant, since before the first store there may be anything.
// (GCC's OpenMP runtime asks such a variable before each atomic operation whether the lanes of the
// warp work apart. Where they never do, all that it computes is the same for a whole warp.)
#include <stdlib.h>

#include "ir/simplify.h"

struct variable {
    const struct kir_symbol *sym;
    bool refused, stored;
    uint64_t bits;  // the constant
    unsigned width; // of every access; 0: none yet
};

struct search {
    struct arena tmp;
    struct kir_module *m;
    struct variable *vars; // in the order of their symbols' addresses
    uint32_t n;
    struct variable **of; // by value id: the variable into which the address points
};

static int by_symbol(const void *a, const void *b) {
    const struct variable *x = a, *y = b;
    return (x->sym > y->sym) - (x->sym < y->sym);
}

static struct variable *variable_of(struct search *s, const struct kir_symbol *sym) {
    if (!s->n || !sym || sym->space != ISA_SPACE_SHARED)
        return NULL;
    return bsearch(&(struct variable){.sym = sym}, s->vars, s->n, sizeof *s->vars, by_symbol);
}

static void collect(struct search *s) {
    s->vars = arena_array(&s->tmp, struct variable, s->m->shared.len + 1);
    for (uint32_t k = 0; k < s->m->shared.len; k++)
        if (!s->m->shared.data[k]->dynamic)
            s->vars[s->n++] = (struct variable){.sym = s->m->shared.data[k]};
    qsort(s->vars, s->n, sizeof *s->vars, by_symbol);
    for (uint32_t v = 0; v < s->m->vars.len; v++)
        for (uint32_t r = 0; r < s->m->vars.data[v]->relocs.len; r++) {
            struct variable *x = variable_of(s, s->m->vars.data[v]->relocs.data[r].sym);
            if (x)
                x->refused = true;
        }
}

// Does an address that is operand k become i's result, moved by something?
static bool passes_address(const struct kir_inst *i, uint32_t k) {
    return i->op == ISA_OP_ADD || i->op == ISA_OP_MOV || (i->op == ISA_OP_MAD && k == 2);
}

// Which variable the address that i makes points into.
static struct variable *made_by(struct search *s, const struct kir_inst *i) {
    if (i->op == ISA_OP_SYMADDR)
        return variable_of(s, i->sym);
    struct variable *x = NULL;
    for (uint32_t k = 0; k < i->nops; k++) {
        struct variable *y = passes_address(i, k) ? s->of[i->ops[k]->id] : NULL;
        if (x && y) // a sum of two addresses points nowhere
            x->refused = y->refused = true;
        x = y ? y : x;
    }
    return x;
}

static void follow_addresses(struct search *s, const struct kir_func *f) {
    s->of = arena_array(&s->tmp, struct variable *, f->value_count + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < f->blocks.len; b++)
            for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
                struct variable *x = i->nres == 1 ? made_by(s, i) : NULL;
                if (!x || s->of[i->res[0]->id] == x)
                    continue;
                s->of[i->res[0]->id] = x;
                changed = true;
            }
    }
}

// All accesses have one width, which is that of the register, too.
static bool plain_access(const struct kir_inst *i, const struct variable *x) {
    unsigned width = isa_type_bits((enum isa_type)i->ty);
    const struct kir_value *v = i->op == ISA_OP_LD && i->nres == 1   ? i->res[0]
                                : i->op == ISA_OP_ST && i->nops == 2 ? i->ops[1]
                                                                     : NULL;
    return v && kir_type_bits((enum kir_type)v->type) == width && width <= 64 &&
           i->mods.space == ISA_SPACE_SHARED && i->mods.sem == ISA_SEM_WEAK &&
           (!x->width || x->width == width);
}

static void look_at_store(struct variable *x, const struct kir_value *v) {
    bool same = v->kind == KIR_VALUE_CONST && (!x->stored || x->bits == v->bits.u64[0]);
    x->refused |= !same && v->kind != KIR_VALUE_UNDEF;
    if (v->kind == KIR_VALUE_CONST)
        x->bits = v->bits.u64[0], x->stored = true;
}

static void look_at(struct search *s, const struct kir_inst *i) {
    if (i->op == ISA_OP_SYMADDR && i->flag && variable_of(s, i->sym))
        variable_of(s, i->sym)->refused = true; // a generic address
    for (uint32_t k = 0; k < i->nops; k++) {
        struct variable *x = passes_address(i, k) ? NULL : s->of[i->ops[k]->id];
        if (!x)
            continue;
        if (k || !plain_access(i, x)) {
            x->refused = true;
            continue;
        }
        x->width = isa_type_bits((enum isa_type)i->ty);
        if (i->op == ISA_OP_ST)
            look_at_store(x, i->ops[1]);
    }
}

static bool replace_loads(struct search *s, struct kir_func *f) {
    bool changed = false;
    uint32_t n = f->value_count; // constants that are made here come behind
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            bool load = i->op == ISA_OP_LD && i->nres == 1 && i->ops[0]->id < n;
            struct variable *x = load ? s->of[i->ops[0]->id] : NULL;
            if (!x || x->refused || !x->stored)
                continue;
            enum kir_type t = (enum kir_type)i->res[0]->type;
            kir_replace_uses(f, i->res[0], kir_const(f, t, x->bits));
            changed = true;
        }
    return changed;
}

static bool any_constant(const struct search *s) {
    for (uint32_t k = 0; k < s->n; k++)
        if (s->vars[k].stored && s->vars[k].width && !s->vars[k].refused)
            return true;
    return false;
}

bool kir_constant_shared(struct kir_module *m) {
    struct search s = {.m = m};
    bool changed = false;
    collect(&s);
    for (uint32_t k = 0; k < m->funcs.len && s.n; k++) {
        follow_addresses(&s, m->funcs.data[k]);
        for (uint32_t b = 0; b < m->funcs.data[k]->blocks.len; b++)
            for (const struct kir_inst *i = m->funcs.data[k]->blocks.data[b]->first; i; i = i->next)
                look_at(&s, i);
    }
    for (uint32_t k = 0; k < m->funcs.len && any_constant(&s); k++) {
        follow_addresses(&s, m->funcs.data[k]);
        if (!replace_loads(&s, m->funcs.data[k]))
            continue;
        kir_simplify_func(m->funcs.data[k]);
        changed = true;
    }
    arena_free(&s.tmp);
    return changed;
}
