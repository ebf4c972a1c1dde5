// Threads number the elements of a tensor, or of a picture, and find the rows by division: `x = k %
// w`, `y = k / w`. The lanes of one vector mostly lie in one row: then y is one number for all, and
// x grows as k does, so that neighbours in k are neighbours in memory.
#include "passes/loops/group_rows.h"

#include "ir/clean/simplify.h"
#include "ir/ssa.h"
#include "isa/ops/arith.h"
#include "isa/ops/control.h"
#include "isa/ops/move.h"
#include "passes/loops/group_version.h"

enum { MAX_DEPTH = 24, MAX_ROWS = 6, MOST_CLONES = 64, MOST_COPIED = 500 };

// Divisors are at most this: what remains, and as many lanes as there are, stays far from the sign.
#define MOST_DIVISOR_32 (1ULL << 30)
#define MOST_DIVISOR_64 (1ULL << 61)

enum kind { KIND_UNKNOWN, KIND_NONE, KIND_ALIKE, KIND_LINEAR };

// One quotient and remainder, as they are in the version for a row.
struct row {
    struct kir_value *x, *n, *quotient, *remainder;
    uint8_t ty;
};

struct search {
    struct arena *tmp;
    struct kir_func *f;
    const struct flow *fl;
    struct kir_block *head; // ends with the test
    struct kir_inst *at;    // the first division: what is tested stands before it
    uint32_t nvalues;       // before anything was added
    uint8_t *kind;          // by value id
    struct kir_value **in_row;
    bool *before; // by value id: made in the head before `at`
    bool *is_way; // by value id: see find_ways
    struct kir_value *all;
    struct row rows[MAX_ROWS];
    unsigned nrows, clones;
    struct group_version version;
};

// ---- divisions ---------------------------------------------------------------------------------

// x / n, or x % n.
struct division {
    isa_op op;
    uint8_t ty;
    struct kir_value *x, *n;
};

static bool is_plain_division(const struct kir_inst *i, struct division *d) {
    if ((i->op != ISA_OP_DIV && i->op != ISA_OP_REM) || i->nres != 1 || i->nops != 2 ||
        (i->ty != ISA_S32 && i->ty != ISA_U32 && i->ty != ISA_S64 && i->ty != ISA_U64))
        return false;
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    *d = (struct division){(isa_op)i->op, i->ty, i->ops[0], i->ops[1]};
    return kir_type_bits(i->res[0]->type) == bits && kir_type_bits(d->x->type) == bits &&
           kir_type_bits(d->n->type) == bits;
}

static const struct kir_inst *made_by(const struct kir_value *v, isa_op op) {
    return v->kind == KIR_VALUE_INST && v->def->op == op ? v->def : NULL;
}

static bool converts(const struct kir_value *v, unsigned from, unsigned to,
                     const struct kir_value **x) {
    const struct kir_inst *i = made_by(v, ISA_OP_CVT);
    bool whole = i && !i->mods.sat && !isa_type_is_float((enum isa_type)i->ty) &&
                 !isa_type_is_float((enum isa_type)i->ty2) &&
                 isa_type_bits((enum isa_type)i->ty) == to &&
                 isa_type_bits((enum isa_type)i->ty2) == from;
    if (whole)
        *x = i->ops[0];
    return whole;
}

// Does v have the low 32 bits of x?
static bool is_low_half(const struct kir_value *v, const struct kir_value *x) {
    const struct kir_value *of;
    return (converts(v, 64, 32, &of) && of == x) ||
           (v->kind == KIR_VALUE_CONST && x->kind == KIR_VALUE_CONST &&
            v->bits.u32[0] == (uint32_t)x->bits.u64[0]);
}

