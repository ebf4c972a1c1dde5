// Compilers do not know how many threads a block has. `for (i = threadIdx.x; i < 512; i += 64)`
// gets an iteration count of its own in each thread for them (max(i, 448) - i + 63 over 64), with
// loops for what remains of it by four. The launch knows the block: the same count for all
// threads, and no remainder. Where thread 0 ... 7 walk along 32 rows by steps of 8, all of them
// make four iterations: that becomes a counter that all threads have in common.
#include "passes/loops/known_size.h"

#include "ir/clean/simplify.h"
#include "isa/ops/arith.h"
#include "passes/analysis/number_range.h"
#include "passes/loops/loop_exit.h"

enum { MOST_ITERATIONS = 1024, MAX_SUMS = 4, ROUNDS = 4 };

struct known {
    struct kir_func *f;
    const struct cfg *c;
    const struct number_range *ranges;
};

// ---- values ------------------------------------------------------------------------------------

static struct number_range operand(const struct known *k, const struct kir_inst *i, unsigned n) {
    return number_range_as(number_range_of(k->ranges, i->ops[n]), (enum isa_type)i->ty);
}

// The operand that the result always is, or NULL.
static struct kir_value *same_as(const struct known *k, const struct kir_inst *i) {
    bool holds;
    if (i->nops != 2 || i->mods.relu)
        return NULL;
    struct number_range x = operand(k, i, 0), y = operand(k, i, 1);
    switch (i->op) {
    case ISA_OP_MIN:
        if (number_range_decides(ISA_CMP_LE, x, y, &holds))
            return i->ops[holds ? 0 : 1];
        return number_range_decides(ISA_CMP_GE, x, y, &holds) && holds ? i->ops[1] : NULL;
    case ISA_OP_MAX:
        if (number_range_decides(ISA_CMP_GE, x, y, &holds))
            return i->ops[holds ? 0 : 1];
        return number_range_decides(ISA_CMP_LE, x, y, &holds) && holds ? i->ops[1] : NULL;
    case ISA_OP_REM:
        return x.known && y.known && x.lo >= 0 && x.hi < y.lo ? i->ops[0] : NULL;
    case ISA_OP_AND: // with ones wherever x can have any
        return x.known && y.known && x.lo >= 0 && y.lo == y.hi && !(y.lo & (y.lo + 1)) &&
                       x.hi <= y.lo
                   ? i->ops[0]
                   : NULL;
    default:
        return NULL;
    }
}

// What a value that follows from a thread's index is all the same; NULL: it depends.
static struct kir_value *decided(const struct known *k, const struct kir_inst *i) {
    bool holds;
    if (i->nres != 1 || isa_op_info[i->op].klass != ISA_CLASS_POINTWISE)
        return NULL;
    const struct kir_value *v = i->res[0];
    struct number_range r = k->ranges[v->id];
    if (!r.of_thread)
        return NULL;
    if (r.known && r.lo == r.hi)
        return kir_const(k->f, (enum kir_type)v->type,
                         kir_type_bits(v->type) == 32 ? (uint32_t)r.lo : (uint64_t)r.lo);
    if (i->op == ISA_OP_SETP && i->nops == 2 && !i->mods.boolop)
        return number_range_decides((enum isa_cmp)i->mods.cmp, operand(k, i, 0), operand(k, i, 1),
                                    &holds)
                   ? kir_const(k->f, KIR_PRED, holds)
                   : NULL;
    return same_as(k, i);
}

// ---- loops -------------------------------------------------------------------------------------

struct counted {
    struct kir_inst *exit; // the branch
    struct kir_inst *phi;  // of the number that is tested
    uint64_t iterations;   // after which the loop goes on
};

// The test, with one side a number that all iterations compare with: x `cmp` with.
struct test {
    const struct kir_value *x;
    enum isa_cmp cmp;
    enum isa_type type;
    struct number_range with;
    bool stays; // in the loop, where it holds
};

