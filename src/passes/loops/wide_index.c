#include "passes/loops/wide_index.h"

enum { MAX_DEPTH = 12, MOST_CONVERSIONS = 16 };

#define MOST_32 0x1p31
#define MOST_64 0x1.8p62

// What a number of 32 bits is in the threads of a block, exactly, as numbers of 64 bits.
struct interval {
    struct kir_value *lo, *hi;
    double most;          // neither is further from 0
    unsigned height;      // of operations below it
    bool known, computed; // computed: by an operation that can wrap
};

struct wide_index {
    struct arena *arena;
    struct block_range range;
    struct kir_value *all;      // the conditions; NULL: none
    uint32_t nvalues;           // of the function before anything was added
    struct interval *intervals; // by value id
    bool *seen;
    struct kir_inst *conversions[MOST_CONVERSIONS];
    unsigned n;
    const struct kir_copy *copy;
    struct kir_value **twins; // by value id of the original: in 64 bits
};

static struct kir_value *constant(const struct wide_index *w, int64_t x) {
    return kir_const(w->range.f, KIR_B64, (uint64_t)x);
}

static struct kir_inst *new_inst(struct kir_func *f, isa_op op, struct kir_value *a,
                                 struct kir_value *b) {
    struct kir_inst *i = kir_inst_new(f, op, ISA_S64, 2, 1, &(uint8_t){KIR_B64}, 0);
    i->ops[0] = a;
    i->ops[1] = b;
    if (op == ISA_OP_MUL)
        i->mods.half = ISA_LO;
    return i;
}

static struct kir_inst *new_wider(struct kir_func *f, struct kir_value *v) {
    struct kir_inst *i = kir_inst_new(f, ISA_OP_CVT, ISA_S64, 1, 1, &(uint8_t){KIR_B64}, 0);
    i->ty2 = ISA_S32;
    i->ops[0] = v;
    return i;
}

static struct kir_value *put(const struct wide_index *w, struct kir_inst *i) {
    kir_insert_before(w->range.at, i);
    return i->res[0];
}

static struct kir_value *binary(const struct wide_index *w, isa_op op, struct kir_value *a,
                                struct kir_value *b) {
    return put(w, new_inst(w->range.f, op, a, b));
}

static struct kir_value *wider(const struct wide_index *w, struct kir_value *v) {
    return v->kind == KIR_VALUE_CONST ? constant(w, v->bits.s32) : put(w, new_wider(w->range.f, v));
}

static struct kir_value *compare(const struct wide_index *w, enum isa_cmp cmp, struct kir_value *a,
                                 struct kir_value *b) {
    struct kir_inst *p =
        kir_inst_new(w->range.f, ISA_OP_SETP, ISA_S64, 2, 1, &(uint8_t){KIR_PRED}, 0);
    p->mods.cmp = (uint8_t)cmp;
    p->ops[0] = a;
    p->ops[1] = b;
    return put(w, p);
}

static void also(struct wide_index *w, enum isa_cmp cmp, struct kir_value *a, struct kir_value *b) {
    struct kir_func *f = w->range.f;
    struct kir_value *p = compare(w, cmp, a, b);
    if (!w->all) {
        w->all = p;
        return;
    }
    struct kir_inst *both = kir_inst_new(f, ISA_OP_AND, ISA_PRED, 2, 1, &(uint8_t){KIR_PRED}, 0);
    both->ops[0] = w->all;
    both->ops[1] = p;
    w->all = put(w, both);
}

static void fits(struct wide_index *w, const struct interval *x, bool is_signed) {
    also(w, ISA_CMP_GE, x->lo, constant(w, is_signed ? INT32_MIN : 0));
    also(w, ISA_CMP_LE, x->hi, constant(w, is_signed ? INT32_MAX : UINT32_MAX));
}

// ---- intervals ---------------------------------------------------------------------------------

