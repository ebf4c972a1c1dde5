// Compilers write a loop out four times and put one that goes iteration by iteration before it, for
// the rest:
//
//     n = end - start; rest = n & 3;
//     for (; rest; rest--) x = f(x, i++);
//     if (n >= 4) for (; i != end; i += 4) x = f(f(f(f(x, i), i + 1), i + 2), i + 3);
//
// Where each thread makes a few iterations of its own, one after the other, that is two loops whose
// ends the processor foresees badly instead of one. The loop of the rest could make all n
// iterations, if the other one computes what four iterations of it would: that is shown by
// comparing them operation by operation. Addresses and counters are compared as sums: of values
// from before both loops, of the number of iterations made so far (which is n & 3 where the second
// loop begins, and four more with each of its iterations), and of constants.
#include "passes/loops/rest_loop.h"

#include <string.h>

#include "ir/clean/simplify.h"

enum { MAX_TERMS = 6, MAX_DEPTH = 24, MAX_LOOKS = 20000 };

// A value of before the loops, or its extension from 32 to 64 bits.
struct term {
    const struct kir_value *v;
    bool extended;
    uint64_t times;
};

struct sum {
    struct term term[MAX_TERMS];
    unsigned n;
    uint64_t turns, constant;
};

// A loop of one block: phis, pure operations, loads.
struct small_loop {
    struct kir_block *block, *before; // before: ends with an ordinary branch to it
    uint32_t enters, turns_back;      // which operands of its phis come from where
    bool on_true;                     // it goes on when its condition holds
};

struct pair {
    struct kir_func *f;
    struct arena tmp;
    struct small_loop rest, main;
    struct kir_block *asks;  // whether there is a rest
    struct kir_block *meets; // behind the rest: asks whether there is more
    struct kir_block *out;   // behind both loops
    uint32_t skipped, done;  // meets' operands: no rest, behind the rest
    uint32_t early, late;    // out's operands: from meets, from the main loop
    struct kir_value *left;  // n & 3
    struct kir_value *start, *end;
    struct sum n; // end - start
    unsigned bits;
    uint64_t copies;
    bool is_signed; // start < end, as signed numbers
    uint32_t looks; // values that were looked at, again and again where they meet
    // What stands for a value of the rest's in the k-th copy, by value and k.
    const struct kir_value **same;
};

// ---- the two loops ----------------------------------------------------------------------------

// Where an edge leads, past blocks that do nothing; *from: the block that the last edge leaves.
static struct kir_block *past(struct kir_block *from, struct kir_block *to,
                              struct kir_block **last) {
    for (unsigned k = 0; k < 4 && to->first->op == ISA_OP_BRA && to->preds.len == 1; k++) {
        from = to;
        to = to->first->targets[0];
    }
    *last = from;
    return to;
}

static bool position(const struct kir_block *b, const struct kir_block *pred, uint32_t *at) {
    uint32_t found = 0;
    for (uint32_t p = 0; p < b->preds.len; p++)
        if (b->preds.data[p] == pred) {
            *at = p;
            found++;
        }
    return found == 1;
}

static bool is_plain(const struct kir_inst *i) {
    if (i->op == ISA_OP_LD)
        return i->mods.sem == ISA_SEM_WEAK;
    return i->op == ISA_OP_PHI || isa_op_info[i->op].klass == ISA_CLASS_POINTWISE;
}

static bool find_loop(struct kir_block *b, struct small_loop *l, struct kir_block **exit,
                      struct kir_block **exit_from) {
    struct kir_block *last, *to[2], *from[2];
    if (b->last->op != ISA_OP_CBR || b->preds.len != 2)
        return false;
    for (const struct kir_inst *i = b->first; i != b->last; i = i->next)
        if (!is_plain(i))
            return false;
    for (unsigned k = 0; k < 2; k++)
        to[k] = past(b, b->last->targets[k], &from[k]);
    unsigned back = to[0] == b ? 0 : 1;
    if (to[back] != b || to[1 - back] == b || !position(b, from[back], &l->turns_back))
        return false;
    l->block = b;
    l->on_true = back == 0;
    l->enters = 1 - l->turns_back;
    l->before = b->preds.data[l->enters];
    *exit = to[1 - back];
    *exit_from = from[1 - back];
    last = l->before;
    return last->last->op == ISA_OP_BRA && last->preds.len == 1;
}

