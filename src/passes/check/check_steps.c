#include "passes/check/check_steps.h"
#include "isa/ops/arith.h"
#include "isa/ops/block.h"
#include "isa/ops/logic.h"

enum { MOST_STEPS = 640, MOST_TERMS = 32, MOST_GUARDS = 16, MOST_LOOPS = 6, MOST_PHIS = 8 };

// ---- what can be computed ---------------------------------------------------------------------

static bool is_loop_phi(const struct check_steps *s, const struct kir_inst *i, uint32_t *back) {
    const struct kir_block *b = i->block;
    const struct kir_order *o = &s->u->order;
    if (i->op != ISA_OP_PHI || i->nops != 2 || b->preds.len != 2 || !s->u->meets[b->id] ||
        s->u->divergent[b->id])
        return false;
    bool first = kir_dominates(o, b->id, b->preds.data[0]->id);
    bool second = kir_dominates(o, b->id, b->preds.data[1]->id);
    *back = second;
    return first != second;
}

static bool is_integer(enum isa_type t) {
    unsigned bits = isa_type_bits(t);
    return !isa_type_is_float(t) && (bits == 1 || bits == 16 || bits == 32 || bits == 64) &&
           t != ISA_S16X2 && t != ISA_U16X2;
}

static bool is_plain(const struct kir_inst *i) {
    const struct isa_mods *m = &i->mods;
    return !m->sat && !m->cc && !m->vec && !m->relu && !m->abs && i->nres == 1;
}

static bool is_comparison(uint8_t cmp) {
    return cmp <= ISA_CMP_HS;
}

static bool is_param(const struct kir_inst *i) {
    const struct kir_value *p = i->op == ISA_OP_LD ? i->ops[0] : NULL;
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    return p && i->mods.space == ISA_SPACE_PARAM && i->nres == 1 && !i->mods.vec &&
           p->kind == KIR_VALUE_INST && p->def->op == ISA_OP_SYMADDR &&
           p->def->sym->space == ISA_SPACE_PARAM && !p->def->flag &&
           (bits == 8 || bits == 16 || bits == 32 || bits == 64);
}

// Can the device compute it where it has the operands?
static bool is_step(const struct check_steps *s, const struct kir_inst *i) {
    uint32_t back, r = i->sreg;
    enum isa_type ty = (enum isa_type)i->ty;
    if (i->op == ISA_OP_SREG)
        return (r >= ISA_SREG_TID_X && r <= ISA_SREG_NTID_Z) ||
               (r >= ISA_SREG_NCTAID_X && r <= ISA_SREG_LANEID);
    if (i->op == ISA_OP_SYMADDR)
        return i->sym->space == ISA_SPACE_SHARED && !i->flag;
    if (i->op == ISA_OP_PHI)
        return is_loop_phi(s, i, &back) && i->res[0]->type != KIR_B128;
    if (is_param(i))
        return true;
    if (i->op == ISA_OP_SETP)
        return i->nres <= 2 && i->nops == 2 && is_integer(ty) && is_comparison(i->mods.cmp);
    if (!is_plain(i) || !is_integer(ty))
        return false;
    switch (i->op) {
    case ISA_OP_MOV:
    case ISA_OP_NOT:
    case ISA_OP_NEG:
        return i->nops == 1;
    case ISA_OP_CVT:
        return i->nops == 1 && is_integer((enum isa_type)i->ty2);
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_AND:
    case ISA_OP_OR:
    case ISA_OP_XOR:
    case ISA_OP_MIN:
    case ISA_OP_MAX:
    case ISA_OP_SHL:
    case ISA_OP_SHR:
        return i->nops == 2;
    case ISA_OP_DIV:
    case ISA_OP_REM:
        return i->nops == 2 && !isa_type_is_signed(ty);
    case ISA_OP_MUL:
        return i->nops == 2 && i->mods.half != ISA_HI;
    case ISA_OP_MAD:
        return i->nops == 3 && i->mods.half != ISA_HI;
    case ISA_OP_SELP:
        return i->nops == 3;
    default:
        return false;
    }
}

static bool is_fixed(const struct check_steps *s, const struct kir_inst *i, uint32_t result) {
    return i->op != ISA_OP_PHI && i->op != ISA_OP_BAR_RED && !s->u->varying[i->res[result]->id];
}

