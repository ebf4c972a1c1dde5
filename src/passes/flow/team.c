#include "passes/flow/team.h"

#include "isa/ops/arith.h"
#include "isa/ops/move.h"
#include "passes/flow/shape.h"

struct lag {
    uint8_t state;
    int64_t by; // TEAM_LAG
};

static const struct lag SAME = {TEAM_LAG, 0}, NONE = {TEAM_DIFFERS, 0};

static struct lag lag_of(const struct flow *fl, const struct kir_value *v) {
    if (v->kind != KIR_VALUE_INST)
        return SAME;
    return (struct lag){fl->lag_state[v->id], fl->lag[v->id]};
}

static struct lag by(int64_t n) {
    return n > -(1LL << 30) && n < 1LL << 30 ? (struct lag){TEAM_LAG, n} : NONE;
}

// base = (t0 / div) % mod, where t0 grows by the width from group to group.
static struct lag of_tid(const struct flow *fl, unsigned d) {
    const struct tid_form *t = &fl->tid[d];
    int64_t w = fl->width, team = w * fl->team;
    if (t->varying || t->div < 0 || t->mod < 0)
        return NONE;
    if (t->zero)
        return SAME;
    if (!t->div && t->mod && w % t->mod == 0)
        return SAME; // each group begins a row
    if (!t->div)
        return !t->mod || t->mod % team == 0 ? by(w) : NONE;
    if (t->div % team == 0)
        return SAME;
    int64_t rows = w / t->div; // rows of threads in a group
    if (w % t->div || (t->mod && t->mod % (rows * (int64_t)fl->team)))
        return NONE;
    return by(rows);
}

static struct lag of_source(const struct flow *fl, const struct kir_inst *i) {
    if (i->op == ISA_OP_SYMADDR)
        return i->flag && i->sym->space == ISA_SPACE_LOCAL ? NONE : SAME;
    if (i->op != ISA_OP_SREG)
        return NONE;
    if (i->sreg >= ISA_SREG_TID_X && i->sreg <= ISA_SREG_TID_Z)
        return of_tid(fl, i->sreg - ISA_SREG_TID_X);
    if (i->sreg == ISA_SREG_LANEID)
        return fl->width == 32 ? SAME : NONE;
    bool of_block =
        (i->sreg >= ISA_SREG_NTID_X && i->sreg <= ISA_SREG_NCTAID_Z) || i->sreg == ISA_SREG_NWARPID;
    return of_block ? SAME : NONE;
}

static struct lag of_phi(const struct flow *fl, const struct kir_inst *i) {
    struct lag r = {TEAM_UNKNOWN, 0};
    for (uint32_t k = 0; k < i->nops; k++) {
        const struct kir_value *v = i->ops[k];
        if (fl->cfg->pos[i->block->preds.data[k]->id] == UINT32_MAX || v == i->res[0] ||
            v->kind == KIR_VALUE_UNDEF)
            continue;
        struct lag l = lag_of(fl, v);
        if (l.state == TEAM_UNKNOWN)
            continue;
        if (l.state == TEAM_DIFFERS || (r.state == TEAM_LAG && r.by != l.by))
            return NONE;
        r = l;
    }
    return r;
}

// Does base + lag, for every group, stay inside the 32-bit range that an extension starts from?
static bool extends_exactly(const struct flow *fl, const struct shape *s, int64_t lag,
                            bool is_signed) {
    int64_t way = lag * (int64_t)(fl->team - 1); // from the first group's to the last one's
    int64_t lo = way < 0 ? s->lo + way : s->lo, hi = way > 0 ? s->hi + way : s->hi;
    return lo >= (is_signed ? INT32_MIN : 0) && hi <= INT32_MAX;
}

static struct lag extended(const struct flow *fl, const struct kir_inst *i, uint32_t k,
                           bool is_signed) {
    struct lag l = lag_of(fl, i->ops[k]);
    struct shape s = flow_use(fl, i->ops[k], i->block);
    bool guarded = fl->shape[i->res[0]->id].guard; // the guard then speaks for the whole team
    if (l.state == TEAM_LAG && l.by && !guarded && !extends_exactly(fl, &s, l.by, is_signed))
        return NONE;
    return l;
}