// Does the block compute, and nothing else?
static bool is_free(const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i != b->last; i = i->next)
        if (!is_plain(i) && isa_op_info[i->op].klass != ISA_CLASS_SOURCE)
            return false;
    return true;
}

// asks -> rest -> meets -> main -> out, and the ways past the loops.
static bool find_pair(struct pair *p, struct kir_block *b) {
    struct kir_block *behind, *from, *edge;
    if (!find_loop(b, &p->main, &p->out, &from) || !position(p->out, from, &p->late))
        return false;
    p->meets = p->main.before->preds.data[0];
    if (p->meets->last->op != ISA_OP_CBR || p->meets->preds.len != 2)
        return false;
    unsigned more = p->meets->last->targets[0] == p->main.before ? 0 : 1;
    if (p->meets->last->targets[more] != p->main.before ||
        past(p->meets, p->meets->last->targets[1 - more], &edge) != p->out ||
        !position(p->out, edge, &p->early))
        return false;
    for (p->done = 0; p->done < 2; p->done++) {
        struct kir_block *r = p->meets->preds.data[p->done];
        if (r->last->op == ISA_OP_BRA && r->preds.len == 1 && r->first == r->last)
            r = r->preds.data[0];
        if (find_loop(r, &p->rest, &behind, &from) && behind == p->meets &&
            p->meets->preds.data[p->done] == from)
            break;
    }
    if (p->done == 2 || p->rest.block == p->main.block)
        return false;
    if (!is_free(p->meets) || !is_free(p->main.before))
        return false;
    p->skipped = 1 - p->done;
    p->asks = p->rest.before->preds.data[0];
    if (p->asks->last->op != ISA_OP_CBR)
        return false;
    unsigned some = p->asks->last->targets[0] == p->rest.before ? 0 : 1;
    return p->asks->last->targets[some] == p->rest.before &&
           past(p->asks, p->asks->last->targets[1 - some], &edge) == p->meets &&
           p->meets->preds.data[p->skipped] == edge;
}

// ---- sums -------------------------------------------------------------------------------------

static bool add_term(struct sum *s, const struct kir_value *v, bool extended, uint64_t times) {
    for (unsigned k = 0; k < s->n; k++) {
        struct term *t = &s->term[k];
        if (t->v != v || t->extended != extended)
            continue;
        t->times += times;
        if (!t->times)
            *t = s->term[--s->n];
        return true;
    }
    if (s->n == MAX_TERMS)
        return false;
    s->term[s->n++] = (struct term){v, extended, times};
    return true;
}

static bool add_sum(struct sum *s, const struct sum *x, uint64_t times) {
    s->turns += x->turns * times;
    s->constant += x->constant * times;
    for (unsigned k = 0; k < x->n; k++)
        if (!add_term(s, x->term[k].v, x->term[k].extended, x->term[k].times * times))
            return false;
    return true;
}

static uint64_t low(uint64_t x, unsigned bits) {
    return bits < 64 ? x & ((UINT64_C(1) << bits) - 1) : x;
}

// Is x - y nothing, modulo 2^bits?
static bool is_same_sum(const struct sum *x, const struct sum *y, unsigned bits) {
    struct sum d = *x;
    if (!add_sum(&d, y, UINT64_MAX) || low(d.turns, bits) || low(d.constant, bits))
        return false;
    for (unsigned k = 0; k < d.n; k++)
        if (low(d.term[k].times, bits))
            return false;
    return true;
}