static bool holds(const bool *of, const struct kir_value *v) {
    return v->kind == KIR_VALUE_CONST || (v->kind == KIR_VALUE_INST && of[v->id]);
}

// Values of which an instruction and all that it follows from are so.
static void find_all(const struct check_steps *s, bool *of,
                     bool (*is)(const struct check_steps *, const struct kir_inst *, uint32_t)) {
    const struct kir_func *f = s->f;
    memset(of, true, f->value_count * sizeof *of);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < s->u->order.n; k++)
            for (const struct kir_inst *i = f->blocks.data[s->u->order.blocks[k]]->first; i;
                 i = i->next)
                for (uint32_t r = 0; r < i->nres; r++) {
                    bool so = of[i->res[r]->id] && is(s, i, r);
                    for (uint32_t n = 0; n < i->nops && so && !is_param(i); n++)
                        so = holds(of, i->ops[n]);
                    again |= so != of[i->res[r]->id];
                    of[i->res[r]->id] = so;
                }
    }
}

static bool is_computable(const struct check_steps *s, const struct kir_inst *i, uint32_t result) {
    (void)result;
    return is_step(s, i);
}

void check_steps_begin(struct check_steps *s, struct arena *a, const struct kir_func *f,
                       const struct check_uniform *u) {
    uint32_t n = f->value_count + 1, number = 0;
    *s = (struct check_steps){.a = a, .f = f, .u = u};
    s->computable = arena_array(a, bool, n);
    s->fixed = arena_array(a, bool, n);
    s->needed = arena_array(a, uint32_t, n);
    s->step = arena_array(a, uint32_t, n);
    s->barriers = arena_array(a, const struct kir_inst *, CHECK_MOST_STARTS);
    find_all(s, s->computable, is_computable);
    find_all(s, s->fixed, is_fixed);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (check_is_barrier(i))
                s->barriers[++number] = i;
}

// ---- which values are needed ------------------------------------------------------------------

// times the value is part of an address.
struct term {
    const struct kir_value *v;
    uint64_t times;
};
struct guard {
    const struct kir_value *v;
    bool is;
};
struct guards {
    struct guard g[MOST_GUARDS];
    uint32_t n;
};
struct loop {
    const struct kir_block *head;
    struct guards again; // where it goes on
    uint32_t phi, phis;
};
// An access as what is computed and what is the same for all threads, and drops out.
struct place {
    struct term term[MOST_TERMS], same[MOST_TERMS];
    uint32_t nterms, nsame;
    uint64_t more;
    struct guards guards;
    uint32_t loops; // bits: of the group's, that it follows
};
struct group {
    struct check_steps *s;
    struct place *places;
    struct loop loops[MOST_LOOPS];
    uint32_t nloops;
    struct check_program *p;
    uint32_t first; // step
    bool full;
};

// What is known where b runs: of blocks that dominate it, up to `from`.
static void find_guards(const struct check_steps *s, const struct kir_block *b, uint32_t from,
                        struct guards *out) {
    const struct kir_order *o = &s->u->order;
    out->n = 0;
    for (uint32_t d = b->id; d != from && out->n < MOST_GUARDS;) {
        d = o->idom[d];
        const struct kir_inst *last = s->f->blocks.data[d]->last;
        if (last->op == ISA_OP_CBR && holds(s->computable, last->ops[0]) &&
            last->targets[0] != last->targets[1])
            for (uint32_t t = 0; t < 2; t++)
                if (last->targets[t]->preds.len == 1 &&
                    kir_dominates(o, last->targets[t]->id, b->id) && out->n < MOST_GUARDS)
                    out->g[out->n++] = (struct guard){last->ops[0], t == 0};
        if (d == 0)
            break;
    }
}

static bool is_wide_enough(const struct kir_inst *i) {
    return is_plain(i) && is_integer((enum isa_type)i->ty) &&
           isa_type_bits((enum isa_type)i->ty) >= 32;
}

static bool push(struct term *stack, uint32_t *n, const struct kir_value *v, uint64_t times) {
    if (*n == MOST_TERMS)
        return false;
    stack[(*n)++] = (struct term){v, times};
    return true;
}

