// Loads and stores as the plan says: which address a lane has follows from that of the first lane
// of what the access's kind makes one of. What is asked when it runs (guards, runs that may end, a
// sum that may wrap) is asked here of what lanes have: where it does not hold each lane has an
// address of its own.
#include <stdio.h>

#include "isa/ops/memory.h"
#include "plan/interp/internal.h"
#include "plan/words.h"

enum { MOST_WINDOW = 4096 };

// The lanes of a group that make an access.
struct made {
    struct plan_step *s;
    const struct plan_access *a; // of the row, where it is one
    struct interp_thread **t;
    unsigned n;
    bool each;                            // what is asked when it runs does not hold
    uint64_t own[KD_WARP], said[KD_WARP]; // addresses
};

static int64_t size_of(const struct plan_access *a) {
    return (int64_t)a->count * a->bytes;
}

// ---- what an address is by the plan -------------------------------------------------------------

// By how much lane l's address lies above that of the first lane of what has one address.
static int64_t offset_of(const struct plan_access *a, unsigned l) {
    switch (a->kind) {
    case PLAN_LINE:
        return l * size_of(a);
    case PLAN_STRIDED:
        return (int64_t)l * a->n * a->bytes;
    case PLAN_PIECES:
        return a->offs[l / a->n * a->n] + (a->same >> l / a->n & 1 ? 0 : l % a->n * size_of(a));
    case PLAN_RUNS:
        return a->same ? 0 : l % a->n * size_of(a);
    case PLAN_APART:
        return a->offs[l];
    default:
        return 0;
    }
}

// The first lane, of the n here, of what the k-th one's address follows from.
static unsigned first_of(const struct made *m, unsigned k) {
    const struct plan_access *a = m->a;
    unsigned first = 0;
    while (a->kind == PLAN_RUNS &&
           plan_lane_of(m->s, m->t[first]) / a->n != plan_lane_of(m->s, m->t[k]) / a->n)
        first++;
    return first;
}

static int64_t wide_of(const struct made *m, const struct kir_value *v, bool is_signed) {
    uint64_t x = plan_value_of(m->s, m->t[0], v);
    if (kir_type_bits(v->type) == 64)
        return (int64_t)x;
    return is_signed ? (int64_t)(int32_t)x : (int64_t)(uint32_t)x;
}

// Modulo 2^64.
static uint64_t sum_of(const struct made *m, const struct affine_form *x) {
    uint64_t sum = (uint64_t)x->constant;
    for (unsigned k = 0; k < x->n; k++) {
        const struct affine_term *t = &x->term[k];
        uint64_t p = (uint64_t)t->times;
        for (unsigned f = 0; f < AFFINE_FACTORS && t->factor[f]; f++)
            p *= (uint64_t)wide_of(m, t->factor[f], !t->by_zeros[f]);
        sum += p;
    }
    return sum;
}

// Where all lanes act and no sum of 32 bits wraps between them.
static bool steps_hold(const struct made *m) {
    const struct lane_step *s = &m->a->step;
    int64_t lanes = (int64_t)m->s->p->width - 1, first, last;
    if (m->n != m->s->p->width)
        return false;
    if (!s->narrow)
        return true;
    first = wide_of(m, s->narrow, s->narrow_signed);
    return !__builtin_mul_overflow((int64_t)sum_of(m, &s->narrow_by), lanes, &last) &&
           !__builtin_add_overflow(first, last, &last) &&
           (s->narrow_signed ? last == (int32_t)last : last == (uint32_t)last);
}

static void say_addresses(struct made *m) {
    const struct plan_access *a = m->a;
    bool each = a->kind == PLAN_EACH || (a->kind == PLAN_STEPS && !steps_hold(m));
    uint64_t by = 0;
    if (a->kind == PLAN_STEPS && !each)
        by = sum_of(m, &a->step.by);
    for (unsigned k = 0; k < m->n; k++) {
        unsigned first = first_of(m, k), l = plan_lane_of(m->s, m->t[k]),
                 f = plan_lane_of(m->s, m->t[first]);
        m->said[k] = m->own[first] + (uint64_t)(offset_of(a, l) - offset_of(a, f));
        if (a->kind == PLAN_STEPS)
            m->said[k] = m->own[first] + by * (l - f);
        if (each)
            m->said[k] = m->own[k];
    }
}

// ---- whether that holds -------------------------------------------------------------------------

static void check_addresses(struct made *m) {
    bool asked = m->s->at->guarded || m->a->tested;
    for (unsigned k = 0; k < m->n; k++) {
        if (m->said[k] == m->own[k])
            continue;
        if (!asked) {
            char statement[32];
            snprintf(statement, sizeof statement, "access %s", plan_kind_words[m->a->kind]);
            plan_broken(m->s, m->t[k], m->a->inst, statement, m->own[k], m->said[k]);
            return;
        }
        memcpy(m->said, m->own, sizeof m->said);
        m->each = true;
    }
}