static bool is_integer(enum isa_type t, unsigned bits) {
    return !isa_type_is_float(t) && isa_type_bits(t) == bits && t != ISA_U16X2 && t != ISA_S16X2;
}

static bool sum_of(struct pair *p, const struct kir_value *v, unsigned depth, struct sum *s);

// A phi of `b` that grows by a constant: what it is at first, and by how much it grows.
static bool grows(struct pair *p, const struct small_loop *l, const struct kir_inst *phi,
                  unsigned depth, struct sum *first, uint64_t *by) {
    const struct kir_value *next = phi->ops[l->turns_back];
    if (next->kind != KIR_VALUE_INST || next->def->op != ISA_OP_ADD || next->def->mods.sat ||
        next->def->mods.cc || !is_integer(next->def->ty, kir_type_bits(phi->res[0]->type)))
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (next->def->ops[k] == phi->res[0] && next->def->ops[1 - k]->kind == KIR_VALUE_CONST) {
            *by = next->def->ops[1 - k]->bits.u64[0];
            return sum_of(p, phi->ops[l->enters], depth, first);
        }
    return false;
}

// The phi of the rest whose last value the phi of `meets` is.
static const struct kir_inst *phi_of_rest(const struct pair *p, const struct kir_inst *meets) {
    for (const struct kir_inst *i = p->rest.block->first; i->op == ISA_OP_PHI; i = i->next) {
        const struct kir_value *in = i->ops[p->rest.enters], *x = meets->ops[p->skipped];
        bool alike = in == x || (in->kind == KIR_VALUE_CONST && x->kind == KIR_VALUE_CONST &&
                                 in->type == x->type && in->bits.u64[0] == x->bits.u64[0] &&
                                 in->bits.u64[1] == x->bits.u64[1]);
        if (alike && i->ops[p->rest.turns_back] == meets->ops[p->done])
            return i;
    }
    return NULL;
}

static bool sum_of_phi(struct pair *p, const struct kir_inst *i, unsigned depth, struct sum *s) {
    unsigned bits = kir_type_bits(i->res[0]->type);
    uint64_t by;
    if (i->block == p->meets)
        i = phi_of_rest(p, i);
    if (!i || (i->block != p->main.block && i->block != p->rest.block) ||
        !grows(p, i->block == p->main.block ? &p->main : &p->rest, i, depth, s, &by))
        return false;
    if (i->block == p->rest.block) { // from start on
        if (s->turns)
            return false;
        s->turns = by;
        return true;
    }
    // Where the main loop begins `turns` are what the rest has made.
    return !low(by - s->turns * p->copies, bits);
}

static bool is_inside(const struct pair *p, const struct kir_block *b) {
    return b == p->rest.block || b == p->main.block || b == p->main.before || b == p->meets;
}

// start + iterations is no larger than end, nor is what up to an iteration of its loop more makes
// of it: its extension is that of start, and iterations.
static bool extended(struct pair *p, const struct kir_value *v, bool is_signed, unsigned depth,
                     struct sum *s) {
    struct sum x = {0}, d = {0};
    uint64_t most = v->def->block == p->rest.block ? 1 : p->copies - 1;
    if (is_signed != p->is_signed || kir_type_bits(p->start->type) != 32 ||
        !sum_of(p, v, depth, &x) || !sum_of(p, p->start, depth, &d))
        return false;
    uint64_t more = low(x.constant - d.constant, 32), turns = low(x.turns, 32);
    if (add_sum(&x, &d, UINT64_MAX) && !x.n && turns <= 1 && more <= turns * most) {
        s->turns = turns;
        s->constant = more;
        if (p->start->kind == KIR_VALUE_CONST) {
            uint64_t c = low(p->start->bits.u64[0], 32);
            s->constant += is_signed ? (uint64_t)(int64_t)(int32_t)c : c;
            return true;
        }
        return add_term(s, p->start, true, 1);
    }
    return !is_inside(p, v->def->block) && add_term(s, v, true, 1);
}