// Terms of a sum that is taken modulo 2^32, in which addresses of shared memory are all different.
static bool split(const struct term *x, struct term *stack, uint32_t *n, uint64_t *more) {
    const struct kir_inst *i = x->v->def;
    uint64_t by;
    if (i->op == ISA_OP_SYMADDR && i->sym->space == ISA_SPACE_SHARED && !i->sym->dynamic) {
        *more += x->times * (i->sym->offset + (uint64_t)i->offset);
        return true;
    }
    if (i->op == ISA_OP_CVTA)
        return push(stack, n, i->ops[0], x->times);
    if (!is_wide_enough(i))
        return false;
    switch (i->op) {
    case ISA_OP_MOV:
        return push(stack, n, i->ops[0], x->times);
    case ISA_OP_CVT:
        return is_integer((enum isa_type)i->ty2) && isa_type_bits((enum isa_type)i->ty2) >= 32 &&
               push(stack, n, i->ops[0], x->times);
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        return i->nops == 2 && push(stack, n, i->ops[0], x->times) &&
               push(stack, n, i->ops[1], i->op == ISA_OP_SUB ? -x->times : x->times);
    case ISA_OP_SHL:
        by = i->ops[1]->kind == KIR_VALUE_CONST ? i->ops[1]->bits.u32[0] : 64;
        return by < 32 && push(stack, n, i->ops[0], x->times << by);
    case ISA_OP_MUL:
    case ISA_OP_MAD:
        if (i->mods.half == ISA_HI || i->ops[1]->kind != KIR_VALUE_CONST)
            return false;
        return push(stack, n, i->ops[0], x->times * i->ops[1]->bits.u32[0]) &&
               (i->op == ISA_OP_MUL || push(stack, n, i->ops[2], x->times));
    default:
        return false;
    }
}

static void add_same(struct place *p, struct term t) {
    uint32_t k = 0;
    while (k < p->nsame && p->same[k].v != t.v)
        k++;
    if (k == p->nsame)
        p->same[p->nsame++] = (struct term){t.v, 0};
    p->same[k].times += t.times;
}

static bool find_place(const struct check_steps *s, const struct check_member *m, struct place *p) {
    struct term stack[MOST_TERMS];
    uint32_t n = 0;
    *p = (struct place){.more = (uint64_t)m->offset};
    push(stack, &n, m->address, 1);
    while (n) {
        struct term t = stack[--n];
        if (t.v->kind == KIR_VALUE_CONST) {
            p->more += t.times * t.v->bits.u32[0];
        } else if (t.v->kind != KIR_VALUE_INST) {
            return false;
        } else if (s->computable[t.v->id]) {
            if (!push(p->term, &p->nterms, t.v, t.times))
                return false;
        } else if (!split(&t, stack, &n, &p->more)) {
            if (!s->fixed[t.v->id] || p->nsame == MOST_TERMS)
                return false;
            add_same(p, t);
        }
    }
    find_guards(s, m->i->block, 0, &p->guards);
    return true;
}

static bool is_same(const struct place *a, const struct place *b) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < a->nsame; k++)
        for (uint32_t m = 0; m < b->nsame; m++)
            found += a->same[k].v == b->same[m].v &&
                     (uint32_t)a->same[k].times == (uint32_t)b->same[m].times;
    return a->nsame == b->nsame && found == a->nsame;
}

// The number of the loop of a phi. False: there are too many.
static bool loop_of(struct group *g, const struct kir_block *head, uint32_t *number) {
    uint32_t k = 0;
    while (k < g->nloops && g->loops[k].head != head)
        k++;
    *number = k;
    if (k < g->nloops)
        return true;
    if (k == MOST_LOOPS)
        return false;
    g->loops[g->nloops++] = (struct loop){.head = head};
    return true;
}

// Marks a value and all that it follows from; *loops: of which loops. False: there are too many.
static bool need(struct group *g, const struct kir_value *v, uint32_t stamp, uint32_t *mark,
                 uint32_t *loops) {
    struct check_steps *s = g->s;
    VEC(const struct kir_value *) work = {0};
    vec_push(s->a, &work, v);
    while (work.len) {
        v = work.data[--work.len];
        uint32_t back, number;
        if (v->kind != KIR_VALUE_INST || mark[v->id] == stamp)
            continue;
        mark[v->id] = stamp;
        if (v->def->op == ISA_OP_PHI && is_loop_phi(s, v->def, &back)) {
            if (!loop_of(g, v->def->block, &number))
                return false;
            *loops |= 1u << number;
        }
        for (uint32_t k = 0; k < v->def->nops && !is_param(v->def); k++)
            vec_push(s->a, &work, v->def->ops[k]);
    }
    return true;
}

