// Stores of all members of structures in an array: those that fill the rows of memory between
// lanes, with nothing but arithmetic between them, are one store of a vector a lane, where the last
// of them stands.
#include "passes/analysis/alignment.h"
#include "plan/passes.h"
#include "plan/tables.h"

enum { MOST_MEMBERS = 8 };

// What may stand between two stores of a row: nothing that could see that one is late.
static bool sees_nothing(const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return k == ISA_CLASS_POINTWISE || k == ISA_CLASS_SOURCE;
}

static bool is_stored_beside(const struct kir_inst *i, const struct kir_inst *of) {
    return i->op == ISA_OP_ST && i->ops[0] == of->ops[0] && i->ty == of->ty && !i->mods.vec &&
           i->mods.space == of->mods.space && i->mods.sem == ISA_SEM_WEAK;
}

static bool may_be_member(const struct plan_inputs *in, const struct kir_inst *i) {
    return i->op == ISA_OP_ST && !i->mods.vec && i->mods.sem == ISA_SEM_WEAK &&
           (i->mods.space == ISA_SPACE_GLOBAL || i->mods.space == ISA_SPACE_GENERIC) &&
           !plan_is_taken(in, i);
}

struct row {
    struct kir_inst *member[MOST_MEMBERS]; // in the order of their places
    struct kir_inst *last;                 // of them
    unsigned n;
};

// False: some members are missing, or there are others.
static bool find_row(const struct plan_inputs *in, struct kir_inst *of, struct row *r) {
    int64_t size = isa_type_bits(of->ty) / 8, lowest = of->offset;
    struct kir_inst *first = of;
    unsigned found = 0, stores = 0;
    // With more stores than members no store is one, whichever of them asks.
    for (struct kir_inst *i = of; i && (sees_nothing(i) || is_stored_beside(i, of)); i = i->prev) {
        first = i;
        if (i->op == ISA_OP_ST && ++stores > r->n)
            return false;
    }
    stores = 0;
    for (struct kir_inst *i = first; i && (sees_nothing(i) || is_stored_beside(i, of));
         i = i->next) {
        if (i->op == ISA_OP_ST && ++stores > r->n)
            return false;
        if (i->op == ISA_OP_ST && i->offset < lowest)
            lowest = i->offset;
    }
    for (struct kir_inst *i = first; i && (sees_nothing(i) || is_stored_beside(i, of));
         i = i->next) {
        if (i->op != ISA_OP_ST)
            continue;
        int64_t at = i->offset - lowest;
        if (at % size || at / size >= r->n || r->member[at / size] || !may_be_member(in, i))
            return false;
        r->member[at / size] = i;
        r->last = i;
        found++;
    }
    return found == r->n;
}

// The store of a whole row, which stands in no block.
static struct kir_inst *join(struct arena *a, const struct row *r) {
    struct kir_inst *row = arena_memdup(a, r->member[0], sizeof *row);
    row->mods.vec = (uint8_t)r->n;
    row->nops = r->n + 1;
    row->ops = arena_array(a, struct kir_value *, r->n + 1);
    row->ops[0] = r->member[0]->ops[0];
    for (unsigned k = 0; k < r->n; k++)
        row->ops[1 + k] = r->member[k]->ops[1];
    row->prev = r->last->prev;
    row->next = r->last->next;
    return row;
}

// How many members a row has where lanes lie so far apart; 0: none that can be stored as one.
static unsigned members_of(const struct plan_inputs *in, const struct plan_access *x) {
    if (!x->offs || in->fl->width == 1 || in->quick || x->inst->op != ISA_OP_ST)
        return 0;
    int64_t distance = x->offs[1] - x->offs[0];
    for (unsigned l = 2; l < in->fl->width; l++)
        if (x->offs[l] - x->offs[l - 1] != distance)
            return 0;
    for (unsigned n = 2; n <= MOST_MEMBERS; n *= 2)
        if (distance == (int64_t)n * x->bytes)
            return may_be_member(in, x->inst) ? n : 0;
    return 0;
}

void plan_join_row(struct arena *a, struct plan *p, struct plan_access *x) {
    struct row r = {.n = x->row ? 0 : members_of(&p->in, x)};
    if (!r.n || !find_row(&p->in, x->inst, &r))
        return;
    struct kir_inst *row = join(a, &r);
    // Accesses of two and four words expect the alignment that they have in PTX.
    if (x->bytes >= 4 && !alignment_proven(p->in.affine->zeros, row))
        return;
    struct plan_access *all = plan_add(a, p, row);
    for (unsigned k = 0; k < r.n; k++) {
        struct plan_access *m = plan_find(p, r.member[k]);
        m->row = all;
        m->last = r.member[k] == r.last;
    }
}