static void check_lane(struct made *m) {
    for (unsigned k = 0; m->a->lane >= 0 && k < m->n; k++)
        if (plan_lane_of(m->s, m->t[k]) != (unsigned)m->a->lane)
            plan_broken(m->s, m->t[k], m->a->inst, "under lane", plan_lane_of(m->s, m->t[k]),
                        (unsigned)m->a->lane);
}

// All lanes' places, those of lanes that do not act too.
static void check_in_block(struct made *m) {
    const struct plan_access *a = m->a;
    uint64_t bytes = m->s->plan->in.shared_static;
    for (unsigned l = 0; a->in_block && !m->s->at->guarded && l < m->s->p->width; l++) {
        uint64_t at = m->own[0] + (uint64_t)(a->offs[l] - a->offs[plan_lane_of(m->s, m->t[0])]);
        if (at > bytes || bytes - at < (uint64_t)size_of(a))
            plan_broken(m->s, m->t[0], a->inst, "access in_block", at, bytes);
    }
}

// ---- loads and stores ---------------------------------------------------------------------------

// One place is read once.
static void load_one(struct made *m) {
    struct plan_step *s = m->s;
    interp_load_from(s->in, m->t[0], s->inst,
                     interp_access_at(s->in, m->t[0], m->a->inst, m->said[0]));
    for (unsigned k = 1; k < m->n; k++)
        plan_copy_results(s, m->t[0], m->t[k]);
}

// Whole vectors of memory, of which lanes take what is theirs. The last one ends where the bytes
// do.
static void load_window(struct made *m) {
    const struct plan_window *w = &m->a->window;
    const struct kir_inst *i = m->a->inst;
    uint8_t bytes[MOST_WINDOW];
    uint64_t from = m->said[0] - (uint64_t)(i->offset - w->lo),
             chunk = (uint64_t)w->n * m->a->bytes;
    const uint8_t *p =
        interp_address(m->s->in, m->t[0], i->mods.space, from, (uint64_t)w->bytes, 1);
    for (unsigned k = 0; p && k < w->chunks; k++) {
        uint64_t at = k + 1 < w->chunks ? k * chunk : (uint64_t)w->bytes - chunk;
        memcpy(bytes + at, p + at, chunk);
    }
    for (unsigned k = 0; p && k < m->n; k++)
        interp_load_from(m->s->in, m->t[k], m->s->inst, bytes + (m->said[k] - from));
}

static void load(struct made *m) {
    struct plan_step *s = m->s;
    if (m->a->kind == PLAN_ONE && !m->each) {
        load_one(m);
    } else if (m->a->window.chunks && !m->each && m->n == s->p->width &&
               m->a->window.bytes <= MOST_WINDOW) {
        load_window(m);
    } else {
        for (unsigned k = 0; k < m->n && !s->in->failed; k++)
            interp_load_from(s->in, m->t[k], s->inst,
                             interp_access_at(s->in, m->t[k], m->a->inst, m->said[k]));
    }
}

// The store of a row has a word of each member for each lane.
static void store_row(struct made *m, unsigned k) {
    const struct plan_at *at = m->s->at;
    // Rows of bytes and halves are not aligned as a whole.
    uint8_t *p = interp_address(m->s->in, m->t[k], m->a->inst->mods.space, m->said[k],
                                (uint64_t)size_of(m->a), m->a->bytes);
    for (unsigned x = 0; p && x < at->nmembers; x++) {
        const struct interp_inst *i = &m->s->func->code[at->members[x]];
        interp_store_to(m->s->in, m->t[k], i, p + (i->ir->offset - m->a->inst->offset));
    }
}

// Of lanes with one place the last one is stored.
static void store(struct made *m) {
    struct plan_step *s = m->s;
    bool one = m->a->kind == PLAN_ONE && !m->each;
    for (unsigned k = one ? m->n - 1 : 0; k < m->n && !s->in->failed; k++)
        if (s->at->nmembers)
            store_row(m, k);
        else
            interp_store_to(s->in, m->t[k], s->inst,
                            interp_access_at(s->in, m->t[k], m->a->inst, m->said[k]));
}

static void make(struct made *m) {
    for (unsigned k = 0; k < m->n; k++)
        m->own[k] = plan_value_of(m->s, m->t[k], m->a->inst->ops[0]) + (uint64_t)m->a->inst->offset;
    m->each = false;
    say_addresses(m);
    check_addresses(m);
    check_lane(m);
    check_in_block(m);
    if (m->s->in->failed)
        return;
    if (m->a->inst->op == ISA_OP_ST)
        store(m);
    else
        load(m);
}

void plan_make_access(struct plan_step *s) {
    const struct plan_access *a = s->at->access;
    struct made m = {.s = s, .a = a->row ? a->row : a};
    bool waits = a->row && !a->last; // for the row's last one
    for (unsigned k = 0; k < s->lanes->n && !waits && !s->in->failed; k += m.n) {
        m.t = &s->lanes->t[k];
        m.n = plan_group_lanes(s, s->lanes, k);
        make(&m);
    }
    for (unsigned k = 0; k < s->lanes->n && !s->in->failed; k++)
        s->lanes->t[k]->pc++;
}