static bool need_place(struct group *g, struct place *p, uint32_t stamp, uint32_t *mark) {
    for (uint32_t k = 0; k < p->nterms; k++)
        if (!need(g, p->term[k].v, stamp, mark, &p->loops))
            return false;
    for (uint32_t k = 0; k < p->guards.n; k++)
        if (!need(g, p->guards.g[k].v, stamp, mark, &p->loops))
            return false;
    return true;
}

static const struct kir_block *latch_of(const struct check_steps *s, const struct kir_block *head) {
    bool second = kir_dominates(&s->u->order, head->id, head->preds.data[1]->id);
    return head->preds.data[second];
}

// When a loop goes on, and what that follows from, which may be more loops.
static bool need_loops(struct group *g) {
    struct check_steps *s = g->s;
    for (uint32_t k = 0; k < g->nloops; k++) {
        struct loop *l = &g->loops[k];
        const struct kir_block *latch = latch_of(s, l->head);
        const struct kir_inst *last = latch->last;
        uint32_t loops = 0;
        find_guards(s, latch, l->head->id, &l->again);
        if (last->op == ISA_OP_CBR && holds(s->computable, last->ops[0]) &&
            last->targets[0] != last->targets[1] && l->again.n < MOST_GUARDS)
            l->again.g[l->again.n++] = (struct guard){last->ops[0], last->targets[0] == l->head};
        for (uint32_t n = 0; n < l->again.n; n++)
            if (!need(g, l->again.g[n].v, s->stamp, s->needed, &loops))
                return false;
    }
    return true;
}

// ---- do all threads have the same iterations? ---------------------------------------------------

static bool passes(const struct kir_inst *from, const struct kir_inst *to) {
    for (const struct kir_inst *i = from; i && i != to; i = i->next)
        if (check_is_barrier(i))
            return false;
    return true;
}

// Blocks that are entered behind an instruction (NULL: from the entry on) before the next barrier,
// not through `avoid`.
static bool *reach(const struct check_steps *s, const struct kir_inst *behind,
                   const struct kir_block *avoid) {
    uint32_t n = s->f->blocks.len, depth = 0;
    bool *entered = arena_array(s->a, bool, n);
    const struct kir_block **stack = arena_array(s->a, const struct kir_block *, n + 1);
    const struct kir_block *b = behind ? behind->block : s->f->blocks.data[0];
    const struct kir_inst *from = behind ? behind->next : b->first;
    if (!behind && b == avoid)
        return entered;
    entered[b->id] = !behind;
    for (;;) {
        for (uint32_t t = 0; passes(from, NULL) && t < b->last->ntargets; t++) {
            const struct kir_block *to = b->last->targets[t];
            if (to == avoid || entered[to->id])
                continue;
            entered[to->id] = true;
            stack[depth++] = to;
        }
        if (!depth)
            return entered;
        b = stack[--depth];
        from = b->first;
    }
}

static bool comes_to(const struct kir_inst *behind, const bool *entered, const struct kir_inst *i) {
    if (entered[i->block->id] && passes(i->block->first, i))
        return true;
    if (!behind || behind->block != i->block)
        return false;
    const struct kir_inst *k = behind->next;
    while (k && k != i && !check_is_barrier(k))
        k = k->next;
    return k == i;
}

