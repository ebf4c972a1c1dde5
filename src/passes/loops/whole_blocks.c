// `if (i < n)` is true for all threads of all blocks but the last ones. Under a test that threads
// pass or do not, everything has a mask; where the last thread of a block passes, which one scalar
// comparison says, nothing has.
#include "passes/loops/whole_blocks.h"

#include "ir/clean/copy.h"
#include "ir/clean/simplify.h"
#include "isa/ops/arith.h"
#include "isa/ops/control.h"
#include "isa/ops/memory.h"
#include "passes/analysis/block_range.h"
#include "passes/loops/wide_index.h"

enum { MOST_INSTRUCTIONS = 200, MAX_DEPTH = 12, MAX_TESTS = 4 };

struct kernel {
    struct kir_func *f;
    struct block_range range; // where the test of the block is made
    struct wide_index *indices;
    struct kir_inst *tests[MAX_TESTS];
    unsigned passes[MAX_TESTS]; // the target of each that does the work
    unsigned ntests;
};

// ---- the test of a block -----------------------------------------------------------------------

static bool is_below(enum isa_cmp c) {
    return c == ISA_CMP_LT || c == ISA_CMP_LE || c == ISA_CMP_LO || c == ISA_CMP_LS;
}

static bool is_unsigned(const struct kir_inst *i) {
    return !isa_type_is_signed((enum isa_type)i->ty) || i->mods.cmp >= ISA_CMP_LO;
}

static struct kir_value *compare(const struct kernel *k, const struct kir_inst *old, enum isa_cmp c,
                                 struct kir_value *a, struct kir_value *b) {
    struct kir_value *ops[] = {a, b};
    struct kir_inst *i = block_like(&k->range, old, ops);
    i->mods.cmp = (uint8_t)c;
    return i->res[0];
}

static struct kir_value *compare_index(const struct kernel *k, const struct kir_inst *i,
                                       enum isa_cmp c, unsigned n) {
    struct block_index x;
    if (!block_index(i->ops[n], &x) || (is_unsigned(i) && x.added < 0))
        return NULL;
    struct kir_value *other = block_uniform(&k->range, i->ops[1 - n]);
    if (!other)
        return NULL;
    if (c == ISA_CMP_NE && other->kind == KIR_VALUE_CONST && !other->bits.u64[0] && !x.added)
        return compare(k, i, ISA_CMP_NE, block_extreme(&k->range, &x, false), other);
    if (c == ISA_CMP_NE || c == ISA_CMP_EQ)
        return NULL;
    struct kir_value *v = block_extreme(&k->range, &x, is_below(c) == (n == 0));
    return n ? compare(k, i, c, other, v) : compare(k, i, c, v, other);
}

// Does the comparison hold (or not) in all threads of a block? NULL: no number tells.
static struct kir_value *all_compare(const struct kernel *k, const struct kir_inst *i, bool want) {
    if (i->nops != 2 || i->nres != 1 || i->mods.boolop || isa_type_is_float((enum isa_type)i->ty) ||
        i->ty == ISA_PRED || i->mods.cmp > ISA_CMP_HS)
        return NULL;
    enum isa_cmp c = want ? (enum isa_cmp)i->mods.cmp : isa_cmp_opposite((enum isa_cmp)i->mods.cmp);
    struct kir_value *p = compare_index(k, i, c, 0);
    p = p ? p : compare_index(k, i, c, 1);
    for (unsigned n = 0; n < 2 && !p && isa_type_bits((enum isa_type)i->ty) == 32; n++)
        p = wide_index_test(k->indices, i, c, n);
    return p;
}

// A test of what all threads of a block have alike.
static struct kir_value *uniform_test(const struct kernel *k, struct kir_value *p, bool want) {
    struct kir_value *u = block_uniform(&k->range, p);
    if (!u || want)
        return u;
    struct kir_inst *i = kir_inst_new(k->f, ISA_OP_NOT, ISA_PRED, 1, 1, &(uint8_t){KIR_PRED}, 0);
    i->ops[0] = u;
    kir_insert_before(k->range.at, i);
    return i->res[0];
}

