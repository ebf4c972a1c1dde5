// Compilers join the tests `x >= n || y >= n` to `max(x, y) >= n`: one comparison less. But the row
// y is the same in all lanes of a vector, and x goes up from lane to lane; the maximum of both does
// neither. Taken apart each test is a scalar one.
#include "passes/loops/split_extremes.h"

#include <string.h>

// Does the comparison hold for max(x, y) where it holds for one of the two (else: for both)? For
// min(x, y) it is the other way round.
static bool holds_above(enum isa_cmp c) {
    return c == ISA_CMP_GE || c == ISA_CMP_GT || c == ISA_CMP_HS || c == ISA_CMP_HI;
}

static bool is_order(enum isa_cmp c) {
    return holds_above(c) || c == ISA_CMP_LE || c == ISA_CMP_LT || c == ISA_CMP_LS ||
           c == ISA_CMP_LO;
}

static bool is_signed_order(const struct kir_inst *setp) {
    return isa_type_is_signed((enum isa_type)setp->ty) && setp->mods.cmp < ISA_CMP_LO;
}

static bool is_test(const struct kir_inst *i) {
    return i->op == ISA_OP_SETP && i->nops == 2 && i->nres == 1 &&
           i->mods.boolop == ISA_BOOL_NONE && !isa_type_is_float((enum isa_type)i->ty) &&
           i->ty != ISA_PRED && is_order((enum isa_cmp)i->mods.cmp);
}

// Is v, which the test compares, an extreme in the order of the test?
static bool is_extreme(const struct kir_inst *test, const struct kir_value *v,
                       const uint32_t *uses) {
    if (v->kind != KIR_VALUE_INST || uses[v->id] != 1)
        return false;
    const struct kir_inst *i = v->def;
    static const struct isa_mods none;
    enum isa_type t = (enum isa_type)i->ty;
    bool whole = t == ISA_S16 || t == ISA_S32 || t == ISA_S64 || t == ISA_U16 || t == ISA_U32 ||
                 t == ISA_U64;
    return (i->op == ISA_OP_MAX || i->op == ISA_OP_MIN) && i->nops == 2 && whole &&
           !memcmp(&i->mods, &none, sizeof none) &&
           isa_type_bits(t) == isa_type_bits((enum isa_type)test->ty) &&
           isa_type_is_signed(t) == is_signed_order(test);
}

static struct kir_inst *like(struct kir_func *f, const struct kir_inst *old, isa_op op,
                             enum isa_type ty, struct kir_value *a, struct kir_value *b) {
    struct kir_inst *i = kir_inst_new(f, op, ty, 2, 1, &old->res[0]->type, 0);
    i->ops[0] = a;
    i->ops[1] = b;
    i->file = old->file;
    i->line = old->line;
    return i;
}

static struct kir_inst *test_of(struct kir_func *f, const struct kir_inst *old, unsigned k,
                                struct kir_value *v) {
    struct kir_inst *i =
        like(f, old, ISA_OP_SETP, (enum isa_type)old->ty, k ? old->ops[0] : v, k ? v : old->ops[1]);
    i->mods = old->mods;
    i->ty2 = old->ty2;
    return i;
}

// Operand k of the test is an extreme. The first of the tests that stand for it: both use the other
// operand, which may be an extreme, too.
static struct kir_inst *split(struct kir_func *f, struct kir_inst *test, unsigned k,
                              uint32_t *uses) {
    struct kir_inst *extreme = test->ops[k]->def;
    bool above = holds_above((enum isa_cmp)test->mods.cmp) == (k == 0);
    bool either = above == (extreme->op == ISA_OP_MAX);
    struct kir_inst *a = test_of(f, test, k, extreme->ops[0]),
                    *b = test_of(f, test, k, extreme->ops[1]);
    struct kir_inst *both =
        like(f, test, either ? ISA_OP_OR : ISA_OP_AND, ISA_PRED, a->res[0], b->res[0]);
    uses[test->ops[!k]->id]++;
    kir_insert_before(test, a);
    kir_insert_before(test, b);
    kir_insert_before(test, both);
    kir_replace_uses(f, test->res[0], both->res[0]);
    kir_remove(test);
    kir_remove(extreme);
    return a;
}

static uint32_t *count_uses(struct arena *a, const struct kir_func *f) {
    uint32_t *n = arena_array(a, uint32_t, f->value_count + 1);
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops; k++)
                n[i->ops[k]->id]++;
    return n;
}

void split_extremes(struct kir_func *f) {
    struct arena arena = {0};
    uint32_t *uses = count_uses(&arena, f);
    uint32_t known = f->value_count; // tests that are made here are of what was there
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (struct kir_inst *next, *i = f->blocks.data[b]->first; i; i = next) {
            next = i->next;
            for (unsigned k = 0; is_test(i) && k < 2; k++)
                if (i->ops[k]->id < known && is_extreme(i, i->ops[k], uses)) {
                    next = split(f, i, k, uses);
                    break;
                }
        }
    arena_free(&arena);
}
