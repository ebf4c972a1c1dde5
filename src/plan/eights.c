// Two accesses of four words a thread that lie side by side, as where each thread takes eight
// elements that follow each other: neighbouring threads lie 32 bytes apart, and each access by
// itself would be one of 16 bytes a lane. Together they are whole vectors.
#include "plan/passes.h"
#include "plan/tables.h"

enum { LANES = 16, BYTES = 32 };

static bool is_four(const struct kir_inst *i) {
    if ((i->op != ISA_OP_LD && i->op != ISA_OP_ST) || i->mods.vec != 4 ||
        isa_type_bits(i->ty) != 32 || i->mods.sem != ISA_SEM_WEAK ||
        i->mods.space != ISA_SPACE_GLOBAL)
        return false;
    struct kir_value *const *words = i->op == ISA_OP_LD ? i->res : i->ops + 1;
    for (unsigned k = 0; k < 4; k++)
        if (kir_type_bits(words[k]->type) != 32)
            return false;
    return true;
}

static bool are_side_by_side(const struct kir_inst *i, const struct kir_inst *j) {
    return is_four(j) && j->op == i->op && j->ops[0] == i->ops[0] &&
           (j->offset == i->offset + BYTES / 2 || i->offset == j->offset + BYTES / 2);
}

static bool is_between(const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return k == ISA_CLASS_POINTWISE || k == ISA_CLASS_SOURCE;
}

// The other one of an access's pair, with nothing but arithmetic between them; NULL: there is none.
// Of three side by side the first two are a pair.
static struct kir_inst *behind(const struct kir_inst *i) {
    struct kir_inst *j = i->next;
    while (j && is_between(j))
        j = j->next;
    return j && are_side_by_side(i, j) ? j : NULL;
}

static struct kir_inst *before(const struct kir_inst *i) {
    struct kir_inst *j = i->prev;
    while (j && is_between(j))
        j = j->prev;
    return j && are_side_by_side(i, j) ? j : NULL;
}

static bool leads_pair(const struct kir_inst *i) {
    unsigned n = 0;
    for (const struct kir_inst *k = before(i); k; k = before(k))
        n++;
    return n % 2 == 0 && behind(i);
}

static bool lie_in_eights(const struct plan_inputs *in, const struct plan_access *x) {
    if (!x->offs || in->fl->width % LANES)
        return false;
    for (unsigned k = 1; k < in->fl->width; k++)
        if (x->offs[k] != x->offs[0] + (int64_t)k * BYTES)
            return false;
    return true;
}

void plan_join_eights(struct plan *p, struct plan_access *x) {
    const struct plan_inputs *in = &p->in;
    if (!in->machine->holds_line || in->quick || !is_four(x->inst) || !lie_in_eights(in, x) ||
        !leads_pair(x->inst) || plan_is_taken(in, x->inst) || plan_is_taken(in, behind(x->inst)))
        return;
    struct plan_access *other = plan_find(p, behind(x->inst));
    x->beside = other;
    x->leads = true;
    other->beside = x;
}