// Operations that are the same modulo 2^32 and exactly.
static bool is_computed(const struct kir_value *v) {
    if (v->kind != KIR_VALUE_INST || v->def->nres != 1 || !block_wraps_at_32(v->def))
        return false;
    const struct kir_inst *i = v->def;
    switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        return true;
    case ISA_OP_MUL:
    case ISA_OP_MAD:
        return i->mods.half == ISA_LO;
    case ISA_OP_SHL:
        return i->ops[1]->kind == KIR_VALUE_CONST && i->ops[1]->bits.u32[0] < 31;
    case ISA_OP_MIN:
    case ISA_OP_MAX:
        return i->ty == ISA_S32;
    default:
        return false;
    }
}

static bool interval_of(struct wide_index *w, struct kir_value *v, unsigned depth,
                        struct interval *out);

// What was computed is in 32 bits from here on.
static void fit(struct wide_index *w, struct interval *x) {
    if (!x->computed)
        return;
    fits(w, x, true);
    x->most = MOST_32;
}

static unsigned above(const struct interval *x, const struct interval *y) {
    return 1 + (x->height > y->height ? x->height : y->height);
}

// One of the factors is the same in all threads.
static bool product(struct wide_index *w, struct interval *x, struct interval *y,
                    struct interval *out) {
    if (x->lo == x->hi) {
        struct interval *t = x;
        x = y;
        y = t;
    }
    if (y->lo != y->hi)
        return false;
    fit(w, x);
    fit(w, y);
    struct kir_value *p = binary(w, ISA_OP_MUL, x->lo, y->lo),
                     *q = x->hi == x->lo ? p : binary(w, ISA_OP_MUL, x->hi, y->lo);
    bool ordered = y->lo->kind == KIR_VALUE_CONST && y->lo->bits.s64 >= 0;
    out->lo = p == q || ordered ? p : binary(w, ISA_OP_MIN, p, q);
    out->hi = p == q ? p : ordered ? q : binary(w, ISA_OP_MAX, p, q);
    out->most = x->most * y->most;
    out->height = above(x, y);
    return true;
}

static void sum(struct wide_index *w, struct interval *x, struct interval *y, bool difference,
                struct interval *out) {
    isa_op op = difference ? ISA_OP_SUB : ISA_OP_ADD;
    if (x->most + y->most > MOST_64) {
        fit(w, x);
        fit(w, y);
    }
    bool points = x->lo == x->hi && y->lo == y->hi;
    out->height = above(x, y);
    out->lo = binary(w, op, x->lo, difference ? y->hi : y->lo);
    out->hi = points ? out->lo : binary(w, op, x->hi, difference ? y->lo : y->hi);
    out->most = x->most + y->most;
}

static bool computed_interval(struct wide_index *w, const struct kir_inst *i, unsigned depth,
                              struct interval *out) {
    struct interval x, y, z, xy;
    if (!interval_of(w, i->ops[0], depth, &x))
        return false;
    if (i->op == ISA_OP_SHL) {
        int64_t factor = 1LL << i->ops[1]->bits.u32[0];
        y = (struct interval){.most = (double)factor};
        y.lo = y.hi = constant(w, factor);
        return product(w, &x, &y, out);
    }
    if (!interval_of(w, i->ops[1], depth, &y))
        return false;
    switch (i->op) {
    case ISA_OP_MUL:
        return product(w, &x, &y, out);
    case ISA_OP_MAD:
        xy = (struct interval){.computed = true};
        if (!interval_of(w, i->ops[2], depth, &z) || !product(w, &x, &y, &xy))
            return false;
        sum(w, &xy, &z, false, out);
        return true;
    case ISA_OP_SUB:
    case ISA_OP_ADD:
        sum(w, &x, &y, i->op == ISA_OP_SUB, out);
        return true;
    default: // min and max compare what 32 bits say
        fit(w, &x);
        fit(w, &y);
        out->height = above(&x, &y);
        out->lo = binary(w, (isa_op)i->op, x.lo, y.lo);
        out->hi = x.lo == x.hi && y.lo == y.hi ? out->lo : binary(w, (isa_op)i->op, x.hi, y.hi);
        out->most = MOST_32;
        return true;
    }
}

