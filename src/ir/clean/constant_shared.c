// Shared variables in which nothing is stored but one constant, and whose address stays in sight:
// what is loaded from them is that constant, since before the first store there may be anything.
//
// There may be others for a while: where each thread uses the element of its own index alone, and
// between the store of another constant and the next one of the first nothing happens by which
// threads could agree on when to look, nobody sees the others but what stands between the two.
//
// (GCC's OpenMP runtime asks such a variable before each atomic operation whether the lanes of the
// warp work apart, as they do in `simd` loops. Where they do not, all that it computes is the same
// for a whole warp.)
#include <stdlib.h>

#include "ir/clean/simplify.h"
#include "isa/ops/control.h"

enum { MOST_CONSTANTS = 4 };

// Which element an access is for: `step` bytes times a special register, and an offset.
struct element {
    uint8_t sreg;
    uint64_t step;
    int64_t offset;
};

struct variable {
    const struct kir_symbol *sym;
    bool refused;
    bool shares;            // accesses are not all for the thread's own element
    struct element element; // of every access, unless it `shares`
    unsigned width;         // of every access; 0: none yet
    uint64_t constants[MOST_CONSTANTS];
    unsigned nconstants;
    uint64_t usual; // the one that is there when others cannot look
    uint8_t *noisy; // by function: enum noise
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
    for (unsigned k = 0; k < x->nconstants; k++)
        if (v->kind == KIR_VALUE_CONST && x->constants[k] == v->bits.u64[0])
            return;
    if (v->kind == KIR_VALUE_CONST && x->nconstants < MOST_CONSTANTS)
        x->constants[x->nconstants++] = v->bits.u64[0];
    else
        x->refused = true;
}

static bool is_tid(const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->def->op == ISA_OP_SREG &&
           v->def->sreg >= ISA_SREG_TID_X && v->def->sreg <= ISA_SREG_TID_Z;
}

// threadIdx times a constant, of 64 bits.
static bool scaled_tid(const struct kir_inst *i, struct element *e) {
    bool wide = (i->op == ISA_OP_MUL || i->op == ISA_OP_MAD) && i->mods.half == ISA_WIDE &&
                isa_type_bits((enum isa_type)i->ty) == 32;
    if (!wide || !is_tid(i->ops[0]) || i->ops[1]->kind != KIR_VALUE_CONST)
        return false;
    e->sreg = i->ops[0]->def->sreg;
    e->step = i->ops[1]->bits.u64[0];
    return true;
}

static const struct kir_inst *inst_of(const struct kir_value *v, isa_op op) {
    return v->kind == KIR_VALUE_INST && v->def->op == op ? v->def : NULL;
}

// The thread's own element: base + threadIdx * step.
static bool own_element(const struct kir_inst *access, struct element *e) {
    const struct kir_value *at = access->ops[0];
    const struct kir_inst *sum = inst_of(at, ISA_OP_ADD), *mad = inst_of(at, ISA_OP_MAD);
    const struct kir_inst *base = NULL;
    bool scaled = false;
    for (uint32_t k = 0; sum && k < 2 && !base; k++) {
        const struct kir_value *other = sum->ops[1 - k];
        base = inst_of(sum->ops[k], ISA_OP_SYMADDR);
        scaled = base && other->kind == KIR_VALUE_INST && other->def->op == ISA_OP_MUL &&
                 scaled_tid(other->def, e);
    }
    if (mad) {
        base = inst_of(mad->ops[2], ISA_OP_SYMADDR);
        scaled = scaled_tid(mad, e);
    }
    e->offset = access->offset + (base ? base->offset : 0);
    return base && scaled && e->step >= isa_type_bits((enum isa_type)access->ty) / 8;
}

static void look_at_element(struct variable *x, const struct kir_inst *access) {
    struct element e = {0};
    bool own = own_element(access, &e);
    bool same = !x->width || (e.sreg == x->element.sreg && e.step == x->element.step &&
                              e.offset == x->element.offset);
    x->shares |= !own || !same;
    x->element = e;
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
        look_at_element(x, i);
        x->width = isa_type_bits((enum isa_type)i->ty);
        if (i->op == ISA_OP_ST)
            look_at_store(x, i->ops[1]);
    }
}

// ---- other constants for a while --------------------------------------------------------------