// Has each thread between two barriers one iteration of the loop at all accesses that depend on it?
static bool is_aligned(const struct group *g, uint32_t loop, const struct check_member *const *m,
                       uint32_t n, uint64_t starts) {
    const struct check_steps *s = g->s;
    const struct kir_block *head = g->loops[loop].head;
    const struct kir_inst *phi = head->first;
    if (!passes(head->first, NULL))
        phi = NULL; // a barrier ends each iteration's first interval here
    while (phi && phi->next && phi->next->op == ISA_OP_PHI)
        phi = phi->next;
    if (phi && reach(s, phi, NULL)[head->id])
        return false;
    for (uint32_t k = 0; k < n; k++)
        if (reach(s, m[k]->i, NULL)[head->id])
            return false;
    for (uint32_t start = 0; start <= s->u->n; start++) {
        const struct kir_inst *barrier = s->barriers[start];
        if (!(starts >> start & 1) || !reach(s, barrier, NULL)[head->id])
            continue;
        const bool *entered = reach(s, barrier, head);
        for (uint32_t k = 0; k < n; k++)
            if (g->places[k].loops >> loop & 1 && comes_to(barrier, entered, m[k]->i))
                return false;
    }
    return true;
}

// ---- steps ------------------------------------------------------------------------------------

static uint16_t emit(struct group *g, enum kd_step_op op, uint32_t a, uint32_t b, uint32_t c,
                     uint64_t value) {
    uint32_t at = g->p->steps.len - g->first;
    g->full |= at >= MOST_STEPS;
    if (g->full)
        return 0;
    struct kd_check_step step = {(uint16_t)op, (uint16_t)a, (uint16_t)b, (uint16_t)c, value};
    vec_push(g->s->a, &g->p->steps, step);
    return (uint16_t)at;
}

static uint16_t step_of(struct group *g, const struct kir_value *v) {
    unsigned bits = kir_type_bits((enum kir_type)v->type);
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    if (v->kind == KIR_VALUE_CONST)
        return emit(g, KD_STEP_CONST, 0, 0, 0, v->bits.u64[0] & mask);
    return (uint16_t)g->s->step[v->id];
}

// An operand at the instruction's type, its sign extended where that has one.
static uint16_t operand(struct group *g, const struct kir_inst *i, uint32_t n, bool sign) {
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    uint16_t x = step_of(g, i->ops[n]);
    if (sign && isa_type_is_signed((enum isa_type)i->ty) && bits < 64)
        return emit(g, KD_STEP_SEXT, x, 0, 0, bits);
    return kir_type_bits((enum kir_type)i->ops[n]->type) > bits
               ? emit(g, KD_STEP_ZEXT, x, 0, 0, bits)
               : x;
}

// A result of `bits` bits of a type, as wide as the value is.
static uint16_t result(struct group *g, uint16_t x, unsigned bits, bool sign, enum kir_type to) {
    unsigned want = kir_type_bits(to);
    if (sign && bits < want)
        x = emit(g, KD_STEP_SEXT, x, 0, 0, bits);
    unsigned keep = sign && bits < want ? want : bits < want ? bits : want;
    return keep < 64 ? emit(g, KD_STEP_ZEXT, x, 0, 0, keep) : x;
}

static uint16_t compare(struct group *g, const struct kir_inst *i) {
    bool sign = isa_type_is_signed((enum isa_type)i->ty);
    bool high = i->mods.cmp >= ISA_CMP_LO; // unsigned by name
    uint16_t a = operand(g, i, 0, sign && !high), b = operand(g, i, 1, sign && !high);
    enum kd_step_op less = sign && !high ? KD_STEP_SLT : KD_STEP_LT;
    enum kd_step_op most = sign && !high ? KD_STEP_SLE : KD_STEP_LE;
    switch (i->mods.cmp) {
    case ISA_CMP_EQ:
        return emit(g, KD_STEP_EQ, a, b, 0, 0);
    case ISA_CMP_NE:
        return emit(g, KD_STEP_NE, a, b, 0, 0);
    case ISA_CMP_LT:
    case ISA_CMP_LO:
        return emit(g, less, a, b, 0, 0);
    case ISA_CMP_LE:
    case ISA_CMP_LS:
        return emit(g, most, a, b, 0, 0);
    case ISA_CMP_GT:
    case ISA_CMP_HI:
        return emit(g, less, b, a, 0, 0);
    default:
        return emit(g, most, b, a, 0, 0);
    }
}