static bool find_interval(struct wide_index *w, struct kir_value *v, unsigned depth,
                          struct interval *out) {
    struct block_index x;
    out->most = MOST_32;
    if (block_index(v, &x) && !x.wider) {
        out->lo = wider(w, block_extreme(&w->range, &x, false));
        out->hi = wider(w, block_extreme(&w->range, &x, true));
        return true;
    }
    struct kir_value *u = block_uniform(&w->range, v);
    if (u) {
        out->lo = out->hi = wider(w, u);
        return true;
    }
    out->computed = true;
    return is_computed(v) && computed_interval(w, v->def, depth - 1, out);
}

static bool interval_of(struct wide_index *w, struct kir_value *v, unsigned depth,
                        struct interval *out) {
    if (v->kind == KIR_VALUE_CONST) {
        *out = (struct interval){.most = MOST_32, .known = true};
        out->lo = out->hi = constant(w, v->bits.s32);
        return true;
    }
    if (v->kind != KIR_VALUE_INST || !depth || v->type != KIR_B32)
        return false;
    if (!w->seen[v->id]) {
        struct interval x = {0};
        x.known = find_interval(w, v, depth, &x);
        w->seen[v->id] = true;
        w->intervals[v->id] = x;
    }
    *out = w->intervals[v->id];
    return out->known && out->height <= depth;
}

// ---- conversions -------------------------------------------------------------------------------

static bool converts(const struct kir_inst *i) {
    if (i->nres != 1 || (i->op != ISA_OP_CVT && i->op != ISA_OP_MUL && i->op != ISA_OP_MAD))
        return false;
    if (i->op == ISA_OP_CVT)
        return (i->ty == ISA_S64 || i->ty == ISA_U64) && (i->ty2 == ISA_S32 || i->ty2 == ISA_U32) &&
               !i->mods.sat;
    return i->mods.half == ISA_WIDE && (i->ty == ISA_S32 || i->ty == ISA_U32) && !i->mods.sat &&
           !i->mods.cc && i->ops[1]->kind == KIR_VALUE_CONST;
}

static bool from_signed(const struct kir_inst *i) {
    return (i->op == ISA_OP_CVT ? i->ty2 : i->ty) == ISA_S32;
}

static void look_at(struct wide_index *w, struct kir_inst *i) {
    struct block_index x;
    struct interval range;
    if (w->n == MOST_CONVERSIONS || !converts(i) || !is_computed(i->ops[0]) ||
        block_index(i->ops[0], &x))
        return;
    if (!interval_of(w, i->ops[0], MAX_DEPTH, &range) || range.lo == range.hi)
        return;
    fits(w, &range, from_signed(i));
    w->conversions[w->n++] = i;
}

struct wide_index *wide_index_new(struct arena *a, const struct block_range *r) {
    struct wide_index *w = arena_new(a, struct wide_index);
    *w = (struct wide_index){.arena = a, .range = *r, .nvalues = r->f->value_count};
    w->intervals = arena_array(a, struct interval, w->nvalues + 1);
    w->seen = arena_array(a, bool, w->nvalues + 1);
    return w;
}

struct kir_value *wide_index_conditions(const struct wide_index *w) {
    return w->all;
}

struct kir_value *wide_index_test(struct wide_index *w, const struct kir_inst *i, enum isa_cmp cmp,
                                  unsigned n) {
    struct interval x;
    bool is_signed = isa_type_is_signed((enum isa_type)i->ty) && cmp < ISA_CMP_LO;
    enum isa_cmp as = isa_cmp_ordered(cmp);
    bool below = as == ISA_CMP_LT || as == ISA_CMP_LE, above = as == ISA_CMP_GT || as == ISA_CMP_GE;
    struct kir_value *y = block_uniform(&w->range, i->ops[1 - n]);
    if (!y || y->type != KIR_B32 || !(below || above) || !interval_of(w, i->ops[n], MAX_DEPTH, &x))
        return NULL;
    if (x.computed || !is_signed)
        fits(w, &x, is_signed);
    if (y->kind == KIR_VALUE_CONST) {
        y = constant(w, is_signed ? (int64_t)y->bits.s32 : (int64_t)y->bits.u32[0]);
    } else {
        struct kir_inst *c = new_wider(w->range.f, y);
        c->ty2 = is_signed ? ISA_S32 : ISA_U32;
        y = put(w, c);
    }
    struct kir_value *v = below == (n == 0) ? x.hi : x.lo;
    return n ? compare(w, as, y, v) : compare(w, as, v, y);
}