// Does the branch go to its first target where x or n has one of the upper 32 bits?
static bool asks_for_upper_bits(const struct kir_inst *t, const struct division *d) {
    const struct kir_inst *p = t->op == ISA_OP_CBR ? made_by(t->ops[0], ISA_OP_SETP) : NULL;
    const struct kir_inst *a = p ? made_by(p->ops[0], ISA_OP_AND) : NULL;
    const struct kir_inst *o = a ? made_by(a->ops[0], ISA_OP_OR) : NULL;
    return o && p->nops == 2 && p->nres == 1 && !p->mods.boolop && p->mods.cmp == ISA_CMP_NE &&
           isa_type_bits((enum isa_type)p->ty) == 64 && p->ops[1]->kind == KIR_VALUE_CONST &&
           !p->ops[1]->bits.u64[0] && isa_type_bits((enum isa_type)a->ty) == 64 &&
           a->ops[1]->kind == KIR_VALUE_CONST && a->ops[1]->bits.u64[0] == ~(uint64_t)UINT32_MAX &&
           isa_type_bits((enum isa_type)o->ty) == 64 &&
           ((o->ops[0] == d->x && o->ops[1] == d->n) || (o->ops[0] == d->n && o->ops[1] == d->x));
}

// Compilers divide numbers of 64 bits as such of 32 where they have no more: a phi of both. ways:
// the divisions. NULL: it is none; else what branches.
static struct kir_inst *is_two_ways(const struct kir_inst *i, struct division *d,
                                    const struct kir_inst *ways[2]) {
    if (i->op != ISA_OP_PHI || i->nops != 2)
        return NULL;
    for (unsigned w = 0; w < 2; w++) {
        const struct kir_value *wide = i->ops[w], *narrow;
        const struct kir_block *from[2] = {i->block->preds.data[w], i->block->preds.data[1 - w]};
        struct division half;
        if (wide->kind != KIR_VALUE_INST || !is_plain_division(wide->def, d) ||
            isa_type_bits((enum isa_type)d->ty) != 64 ||
            !converts(i->ops[1 - w], 32, 64, &narrow) || i->ops[1 - w]->def->ty2 != ISA_U32 ||
            narrow->kind != KIR_VALUE_INST || !is_plain_division(narrow->def, &half) ||
            half.ty != ISA_U32 || half.op != d->op || !is_low_half(half.x, d->x) ||
            !is_low_half(half.n, d->n) || from[0]->preds.len != 1 || from[1]->preds.len != 1 ||
            from[0]->preds.data[0] != from[1]->preds.data[0])
            continue;
        struct kir_inst *t = from[0]->preds.data[0]->last;
        if (!asks_for_upper_bits(t, d) || t->targets[0] != from[0] || t->targets[1] != from[1])
            continue;
        ways[0] = wide->def;
        ways[1] = narrow->def;
        return t;
    }
    return NULL;
}

static bool is_division(const struct kir_inst *i, struct division *d) {
    const struct kir_inst *ways[2];
    return is_plain_division(i, d) || is_two_ways(i, d, ways);
}

// No lane's number is before the first one's.
static bool grows(const struct flow *fl, const struct shape *x) {
    if (x->kind != SHAPE_OFFSETS || x->guard)
        return false;
    for (unsigned k = 1; k < fl->width; k++)
        if (x->offs[k] < x->offs[0])
            return false;
    return true;
}

// Marks the divisions that are one of two ways of another one, by value id.
static bool *find_ways(struct arena *tmp, const struct flow *fl) {
    bool *is_way = arena_array(tmp, bool, fl->func->value_count + 1);
    for (uint32_t p = 0; p < fl->cfg->nblocks; p++)
        for (const struct kir_inst *i = fl->cfg->order[p]->first; i && i->op == ISA_OP_PHI;
             i = i->next) {
            struct division d;
            const struct kir_inst *ways[2];
            if (is_two_ways(i, &d, ways))
                is_way[ways[0]->res[0]->id] = is_way[ways[1]->res[0]->id] = true;
        }
    return is_way;
}

static bool is_candidate(const struct flow *fl, const struct kir_inst *i) {
    struct division d;
    if (i->flag || !is_division(i, &d) || fl->shape[i->res[0]->id].kind != SHAPE_VARYING)
        return false;
    struct shape x = flow_use(fl, d.x, i->block);
    return grows(fl, &x) && flow_use(fl, d.n, i->block).kind == SHAPE_UNIFORM;
}