static bool times_constant(struct pair *p, const struct kir_inst *i, unsigned depth,
                           struct sum *s) {
    for (unsigned k = 0; k < 2; k++) {
        struct sum x = {0};
        const struct kir_value *c = i->ops[k], *v = i->ops[1 - k];
        if (c->kind != KIR_VALUE_CONST || v->kind != KIR_VALUE_INST)
            continue;
        uint64_t times = c->bits.u64[0];
        bool wide = i->mods.half == ISA_WIDE && isa_type_bits(i->ty) == 32;
        bool is_signed = isa_type_is_signed(i->ty);
        if (wide && is_signed)
            times = (uint64_t)(int64_t)(int32_t)times;
        if (wide ? !extended(p, v, is_signed, depth, &x)
                 : i->mods.half != ISA_LO || !sum_of(p, v, depth, &x))
            return false;
        return add_sum(s, &x, times);
    }
    return false;
}

static bool sum_of_inst(struct pair *p, const struct kir_inst *i, unsigned depth, struct sum *s) {
    unsigned bits = kir_type_bits(i->res[0]->type);
    struct sum x = {0};
    if (i->op == ISA_OP_PHI)
        return sum_of_phi(p, i, depth, s);
    if (i->op == ISA_OP_CVT && bits == 64 && is_integer(i->ty, 64) && is_integer(i->ty2, 32) &&
        kir_type_bits(i->ops[0]->type) == 32 && i->ops[0]->kind == KIR_VALUE_INST)
        return extended(p, i->ops[0], isa_type_is_signed(i->ty2), depth, s);
    if (i->op == ISA_OP_MUL && !i->mods.sat && !isa_type_is_float(i->ty))
        return times_constant(p, i, depth, s);
    if (!is_integer(i->ty, bits) || i->mods.sat || i->mods.cc)
        return false;
    switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        return sum_of(p, i->ops[0], depth, s) && sum_of(p, i->ops[1], depth, &x) &&
               add_sum(s, &x, i->op == ISA_OP_ADD ? 1 : UINT64_MAX);
    case ISA_OP_SHL:
        return i->ops[1]->kind == KIR_VALUE_CONST && i->ops[1]->bits.u64[0] < bits &&
               sum_of(p, i->ops[0], depth, &x) &&
               add_sum(s, &x, UINT64_C(1) << i->ops[1]->bits.u64[0]);
    default:
        return false;
    }
}

static bool sum_of(struct pair *p, const struct kir_value *v, unsigned depth, struct sum *s) {
    struct sum x = {0};
    if (v->kind == KIR_VALUE_CONST) {
        s->constant += v->bits.u64[0];
        return true;
    }
    if (v->kind != KIR_VALUE_INST || kir_type_bits(v->type) < 32 || ++p->looks > MAX_LOOKS)
        return false;
    if (v != p->left && depth && sum_of_inst(p, v->def, depth - 1, &x))
        return add_sum(s, &x, 1);
    return !is_inside(p, v->def->block) && add_term(s, v, false, 1);
}

// ---- how often they run ----------------------------------------------------------------------

static struct kir_inst *condition(const struct small_loop *l) {
    const struct kir_value *v = l->block->last->ops[0];
    struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    bool plain = i && i->op == ISA_OP_SETP && i->nops == 2 && !i->mods.boolop && v->result == 0;
    return plain && i->block == l->block && is_integer(i->ty, kir_type_bits(i->ops[0]->type))
               ? i
               : NULL;
}