static struct lag sum(struct lag x, struct lag y, int sign) {
    if (x.state == TEAM_DIFFERS || y.state == TEAM_DIFFERS)
        return NONE;
    if (x.state == TEAM_UNKNOWN || y.state == TEAM_UNKNOWN)
        return (struct lag){0};
    return by(x.by + sign * y.by);
}

// One factor must be a known constant, unless neither differs between groups.
static struct lag product(const struct flow *fl, struct lag x, struct lag y,
                          const struct kir_value *vx, const struct kir_value *vy, unsigned bits) {
    uint64_t c;
    if (x.state == TEAM_UNKNOWN || y.state == TEAM_UNKNOWN)
        return (struct lag){0};
    if (x.state == TEAM_LAG && y.state == TEAM_LAG && !x.by && !y.by)
        return SAME;
    struct lag l = flow_const(vy, &c) ? x : flow_const(vx, &c) ? y : NONE;
    int64_t sc = bits >= 64 ? (int64_t)c : (int64_t)(int32_t)(uint32_t)c, r;
    if (l.state != TEAM_LAG || __builtin_mul_overflow(l.by, sc, &r))
        return NONE;
    return by(r);
}

static bool all_same(const struct flow *fl, const struct kir_inst *i, bool *unknown) {
    bool same = true;
    *unknown = false;
    for (uint32_t k = 0; k < i->nops; k++) {
        struct lag l = lag_of(fl, i->ops[k]);
        *unknown |= l.state == TEAM_UNKNOWN;
        same &= l.state != TEAM_DIFFERS && !l.by;
    }
    return same;
}

// Bits that the base does not have, in any group, are the lanes' own (shape.c): the base stays.
static struct lag with_low_bits(const struct flow *fl, const struct kir_inst *i) {
    uint64_t c;
    for (int k = 0; k < 2; k++) {
        struct shape x = flow_use(fl, i->ops[k], i->block);
        if (flow_const(i->ops[1 - k], &c) && x.kind == SHAPE_OFFSETS && !x.guard && x.tz < 31 &&
            shape_low_bits(fl, &x) <= 1LL << x.tz && c < 1ULL << x.tz)
            return lag_of(fl, i->ops[k]);
    }
    return NONE;
}

// Arithmetic modulo a power of two, on integers as wide as their registers.
static struct lag ring(const struct flow *fl, const struct kir_inst *i) {
    unsigned bits = isa_type_bits(i->ty);
    uint64_t c;
    bool plain = !isa_type_is_float(i->ty) && i->ty != ISA_U16X2 && i->ty != ISA_S16X2 &&
                 (bits == 32 || bits == 64) && i->nres == 1 && !i->mods.sat;
    if (!plain)
        return NONE;
    switch (i->op) {
    case ISA_OP_MOV:
        return lag_of(fl, i->ops[0]);
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        return i->nops == 2
                   ? sum(lag_of(fl, i->ops[0]), lag_of(fl, i->ops[1]), i->op == ISA_OP_ADD ? 1 : -1)
                   : NONE;
    case ISA_OP_OR:
    case ISA_OP_XOR:
        return with_low_bits(fl, i);
    case ISA_OP_SHL:
        if (!flow_const(i->ops[1], &c) || c > 20)
            return NONE;
        return lag_of(fl, i->ops[0]).state == TEAM_LAG ? by(lag_of(fl, i->ops[0]).by << c)
                                                       : lag_of(fl, i->ops[0]);
    case ISA_OP_MUL:
    case ISA_OP_MAD: {
        bool wide = i->mods.half == ISA_WIDE, s = isa_type_is_signed(i->ty);
        if (i->mods.half == ISA_HI || (wide && bits != 32))
            return NONE;
        if (wide && !s && (flow_const(i->ops[0], &c) || flow_const(i->ops[1], &c)) && c >> 31)
            return NONE;
        struct lag x = wide ? extended(fl, i, 0, s) : lag_of(fl, i->ops[0]);
        struct lag y = wide ? extended(fl, i, 1, s) : lag_of(fl, i->ops[1]);
        struct lag p = product(fl, x, y, i->ops[0], i->ops[1], bits);
        return i->op == ISA_OP_MUL ? p : sum(p, lag_of(fl, i->ops[2]), 1);
    }
    case ISA_OP_CVT:
        if (isa_type_is_float(i->ty2))
            return NONE;
        if (bits == 64 && isa_type_bits(i->ty2) == 32)
            return extended(fl, i, 0, isa_type_is_signed(i->ty2));
        return bits == isa_type_bits(i->ty2) || (bits == 32 && isa_type_bits(i->ty2) == 64)
                   ? lag_of(fl, i->ops[0])
                   : NONE;
    default:
        return NONE;
    }
}

