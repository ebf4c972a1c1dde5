// Origins of addresses. A value's origin is made only where an address follows from it. What cannot
// be a pointer (constants, numbers of threads, products) has none; what comes from memory, a call
// or a parameter is looked up by its address where it appears; the rest is carried along.
#include "isa/ops/arith.h"
#include "isa/ops/check.h"
#include "isa/ops/integer.h"
#include "isa/ops/memory.h"
#include "isa/ops/move.h"
#include "passes/check/check.h"

enum state { UNWANTED, WANTED, NONE, ALIAS, MADE };

struct patch {
    struct kir_inst *inst;
    uint32_t operand;
    struct kir_value *of; // its origin belongs there
};

struct check_origins {
    struct kir_func *f;
    struct check_sites *sites;
    struct arena *a;
    uint32_t n;                // values that there were
    uint8_t *state, *may;      // by value
    struct kir_value **origin; // by value: MADE: the origin; ALIAS: the value that has the same
    VEC(struct kir_value *) work, all;
    VEC(struct patch) patches;
    struct kir_value *none;
};

struct check_origins *check_origins_new(struct arena *a, struct kir_func *f,
                                        struct check_sites *s) {
    struct check_origins *o = arena_new(a, struct check_origins);
    o->f = f;
    o->sites = s;
    o->a = a;
    o->n = f->value_count;
    o->state = arena_array(a, uint8_t, o->n + 1);
    o->may = arena_array(a, uint8_t, o->n + 1);
    o->origin = arena_array(a, struct kir_value *, o->n + 1);
    o->none = kir_const(f, KIR_B32, KD_CHECK_NONE);
    return o;
}

static bool is_integer(const struct kir_inst *i) {
    return !isa_type_is_float(i->ty) && isa_type_bits(i->ty) >= 32;
}

// Does v keep what is above the low half of an address?
static bool keeps_high(const struct kir_value *v) {
    return v->kind == KIR_VALUE_CONST && (int64_t)v->bits.u64[0] < 0 &&
           v->bits.u64[0] >> 32 == UINT32_MAX;
}

// Which operands a result's origin comes from: a set of bits.
static uint32_t carriers(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_PHI:
        return UINT32_MAX;
    case ISA_OP_MOV:
        return 1;
    case ISA_OP_CVTA: // of a parameter: its origin is known by offsets alone
        return i->mods.space != ISA_SPACE_PARAM;
    case ISA_OP_CVT:
        return is_integer(i) && !isa_type_is_float(i->ty2) && isa_type_bits(i->ty2) >= 32;
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_OR:
    case ISA_OP_XOR:
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return is_integer(i) && i->nops == 2 ? 3 : 0;
    case ISA_OP_SELP:
        return 3;
    case ISA_OP_MAD:
    case ISA_OP_MAD24:
        return is_integer(i) || i->mods.half == ISA_WIDE ? 4 : 0;
    case ISA_OP_AND:
        return keeps_high(i->ops[1]) ? 1 : keeps_high(i->ops[0]) ? 2 : 0;
    default:
        return 0;
    }
}

static bool is_carried(const struct kir_inst *i, uint32_t k) {
    uint32_t c = carriers(i);
    return i->op == ISA_OP_PHI || (k < 32 && c >> k & 1);
}

static bool is_source(const struct kir_value *v) {
    const struct kir_inst *i = v->def;
    if (i->op == ISA_OP_SYMADDR)
        return i->sym->space != ISA_SPACE_GENERIC && !(i->sym->space == ISA_SPACE_PARAM && i->flag);
    return v->type == KIR_B64 &&
           (i->op == ISA_OP_LD || i->op == ISA_OP_LDU || i->op == ISA_OP_ATOM ||
            i->op == ISA_OP_CALL || i->op == ISA_OP_PARAM || i->op == ISA_OP_MOV_PACK);
}

void check_origins_want(struct check_origins *o, struct kir_value *v) {
    if (v->kind != KIR_VALUE_INST || v->id >= o->n || o->state[v->id] != UNWANTED)
        return;
    o->state[v->id] = WANTED;
    vec_push(o->a, &o->work, v);
    vec_push(o->a, &o->all, v);
}

static void want_all(struct check_origins *o) {
    while (o->work.len) {
        const struct kir_inst *i = o->work.data[--o->work.len]->def;
        for (uint32_t k = 0; k < i->nops; k++)
            if (is_carried(i, k))
                check_origins_want(o, i->ops[k]);
    }
}