enum noise { UNKNOWN, QUIET, NOISY };

// Could threads agree by i on when to look? Threads of one warp that run in lockstep come to warp
// operations together, from the same place. Of a call only where nobody knows what is called.
static bool makes_noise_itself(const struct search *s, const struct kir_inst *i) {
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
    case ISA_CLASS_SOURCE:
        return false;
    case ISA_CLASS_MEMORY:
        return i->mods.sem != ISA_SEM_WEAK && i->mods.sem != ISA_SEM_VOLATILE &&
               i->mods.sem != ISA_SEM_RELAXED;
    case ISA_CLASS_WARP:
        return !s->m->lockstep;
    default:
        break;
    }
    if (i->op == ISA_OP_CALL)
        return !i->callee;
    return i->op != ISA_OP_BRA && i->op != ISA_OP_CBR && i->op != ISA_OP_BRX_IDX;
}

static bool uses(struct search *s, const struct variable *x, const struct kir_inst *i) {
    return i->op == ISA_OP_SYMADDR && variable_of(s, i->sym) == x;
}

// A call, in the list of those of its callee.
struct call {
    const struct kir_func *caller;
    uint32_t next; // + 1
};

struct reachable {
    VEC(const struct kir_func *) funcs; // whose noise is not known yet
    VEC(struct call) calls;
    uint32_t *first; // by function: its first call + 1
};

static void look_into(struct search *s, struct variable *x, struct reachable *r,
                      const struct kir_func *f) {
    bool noisy = f->blocks.len == 0;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            noisy |= i->op != ISA_OP_RET && (uses(s, x, i) || makes_noise_itself(s, i));
            if (i->op != ISA_OP_CALL || !i->callee)
                continue;
            uint8_t *callee = &x->noisy[i->callee->index];
            noisy |= *callee == NOISY;
            if (*callee == UNKNOWN) {
                *callee = QUIET; // until something is found
                vec_push(&s->tmp, &r->funcs, i->callee);
            }
            vec_push(&s->tmp, &r->calls, (struct call){f, r->first[i->callee->index]});
            r->first[i->callee->index] = r->calls.len;
        }
    if (noisy)
        x->noisy[f->index] = NOISY;
}

// A function that is called where another constant is in place must neither make noise nor look
// itself, and neither must what it calls.
static bool is_noisy(struct search *s, struct variable *x, const struct kir_func *f) {
    struct reachable r = {0};
    VEC(const struct kir_func *) noisy = {0};
    if (x->noisy[f->index] != UNKNOWN)
        return x->noisy[f->index] == NOISY;
    r.first = arena_array(&s->tmp, uint32_t, s->m->funcs.len);
    x->noisy[f->index] = QUIET;
    vec_push(&s->tmp, &r.funcs, f);
    for (uint32_t k = 0; k < r.funcs.len; k++) {
        look_into(s, x, &r, r.funcs.data[k]);
        if (x->noisy[r.funcs.data[k]->index] == NOISY)
            vec_push(&s->tmp, &noisy, r.funcs.data[k]);
    }
    while (noisy.len)
        for (uint32_t c = r.first[noisy.data[--noisy.len]->index]; c;
             c = r.calls.data[c - 1].next) {
            const struct kir_func *caller = r.calls.data[c - 1].caller;
            if (x->noisy[caller->index] == NOISY)
                continue;
            x->noisy[caller->index] = NOISY;
            vec_push(&s->tmp, &noisy, caller);
        }
    return x->noisy[f->index] == NOISY;
}

static bool makes_noise(struct search *s, struct variable *x, const struct kir_inst *i) {
    return makes_noise_itself(s, i) ||
           (i->op == ISA_OP_CALL && i->callee && is_noisy(s, x, i->callee));
}

static bool stores_to(const struct search *s, const struct variable *x, const struct kir_inst *i) {
    return i->op == ISA_OP_ST && s->of[i->ops[0]->id] == x;
}