static bool find_test(const struct known *k, const struct cfg_loop *l, const struct kir_inst *exit,
                      struct test *t) {
    const struct kir_value *p = exit->ops[0];
    t->stays = cfg_in_loop(l, k->c->loop[exit->targets[0]->id]);
    if (p->kind == KIR_VALUE_INST && p->def->op == ISA_OP_NOT) {
        t->stays = !t->stays;
        p = p->def->ops[0];
    }
    if (p->kind != KIR_VALUE_INST || p->def->op != ISA_OP_SETP || p->def->nops != 2 ||
        p->def->nres != 1 || p->def->mods.boolop)
        return false;
    t->x = p->def->ops[0];
    t->cmp = (enum isa_cmp)p->def->mods.cmp;
    t->type = (enum isa_type)p->def->ty;
    t->with = operand(k, p->def, 1);
    return t->x->kind == KIR_VALUE_INST && t->with.known && t->with.lo == t->with.hi;
}

static bool is_sum(const struct kir_value *v, const struct kir_value **x, int64_t *added) {
    if (v->kind != KIR_VALUE_INST || v->def->op != ISA_OP_ADD || v->def->mods.sat ||
        v->def->mods.cc || v->def->ops[1]->kind != KIR_VALUE_CONST ||
        (v->type != KIR_B32 && v->type != KIR_B64))
        return false;
    enum isa_type t = (enum isa_type)v->def->ty; // not halves side by side
    if (t != ISA_S32 && t != ISA_U32 && t != ISA_S64 && t != ISA_U64)
        return false;
    *added += v->type == KIR_B32 ? v->def->ops[1]->bits.s32 : (int64_t)v->def->ops[1]->bits.u64[0];
    *x = v->def->ops[0];
    return *added > INT32_MIN && *added < INT32_MAX;
}

// v is a phi of the header and a constant.
static struct kir_inst *phi_under(const struct cfg_loop *l, const struct kir_value *v,
                                  int64_t *added) {
    *added = 0;
    for (unsigned n = 0; n < MAX_SUMS && is_sum(v, &v, added); n++)
        ;
    bool is_phi =
        v->kind == KIR_VALUE_INST && v->def->op == ISA_OP_PHI && v->def->block == l->header;
    return is_phi ? v->def : NULL;
}

// The phi's numbers in the first iteration, and what each adds.
static bool find_steps(const struct known *k, const struct cfg_loop *l, const struct kir_inst *phi,
                       struct number_range *first, int64_t *step) {
    bool begun = false, stepped = false;
    for (uint32_t n = 0; n < phi->nops; n++) {
        int64_t by;
        struct number_range r = number_range_of(k->ranges, phi->ops[n]);
        if (!cfg_in_loop(l, k->c->loop[l->header->preds.data[n]->id])) {
            if (!r.known || begun)
                return false;
            *first = r;
            begun = true;
        } else if (phi_under(l, phi->ops[n], &by) != phi || (stepped && by != *step)) {
            return false;
        } else {
            *step = by;
            stepped = true;
        }
    }
    return begun && stepped;
}

static bool runs_once_an_iteration(const struct known *k, const struct cfg_loop *l,
                                   const struct kir_block *b) {
    if (k->c->loop[b->id] != l)
        return false;
    for (uint32_t n = 0; n < l->header->preds.len; n++) {
        const struct kir_block *from = l->header->preds.data[n];
        if (cfg_in_loop(l, k->c->loop[from->id]) && !cfg_dominates(k->c, b, from))
            return false;
    }
    return true;
}

// After how many iterations do all threads leave? False: not all of them in one.
static bool count(const struct test *t, struct number_range x, int64_t step, uint64_t *iterations) {
    bool holds;
    for (*iterations = 0; *iterations < MOST_ITERATIONS; ++*iterations) {
        if (!number_range_decides(t->cmp, number_range_as(x, t->type), t->with, &holds))
            return false;
        if (holds != t->stays)
            return true;
        x.lo += step;
        x.hi += step;
    }
    return false;
}