static struct kir_value *all_hold(const struct kernel *k, struct kir_value *p, bool want,
                                  unsigned depth) {
    if (p->kind != KIR_VALUE_INST || !depth)
        return NULL;
    struct kir_inst *i = p->def;
    if (i->op == ISA_OP_NOT)
        return all_hold(k, i->ops[0], !want, depth - 1);
    if (i->op == (want ? ISA_OP_AND : ISA_OP_OR) && i->nops == 2) {
        struct kir_value *x = all_hold(k, i->ops[0], want, depth - 1),
                         *y = x ? all_hold(k, i->ops[1], want, depth - 1) : NULL;
        struct kir_value *ops[] = {x, y};
        if (!y)
            return NULL;
        struct kir_inst *both = block_like(&k->range, i, ops);
        both->op = ISA_OP_AND;
        return both->res[0];
    }
    if (i->op != ISA_OP_SETP)
        return NULL;
    struct kir_value *all = uniform_test(k, p, want);
    return all ? all : all_compare(k, i, want);
}

// ---- the tests at the kernel's beginning -------------------------------------------------------

// Nothing is left to do behind b.
static bool ends_here(const struct kir_block *b) {
    for (unsigned n = 0; n < MAX_DEPTH && b->first == b->last; n++) {
        if (b->last->op == ISA_OP_RET || b->last->op == ISA_OP_EXIT)
            return true;
        if (b->last->op != ISA_OP_BRA)
            return false;
        b = b->last->targets[0];
    }
    return false;
}

static bool is_quiet(const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i != b->last; i = i->next) {
        enum isa_class c = isa_op_info[i->op].klass;
        bool load = i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM;
        if (!load && ((c != ISA_CLASS_POINTWISE && c != ISA_CLASS_SOURCE) || i->op == ISA_OP_PHI))
            return false;
    }
    return true;
}

static struct kir_value *both_hold(struct kernel *k, struct kir_value *x, struct kir_value *y) {
    if (!y)
        return x;
    struct kir_inst *i = kir_inst_new(k->f, ISA_OP_AND, ISA_PRED, 2, 1, &(uint8_t){KIR_PRED}, 0);
    i->ops[0] = x;
    i->ops[1] = y;
    kir_insert_before(k->range.at, i);
    return i->res[0];
}

// Adds the tests on the way from b on; the test of the block is their conjunction.
static struct kir_value *find_tests(struct kernel *k, struct kir_block *b) {
    struct kir_value *all = NULL;
    while (k->ntests < MAX_TESTS && b->last->op == ISA_OP_CBR && is_quiet(b)) {
        struct kir_inst *t = b->last;
        unsigned passes = ends_here(t->targets[0]);
        struct kir_block *next = t->targets[passes];
        if (!ends_here(t->targets[1 - passes]) || ends_here(next) || next->preds.len != 1)
            break;
        struct kir_value *p = all_hold(k, t->ops[0], passes == 0, MAX_DEPTH);
        if (!p)
            break;
        all = both_hold(k, p, all);
        k->tests[k->ntests] = t;
        k->passes[k->ntests++] = passes;
        b = next;
    }
    return all;
}