bool wide_index_find(struct wide_index *w) {
    const struct kir_func *f = w->range.f;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *i = f->blocks.data[b]->first; i && i != w->range.at; i = i->next)
            if (i->nres != 1 || i->res[0]->id < w->nvalues)
                look_at(w, i);
    return w->n;
}

// ---- in copies ---------------------------------------------------------------------------------

static struct kir_value *in_copy(const struct wide_index *w, struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && w->copy->values[v->id] ? w->copy->values[v->id] : v;
}

static struct kir_value *twin(struct wide_index *w, struct kir_value *v);

static struct kir_value *put_after(struct kir_value *v, struct kir_inst *i) {
    i->file = v->def->file;
    i->line = v->def->line;
    kir_insert_after(v->def, i);
    return i->res[0];
}

static struct kir_value *computed_twin(struct wide_index *w, const struct kir_inst *i,
                                       struct kir_value *here) {
    struct kir_func *f = w->range.f;
    struct kir_value *x = twin(w, i->ops[0]);
    if (i->op == ISA_OP_SHL)
        return put_after(here,
                         new_inst(f, ISA_OP_MUL, x, constant(w, 1LL << i->ops[1]->bits.u32[0])));
    struct kir_value *y = twin(w, i->ops[1]);
    if (i->op != ISA_OP_MAD)
        return put_after(here, new_inst(f, (isa_op)i->op, x, y));
    struct kir_inst *m = new_inst(f, ISA_OP_MUL, x, y);
    put_after(here, m);
    return put_after(m->res[0], new_inst(f, ISA_OP_ADD, m->res[0], twin(w, i->ops[2])));
}

// v in 64 bits, computed where the copy of v is.
static struct kir_value *twin(struct wide_index *w, struct kir_value *v) {
    if (v->kind == KIR_VALUE_CONST)
        return constant(w, v->bits.s32);
    if (w->twins[v->id])
        return w->twins[v->id];
    struct kir_value *here = in_copy(w, v);
    w->twins[v->id] = w->intervals[v->id].computed ? computed_twin(w, v->def, here)
                                                   : put_after(here, new_wider(w->range.f, here));
    return w->twins[v->id];
}

static struct kir_value *converted(struct wide_index *w, const struct kir_inst *i) {
    struct kir_func *f = w->range.f;
    struct kir_value *x = twin(w, i->ops[0]), *here = in_copy(w, i->res[0]);
    if (i->op == ISA_OP_CVT)
        return x;
    const struct kir_value *by = i->ops[1];
    int64_t factor = i->ty == ISA_S32 ? by->bits.s32 : (int64_t)by->bits.u32[0];
    struct kir_inst *m = new_inst(f, ISA_OP_MUL, x, constant(w, factor));
    put_after(here, m);
    if (i->op == ISA_OP_MUL)
        return m->res[0];
    return put_after(m->res[0], new_inst(f, ISA_OP_ADD, m->res[0], in_copy(w, i->ops[2])));
}

void wide_index_apply(struct wide_index *w, const struct kir_copy *c) {
    struct kir_func *f = w->range.f;
    struct kir_value *from[MOST_CONVERSIONS], *to[MOST_CONVERSIONS];
    w->copy = c;
    w->twins = arena_array(w->arena, struct kir_value *, w->nvalues + 1);
    uint32_t nblocks = f->blocks.len;
    for (unsigned n = 0; n < w->n; n++) {
        from[n] = in_copy(w, w->conversions[n]->res[0]);
        to[n] = converted(w, w->conversions[n]);
    }
    for (uint32_t b = 0; b < nblocks; b++) {
        struct kir_block *copy = c->blocks[f->blocks.data[b]->id];
        for (struct kir_inst *i = copy ? copy->first : NULL; i; i = i->next)
            for (uint32_t o = 0; o < i->nops; o++)
                for (unsigned n = 0; n < w->n; n++)
                    if (i->ops[o] == from[n])
                        i->ops[o] = to[n];
    }
}