// exit: its only one, or NULL.
static bool find_counted(const struct known *k, const struct cfg_loop *l, struct kir_inst *exit,
                         struct counted *found) {
    struct test t;
    struct number_range x;
    int64_t added, step = 0;
    found->exit = l->irreducible ? NULL : exit;
    if (!found->exit || !runs_once_an_iteration(k, l, found->exit->block) ||
        !find_test(k, l, found->exit, &t))
        return false;
    found->phi = phi_under(l, t.x, &added);
    // Where all threads begin alike, the loop counts as it is.
    if (!found->phi || !find_steps(k, l, found->phi, &x, &step) || x.lo == x.hi)
        return false;
    x.lo += added;
    x.hi += added;
    return count(&t, x, step, &found->iterations);
}

static void count_instead(const struct known *k, const struct cfg_loop *l,
                          const struct counted *at) {
    static const uint8_t word = KIR_B32, pred = KIR_PRED;
    struct kir_inst *phi =
        kir_inst_new(k->f, ISA_OP_PHI, ISA_B32, l->header->preds.len, 1, &word, 0);
    struct kir_inst *next = kir_inst_new(k->f, ISA_OP_ADD, ISA_U32, 2, 1, &word, 0);
    struct kir_inst *test = kir_inst_new(k->f, ISA_OP_SETP, ISA_U32, 2, 1, &pred, 0);
    bool stays = cfg_in_loop(l, k->c->loop[at->exit->targets[0]->id]);
    for (uint32_t n = 0; n < phi->nops; n++) {
        bool back = cfg_in_loop(l, k->c->loop[l->header->preds.data[n]->id]);
        phi->ops[n] = back ? next->res[0] : kir_const(k->f, KIR_B32, 0);
    }
    next->ops[0] = test->ops[0] = phi->res[0];
    next->ops[1] = kir_const(k->f, KIR_B32, 1);
    test->ops[1] = kir_const(k->f, KIR_B32, at->iterations);
    test->mods.cmp = stays ? ISA_CMP_LT : ISA_CMP_GE;
    next->file = test->file = at->exit->file;
    next->line = test->line = at->exit->line;
    kir_insert_before(at->phi, phi);
    kir_insert_before(at->exit, next);
    kir_insert_before(at->exit, test);
    at->exit->ops[0] = test->res[0];
}

// ---- a kernel ----------------------------------------------------------------------------------

static bool look(struct kir_func *f, const uint32_t ntid[3], bool change) {
    struct arena tmp = {0};
    struct cfg *c = f->blocks.len ? cfg_build(&tmp, f) : NULL;
    bool any = false;
    struct known k = {f, c, c ? number_ranges(&tmp, c, ntid) : NULL};
    uint32_t values = f->value_count;
    struct kir_value **to = arena_array(&tmp, struct kir_value *, values + 1);
    for (uint32_t p = 0; c && p < c->nblocks && (change || !any); p++)
        for (struct kir_inst *i = c->order[p]->first; i; i = i->next) {
            struct kir_value *v = decided(&k, i);
            if (v)
                to[i->res[0]->id] = v;
            any |= v != NULL;
        }
    if (any && change)
        kir_replace_all(f, to, values);
    struct kir_inst **exits = c && !any ? loop_only_exits(&tmp, c) : NULL;
    // What has been decided may leave loops out: these are not looked at then.
    for (uint32_t n = 0; c && n < c->loops.len && !any; n++) {
        struct counted at;
        if (!find_counted(&k, c->loops.data[n], exits[n], &at))
            continue;
        if (change)
            count_instead(&k, c->loops.data[n], &at);
        any = true;
    }
    arena_free(&tmp);
    return any;
}

bool known_size_any(struct kir_func *f, const uint32_t ntid[3]) {
    return look(f, ntid, false);
}

void known_size(struct kir_func *f, const uint32_t ntid[3]) {
    for (uint32_t n = 0; n < ROUNDS + f->blocks.len && look(f, ntid, true); n++) {
        kir_fold(f);
        kir_remove_unreachable(f);
        kir_merge_blocks(f);
        kir_remove_dead(f);
        kir_renumber(f);
    }
}