// Does the loop end when two numbers are equal that come nearer by one in each iteration, and are
// as far from each other after a turn as `turns` tell: they differ by (turns - n)?
static bool ends_at(struct pair *p, const struct small_loop *l, uint64_t step,
                    const struct sum *n) {
    struct kir_inst *i = condition(l);
    struct sum x = {0}, y = {0}, want = {.turns = 1, .constant = step};
    if (!i || i->mods.cmp != (l->on_true ? ISA_CMP_NE : ISA_CMP_EQ) ||
        !sum_of(p, i->ops[0], MAX_DEPTH, &x) || !sum_of(p, i->ops[1], MAX_DEPTH, &y) ||
        !add_sum(&x, &y, UINT64_MAX) || !add_sum(&want, n, UINT64_MAX))
        return false;
    struct sum minus = {0};
    unsigned bits = isa_type_bits(i->ty);
    return add_sum(&minus, &want, UINT64_MAX) &&
           (is_same_sum(&x, &want, bits) || is_same_sum(&x, &minus, bits));
}

// n & 3, or what is left of another number that differs from n by a multiple of 4.
static bool find_left(struct pair *p) {
    const struct kir_value *v = p->asks->last->ops[0];
    bool some_on_true = p->asks->last->targets[0] == p->rest.before;
    const struct kir_inst *t = v->kind == KIR_VALUE_INST ? v->def : NULL;
    if (!t || t->op != ISA_OP_SETP || t->nops != 2 || t->mods.boolop || v->result ||
        t->mods.cmp != (some_on_true ? ISA_CMP_NE : ISA_CMP_EQ) ||
        t->ops[1]->kind != KIR_VALUE_CONST || t->ops[1]->bits.u64[0] ||
        t->ops[0]->kind != KIR_VALUE_INST || t->ops[0]->def->op != ISA_OP_AND)
        return false;
    p->left = t->ops[0];
    const struct kir_inst *a = p->left->def;
    p->bits = kir_type_bits(p->left->type);
    if (a->ops[1]->kind != KIR_VALUE_CONST || p->bits < 32 || isa_type_bits(t->ty) != p->bits ||
        isa_type_bits(a->ty) != p->bits)
        return false;
    p->copies = a->ops[1]->bits.u64[0] + 1;
    return p->copies >= 2 && p->copies <= 8 && !(p->copies & (p->copies - 1));
}

// Are these the ends between which the loops count?
static bool are_ends(struct pair *p, struct kir_value *start, struct kir_value *end,
                     bool is_signed) {
    struct sum n = {0}, x = {0}, d = {0};
    p->start = start;
    p->end = end;
    p->is_signed = is_signed;
    if (kir_type_bits(start->type) != p->bits || kir_type_bits(end->type) != p->bits ||
        !sum_of(p, end, MAX_DEPTH, &n) || !sum_of(p, start, MAX_DEPTH, &x) ||
        !add_sum(&n, &x, UINT64_MAX) || !sum_of(p, p->left->def->ops[0], MAX_DEPTH, &d))
        return false;
    p->n = n;
    return add_sum(&d, &n, UINT64_MAX) && !d.n && !d.turns && d.constant % p->copies == 0;
}

// Does x `cmp` y tell that one end is below the other?
static bool tells(struct pair *p, enum isa_cmp cmp, struct kir_value *x, struct kir_value *y,
                  bool is_signed) {
    uint64_t least = is_signed ? UINT64_C(1) << (p->bits - 1) : 0;
    if (cmp == ISA_CMP_LT)
        return are_ends(p, x, y, is_signed);
    if (cmp == ISA_CMP_GT)
        return are_ends(p, y, x, is_signed);
    // x >= 1 is 0 < x
    return cmp == ISA_CMP_GE && y->kind == KIR_VALUE_CONST && y->bits.u64[0] != least &&
           are_ends(p, kir_const(p->f, y->type, low(y->bits.u64[0] - 1, p->bits)), x, is_signed);
}