static bool has(const struct check_origins *o, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->id < o->n && o->may[v->id];
}

// What may have an origin at all.
static void find_those_with(struct check_origins *o) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t n = o->all.len; n-- > 0;) {
            struct kir_value *v = o->all.data[n];
            bool may = is_source(v);
            for (uint32_t k = 0; !may && k < v->def->nops; k++)
                may = is_carried(v->def, k) && has(o, v->def->ops[k]);
            again |= may && !o->may[v->id];
            o->may[v->id] |= may;
        }
    }
}

// ---- making them ----------------------------------------------------------------------------

static struct kir_inst *make(struct check_origins *o, struct kir_inst **after, isa_op op,
                             enum isa_type ty, unsigned nops, enum kir_type result) {
    uint8_t type = (uint8_t)result;
    struct kir_inst *i = kir_inst_new(o->f, op, ty, nops, 1, &type, 0);
    i->file = (*after)->file;
    i->line = (*after)->line;
    kir_insert_after(*after, i);
    *after = i;
    return i;
}

static void patch(struct check_origins *o, struct kir_inst *i, uint32_t k, struct kir_value *of) {
    vec_push(o->a, &o->patches, ((struct patch){i, k, of}));
}

static struct kir_value *compare(struct check_origins *o, struct kir_inst **at, enum isa_cmp cmp,
                                 struct kir_value *a, struct kir_value *b,
                                 struct kir_value *against) {
    struct kir_inst *i = make(o, at, ISA_OP_SETP, ISA_U32, 2, KIR_PRED);
    i->mods.cmp = (uint8_t)cmp;
    patch(o, i, 0, a);
    if (b)
        patch(o, i, 1, b);
    else
        i->ops[1] = against;
    return i->res[0];
}

static struct kir_inst *choose(struct check_origins *o, struct kir_inst **at, struct kir_value *p) {
    struct kir_inst *i = make(o, at, ISA_OP_SELP, ISA_B32, 3, KIR_B32);
    i->ops[2] = p;
    return i;
}

// A sum of two that may both have one. Of pointers into two allocations nobody can say where the
// result points: a difference that is added to a pointer again gives one into the other.
static struct kir_value *combine(struct check_origins *o, struct kir_inst *i) {
    struct kir_inst *at = i;
    struct kir_value *a = i->ops[0], *b = i->ops[1];
    struct kir_value *mixed = kir_const(o->f, KIR_B32, KD_CHECK_MIXED), *both = mixed;
    if (i->op == ISA_OP_SUB) {
        struct kir_inst *s = choose(o, &at, compare(o, &at, ISA_CMP_EQ, a, b, NULL));
        s->ops[0] = o->none;
        s->ops[1] = mixed;
        both = s->res[0];
    } else if (i->op == ISA_OP_MIN || i->op == ISA_OP_MAX) {
        struct kir_inst *s = choose(o, &at, compare(o, &at, ISA_CMP_EQ, a, b, NULL));
        patch(o, s, 0, a);
        s->ops[1] = mixed;
        both = s->res[0];
    }
    struct kir_inst *one = choose(o, &at, compare(o, &at, ISA_CMP_EQ, b, NULL, o->none));
    patch(o, one, 0, a);
    one->ops[1] = both;
    struct kir_inst *r = choose(o, &at, compare(o, &at, ISA_CMP_EQ, a, NULL, o->none));
    patch(o, r, 0, b);
    r->ops[1] = one->res[0];
    return r->res[0];
}

static struct kir_value *look_up(struct check_origins *o, struct kir_value *v) {
    struct kir_inst *at = v->def;
    struct kir_inst *i = make(o, &at, ISA_OP_CHECK_ORIGIN, ISA_B64, 1, KIR_B32);
    i->ops[0] = v;
    return i->res[0];
}

