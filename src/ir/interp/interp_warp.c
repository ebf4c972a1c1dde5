// Operations between the lanes of a warp. With a member mask, a lane waits until all lanes of the
// mask that have not ended stand at an operation of the same kind with the same mask. The old
// forms without a mask take the lanes that are at the instruction together.
#include "ir/interp/interp_internal.h"
#include "isa/matrix.h"
#include "isa/ops/all.h"

static struct interp_thread *lane(struct interp *in, const struct interp_warp *w, unsigned k) {
    return &in->threads[w->first + k];
}

// ---- what is computed ------------------------------------------------------------------------

// One lane's source lane, by the manual's rule. Returns the predicate.
static bool source_lane(unsigned self, uint32_t b, uint32_t c, uint8_t mode, unsigned *from) {
    int me = (int)self, bval = (int)(b & 31), mask = (int)(c >> 8 & 31), cval = (int)(c & 31), j;
    int most = (me & mask) | (cval & ~mask), least = me & mask;
    bool ok;
    switch (mode) {
    case ISA_SHFL_UP:
        j = me - bval;
        ok = j >= most;
        break;
    case ISA_SHFL_DOWN:
        j = me + bval;
        ok = j <= most;
        break;
    case ISA_SHFL_BFLY:
        j = me ^ bval;
        ok = j <= most;
        break;
    default:
        j = least | (bval & ~mask);
        ok = j <= most;
    }
    *from = (unsigned)(ok ? j : me) & 31;
    return ok;
}

static void shuffle(struct interp *in, struct interp_warp *w, uint32_t lanes) {
    union isa_bits values[KD_WARP];
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctz(m);
        values[k] = interp_get(lane(in, w, k), &interp_at(lane(in, w, k))->ops[0]);
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctz(m), from;
        struct interp_thread *t = lane(in, w, k);
        const struct interp_inst *i = interp_at(t);
        bool ok = source_lane(k, interp_get(t, &i->ops[1]).u32[0], interp_get(t, &i->ops[2]).u32[0],
                              i->ir->mods.mode, &from);
        // A lane that takes no part has nothing to give: the result is undefined. One that is the
        // same in all lanes is so where they ask such a lane, too.
        static const union isa_bits nothing;
        bool takes_part = lanes >> from & 1;
        interp_set(t, i, 0, takes_part ? values[from] : in->way ? nothing : values[k]);
        if (i->ir->nres > 1)
            interp_set64(t, i, 1, ok);
    }
}

static uint64_t vote_result(uint8_t mode, uint32_t truths, uint32_t lanes) {
    switch (mode) {
    case ISA_VOTE_ALL:
        return truths == lanes;
    case ISA_VOTE_ANY:
        return truths != 0;
    case ISA_VOTE_UNI:
        return truths == 0 || truths == lanes;
    default:
        return truths;
    }
}

static void vote(struct interp *in, struct interp_warp *w, uint32_t lanes) {
    uint32_t truths = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctz(m);
        struct interp_thread *t = lane(in, w, k);
        truths |= (uint32_t)(interp_get(t, &interp_at(t)->ops[0]).u8[0] & 1) << k;
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        struct interp_thread *t = lane(in, w, (unsigned)__builtin_ctz(m));
        const struct interp_inst *i = interp_at(t);
        interp_set64(t, i, 0, vote_result(i->ir->mods.mode, truths, lanes));
    }
}

static uint64_t matched_value(struct interp *in, struct interp_warp *w, unsigned k) {
    struct interp_thread *t = lane(in, w, k);
    const struct interp_inst *i = interp_at(t);
    uint64_t v = interp_get(t, &i->ops[0]).u64[0];
    return isa_type_bits(i->ir->ty) < 64 ? (uint32_t)v : v;
}

static void match(struct interp *in, struct interp_warp *w, uint32_t lanes) {
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctz(m);
        struct interp_thread *t = lane(in, w, k);
        const struct interp_inst *i = interp_at(t);
        uint64_t mine = matched_value(in, w, k);
        uint32_t same = 0;
        for (uint32_t o = lanes; o; o &= o - 1) {
            unsigned other = (unsigned)__builtin_ctz(o);
            same |= (uint32_t)(matched_value(in, w, other) == mine) << other;
        }
        bool all = i->ir->mods.mode == ISA_MATCH_ALL;
        interp_set64(t, i, 0, all ? (same == lanes ? lanes : 0) : same);
        if (i->ir->nres > 1)
            interp_set64(t, i, 1, same == lanes);
    }
}

static uint32_t reduce(const struct kir_inst *i, uint32_t a, uint32_t b) {
    bool is_signed = isa_type_is_signed((enum isa_type)i->ty);
    bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (i->mods.atom) {
    case ISA_ATOM_AND:
        return a & b;
    case ISA_ATOM_OR:
        return a | b;
    case ISA_ATOM_XOR:
        return a ^ b;
    case ISA_ATOM_ADD:
        return a + b;
    case ISA_ATOM_MIN:
        return less ? a : b;
    default:
        return less ? b : a;
    }
}