// Is start < end where the count is made? Asked by a block on the only way there.
static bool find_ends(struct pair *p) {
    for (struct kir_block *b = p->asks; b->preds.len == 1; b = b->preds.data[0]) {
        const struct kir_inst *t = b->preds.data[0]->last;
        const struct kir_value *v = t->op == ISA_OP_CBR ? t->ops[0] : NULL;
        if (!v || t->targets[0] == t->targets[1] || v->kind != KIR_VALUE_INST || v->result ||
            v->def->op != ISA_OP_SETP || v->def->nops != 2 || v->def->mods.boolop ||
            !is_integer(v->def->ty, p->bits))
            continue;
        const struct kir_inst *i = v->def;
        enum isa_cmp cmp = (enum isa_cmp)i->mods.cmp;
        cmp = t->targets[0] == b ? cmp : isa_cmp_opposite(cmp);
        if (tells(p, cmp, i->ops[0], i->ops[1], isa_type_is_signed(i->ty)))
            return true;
    }
    return false;
}

// Does `meets` go on to the main loop exactly where n is no less than the copies, n not being 0?
static bool asks_for_copies(struct pair *p) {
    const struct kir_value *v = p->meets->last->ops[0];
    const struct kir_inst *t = v->kind == KIR_VALUE_INST ? v->def : NULL;
    unsigned bits = p->bits;
    struct sum x = {0}, n = p->n, n_less = p->n, minus = {0};
    if (!t || t->op != ISA_OP_SETP || t->nops != 2 || t->mods.boolop || v->result ||
        t->ops[1]->kind != KIR_VALUE_CONST || isa_type_is_signed(t->ty) ||
        !is_integer(t->ty, bits) || kir_type_bits(t->ops[0]->type) != bits ||
        !sum_of(p, t->ops[0], MAX_DEPTH, &x))
        return false;
    n_less.constant -= 1;
    add_sum(&minus, &n, UINT64_MAX);
    bool more = p->meets->last->targets[0] == p->main.before;
    enum isa_cmp few = more ? ISA_CMP_GE : ISA_CMP_LT, few_minus = more ? ISA_CMP_LE : ISA_CMP_GT;
    uint64_t c = low(t->ops[1]->bits.u64[0], bits);
    return (is_same_sum(&x, &n, bits) && t->mods.cmp == few && c == p->copies) ||
           (is_same_sum(&x, &n_less, bits) && t->mods.cmp == few && c == p->copies - 1) ||
           (is_same_sum(&x, &minus, bits) && t->mods.cmp == few_minus &&
            c == low(-p->copies, bits));
}

// ---- operation by operation -------------------------------------------------------------------

static bool is_alike(const struct kir_inst *x, const struct kir_inst *y) {
    return x->op == y->op && x->ty == y->ty && x->ty2 == y->ty2 && x->nops == y->nops &&
           x->nres == y->nres && !memcmp(&x->mods, &y->mods, sizeof x->mods) &&
           x->sreg == y->sreg && x->flag == y->flag && x->index == y->index && x->sym == y->sym;
}

static bool same_place(struct pair *p, const struct kir_inst *x, const struct kir_inst *y,
                       unsigned copy) {
    struct sum a = {.constant = (uint64_t)x->offset}, b = {.constant = (uint64_t)y->offset};
    unsigned bits = kir_type_bits(x->ops[0]->type);
    if (!sum_of(p, x->ops[0], MAX_DEPTH, &a) || !sum_of(p, y->ops[0], MAX_DEPTH, &b) ||
        kir_type_bits(y->ops[0]->type) != bits)
        return false;
    a.constant += a.turns * copy;
    return is_same_sum(&a, &b, bits);
}

static bool stands_for(struct pair *p, const struct kir_value *x, const struct kir_value *y,
                       unsigned copy, unsigned depth);