// A local variable's place is known where the function runs.
static struct kir_value *of_local(struct check_origins *o, struct kir_inst *i) {
    int k = check_sites_local(o->sites, i->sym);
    if (k < 0 || i->sym->align < 8)
        return o->none;
    struct kir_inst *at = i;
    struct kir_inst *base = make(o, &at, ISA_OP_SYMADDR, ISA_B64, 0, KIR_B64);
    base->sym = i->sym;
    struct kir_inst *low = make(o, &at, ISA_OP_CVT, ISA_U32, 1, KIR_B32);
    low->ty2 = ISA_U64;
    low->ops[0] = base->res[0];
    struct kir_inst *up = make(o, &at, ISA_OP_SHL, ISA_B32, 2, KIR_B32);
    up->ops[0] = low->res[0];
    up->ops[1] = kir_const(o->f, KIR_B32, KD_CHECK_LOCAL_INDEX - 3);
    struct kir_inst *r = make(o, &at, ISA_OP_OR, ISA_B32, 2, KIR_B32);
    r->ops[0] = up->res[0];
    r->ops[1] = kir_const(o->f, KIR_B32, KD_CHECK_LOCAL | (uint32_t)k);
    return r->res[0];
}

// A kernel's parameter is described as a local variable, at its offset in the parameters.
static struct kir_value *of_parameter(struct check_origins *o, const struct kir_symbol *s) {
    int k = check_sites_local(o->sites, s);
    uint64_t units = s->offset / 8;
    if (k < 0 || s->offset % 8 || units >> KD_CHECK_LOCAL_UNITS)
        return o->none;
    return kir_const(o->f, KIR_B32,
                     KD_CHECK_LOCAL | (uint32_t)units << KD_CHECK_LOCAL_INDEX | (uint32_t)k);
}

static struct kir_value *of_symbol(struct check_origins *o, struct kir_inst *i) {
    const struct kir_symbol *s = i->sym;
    const struct kir_module *m = o->f->module;
    if (s->space == ISA_SPACE_LOCAL)
        return of_local(o, i);
    if (s->space == ISA_SPACE_PARAM)
        return of_parameter(o, s);
    if (s->space != ISA_SPACE_SHARED)
        return kir_const(o->f, KIR_B32, KD_CHECK_VARIABLE | (uint32_t)s->index);
    uint32_t k = 0;
    while (m->shared.data[k] != s)
        k++;
    return kir_const(o->f, KIR_B32, KD_CHECK_SHARED | k);
}

static void make_one(struct check_origins *o, struct kir_value *v) {
    struct kir_inst *i = v->def;
    uint32_t n = 0, only = 0;
    struct kir_value *r;
    for (uint32_t k = 0; k < i->nops; k++)
        if (is_carried(i, k) && has(o, i->ops[k])) {
            n++;
            only = k;
        }
    if (i->op == ISA_OP_SYMADDR) {
        r = of_symbol(o, i);
    } else if (is_source(v)) {
        r = look_up(o, v);
    } else if (i->op == ISA_OP_PHI) {
        struct kir_inst *phi =
            kir_inst_new(o->f, ISA_OP_PHI, ISA_B32, i->nops, 1, &(uint8_t){KIR_B32}, 0);
        kir_insert_before(i, phi);
        for (uint32_t k = 0; k < i->nops; k++)
            patch(o, phi, k, i->ops[k]);
        r = phi->res[0];
    } else if (i->op == ISA_OP_SELP) {
        struct kir_inst *at = i, *s = choose(o, &at, i->ops[2]);
        patch(o, s, 0, i->ops[0]);
        patch(o, s, 1, i->ops[1]);
        r = s->res[0];
    } else if (n == 1 && !(i->op == ISA_OP_SUB && only == 1)) {
        o->state[v->id] = ALIAS;
        o->origin[v->id] = i->ops[only];
        return;
    } else if (n == 1) { // a number minus a pointer
        o->state[v->id] = NONE;
        return;
    } else {
        r = combine(o, i);
    }
    o->state[v->id] = MADE;
    o->origin[v->id] = r;
}

struct kir_value *check_origin_of(struct check_origins *o, const struct kir_value *v) {
    while (v->kind == KIR_VALUE_INST && v->id < o->n && o->state[v->id] == ALIAS)
        v = o->origin[v->id];
    bool made = v->kind == KIR_VALUE_INST && v->id < o->n && o->state[v->id] == MADE;
    return made ? o->origin[v->id] : o->none;
}

void check_origins_make(struct check_origins *o) {
    want_all(o);
    find_those_with(o);
    for (uint32_t n = 0; n < o->all.len; n++) {
        struct kir_value *v = o->all.data[n];
        if (o->may[v->id])
            make_one(o, v);
        else
            o->state[v->id] = NONE;
    }
    for (uint32_t n = 0; n < o->patches.len; n++)
        o->patches.data[n].inst->ops[o->patches.data[n].operand] =
            check_origin_of(o, o->patches.data[n].of);
}