static void redux(struct interp *in, struct interp_warp *w, uint32_t lanes) {
    unsigned first = (unsigned)__builtin_ctz(lanes);
    const struct interp_inst *i = interp_at(lane(in, w, first));
    uint32_t r = interp_get(lane(in, w, first), &i->ops[0]).u32[0];
    for (uint32_t m = lanes & (lanes - 1); m; m &= m - 1) {
        struct interp_thread *t = lane(in, w, (unsigned)__builtin_ctz(m));
        r = reduce(i->ir, r, interp_get(t, &interp_at(t)->ops[0]).u32[0]);
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        struct interp_thread *t = lane(in, w, (unsigned)__builtin_ctz(m));
        interp_set64(t, interp_at(t), 0, r);
    }
}

static void elect(struct interp *in, struct interp_warp *w, uint32_t lanes) {
    unsigned leader = (unsigned)__builtin_ctz(lanes);
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctz(m);
        struct interp_thread *t = lane(in, w, k);
        const struct interp_inst *i = interp_at(t);
        interp_set64(t, i, 0, leader);
        if (i->ir->nres > 1)
            interp_set64(t, i, 1, k == leader);
    }
}

static void active_mask(struct interp *in, struct interp_warp *w, uint32_t lanes) {
    for (uint32_t m = lanes; m; m &= m - 1) {
        struct interp_thread *t = lane(in, w, (unsigned)__builtin_ctz(m));
        interp_set64(t, interp_at(t), 0, lanes);
    }
}

// Nothing but that they are all there.
static void meet(struct interp *in, struct interp_warp *w, uint32_t lanes) {
}

// What each instruction of the class does, as instructions.py says.
static void (*const runners[ISA_OP_COUNT])(struct interp *, struct interp_warp *, uint32_t) = {
#include "isa/rules/run_warp.inc"
};

// The lanes are all there: computes, and sends them on.
static void perform(struct interp *in, struct interp_warp *w, uint32_t lanes) {
    runners[interp_at(lane(in, w, (unsigned)__builtin_ctz(lanes)))->ir->op](in, w, lanes);
    for (uint32_t m = lanes; m; m &= m - 1)
        interp_resume(in, lane(in, w, (unsigned)__builtin_ctz(m)));
}

// ---- who waits for whom ----------------------------------------------------------------------

// Where the member mask stands among the operands; -1: a form without one.
static int mask_operand(const struct kir_inst *i) {
    switch (i->op) {
    case ISA_OP_SHFL:
        return i->nops == 4 ? 3 : -1;
    case ISA_OP_VOTE:
        return i->nops == 2 ? 1 : -1;
    case ISA_OP_MATCH:
    case ISA_OP_REDUX:
        return 1;
    case ISA_OP_ELECT:
    case ISA_OP_BAR_WARP_SYNC:
        return 0;
    default:
        return -1;
    }
}

static bool same_kind(struct interp_thread *x, struct interp_thread *y) {
    const struct kir_inst *a = interp_at(x)->ir, *b = interp_at(y)->ir;
    return a->op == b->op && a->mods.mode == b->mods.mode && a->mods.atom == b->mods.atom &&
           x->member_mask == y->member_mask;
}

static bool only_ends(const struct interp *in, struct interp_thread *t) {
    return in->way && in->way->only_ends && t->state == INTERP_READY &&
           in->way->only_ends(in->way, t);
}

// The lanes that stand with lane k when all that its mask names, and that can come, are there; else
// 0.
static uint32_t gathered(struct interp *in, struct interp_warp *w, unsigned k) {
    struct interp_thread *t = lane(in, w, k);
    uint32_t want = t->member_mask & w->live;
    for (uint32_t m = want; m; m &= m - 1) {
        struct interp_thread *o = lane(in, w, (unsigned)__builtin_ctz(m));
        if (only_ends(in, o))
            want &= ~(m & -m);
        else if (o->state != INTERP_WARP_WAIT || !same_kind(t, o))
            return 0;
    }
    return want;
}

void interp_warp_check(struct interp *in, struct interp_warp *w) {
    for (uint32_t m = w->live & ~w->ready; m && !in->failed; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctz(m);
        if (lane(in, w, k)->state != INTERP_WARP_WAIT)
            continue;
        uint32_t lanes = gathered(in, w, k);
        if (lanes)
            perform(in, w, lanes);
    }
}

void interp_warp_op(struct interp *in, struct interp_warp *w, uint32_t group) {
    const struct interp_inst *i = interp_at(lane(in, w, (unsigned)__builtin_ctz(group)));
    int at = mask_operand(i->ir);
    bool all = isa_is_matrix((isa_op)i->ir->op); // .aligned: the whole warp
    if (at < 0 && !all) {
        perform(in, w, group);
        return;
    }
    for (uint32_t m = group; m; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctz(m);
        struct interp_thread *t = lane(in, w, k);
        // A lane that its own mask does not name is undefined behaviour; it counts itself in.
        t->member_mask = all ? UINT32_MAX : interp_get(t, &i->ops[at]).u32[0] | UINT32_C(1) << k;
        interp_wait(in, t, INTERP_WARP_WAIT);
    }
    interp_warp_check(in, w);
}