static bool operands_stand(struct pair *p, const struct kir_inst *x, const struct kir_inst *y,
                           unsigned copy, unsigned depth) {
    uint32_t first = 0;
    if (x->op == ISA_OP_LD && same_place(p, x, y, copy))
        first = 1;
    else if (x->op == ISA_OP_LD && x->offset != y->offset)
        return false;
    for (uint32_t k = first; k < x->nops; k++)
        if (!stands_for(p, x->ops[k], y->ops[k], copy, depth))
            return false;
    return true;
}

// The phi of the main loop that goes on where the rest's ended.
static bool continues(struct pair *p, const struct kir_inst *rest, const struct kir_value *v) {
    if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_PHI || v->def->block != p->main.block)
        return false;
    const struct kir_value *in = v->def->ops[p->main.enters];
    return in->kind == KIR_VALUE_INST && in->def->op == ISA_OP_PHI && in->def->block == p->meets &&
           phi_of_rest(p, in->def) == rest;
}

// Is y, of the main loop, what x is in the iteration of the rest that the copy makes?
static bool stands_for(struct pair *p, const struct kir_value *x, const struct kir_value *y,
                       unsigned copy, unsigned depth) {
    struct sum a = {0}, b = {0};
    if (x->type != y->type || !depth-- || ++p->looks > MAX_LOOKS)
        return false;
    if (x->kind == KIR_VALUE_CONST)
        return y->kind == KIR_VALUE_CONST && x->bits.u64[0] == y->bits.u64[0] &&
               x->bits.u64[1] == y->bits.u64[1];
    if (x->kind != KIR_VALUE_INST || x->def->block != p->rest.block)
        return x == y;
    const struct kir_value **known = &p->same[x->id * p->copies + copy];
    if (*known == y)
        return true;
    const struct kir_inst *i = x->def;
    bool ok =
        !isa_type_is_float(i->ty) && sum_of(p, x, MAX_DEPTH, &a) && sum_of(p, y, MAX_DEPTH, &b);
    a.constant += a.turns * copy;
    if (ok && is_same_sum(&a, &b, kir_type_bits(x->type)))
        ok = true;
    else if (i->op == ISA_OP_PHI)
        ok = copy ? stands_for(p, i->ops[p->rest.turns_back], y, copy - 1, depth)
                  : continues(p, i, y);
    else
        ok = y->kind == KIR_VALUE_INST && y->def->block == p->main.block &&
             x->result == y->result && is_alike(i, y->def) &&
             (i->op == ISA_OP_LD || i->offset == y->def->offset) &&
             operands_stand(p, i, y->def, copy, depth);
    if (ok)
        *known = y;
    return ok;
}

// A value that the main loop passes on to its next iteration has to be what the rest's next
// iteration begins with: all of them, whether or not they are used behind it.
static bool turns_match(struct pair *p) {
    enum { DEPTH = 256 };
    for (const struct kir_inst *i = p->main.block->first; i->op == ISA_OP_PHI; i = i->next) {
        struct sum s = {0};
        if (sum_of(p, i->res[0], MAX_DEPTH, &s))
            continue;
        const struct kir_inst *rest = NULL;
        for (const struct kir_inst *r = p->rest.block->first; r->op == ISA_OP_PHI; r = r->next)
            if (continues(p, r, i->res[0]))
                rest = r;
        if (!rest || !stands_for(p, rest->ops[p->rest.turns_back], i->ops[p->main.turns_back],
                                 (unsigned)p->copies - 1, DEPTH))
            return false;
    }
    return true;
}

static bool is_unused_elsewhere(const struct pair *p);

// Behind the loops the value of the rest's last iteration has to be that of the main loop's last
// one.
static bool results_match(struct pair *p) {
    enum { DEPTH = 256 };
    for (const struct kir_inst *i = p->out->first; i->op == ISA_OP_PHI; i = i->next) {
        const struct kir_value *x = i->ops[p->early], *y = i->ops[p->late];
        if (x == y && !(x->kind == KIR_VALUE_INST && is_inside(p, x->def->block)))
            continue;
        if (x->kind != KIR_VALUE_INST || x->def->op != ISA_OP_PHI || x->def->block != p->meets)
            return false;
        const struct kir_inst *rest = phi_of_rest(p, x->def);
        if (!rest ||
            !stands_for(p, rest->ops[p->rest.turns_back], y, (unsigned)p->copies - 1, DEPTH))
            return false;
    }
    return is_unused_elsewhere(p);
}