static uint16_t register_step(struct group *g, const struct kir_inst *i) {
    uint32_t r = i->sreg;
    uint16_t x, y, z;
    if (r >= ISA_SREG_NCTAID_X && r <= ISA_SREG_NCTAID_Z)
        return emit(g, KD_STEP_NCTAID, 0, 0, 0, r - ISA_SREG_NCTAID_X);
    if (r >= ISA_SREG_NTID_X && r <= ISA_SREG_NTID_Z)
        return emit(g, KD_STEP_NTID, 0, 0, 0, r - ISA_SREG_NTID_X);
    if (r != ISA_SREG_LANEID)
        return emit(g, KD_STEP_TID, 0, 0, 0, r - ISA_SREG_TID_X);
    x = emit(g, KD_STEP_MUL, emit(g, KD_STEP_TID, 0, 0, 0, 2), emit(g, KD_STEP_NTID, 0, 0, 0, 1), 0,
             0);
    y = emit(g, KD_STEP_ADD, emit(g, KD_STEP_TID, 0, 0, 0, 1), x, 0, 0);
    z = emit(g, KD_STEP_MUL, y, emit(g, KD_STEP_NTID, 0, 0, 0, 0), 0, 0);
    x = emit(g, KD_STEP_ADD, z, emit(g, KD_STEP_TID, 0, 0, 0, 0), 0, 0);
    return emit(g, KD_STEP_ZEXT, x, 0, 0, 5);
}

static uint16_t product(struct group *g, const struct kir_inst *i, unsigned *bits) {
    bool wide = i->mods.half == ISA_WIDE;
    uint16_t x = emit(g, KD_STEP_MUL, operand(g, i, 0, wide), operand(g, i, 1, wide), 0, 0);
    *bits *= wide ? 2 : 1;
    return i->op == ISA_OP_MUL ? x : emit(g, KD_STEP_ADD, x, step_of(g, i->ops[2]), 0, 0);
}

static uint16_t of_param(struct group *g, const struct kir_inst *i) {
    const struct kir_inst *p = i->ops[0]->def;
    uint64_t at = p->sym->offset + (uint64_t)p->offset + (uint64_t)i->offset;
    unsigned bits = isa_type_bits((enum isa_type)i->ty);
    uint16_t x = emit(g, KD_STEP_PARAM, 0, bits / 8, 0, at);
    return result(g, x, bits, isa_type_is_signed((enum isa_type)i->ty),
                  (enum kir_type)i->res[0]->type);
}

static uint16_t of_conversion(struct group *g, const struct kir_inst *i) {
    enum isa_type from = (enum isa_type)i->ty2;
    unsigned bits = isa_type_bits(from), to = isa_type_bits((enum isa_type)i->ty);
    uint16_t x = step_of(g, i->ops[0]);
    if (bits < 64)
        x = emit(g, isa_type_is_signed(from) ? KD_STEP_SEXT : KD_STEP_ZEXT, x, 0, 0, bits);
    return result(g, x, to, isa_type_is_signed((enum isa_type)i->ty),
                  (enum kir_type)i->res[0]->type);
}

static enum kd_step_op of_two(uint32_t op, bool sign) {
    switch (op) {
    case ISA_OP_ADD:
        return KD_STEP_ADD;
    case ISA_OP_SUB:
        return KD_STEP_SUB;
    case ISA_OP_AND:
        return KD_STEP_AND;
    case ISA_OP_OR:
        return KD_STEP_OR;
    case ISA_OP_XOR:
        return KD_STEP_XOR;
    case ISA_OP_MIN:
        return sign ? KD_STEP_SMIN : KD_STEP_MIN;
    case ISA_OP_MAX:
        return sign ? KD_STEP_SMAX : KD_STEP_MAX;
    case ISA_OP_DIV:
        return KD_STEP_DIV;
    default:
        return KD_STEP_REM;
    }
}