// How many zeros the first group's base ends with. phi: what is being looked at, and says nothing
// of itself.
static unsigned first_zeros(const struct flow *fl, const struct kir_value *v,
                            const struct kir_value *phi, unsigned depth) {
    enum { ALL = 64 };
    uint64_t c;
    if (flow_const(v, &c))
        return c ? (unsigned)__builtin_ctzll(c) : ALL;
    if (v == phi)
        return ALL;
    if (v->kind != KIR_VALUE_INST || !depth--)
        return 0;
    const struct kir_inst *i = v->def;
    unsigned x, least = ALL;
    switch (i->op) {
    case ISA_OP_SREG: {
        if (i->sreg == ISA_SREG_NTID_X && fl->spec.ntid[0])
            return (unsigned)__builtin_ctz(fl->spec.ntid[0]);
        bool grows = i->sreg == ISA_SREG_TID_X && lag_of(fl, v).state == TEAM_LAG &&
                     lag_of(fl, v).by == fl->width && !fl->tid[0].div &&
                     fl->tid[0].mod % (fl->width * fl->team) == 0;
        return grows ? (unsigned)__builtin_ctz(fl->width * fl->team) : 0;
    }
    case ISA_OP_PHI:
        if (phi)
            return 0;
        for (uint32_t k = 0; k < i->nops; k++) {
            x = first_zeros(fl, i->ops[k], v, depth);
            least = x < least ? x : least;
        }
        return least;
    case ISA_OP_ADD:
    case ISA_OP_SUB:
        for (uint32_t k = 0; k < i->nops && k < 2; k++) {
            x = first_zeros(fl, i->ops[k], phi, depth);
            least = x < least ? x : least;
        }
        return i->nops == 2 && !i->mods.sat && !isa_type_is_float(i->ty) && i->ty != ISA_U16X2 &&
                       i->ty != ISA_S16X2
                   ? least
                   : 0;
    default:
        return 0;
    }
}

// Does v change from iteration to iteration of a loop? What does not is known to each group by
// itself.
static bool turns(const struct kir_value *v, unsigned depth) {
    const struct kir_inst *i = v->kind == KIR_VALUE_INST ? v->def : NULL;
    bool sum = i && i->op == ISA_OP_ADD && i->nops == 2;
    return i && (i->op == ISA_OP_PHI ||
                 (sum && depth && (turns(i->ops[0], depth - 1) || turns(i->ops[1], depth - 1))));
}

// x < c, where all groups' lanes lie between two multiples of a power of two and c is a multiple of
// it (or x <= c - 1): where each thread begins at its own number and goes on by the size of the
// block, all threads of a block end together.
static bool compares_whole_blocks(const struct flow *fl, const struct kir_inst *i) {
    enum { DEPTH = 6 };
    uint64_t c;
    if (i->op != ISA_OP_SETP || i->nops != 2 || i->nres != 1 || i->mods.boolop ||
        isa_type_is_float(i->ty) || isa_type_bits(i->ty) != 32 || !flow_const(i->ops[1], &c))
        return false;
    unsigned cmp = i->mods.cmp;
    bool below = cmp == ISA_CMP_LT || cmp == ISA_CMP_GE || cmp == ISA_CMP_LO || cmp == ISA_CMP_HS,
         past = cmp == ISA_CMP_LE || cmp == ISA_CMP_GT || cmp == ISA_CMP_LS || cmp == ISA_CMP_HI;
    struct shape s = flow_use(fl, i->ops[0], i->block);
    struct lag l = lag_of(fl, i->ops[0]);
    if ((!below && !past) || !turns(i->ops[0], DEPTH) || s.kind != SHAPE_OFFSETS || s.guard ||
        l.state != TEAM_LAG || l.by < 0)
        return false;
    unsigned zeros = first_zeros(fl, i->ops[0], NULL, DEPTH);
    int64_t size = 1LL << (zeros < 31 ? zeros : 31), last = l.by * (int64_t)(fl->team - 1);
    for (unsigned k = 0; k < fl->width; k++)
        if (s.offs[k] < 0 || s.offs[k] + last >= size)
            return false;
    return (uint32_t)(c + past) % size == 0;
}

