// Where undecided bits that are stored come from: the computation that made them, or the place that
// they were loaded from and only moved.
#include "abi/check_shadow.h"
#include "isa/ops/logic.h"
#include "isa/ops/matrix.h"
#include "isa/ops/move.h"
#include "isa/ops/warp.h"
#include "passes/check/check_init.h"

// The instruction nearest to a stored value that made more of what nobody has written than a copy:
// a comparison, else a computation, with a line if there is one. NULL: there is none.
const struct kir_inst *init_find_cause(struct init *s, struct kir_value *v) {
    enum { MOST = 256 };
    struct kir_value *list[MOST];
    const struct kir_inst *computed = NULL;
    uint32_t n = 0;
    s->turn++;
    if (init_has(s, v))
        list[n++] = v;
    for (uint32_t k = 0; k < n; k++) {
        const struct kir_inst *i = list[k]->def;
        if (i->op == ISA_OP_SETP && i->line)
            return i;
        if (!init_is_move(s, i) && (!computed || (!computed->line && i->line)))
            computed = i;
        if (isa_op_info[i->op].klass == ISA_CLASS_MEMORY)
            continue;
        for (uint32_t o = 0; o < i->nops && n < MOST; o++)
            if (init_has(s, i->ops[o]) && s->seen[i->ops[o]->id] != s->turn) {
                s->seen[i->ops[o]->id] = s->turn;
                list[n++] = i->ops[o];
            }
    }
    return computed;
}

void init_note_cause(struct init *s, struct kd_check_site *site, const struct kir_inst *cause) {
    if (!cause)
        return;
    site->flags |= KD_CHECK_COMPUTED;
    site->cause = (int32_t)check_sites_add(s->sites, cause, (struct kd_check_site){0});
}

// The load whose result v is, moved only; NULL: there is none, or another one may be meant.
static const struct kir_inst *find_load(struct init *s, const struct kir_value *v) {
    for (;;) {
        const struct kir_inst *i = v->def;
        const struct kir_value *next = NULL;
        if (i->op == ISA_OP_LD)
            return i->nres == 1 ? i : NULL;
        for (uint32_t o = 0; o < i->nops && !next; o++)
            next = init_has(s, i->ops[o]) ? i->ops[o] : NULL;
        if (!next || i->op == ISA_OP_PHI || i->op == ISA_OP_SHFL || i->op == ISA_OP_MOVMATRIX ||
            !init_is_move(s, i))
            return NULL;
        v = next;
    }
}

// The half of an address that the lane has from which a shuffle takes its value.
static struct kir_value *shuffled_half(struct init *s, const struct kir_inst *shuffle,
                                       struct kir_value *address, uint32_t shift) {
    if (shift)
        address =
            init_two(s, ISA_OP_SHR, ISA_U64, address, kir_const(s->f, KIR_B32, shift), KIR_B64);
    struct kir_inst *half = init_make(s, ISA_OP_CVT, ISA_U32, 1, KIR_B32);
    half->ty2 = ISA_U64;
    half->ops[0] = address;
    struct kir_inst *i = init_make(s, ISA_OP_SHFL, ISA_B32, shuffle->nops, KIR_B32);
    i->mods = shuffle->mods;
    i->ops[0] = half->res[0];
    for (uint32_t k = 1; k < shuffle->nops; k++)
        i->ops[k] = shuffle->ops[k];
    return i->res[0];
}

// The generic address that v was loaded from, and then only moved, chosen and shuffled; NULL:
// another one may be meant. It stands behind what makes v, where the same lanes are.
static struct kir_value *place_of(struct init *s, const struct kir_value *v, unsigned depth) {
    enum { MOST_STEPS = 16 };
    struct kir_inst *i = init_has(s, v) ? v->def : NULL;
    if (!i || depth > MOST_STEPS || s->from[v->id])
        return i ? s->from[v->id] : NULL;
    struct kir_value *a = NULL, *b = NULL;
    uint32_t first = 0;
    if (i->op == ISA_OP_SELP) {
        a = init_has(s, i->ops[0]) ? place_of(s, i->ops[0], depth + 1) : init_zero(s, KIR_B64);
        b = init_has(s, i->ops[1]) ? place_of(s, i->ops[1], depth + 1) : init_zero(s, KIR_B64);
    } else if (i->op != ISA_OP_LD && i->op != ISA_OP_PHI && i->op != ISA_OP_MOVMATRIX &&
               init_is_move(s, i)) {
        while (first < i->nops && !init_has(s, i->ops[first]))
            first++;
        if (first == i->nops || !init_rest_is_clean(s, i, first + 1))
            return NULL;
        a = place_of(s, i->ops[first], depth + 1);
    }
    struct kir_inst *at = s->at;
    s->at = i;
    if (i->op == ISA_OP_LD && i->nres == 1) {
        a = init_generic(s, i->ops[0], i->mods.space);
        a = init_two(s, ISA_OP_ADD, ISA_U64, a, kir_const(s->f, KIR_B64, (uint64_t)i->offset),
                     KIR_B64);
    } else if (i->op == ISA_OP_SELP) {
        a = a && b ? init_select(s, i->ops[2], a, b) : NULL;
    } else if (i->op == ISA_OP_SHFL && a) {
        b = shuffled_half(s, i, a, 0);
        a = shuffled_half(s, i, a, 32);
        struct kir_inst *whole = init_make(s, ISA_OP_MOV_PACK, ISA_B64, 2, KIR_B64);
        whole->mods.vec = 2;
        whole->ops[0] = b;
        whole->ops[1] = a;
        a = whole->res[0];
    }
    s->at = at;
    return s->from[v->id] = a;
}

// What is only moved may have been computed where it was loaded.
void init_note_load(struct init *s, struct kir_inst *i, struct kd_check_site *site,
                    struct kir_value *v) {
    const struct kir_inst *load = init_has(s, v) ? find_load(s, v) : NULL;
    if (site->flags & KD_CHECK_COMPUTED)
        return;
    struct kir_value *place =
        load || !init_has(s, v) || s->origin[v->id] != INIT_LOADED ? NULL : place_of(s, v, 0);
    if (place) {
        struct kd_check_site from = {
            .kind = KD_CHECK_SHADOW_FROM, .space = ISA_SPACE_GENERIC, .align = 1};
        site->flags |= KD_CHECK_HANDED_ON;
        init_tell(s, i, false, from, place, init_shadow(s, v));
    }
    if (!load)
        return;
    struct kd_check_site from = {.kind = KD_CHECK_SHADOW_FROM,
                                 .space = load->mods.space,
                                 .align = 1,
                                 .offset = load->offset};
    site->flags |= KD_CHECK_HANDED_ON;
    init_tell(s, i, false, from, load->ops[0], init_shadow(s, v));
}
