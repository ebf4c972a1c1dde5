// Interleaved groups: loads whose lanes lie a constant distance apart, as members of structures in
// an array do, by whole vectors of memory. What lies from the first lane's word to the last one's
// is on pages that some lane accesses. The members that a block loads of the same structures are
// taken out of the same vectors.
#include "plan/passes.h"

enum { MOST_CHUNKS = 32, LEAST_BYTES = 16, PAGE_BYTES = 4096 };
enum { REACH = 256 }; // instructions that are looked at before and behind a load

// What may stand between two accesses of a group: after it both happen, or none.
static bool goes_on(const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return k == ISA_CLASS_POINTWISE || k == ISA_CLASS_SOURCE || i->op == ISA_OP_LD ||
           i->op == ISA_OP_ST;
}

static int64_t size_of(const struct kir_inst *i) {
    return (int64_t)(i->mods.vec ? i->mods.vec : 1) * isa_type_bits(i->ty) / 8;
}

static bool is_member(const struct kir_inst *i, const struct kir_inst *of) {
    return i->op == ISA_OP_LD && i->ops[0] == of->ops[0] && i->mods.space == of->mods.space &&
           i->mods.sem == ISA_SEM_WEAK;
}

static const struct kir_inst *first_in_reach(const struct kir_inst *i) {
    for (unsigned n = 0; n < REACH && i->prev && goes_on(i->prev); n++)
        i = i->prev;
    return i;
}

static const struct kir_inst *end_of_reach(const struct kir_inst *i) {
    for (unsigned n = 0; n < REACH && i && goes_on(i); n++)
        i = i->next;
    return i;
}

// Members of one row of `distance` bytes, of those that lie in rows from the lowest offset on.
static void find_members(const struct kir_inst *of, int64_t distance, struct plan_window *w,
                         int64_t *end) {
    const struct kir_inst *first = first_in_reach(of), *last = end_of_reach(of);
    int64_t lowest = of->offset;
    for (const struct kir_inst *i = first; i != last; i = i->next)
        if (is_member(i, of) && i->offset < lowest)
            lowest = i->offset;
    int64_t row = (of->offset - lowest) / distance;
    w->lo = of->offset;
    *end = of->offset + size_of(of);
    w->members = 0;
    for (const struct kir_inst *i = first; i != last; i = i->next) {
        if (!is_member(i, of) || (i->offset - lowest) / distance != row)
            continue;
        w->lo = i->offset < w->lo ? i->offset : w->lo;
        *end = i->offset + size_of(i) > *end ? i->offset + size_of(i) : *end;
        w->members += i->mods.vec ? i->mods.vec : 1;
    }
}

static bool set_window(const struct plan_inputs *in, struct plan_window *w, int64_t end,
                       int64_t distance, unsigned element) {
    w->bytes = end - w->lo + (in->fl->width - 1) * distance;
    unsigned vector = in->machine->vector_bits / 8;
    while (vector > LEAST_BYTES && vector > w->bytes)
        vector /= 2;
    w->n = vector / element;
    w->chunks = (unsigned)((w->bytes + vector - 1) / vector);
    return w->bytes >= vector && w->bytes <= PAGE_BYTES && w->bytes % element == 0 &&
           w->chunks <= MOST_CHUNKS;
}

// Loads of chunks, and a shuffle of each but one, against a load a lane and an insertion.
static bool is_worth_it(const struct plan_inputs *in, const struct plan_window *w) {
    return w->chunks + w->chunks / w->members <= 2 * in->fl->width;
}

static bool find_window(const struct plan_inputs *in, const struct kir_inst *i, int64_t distance,
                        unsigned element, struct plan_window *w) {
    int64_t end;
    find_members(i, distance, w, &end);
    if ((i->offset - w->lo) % element == 0 && set_window(in, w, end, distance, element))
        return is_worth_it(in, w);
    w->lo = i->offset;
    w->members = i->mods.vec ? i->mods.vec : 1;
    return set_window(in, w, w->lo + size_of(i), distance, element) && is_worth_it(in, w);
}

void plan_find_window(const struct plan_inputs *in, struct plan_access *a) {
    const struct kir_inst *i = a->inst;
    if (a->kind != PLAN_STRIDED || i->op == ISA_OP_ST || i->mods.sem != ISA_SEM_WEAK || in->quick ||
        !find_window(in, i, (int64_t)a->n * a->bytes, a->bytes, &a->window))
        a->window = (struct plan_window){0};
}
