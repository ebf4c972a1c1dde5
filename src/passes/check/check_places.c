// Where values with undecided bits were loaded that are only moved from there to a store: a generic
// address beside each four bytes, as the device keeps who computed them (check_init.h). Selections,
// phis and shuffles choose it as they choose the value. Of several values that four bytes are made
// of, it is that of the first which has such bits. 0: nobody knows.
#include "passes/check/check_init.h"

#include "isa/ops/bits.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "isa/ops/move.h"
#include "isa/ops/warp.h"

const struct kir_inst *init_find_load(struct init *s, const struct kir_value *of) {
    for (const struct kir_value *v = of;;) {
        const struct kir_inst *i = v->def;
        const struct kir_value *next = NULL;
        if (i->op == ISA_OP_LD) // a part of 64 bits has a place of its own
            return i->nres == 1 && (v == of || isa_type_bits((enum isa_type)i->ty) <= 32) ? i
                                                                                          : NULL;
        if (i->op == ISA_OP_PHI || i->op == ISA_OP_SHFL || i->op == ISA_OP_MOVMATRIX ||
            !init_is_move(s, i))
            return NULL;
        for (uint32_t o = 0; o < i->nops; o++) {
            if (!init_has(s, i->ops[o]))
                continue;
            if (next)
                return NULL;
            next = i->ops[o];
        }
        if (!next)
            return NULL;
        v = next;
    }
}

// Does a result's place follow from its operands'? That of a choice does even if it makes what it
// chooses, as far as its condition is decided.
static bool hands_on(const struct init *s, const struct kir_inst *i) {
    return i->op == ISA_OP_PHI || i->op == ISA_OP_SHFL || i->op == ISA_OP_SELP ||
           (isa_op_info[i->op].klass == ISA_CLASS_POINTWISE && init_is_move(s, i));
}

void init_find_placed(struct init *s) {
    VEC(const struct kir_value *) list = {0};
    for (uint32_t b = 0; b < s->f->blocks.len; b++)
        for (const struct kir_inst *i = s->f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 1; init_stores(i) && k < i->nops; k++)
                if (init_has(s, i->ops[k]) && !init_find_load(s, i->ops[k]))
                    vec_push(&s->tmp, &list, i->ops[k]);
    for (uint32_t n = 0; n < list.len; n++) {
        const struct kir_value *v = list.data[n];
        if (s->placed[v->id] || !(s->origin[v->id] & INIT_LOADED))
            continue;
        s->placed[v->id] = true;
        for (uint32_t k = 0; hands_on(s, v->def) && k < v->def->nops; k++)
            if (init_has(s, v->def->ops[k]))
                vec_push(&s->tmp, &list, v->def->ops[k]);
    }
}

struct kir_value *init_place(struct init *s, const struct kir_value *v, uint32_t half) {
    struct kir_value *place = init_has(s, v) && s->placed[v->id] ? s->place[half][v->id] : NULL;
    return place ? place : init_zero(s, KIR_B64);
}

// A word that the lane has from which a shuffle takes its value.
static struct kir_value *shuffled(struct init *s, const struct kir_inst *shuffle,
                                  struct kir_value *v) {
    struct kir_inst *i = init_make(s, ISA_OP_SHFL, ISA_B32, shuffle->nops, KIR_B32);
    i->mods = shuffle->mods;
    i->ops[0] = v;
    for (uint32_t k = 1; k < shuffle->nops; k++)
        i->ops[k] = shuffle->ops[k];
    return i->res[0];
}

static struct kir_value *of_shuffle(struct init *s, const struct kir_inst *i) {
    struct kir_value *place = init_place(s, i->ops[0], 0);
    struct kir_value *low = shuffled(s, i, init_narrow(s, place));
    place = init_two(s, ISA_OP_SHR, ISA_U64, place, init_word(s, 32), KIR_B64);
    struct kir_value *high = shuffled(s, i, init_narrow(s, place));
    struct kir_inst *whole = init_make(s, ISA_OP_MOV_PACK, ISA_B64, 2, KIR_B64);
    whole->mods.vec = 2;
    whole->ops[0] = low;
    whole->ops[1] = high;
    return whole->res[0];
}