// Is the base known? Then it is every group's.
static bool has_known_base(const struct shape *s) {
    return (s->kind == SHAPE_UNIFORM || s->kind == SHAPE_OFFSETS) && !s->guard && s->lo == s->hi;
}

static struct lag of_inst(const struct flow *fl, const struct kir_inst *i) {
    bool unknown, same;
    if (i->op == ISA_OP_PHI)
        return of_phi(fl, i);
    if (i->op == ISA_OP_GROUP_ALL)
        return SAME;
    if (i->op == ISA_OP_GROUP_FEW || i->op == ISA_OP_GROUP_LOWEST || i->op == ISA_OP_GROUP_LANE)
        return NONE;
    if (i->op == ISA_OP_GROUP_FIRST)
        return flow_use(fl, i->ops[0], i->block).kind == SHAPE_VARYING ? NONE
                                                                       : lag_of(fl, i->ops[0]);
    if (isa_op_info[i->op].klass == ISA_CLASS_POINTWISE && i->nres == 1 &&
        has_known_base(&fl->shape[i->res[0]->id]))
        return SAME;
    same = all_same(fl, i, &unknown);
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_SOURCE:
        return of_source(fl, i);
    case ISA_CLASS_BLOCK:
        return SAME;
    case ISA_CLASS_MEMORY: {
        bool plain =
            i->op == ISA_OP_LD && i->mods.sem == ISA_SEM_WEAK && i->mods.space != ISA_SPACE_LOCAL;
        if (!plain || !same || fl->shape[i->res[0]->id].kind > SHAPE_UNIFORM)
            return NONE;
        return unknown ? (struct lag){0} : SAME;
    }
    case ISA_CLASS_POINTWISE:
        if (i->op == ISA_OP_CVTA)
            return i->mods.space == ISA_SPACE_LOCAL ? NONE : lag_of(fl, i->ops[0]);
        if (same)
            return unknown ? (struct lag){0} : SAME;
        return compares_whole_blocks(fl, i) ? SAME : ring(fl, i);
    default:
        return NONE;
    }
}

bool team_pass(struct flow *fl) {
    bool changed = false;
    for (uint32_t p = 0; p < fl->cfg->nblocks && fl->team > 1; p++) {
        for (struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next) {
            for (uint32_t r = 0; r < i->nres; r++) {
                uint32_t id = i->res[r]->id;
                uint8_t kind = fl->shape[id].kind;
                if (fl->lag_state[id] == TEAM_DIFFERS || kind == SHAPE_UNKNOWN)
                    continue;
                struct lag now = kind == SHAPE_VARYING ? NONE : of_inst(fl, i);
                if (now.state == TEAM_UNKNOWN)
                    continue;
                if (fl->lag_state[id] == TEAM_LAG &&
                    (now.state != TEAM_LAG || now.by != fl->lag[id]))
                    now = NONE;
                changed |= now.state != fl->lag_state[id];
                fl->lag_state[id] = now.state;
                fl->lag[id] = now.by;
            }
        }
    }
    return changed;
}

// A value that lanes take out of a divergent loop is kept for each group.
void team_finish(struct flow *fl) {
    for (uint32_t v = 0; v < fl->func->value_count; v++) {
        bool regular = fl->team > 1 && fl->lag_state[v] == TEAM_LAG && !fl->live_out[v];
        fl->shared[v] = regular && !fl->lag[v];
        fl->affine[v] = regular && fl->lag[v];
    }
    for (uint32_t p = 0; p < fl->cfg->nblocks && fl->team > 1; p++)
        for (struct kir_inst *i = fl->cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                if (i->ops[k]->kind != KIR_VALUE_INST)
                    fl->shared[i->ops[k]->id] = 1;
}