static struct kir_inst *first_candidate(const struct flow *fl, const bool *is_way) {
    for (uint32_t p = 0; p < fl->cfg->nblocks && fl->width > 1; p++)
        for (struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            if (!(i->nres && is_way[i->res[0]->id]) && is_candidate(fl, i))
                return i;
    return NULL;
}

// Where the test can stand: before the division, or before its two ways part.
static struct kir_inst *place_of(struct kir_inst *i) {
    struct division d;
    const struct kir_inst *ways[2];
    return i->op == ISA_OP_PHI ? is_two_ways(i, &d, ways) : i;
}

bool group_rows_any(const struct flow *fl, bool *loops) {
    struct arena tmp = {0};
    struct kir_inst *i = first_candidate(fl, find_ways(&tmp, fl));
    const struct kir_block *b = i ? place_of(i)->block : NULL;
    arena_free(&tmp);
    *loops = false;
    for (uint32_t k = 0; i && k < fl->cfg->loops.len; k++) {
        const struct kir_block *header = fl->cfg->loops.data[k]->header;
        *loops |= header != b && cfg_dominates(fl->cfg, b, header);
    }
    return i;
}

// ---- what is computed before the test ----------------------------------------------------------

static struct kir_value *unary(struct search *s, isa_op op, uint8_t ty, struct kir_value *x) {
    return group_version_unary(&s->version, op, ty, x);
}

static struct kir_value *binary(struct search *s, isa_op op, uint8_t ty, struct kir_value *x,
                                struct kir_value *y) {
    return group_version_binary(&s->version, op, ty, x, y);
}

static void also(struct search *s, enum isa_cmp cmp, uint8_t ty, struct kir_value *x,
                 struct kir_value *y) {
    struct kir_value *v = group_version_compare(&s->version, cmp, ty, x, y);
    s->all = s->all ? binary(s, ISA_OP_AND, ISA_PRED, s->all, v) : v;
}

// x / n and x % n where x begins in all lanes the row that it begins in the first one: q, and from
// r on as far as x is from the first lane's. That is so where
//     0 <= first x <= x, 0 < n, r + (x - first x) < n.
static const struct row *row_of(struct search *s, struct kir_value *x, struct kir_value *n,
                                uint8_t ty) {
    for (unsigned k = 0; k < s->nrows; k++)
        if (s->rows[k].x == x && s->rows[k].n == n && s->rows[k].ty == ty)
            return &s->rows[k];
    if (s->nrows == MAX_ROWS)
        return NULL;
    bool wide = isa_type_bits((enum isa_type)ty) == 64,
         is_signed = isa_type_is_signed((enum isa_type)ty);
    uint8_t u = wide ? ISA_U64 : ISA_U32, b = wide ? ISA_B64 : ISA_B32;
    uint64_t most = wide ? MOST_DIVISOR_64 : MOST_DIVISOR_32;
    struct kir_value *first = unary(s, ISA_OP_GROUP_FIRST, ty, x),
                     *q = binary(s, ISA_OP_DIV, ty, first, n),
                     *r = binary(s, ISA_OP_SUB, u, first, binary(s, ISA_OP_MUL, u, q, n));
    // The mask changes nothing where the test passes, and tells how large it is.
    r = binary(s, ISA_OP_AND, b, r, kir_const(s->f, (enum kir_type)x->type, most - 1));
    r = binary(s, ISA_OP_ADD, u, r, binary(s, ISA_OP_SUB, u, x, first));
    if (is_signed)
        also(s, ISA_CMP_GE, ty, first, kir_const(s->f, (enum kir_type)x->type, 0));
    also(s, ISA_CMP_LE, u, n, kir_const(s->f, (enum kir_type)x->type, most));
    also(s, ISA_CMP_GE, ty, x, first);
    also(s, ISA_CMP_LT, u, r, n);
    s->rows[s->nrows] = (struct row){x, n, q, r, ty};
    return &s->rows[s->nrows++];
}

static bool is_available(const struct search *s, const struct kir_value *v) {
    const struct kir_block *b = v->def->block;
    return s->before[v->id] || (b != s->head && cfg_dominates(s->fl->cfg, b, s->head));
}

static enum kind kind_at_head(const struct search *s, const struct kir_value *v) {
    struct shape x = flow_use(s->fl, v, s->head);
    return x.kind == SHAPE_UNIFORM ? KIND_ALIKE : grows(s->fl, &x) ? KIND_LINEAR : KIND_NONE;
}

// Of what kind is i's result, with operands of these kinds?
static enum kind kind_of(const struct kir_inst *i, const enum kind *kinds) {
    unsigned linear = 0, which = 0;
    for (uint32_t k = 0; k < i->nops; k++)
        if (kinds[k] == KIND_LINEAR) {
            linear++;
            which = k;
        }
    if (!linear)
        return KIND_ALIKE;
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    if (linear > 1 || isa_type_is_float((enum isa_type)i->ty) || (bits != 32 && bits != 64) ||
        i->mods.sat || i->mods.cc)
        return KIND_NONE;
    switch (i->op) {
    case ISA_OP_MOV:
    case ISA_OP_ADD:
        return KIND_LINEAR;
    case ISA_OP_SUB:
        return which == 0 ? KIND_LINEAR : KIND_NONE;
    case ISA_OP_CVT:
        return isa_type_is_float((enum isa_type)i->ty2) || isa_type_bits((enum isa_type)i->ty2) < 32
                   ? KIND_NONE
                   : KIND_LINEAR;
    default:
        return KIND_NONE;
    }
}

static struct kir_value *in_row(struct search *s, struct kir_value *v, unsigned depth,
                                enum kind *kind);

static struct kir_value *divided(struct search *s, const struct division *d, unsigned depth,
                                 enum kind *kind) {
    enum kind kx, kn;
    struct kir_value *x = in_row(s, d->x, depth, &kx), *n = x ? in_row(s, d->n, depth, &kn) : NULL;
    if (!n || kn != KIND_ALIKE)
        return NULL;
    *kind = kx == KIND_ALIKE || d->op == ISA_OP_DIV ? KIND_ALIKE : KIND_LINEAR;
    if (kx == KIND_ALIKE)
        return s->clones++ < MOST_CLONES ? binary(s, d->op, d->ty, x, n) : NULL;
    const struct row *row = row_of(s, x, n, d->ty);
    return !row ? NULL : d->op == ISA_OP_DIV ? row->quotient : row->remainder;
}

static struct kir_value *cloned(struct search *s, const struct kir_inst *i, unsigned depth,
                                enum kind *kind) {
    enum { MOST_OPS = 4 };
    struct kir_value *ops[MOST_OPS];
    enum kind kinds[MOST_OPS];
    struct division d;
    if (is_division(i, &d))
        return divided(s, &d, depth, kind);
    if (isa_op_info[i->op].klass != ISA_CLASS_POINTWISE || i->nres != 1 || i->nops > MOST_OPS ||
        i->op == ISA_OP_CVTA || i->op == ISA_OP_GROUP_ALL)
        return NULL;
    for (uint32_t k = 0; k < i->nops; k++)
        if (!(ops[k] = in_row(s, i->ops[k], depth, &kinds[k])))
            return NULL;
    *kind = kind_of(i, kinds);
    if (*kind == KIND_NONE || s->clones++ >= MOST_CLONES)
        return NULL;
    struct kir_inst *c =
        kir_inst_new(s->f, (isa_op)i->op, (enum isa_type)i->ty, i->nops, 1, &i->res[0]->type, 0);
    for (uint32_t k = 0; k < i->nops; k++)
        c->ops[k] = ops[k];
    c->ty2 = i->ty2;
    c->mods = i->mods;
    return group_version_put(&s->version, c);
}

// What v is in the version for a row, before the test; NULL: that is not known there.
static struct kir_value *in_row(struct search *s, struct kir_value *v, unsigned depth,
                                enum kind *kind) {
    if (v->kind == KIR_VALUE_CONST) {
        *kind = KIND_ALIKE;
        return v;
    }
    if (v->kind != KIR_VALUE_INST || v->id >= s->nvalues || !depth)
        return NULL;
    if (s->kind[v->id] == KIND_UNKNOWN) {
        enum kind found = KIND_NONE;
        struct kir_value *x = NULL;
        if (is_available(s, v)) {
            found = kind_at_head(s, v);
            x = v;
        } else {
            x = cloned(s, v->def, depth - 1, &found);
        }
        s->kind[v->id] = x ? (uint8_t)found : KIND_NONE;
        s->in_row[v->id] = x;
    }
    *kind = (enum kind)s->kind[v->id];
    return *kind == KIND_NONE ? NULL : s->in_row[v->id];
}

// ---- the version for a row ---------------------------------------------------------------------

static void ask(struct search *s, struct kir_inst *i) {
    struct division d;
    enum kind kind;
    if (is_division(i, &d) && !s->is_way[i->res[0]->id])
        in_row(s, i->res[0], MAX_DEPTH, &kind);
}

// The test stands before `at`, and each division behind it whose numbers are known there is asked
// about.
static void find_rows(struct search *s) {
    for (const struct kir_inst *i = s->head->first; i != s->at; i = i->next)
        for (uint32_t r = 0; r < i->nres; r++)
            s->before[i->res[r]->id] = true;
    for (struct kir_inst *i = s->at; i; i = i->next)
        ask(s, i);
    for (uint32_t k = 0; k < s->version.region.len; k++)
        for (struct kir_inst *i = s->version.region.data[k]->first; i; i = i->next)
            ask(s, i);
}

static bool make_version(struct search *s) {
    struct kir_func *f = s->f;
    struct kir_copy c;
    if (!group_version_find(&s->version))
        return false;
    find_rows(s);
    if (!s->nrows)
        return false;
    group_version_make(&s->version, unary(s, ISA_OP_GROUP_ALL, ISA_PRED, s->all), &c);
    for (uint32_t k = 0; k < s->version.region.len; k++)
        for (struct kir_inst *i = s->version.region.data[k]->first; i; i = i->next) {
            struct division d;
            if (!is_division(i, &d))
                continue;
            i->flag = true;
            uint32_t id = i->res[0]->id;
            if (id < s->nvalues && (s->kind[id] == KIND_ALIKE || s->kind[id] == KIND_LINEAR))
                kir_replace_uses(f, c.values[id], s->in_row[id]);
        }
    return true;
}

// Two ways that do nothing are none.
static void join_ways(struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++) {
        struct kir_block *from = f->blocks.data[b];
        const struct kir_inst *t = from->last;
        if (t->op != ISA_OP_CBR || t->targets[0] == t->targets[1])
            continue;
        struct kir_block *x = t->targets[0], *y = t->targets[1],
                         *to = x->last->ntargets ? x->last->targets[0] : NULL;
        if (x->first != x->last || y->first != y->last || x->last->op != ISA_OP_BRA ||
            y->last->op != ISA_OP_BRA || y->last->targets[0] != to || x->preds.len != 1 ||
            y->preds.len != 1 || to->first->op == ISA_OP_PHI || to->preds.len != 2)
            continue;
        kir_remove(from->last);
        to->preds.len = 0;
        struct kir_inst *j = kir_inst_new(f, ISA_OP_BRA, ISA_VOID, 0, 0, NULL, 1);
        j->targets[0] = to;
        kir_append(from, j);
        vec_push(&f->module->arena, &to->preds, from);
        x->preds.len = y->preds.len = 0;
    }
    kir_remove_unreachable(f);
}

bool group_rows(struct kir_func *f, const struct flow *fl) {
    struct arena tmp = {0};
    struct search s = {.tmp = &tmp, .f = f, .fl = fl, .nvalues = f->value_count};
    s.is_way = find_ways(&tmp, fl);
    struct kir_inst *first = first_candidate(fl, s.is_way);
    if (!first) {
        arena_free(&tmp);
        return false;
    }
    s.at = place_of(first);
    s.head = s.at->block;
    s.version = (struct group_version){
        .tmp = &tmp, .f = f, .fl = fl, .head = s.head, .at = s.at, .most = MOST_COPIED};
    s.kind = arena_array(&tmp, uint8_t, s.nvalues + 1);
    s.in_row = arena_array(&tmp, struct kir_value *, s.nvalues + 1);
    s.before = arena_array(&tmp, bool, s.nvalues + 1);
    bool made = make_version(&s);
    first->flag = true;
    kir_remove_dead(f);
    if (made)
        join_ways(f);
    kir_renumber(f);
    arena_free(&tmp);
    return made;
}
