// Arrays that a kernel has as parameters, or as variables, and what it does to them: where it only
// reads, or each thread has elements of its own, threads cannot race, and nobody has to follow
// their accesses. Whether two parameters point into one allocation is known when it runs.
#include "isa/ops/arith.h"
#include "isa/ops/bits.h"
#include "isa/ops/integer.h"
#include "isa/ops/logic.h"
#include "isa/ops/memory.h"
#include "isa/ops/move.h"
#include "passes/check/check.h"
#include "passes/check/check_sets.h"

// Sets of what a value may point into: a bit for each array, and
static const uint64_t PRIVATE = UINT64_C(1) << 62; // shared and local memory, parameters themselves
static const uint64_t UNKNOWN = CHECK_SET_UNKNOWN; // anything else

struct arrays {
    struct kir_func *f;
    struct check_arrays *list;
    uint64_t *sets;                 // by value
    bool shared[CHECK_MOST_ARRAYS]; // no thread has elements of its own
    struct check_pins pins[CHECK_MOST_ARRAYS];
    struct kir_order order;
};

static uint64_t array_at(struct arrays *a, uint32_t at, uint16_t flags) {
    struct check_arrays *l = a->list;
    uint32_t k = 0;
    while (k < l->n &&
           (l->array[k].at != at || (l->array[k].flags & KD_CHECK_OF_VARIABLE) != flags))
        k++;
    if (k == CHECK_MOST_ARRAYS)
        return UNKNOWN;
    if (k == l->n)
        l->array[l->n++] = (struct kd_check_array){.at = at, .flags = flags, .index = (uint8_t)k};
    return UINT64_C(1) << k;
}

static uint64_t of_symbol(struct arrays *a, const struct kir_inst *i) {
    switch (i->sym->space) {
    case ISA_SPACE_GLOBAL:
    case ISA_SPACE_CONST:
        return array_at(a, (uint32_t)i->sym->index, KD_CHECK_OF_VARIABLE);
    case ISA_SPACE_SHARED:
    case ISA_SPACE_LOCAL:
    case ISA_SPACE_PARAM:
        return PRIVATE;
    default:
        return UNKNOWN;
    }
}

static bool source(void *user, const struct kir_inst *i, uint64_t *set) {
    struct arrays *a = user;
    uint32_t at;
    if (check_form_parameter(i, KIR_B64, &at))
        *set = array_at(a, at, 0);
    else if (i->op == ISA_OP_SYMADDR)
        *set = of_symbol(a, i);
    else
        return false;
    return true;
}

// ---- the kernel's list ------------------------------------------------------------------------

static void look_at(struct arrays *a, struct check_use *u) {
    const struct kir_value *v = u->address;
    uint64_t set = v->kind == KIR_VALUE_INST ? a->sets[v->id] : 0;
    uint64_t arrays = set & ~(PRIVATE | UNKNOWN);
    bool one = set == arrays && !(arrays & (arrays - 1));
    if (set == PRIVATE)
        return;
    if (!arrays || set & UNKNOWN) {
        a->list->unknown_reads |= !u->writes;
        a->list->unknown_writes |= u->writes;
    }
    for (uint64_t m = arrays; m; m &= m - 1) {
        uint32_t k = (uint32_t)__builtin_ctzll(m);
        a->list->array[k].flags |= KD_CHECK_ARRAY_USED | (u->writes ? KD_CHECK_ARRAY_WRITTEN : 0) |
                                   (u->atomic ? 0 : KD_CHECK_ARRAY_WEAK);
        struct check_pins here = check_pins_of(a->f, &a->order, u->i->block);
        if (a->list->form[k].parts)
            check_pins_meet(&a->pins[k], &here);
        else
            a->pins[k] = here;
        a->shared[k] |= !one || !check_form_add(&a->list->form[k], u, &a->pins[k]);
        u->array = one ? (int)k : -1;
    }
}

static bool has_calls(const struct kir_func *f) {
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            if (i->op == ISA_OP_CALL && !(i->callee && i->callee->is_extern))
                return true;
    return false;
}

void check_arrays(struct arena *arena, struct kir_func *f, struct check_use *uses, uint32_t n,
                  struct check_arrays *list) {
    struct arrays a = {.f = f, .list = list};
    *list = (struct check_arrays){0};
    for (uint32_t k = 0; k < n; k++)
        uses[k].array = -1;
    if (has_calls(f))
        return;
    a.sets = check_sets_find(arena, f, source, &a);
    kir_order_dominators(f, arena, &a.order);
    for (uint32_t k = 0; k < n; k++)
        look_at(&a, &uses[k]);
    for (uint32_t k = 0; k < list->n; k++) {
        bool own = !a.shared[k] && list->form[k].parts && !list->unknown_reads &&
                   !(list->array[k].flags & KD_CHECK_OF_VARIABLE);
        list->array[k].flags |= own ? KD_CHECK_ARRAY_OWN : 0;
        list->array[k].flags |= list->unknown_reads ? KD_CHECK_ARRAY_WEAK : 0;
    }
    if (list->unknown_writes)
        list->n = 0;
}