static struct kir_value *of_load(struct init *s, const struct kir_inst *i, uint32_t k,
                                 uint32_t half) {
    int64_t at = i->offset + (int64_t)k * isa_type_bits((enum isa_type)i->ty) / 8 + 4 * half;
    struct kir_value *place = init_generic(s, i->ops[0], i->mods.space);
    return at ? init_two(s, ISA_OP_ADD, ISA_U64, place, kir_const(s->f, KIR_B64, (uint64_t)at),
                         KIR_B64)
              : place;
}

// Has half of a value such bits? As a predicate.
static struct kir_value *half_is_dirty(struct init *s, const struct kir_value *v, uint32_t half) {
    struct kir_value *x = init_shadow(s, v);
    if (init_width(v) == 64)
        x = init_narrow(s,
                        half ? init_two(s, ISA_OP_SHR, ISA_U64, x, init_word(s, 32), KIR_B64) : x);
    return init_is_dirty(s, x);
}

// Of halves of values, of which the first one with such bits counts.
struct halves {
    uint32_t n;
    const struct kir_value *of[8];
    uint32_t half[8];
};

static void add(const struct init *s, struct halves *h, const struct kir_value *v, uint32_t half) {
    if (!init_has(s, v) || h->n == 8)
        return;
    h->of[h->n] = v;
    h->half[h->n++] = init_width(v) == 64 ? half : 0;
}

static struct kir_value *of_first(struct init *s, const struct halves *h) {
    struct kir_value *place = NULL;
    for (uint32_t k = h->n; k-- > 0;) {
        struct kir_value *own = init_place(s, h->of[k], h->half[k]);
        place = place ? init_select(s, half_is_dirty(s, h->of[k], h->half[k]), own, place) : own;
    }
    return place;
}

// Of which halves of operands is half of result k made?
static struct halves halves_of(const struct init *s, const struct kir_inst *i, uint32_t k,
                               uint32_t half) {
    struct halves h = {0};
    const struct kir_value *by = i->nops > 1 ? i->ops[1] : NULL;
    bool far = by && by->kind == KIR_VALUE_CONST && by->bits.u32[0] >= 32;
    switch (i->op) {
    case ISA_OP_MOV_PACK:
        for (uint32_t o = 0; o < i->nops; o++)
            if (init_width(i->res[0]) < 64 || o * 2 / i->nops == half)
                add(s, &h, i->ops[o], 0);
        break;
    case ISA_OP_MOV_UNPACK:
        add(s, &h, i->ops[0], k * 2 / i->nres);
        break;
    case ISA_OP_SHL:
        if (half || !far)
            add(s, &h, i->ops[0], far ? 0 : half);
        break;
    case ISA_OP_SHR:
    case ISA_OP_BFE:
        add(s, &h, i->ops[0], far ? 1 : half);
        break;
    case ISA_OP_CVT: // its upper half may be the sign
        add(s, &h, i->ops[0], half);
        break;
    default:
        for (uint32_t o = 0; o < i->nops; o++)
            add(s, &h, i->ops[o], half);
    }
    return h;
}

static struct kir_value *of_result(struct init *s, const struct kir_inst *i, uint32_t k,
                                   uint32_t half) {
    if (i->op == ISA_OP_LD)
        return of_load(s, i, k, half);
    if (!hands_on(s, i))
        return NULL;
    if (i->op == ISA_OP_SHFL)
        return of_shuffle(s, i);
    if (i->op == ISA_OP_SELP)
        return init_select(s, i->ops[2], init_place(s, i->ops[0], half),
                           init_place(s, i->ops[1], half));
    struct halves h = halves_of(s, i, k, half);
    return of_first(s, &h);
}

void init_follow_place(struct init *s, const struct kir_inst *i) {
    for (uint32_t k = 0; k < i->nres && i->op != ISA_OP_PHI; k++)
        if (i->res[k]->id < s->n && s->placed[i->res[k]->id])
            for (uint32_t half = 0; half < init_width(i->res[k]) / 32 || !half; half++)
                s->place[half][i->res[k]->id] = of_result(s, i, k, half);
}