static uint16_t pointwise(struct group *g, const struct kir_inst *i, unsigned *bits) {
    bool sign = isa_type_is_signed((enum isa_type)i->ty);
    uint16_t zero, a = 0, b = 0;
    switch (i->op) {
    case ISA_OP_MOV:
        return operand(g, i, 0, false);
    case ISA_OP_NEG:
        zero = emit(g, KD_STEP_CONST, 0, 0, 0, 0);
        return emit(g, KD_STEP_SUB, zero, operand(g, i, 0, false), 0, 0);
    case ISA_OP_NOT:
        zero = emit(g, KD_STEP_CONST, 0, 0, 0, UINT64_MAX);
        return emit(g, KD_STEP_XOR, operand(g, i, 0, false), zero, 0, 0);
    case ISA_OP_MUL:
    case ISA_OP_MAD:
        return product(g, i, bits);
    case ISA_OP_SELP:
        a = operand(g, i, 0, false);
        b = operand(g, i, 1, false);
        return emit(g, KD_STEP_SELECT, step_of(g, i->ops[2]), a, b, 0);
    case ISA_OP_SHL:
    case ISA_OP_SHR:
        a = operand(g, i, 0, i->op == ISA_OP_SHR);
        return emit(g,
                    i->op == ISA_OP_SHL ? KD_STEP_SHL
                    : sign              ? KD_STEP_SAR
                                        : KD_STEP_SHR,
                    a, emit(g, KD_STEP_ZEXT, step_of(g, i->ops[1]), 0, 0, 32), 0, *bits);
    default:
        break;
    }
    a = operand(g, i, 0, sign);
    b = operand(g, i, 1, sign);
    return emit(g, of_two(i->op, sign), a, b, 0, 0);
}

static void emit_inst(struct group *g, const struct kir_inst *i) {
    struct check_steps *s = g->s;
    enum isa_type ty = (enum isa_type)i->ty;
    unsigned bits = isa_type_bits(ty);
    uint16_t x;
    if (i->op == ISA_OP_SREG) {
        x = register_step(g, i);
    } else if (i->op == ISA_OP_SYMADDR) {
        x = emit(g, KD_STEP_CONST, 0, 0, 0,
                 (i->sym->dynamic ? 0 : i->sym->offset) + (uint64_t)i->offset);
        if (i->sym->dynamic)
            x = emit(g, KD_STEP_ADD, x, emit(g, KD_STEP_DYNAMIC, 0, 0, 0, 0), 0, 0);
    } else if (i->op == ISA_OP_LD) {
        x = of_param(g, i);
    } else if (i->op == ISA_OP_CVT) {
        x = of_conversion(g, i);
    } else if (i->op == ISA_OP_SETP) {
        x = compare(g, i);
        if (i->nres > 1)
            s->step[i->res[1]->id] =
                emit(g, KD_STEP_XOR, x, emit(g, KD_STEP_CONST, 0, 0, 0, 1), 0, 0);
    } else {
        x = pointwise(g, i, &bits);
        x = result(g, x, bits, isa_type_is_signed(ty), (enum kir_type)i->res[0]->type);
    }
    s->step[i->res[0]->id] = x;
}

static struct loop *loop_at(struct group *g, const struct kir_block *b) {
    for (uint32_t k = 0; k < g->nloops; k++)
        if (g->loops[k].head == b)
            return &g->loops[k];
    return NULL;
}

static bool is_needed(const struct check_steps *s, const struct kir_inst *i) {
    for (uint32_t r = 0; r < i->nres; r++)
        if (s->needed[i->res[r]->id] == s->stamp)
            return true;
    return false;
}

// What phis begin as has to be there in front of the first one.
static void emit_phis(struct group *g, struct loop *l) {
    uint16_t begin[MOST_PHIS];
    uint32_t n = 0, back = 0;
    for (const struct kir_inst *i = l->head->first; i && i->op == ISA_OP_PHI; i = i->next)
        if (is_needed(g->s, i) && is_loop_phi(g->s, i, &back)) {
            g->full |= n == MOST_PHIS;
            if (n < MOST_PHIS)
                begin[n++] = step_of(g, i->ops[!back]);
        }
    l->phis = 0;
    l->phi = g->p->steps.len - g->first;
    for (const struct kir_inst *i = l->head->first; i && i->op == ISA_OP_PHI && !g->full;
         i = i->next)
        if (is_needed(g->s, i))
            g->s->step[i->res[0]->id] = emit(g, KD_STEP_PHI, begin[l->phis++], KD_STEP_NONE, 0, 0);
}

// What phis are in the next iteration.
static void close_phis(struct group *g, const struct loop *l) {
    uint32_t n = 0, back = 0;
    for (const struct kir_inst *i = l->head->first; i && i->op == ISA_OP_PHI && !g->full;
         i = i->next)
        if (is_needed(g->s, i) && is_loop_phi(g->s, i, &back)) {
            uint16_t next = step_of(g, i->ops[back]);
            g->p->steps.data[g->first + l->phi + n++].b = next;
        }
}