// What `meets` and the main loop compute is used there and by out's phis alone.
static bool is_unused_elsewhere(const struct pair *p) {
    for (uint32_t b = 0; b < p->f->blocks.len; b++) {
        const struct kir_block *at = p->f->blocks.data[b];
        for (const struct kir_inst *i = at->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++) {
                const struct kir_value *v = i->ops[k];
                const struct kir_block *from = v->kind == KIR_VALUE_INST ? v->def->block : NULL;
                bool gone = from && (from == p->main.block || from == p->main.before);
                bool phi = from == p->meets && v->def->op == ISA_OP_PHI;
                bool at_edge =
                    at == p->out && i->op == ISA_OP_PHI && (k == p->early || k == p->late);
                bool there = at == p->main.block || at == p->main.before;
                if ((gone || phi) && !at_edge && !there)
                    return false;
            }
    }
    return true;
}

// ---- one loop ---------------------------------------------------------------------------------

// The rest's counter starts at what is left, or goes up to it: at n instead.
static unsigned uses_of_left(const struct pair *p, struct kir_value *to) {
    unsigned n = 0;
    struct kir_inst *c = condition(&p->rest);
    for (struct kir_inst *i = p->rest.block->first; i; i = i->next)
        for (uint32_t k = 0; k < i->nops; k++) {
            if (i->ops[k] != p->left)
                continue;
            bool counts = i == c || (i->op == ISA_OP_PHI && k == p->rest.enters);
            n += counts ? 1 : 2;
            if (to)
                i->ops[k] = to;
        }
    return n;
}

static void join(struct pair *p) {
    struct kir_inst *asks = p->asks->last, *meets = p->meets->last;
    bool more_on_true = meets->targets[0] == p->main.before;
    bool some_on_true = asks->targets[0] == p->rest.before;
    uint8_t type = p->left->type;
    struct kir_inst *n =
        kir_inst_new(p->f, ISA_OP_SUB, p->bits == 64 ? ISA_S64 : ISA_S32, 2, 1, &type, 0);
    n->ops[0] = p->end;
    n->ops[1] = p->start;
    kir_insert_before(asks, n);
    uses_of_left(p, n->res[0]);
    // start is below end, so that there are iterations.
    asks->ops[0] = kir_const(p->f, KIR_PRED, some_on_true);
    meets->ops[0] = kir_const(p->f, KIR_PRED, !more_on_true);
}

static bool try_join(struct kir_func *f, struct kir_block *b) {
    struct pair p = {.f = f};
    bool ok = find_pair(&p, b) && find_left(&p) && find_ends(&p);
    if (ok) {
        struct sum left = {0};
        p.same = arena_array(&p.tmp, const struct kir_value *, f->value_count *p.copies);
        ok = add_term(&left, p.left, false, 1) && uses_of_left(&p, NULL) == 1 &&
             ends_at(&p, &p.rest, 1, &left) && ends_at(&p, &p.main, p.copies, &p.n) &&
             asks_for_copies(&p) && turns_match(&p) && results_match(&p);
    }
    if (ok)
        join(&p);
    arena_free(&p.tmp);
    return ok;
}

bool join_rest_loops(struct kir_func *f) {
    bool any = false;
    kir_renumber(f);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        any |= try_join(f, f->blocks.data[b]);
    if (any) {
        kir_fold(f);
        kir_remove_unreachable(f);
        kir_fold(f);
        kir_merge_blocks(f);
        kir_remove_dead(f);
        kir_renumber(f);
    }
    return any;
}
