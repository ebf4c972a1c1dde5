// A plan's tables.
#include "plan/tables.h"
#include "isa/ops/memory.h"

struct plan *plan_new(struct arena *a, const struct plan_inputs *in) {
    const struct kir_func *f = in->fl->func;
    struct plan *p = arena_new(a, struct plan);
    p->in = *in;
    p->values = arena_array(a, struct plan_value, f->value_count + 1);
    p->masks = arena_array(a, uint8_t, f->blocks.len + 1);
    return p;
}

bool plan_is_access(const struct kir_inst *i) {
    return i->op == ISA_OP_LD || i->op == ISA_OP_LDU || i->op == ISA_OP_ST;
}

struct plan_access plan_describe(const struct flow *fl, struct kir_inst *i) {
    struct plan_access a = {.inst = i, .kind = PLAN_EACH, .lane = -1};
    a.count = i->mods.vec ? i->mods.vec : 1;
    a.bytes = (uint8_t)(isa_type_bits(i->ty) / 8);
    // What others may look at meanwhile is one access, as on GPUs: programs lay a flag beside the
    // value that it announces.
    a.whole = i->mods.sem != ISA_SEM_WEAK && a.count > 1 && a.count * a.bytes <= 16 &&
              !(i->mods.space == ISA_SPACE_LOCAL && fl->width > 1);
    return a;
}

static uint32_t slot_of(const struct plan *p, const struct kir_inst *i) {
    uint64_t h = (uint64_t)(uintptr_t)i * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32) & (p->slots - 1);
}

void plan_insert(struct plan *p, struct plan_access *x) {
    uint32_t at = slot_of(p, x->inst);
    while (p->found[at])
        at = (at + 1) & (p->slots - 1);
    p->found[at] = x;
}

void plan_index(struct arena *a, struct plan *p) {
    p->slots = 4;
    while (p->slots < 3 * p->accesses.len) // and as many rows as two members make
        p->slots *= 2;
    p->found = arena_array(a, struct plan_access *, p->slots);
    for (uint32_t k = 0; k < p->accesses.len; k++)
        plan_insert(p, p->accesses.data[k]);
}

struct plan_access *plan_find(const struct plan *p, const struct kir_inst *i) {
    uint32_t at = slot_of(p, i);
    while (p->found[at] && p->found[at]->inst != i)
        at = (at + 1) & (p->slots - 1);
    return p->found[at];
}

const struct plan_access *plan_access_of(const struct plan *p, const struct kir_inst *i) {
    return plan_find(p, i);
}