static uint16_t all_of(struct group *g, const struct guards *of) {
    uint16_t all = KD_STEP_NONE;
    for (uint32_t k = 0; k < of->n; k++) {
        uint16_t x = step_of(g, of->g[k].v);
        if (!of->g[k].is)
            x = emit(g, KD_STEP_XOR, x, emit(g, KD_STEP_CONST, 0, 0, 0, 1), 0, 0);
        all = all == KD_STEP_NONE ? x : emit(g, KD_STEP_AND, all, x, 0, 0);
    }
    return all;
}

static uint16_t address_of(struct group *g, const struct place *p) {
    uint16_t sum = emit(g, KD_STEP_CONST, 0, 0, 0, p->more);
    for (uint32_t k = 0; k < p->nterms; k++) {
        uint16_t x = step_of(g, p->term[k].v);
        if (p->term[k].times != 1)
            x = emit(g, KD_STEP_MUL, x, emit(g, KD_STEP_CONST, 0, 0, 0, p->term[k].times), 0, 0);
        sum = emit(g, KD_STEP_ADD, sum, x, 0, 0);
    }
    return sum;
}

// Loops in the order of their heads, which is that in which they are in each other.
static void emit_group(struct group *g, const struct check_member *const *m, uint32_t n) {
    struct check_steps *s = g->s;
    struct loop *order[MOST_LOOPS];
    uint16_t *address = arena_array(s->a, uint16_t, n), *guard = arena_array(s->a, uint16_t, n);
    uint16_t again[MOST_LOOPS];
    uint32_t nloops = 0;
    for (uint32_t k = 0; k < s->u->order.n && !g->full; k++) {
        const struct kir_block *b = s->f->blocks.data[s->u->order.blocks[k]];
        struct loop *l = loop_at(g, b);
        if (l) {
            order[nloops++] = l;
            emit_phis(g, l);
        }
        for (const struct kir_inst *i = b->first; i && !g->full; i = i->next)
            if (i->op != ISA_OP_PHI && is_needed(s, i))
                emit_inst(g, i);
    }
    for (uint32_t k = 0; k < nloops; k++) {
        close_phis(g, order[k]);
        again[k] = all_of(g, &order[k]->again);
    }
    for (uint32_t k = 0; k < n; k++) {
        guard[k] = all_of(g, &g->places[k].guards);
        if (guard[k] == KD_STEP_NONE)
            guard[k] = emit(g, KD_STEP_CONST, 0, 0, 0, 1);
        address[k] = address_of(g, &g->places[k]);
    }
    emit(g, KD_STEP_TOGETHER, 0, 0, 0, 0);
    for (uint32_t k = 0; k < n; k++)
        emit(g, KD_STEP_ACCESS, address[k], guard[k], m[k]->how, m[k]->bytes);
    for (uint32_t k = nloops; k-- > 0;)
        emit(g, KD_STEP_LOOP, 0, again[k], order[k]->phis, order[k]->phi);
}

bool check_steps_add(struct check_steps *s, const struct check_member *const *members, uint32_t n,
                     uint64_t starts, struct check_program *p) {
    struct group g = {.s = s, .p = p, .places = arena_array(s->a, struct place, n)};
    uint32_t *mark = arena_array(s->a, uint32_t, s->f->value_count + 1);
    s->stamp++;
    for (uint32_t k = 0; k < n; k++)
        if (!find_place(s, members[k], &g.places[k]) || !is_same(&g.places[0], &g.places[k]) ||
            !need_place(&g, &g.places[k], k + 1, mark) ||
            !need_place(&g, &g.places[k], s->stamp, s->needed))
            return false;
    if (!need_loops(&g))
        return false;
    for (uint32_t k = 0; k < g.nloops; k++)
        if (!is_aligned(&g, k, members, n, starts))
            return false;
    uint32_t at = p->steps.len;
    vec_push(s->a, &p->steps, (struct kd_check_step){.op = KD_STEP_GROUP});
    g.first = at + 1;
    emit_group(&g, members, n);
    if (g.full)
        p->steps.len = at;
    else
        p->steps.data[at].value = p->steps.len - g.first;
    return !g.full;
}