static bool is_access(const struct kir_inst *i) {
    bool plain = (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK;
    bool atomic = (i->op == ISA_OP_RED || i->op == ISA_OP_ATOM) && !i->mods.vec &&
                  (i->mods.sem == ISA_SEM_WEAK || i->mods.sem == ISA_SEM_RELAXED) &&
                  !(i->nres && kir_is_used(i->block->func, i->res[0]));
    return (plain || atomic) && i->mods.space != ISA_SPACE_SHARED &&
           i->mods.space != ISA_SPACE_LOCAL;
}

static bool is_simple(const struct kir_func *f) {
    unsigned n = 0;
    bool stores = false;
    for (uint32_t b = 0; b < f->blocks.len; b++)
        for (const struct kir_inst *i = f->blocks.data[b]->first; i; i = i->next) {
            enum isa_class c = isa_op_info[i->op].klass;
            bool jump = i->op == ISA_OP_BRA || i->op == ISA_OP_CBR || i->op == ISA_OP_RET ||
                        i->op == ISA_OP_EXIT || i->op == ISA_OP_PHI;
            stores |= i->op == ISA_OP_ST || i->op == ISA_OP_RED || i->op == ISA_OP_ATOM;
            if (++n > MOST_INSTRUCTIONS ||
                !(is_access(i) || jump || c == ISA_CLASS_POINTWISE || c == ISA_CLASS_SOURCE))
                return false;
        }
    return stores;
}

// ---- the version without tests -----------------------------------------------------------------

// An edge goes: its block is no predecessor of `to` any more.
static void drop_edge(const struct kir_block *from, struct kir_block *to) {
    uint32_t kept = 0;
    bool dropped = false;
    for (uint32_t p = 0; p < to->preds.len; p++) {
        if (!dropped && to->preds.data[p] == from) {
            dropped = true;
            continue;
        }
        to->preds.data[kept] = to->preds.data[p];
        for (struct kir_inst *i = to->first; i && i->op == ISA_OP_PHI; i = i->next)
            i->ops[kept] = i->ops[p];
        kept++;
    }
    to->preds.len = kept;
    for (struct kir_inst *i = to->first; i && i->op == ISA_OP_PHI; i = i->next)
        i->nops = kept;
}

static void pass(struct kernel *k, struct kir_inst *test, unsigned passes) {
    struct kir_block *b = test->block;
    struct kir_inst *jump = kir_inst_new(k->f, ISA_OP_BRA, ISA_VOID, 0, 0, NULL, 1);
    jump->targets[0] = test->targets[passes];
    drop_edge(b, test->targets[1 - passes]);
    kir_remove(test);
    kir_append(b, jump);
}

// All blocks behind the entry once more; the entry goes there where `all` holds.
static void copy_behind(struct kernel *k, struct kir_value *all, struct wide_index *w,
                        struct arena *tmp) {
    struct kir_func *f = k->f;
    struct kir_block *entry = f->blocks.data[0], *rest = kir_block_new(f, NULL);
    uint32_t n = f->blocks.len - 2;
    struct kir_block **from = arena_array(tmp, struct kir_block *, n + 1);
    for (uint32_t b = 0; b < n; b++)
        from[b] = f->blocks.data[1 + b];
    struct kir_copy c = {.tmp = tmp, .to = f};
    c.blocks = arena_array(tmp, struct kir_block *, f->blocks.len + n + 1);
    c.values = arena_array(tmp, struct kir_value *, f->value_count + 1);
    kir_copy_blocks(&c, from, n);
    if (w)
        wide_index_apply(w, &c);
    struct kir_inst *first = k->tests[0];
    struct kir_block *work = first->targets[k->passes[0]];
    for (uint32_t b = 0; b < n; b++) {
        struct kir_block *copy = c.blocks[from[b]->id];
        for (uint32_t p = 0; p < from[b]->preds.len; p++) {
            struct kir_block *pred = from[b]->preds.data[p];
            vec_push(&f->module->arena, &copy->preds, pred == entry ? pred : c.blocks[pred->id]);
        }
        if (from[b] != work)
            for (uint32_t p = copy->preds.len; p-- > 0;)
                if (copy->preds.data[p] == entry)
                    drop_edge(entry, copy);
    }
    for (unsigned t = 1; t < k->ntests; t++)
        pass(k, c.blocks[k->tests[t]->block->id]->last, k->passes[t]);
    // The first test goes to a block of its own.
    kir_remove(first);
    kir_append(rest, first);
    vec_push(&f->module->arena, &rest->preds, entry);
    for (unsigned g = 0; g < 2; g++)
        for (uint32_t p = 0; p < first->targets[g]->preds.len; p++)
            if (first->targets[g]->preds.data[p] == entry)
                first->targets[g]->preds.data[p] = rest;
    struct kir_inst *choice = kir_inst_new(f, ISA_OP_CBR, ISA_VOID, 1, 0, NULL, 2);
    choice->ops[0] = all;
    choice->targets[0] = c.blocks[work->id];
    choice->targets[1] = rest;
    kir_append(entry, choice);
}

bool whole_blocks(struct kir_func *f, bool full_rows) {
    struct arena tmp = {0};
    struct kernel k = {.f = f};
    if (f->blocks.len < 2 || f->blocks.data[0]->preds.len || !is_simple(f))
        return false;
    k.range = (struct block_range){f, f->blocks.data[0]->last};
    k.indices = wide_index_new(&tmp, &k.range);
    struct kir_value *all = find_tests(&k, f->blocks.data[0]);
    bool widens = all && full_rows && wide_index_find(k.indices);
    if (all) {
        all = both_hold(&k, all, wide_index_conditions(k.indices));
        copy_behind(&k, all, widens ? k.indices : NULL, &tmp);
        kir_remove_unreachable(f);
    }
    kir_remove_dead(f);
    kir_renumber(f);
    arena_free(&tmp);
    return all;
}