// By block: may x hold another constant than the usual one when it begins?
static uint8_t *unusual_blocks(struct search *s, const struct variable *x,
                               const struct kir_func *f) {
    uint8_t *in = arena_array(&s->tmp, uint8_t, f->blocks.len + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < f->blocks.len; b++) {
            bool unusual = in[b];
            const struct kir_block *block = f->blocks.data[b];
            for (const struct kir_inst *i = block->first; i; i = i->next)
                if (stores_to(s, x, i))
                    unusual = i->ops[1]->bits.u64[0] != x->usual;
            for (uint32_t t = 0; unusual && t < block->last->ntargets; t++) {
                uint8_t *to = &in[block->last->targets[t]->id];
                changed |= !*to;
                *to = 1;
            }
        }
    }
    return in;
}

// Is all quiet in f while another constant is in place?
static bool quiet_meanwhile(struct search *s, struct variable *x, const struct kir_func *f) {
    const uint8_t *in = unusual_blocks(s, x, f);
    for (uint32_t b = 0; b < f->blocks.len; b++) {
        bool unusual = in[b];
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            if (stores_to(s, x, i))
                unusual = i->ops[1]->bits.u64[0] != x->usual;
            else if (unusual && makes_noise(s, x, i))
                return false;
        }
    }
    return true;
}

static bool is_usual(struct search *s, struct variable *x, uint64_t bits) {
    x->usual = bits;
    for (uint32_t k = 0; k < s->m->funcs.len; k++) {
        follow_addresses(s, s->m->funcs.data[k]);
        if (!quiet_meanwhile(s, x, s->m->funcs.data[k]))
            return false;
    }
    return true;
}

static void find_usual(struct search *s, struct variable *x) {
    x->refused |= !x->nconstants || (x->nconstants > 1 && x->shares);
    if (x->refused)
        return;
    x->usual = x->constants[0];
    if (x->nconstants == 1)
        return;
    x->noisy = arena_array(&s->tmp, uint8_t, s->m->funcs.len + 1);
    for (unsigned k = 0; k < x->nconstants; k++)
        if (is_usual(s, x, x->constants[k]))
            return;
    x->refused = true;
}

// ---- loads ------------------------------------------------------------------------------------

static bool replace_loads_of(struct search *s, struct kir_func *f, const struct variable *x,
                             uint32_t nvalues) {
    bool changed = false;
    const uint8_t *in = unusual_blocks(s, x, f);
    for (uint32_t b = 0; b < f->blocks.len; b++) {
        bool unusual = in[b];
        for (struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            if (!i->nops || i->ops[0]->id >= nvalues || s->of[i->ops[0]->id] != x)
                continue;
            if (i->op == ISA_OP_ST) {
                unusual = i->ops[1]->bits.u64[0] != x->usual;
            } else if (i->op == ISA_OP_LD && !unusual) {
                enum kir_type t = (enum kir_type)i->res[0]->type;
                kir_replace_uses(f, i->res[0], kir_const(f, t, x->usual));
                changed = true;
            }
        }
    }
    return changed;
}

static bool replace_loads(struct search *s, struct kir_func *f) {
    bool changed = false;
    uint32_t nvalues = f->value_count; // constants that are made here come behind
    for (uint32_t k = 0; k < s->n; k++)
        if (!s->vars[k].refused && s->vars[k].width)
            changed |= replace_loads_of(s, f, &s->vars[k], nvalues);
    return changed;
}

static bool find_constants(struct search *s) {
    bool any = false;
    for (uint32_t k = 0; k < s->m->funcs.len && s->n; k++) {
        follow_addresses(s, s->m->funcs.data[k]);
        for (uint32_t b = 0; b < s->m->funcs.data[k]->blocks.len; b++)
            for (const struct kir_inst *i = s->m->funcs.data[k]->blocks.data[b]->first; i;
                 i = i->next)
                look_at(s, i);
    }
    for (uint32_t k = 0; k < s->n; k++) {
        find_usual(s, &s->vars[k]);
        any |= !s->vars[k].refused;
    }
    return any;
}

bool kir_constant_shared(struct kir_module *m) {
    struct search s = {.m = m};
    bool changed = false;
    collect(&s);
    bool any = find_constants(&s);
    for (uint32_t k = 0; k < m->funcs.len && any; k++) {
        follow_addresses(&s, m->funcs.data[k]);
        if (!replace_loads(&s, m->funcs.data[k]))
            continue;
        kir_simplify_func(m->funcs.data[k]);
        changed = true;
    }
    arena_free(&s.tmp);
    return changed;
}
