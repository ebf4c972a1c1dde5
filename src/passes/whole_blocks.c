// `if (i < n)` is true for all threads of all blocks but the last ones. Under a test that threads
// pass or do not, everything has a mask; where the last thread of a block passes, which one scalar
// comparison says, nothing has.
#include "passes/whole_blocks.h"

#include "ir/copy.h"
#include "ir/simplify.h"

enum { MOST_INSTRUCTIONS = 200, MAX_DEPTH = 12, MAX_TESTS = 4, MOST_ADDED = 1 << 28 };

struct kernel {
    struct kir_func *f;
    struct kir_inst *at; // before it the test of the block is made
    struct kir_inst *tests[MAX_TESTS];
    unsigned passes[MAX_TESTS]; // the target of each that does the work
    unsigned ntests;
};

// ---- what a value can be in a block ------------------------------------------------------------

static struct kir_inst *like(const struct kernel *k, const struct kir_inst *old,
                             struct kir_value **ops) {
    struct kir_inst *i = kir_inst_new(k->f, (enum isa_op)old->op, (enum isa_type)old->ty, old->nops,
                                      1, &old->res[0]->type, 0);
    for (uint32_t n = 0; n < old->nops; n++)
        i->ops[n] = ops[n];
    i->ty2 = old->ty2;
    i->mods = old->mods;
    i->sreg = old->sreg;
    i->sym = old->sym;
    i->offset = old->offset;
    i->file = old->file;
    i->line = old->line;
    kir_insert_before(k->at, i);
    return i;
}

static bool is_sreg_of(const struct kir_inst *i, enum isa_sreg first) {
    return i->op == ISA_OP_SREG && i->sreg >= first && i->sreg <= first + 2;
}

// The same number in all threads of a block, made anew before k->at; NULL: it is no such number.
static struct kir_value *of_block(const struct kernel *k, struct kir_value *v, unsigned depth) {
    struct kir_value *ops[4];
    if (v->kind != KIR_VALUE_INST)
        return v->kind == KIR_VALUE_CONST ? v : NULL;
    const struct kir_inst *i = v->def;
    bool source = is_sreg_of(i, ISA_SREG_CTAID_X) || is_sreg_of(i, ISA_SREG_NTID_X) ||
                  is_sreg_of(i, ISA_SREG_NCTAID_X) ||
                  (i->op == ISA_OP_SYMADDR && i->sym->space == ISA_SPACE_PARAM);
    bool load = i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM && !i->mods.vec;
    bool computed = isa_op_info[i->op].klass == ISA_CLASS_POINTWISE;
    if (!depth || i->nres != 1 || i->nops > 4 || !(source || load || computed))
        return NULL;
    for (uint32_t n = 0; n < i->nops; n++)
        if (!(ops[n] = of_block(k, i->ops[n], depth - 1)))
            return NULL;
    return like(k, i, ops)->res[0];
}

// An index in the grid or the block, and a small number: they are below 2^30 and do not wrap.
struct index {
    unsigned dimension;
    bool in_grid;
    int32_t added;
    const struct kir_inst *wider; // the conversion to 64 bits; NULL: none
};

static bool is_sreg(const struct kir_value *v, enum isa_sreg r) {
    return v->kind == KIR_VALUE_INST && v->def->op == ISA_OP_SREG && v->def->sreg == r;
}

static bool is_32_bits(const struct kir_inst *i) {
    return (i->ty == ISA_S32 || i->ty == ISA_U32 || i->ty == ISA_B32) && !i->mods.sat &&
           !i->mods.cc;
}

static bool is_first_thread(const struct kir_value *x, const struct kir_value *y, unsigned d) {
    enum isa_sreg block = (enum isa_sreg)(ISA_SREG_CTAID_X + d),
                  size = (enum isa_sreg)(ISA_SREG_NTID_X + d);
    return (is_sreg(x, block) && is_sreg(y, size)) || (is_sreg(y, block) && is_sreg(x, size));
}

static bool is_grid_index(const struct kir_inst *i, unsigned d) {
    enum isa_sreg thread = (enum isa_sreg)(ISA_SREG_TID_X + d);
    if (!is_32_bits(i))
        return false;
    if (i->op == ISA_OP_MAD)
        return i->mods.half == ISA_LO && is_first_thread(i->ops[0], i->ops[1], d) &&
               is_sreg(i->ops[2], thread);
    for (unsigned n = 0; i->op == ISA_OP_ADD && n < 2; n++) {
        const struct kir_value *m = i->ops[n];
        if (m->kind == KIR_VALUE_INST && m->def->op == ISA_OP_MUL && is_32_bits(m->def) &&
            m->def->mods.half == ISA_LO && is_first_thread(m->def->ops[0], m->def->ops[1], d) &&
            is_sreg(i->ops[1 - n], thread))
            return true;
    }
    return false;
}

static bool find_index(const struct kir_value *v, struct index *x) {
    *x = (struct index){0};
    if (v->kind != KIR_VALUE_INST)
        return false;
    const struct kir_inst *i = v->def;
    if (i->op == ISA_OP_CVT && (i->ty == ISA_S64 || i->ty == ISA_U64) &&
        (i->ty2 == ISA_S32 || i->ty2 == ISA_U32) && i->ops[0]->kind == KIR_VALUE_INST) {
        x->wider = i;
        i = i->ops[0]->def;
    }
    if (i->op == ISA_OP_ADD && is_32_bits(i) && i->ops[1]->kind == KIR_VALUE_CONST &&
        i->ops[0]->kind == KIR_VALUE_INST) {
        x->added = i->ops[1]->bits.s32;
        i = i->ops[0]->def;
    }
    if (x->added <= -MOST_ADDED || x->added >= MOST_ADDED ||
        (x->wider && x->wider->ty2 == ISA_U32 && x->added < 0))
        return false;
    for (x->dimension = 0; x->dimension < 3; x->dimension++) {
        x->in_grid = is_grid_index(i, x->dimension);
        if (x->in_grid || (i->op == ISA_OP_SREG && i->sreg == ISA_SREG_TID_X + x->dimension))
            return true;
    }
    return false;
}

static struct kir_value *binary(const struct kernel *k, enum isa_op op, struct kir_value *a,
                                struct kir_value *b) {
    struct kir_inst *i = kir_inst_new(k->f, op, ISA_S32, 2, 1, &(uint8_t){KIR_B32}, 0);
    if (op == ISA_OP_MUL)
        i->mods.half = ISA_LO;
    i->ops[0] = a;
    i->ops[1] = b;
    kir_insert_before(k->at, i);
    return i->res[0];
}

static struct kir_value *register_of(const struct kernel *k, enum isa_sreg first, unsigned d) {
    struct kir_inst *i = kir_inst_new(k->f, ISA_OP_SREG, ISA_B32, 0, 1, &(uint8_t){KIR_B32}, 0);
    i->sreg = (uint8_t)(first + d);
    kir_insert_before(k->at, i);
    return i->res[0];
}

// The largest (else the least) that the index is in any thread of a block.
static struct kir_value *extreme(const struct kernel *k, const struct index *x, bool largest) {
    struct kir_value *size = register_of(k, ISA_SREG_NTID_X, x->dimension), *v = NULL;
    if (x->in_grid)
        v = binary(k, ISA_OP_MUL, register_of(k, ISA_SREG_CTAID_X, x->dimension), size);
    int32_t added = x->added - largest;
    if (largest)
        v = v ? binary(k, ISA_OP_ADD, v, size) : size;
    struct kir_value *c = kir_const(k->f, KIR_B32, (uint32_t)added);
    v = v ? binary(k, ISA_OP_ADD, v, c) : c;
    return x->wider ? like(k, x->wider, &v)->res[0] : v;
}

// ---- the test of a block -----------------------------------------------------------------------

static enum isa_cmp opposite(enum isa_cmp c) {
    static const uint8_t of[] = {
        [ISA_CMP_EQ] = ISA_CMP_NE, [ISA_CMP_NE] = ISA_CMP_EQ, [ISA_CMP_LT] = ISA_CMP_GE,
        [ISA_CMP_LE] = ISA_CMP_GT, [ISA_CMP_GT] = ISA_CMP_LE, [ISA_CMP_GE] = ISA_CMP_LT,
        [ISA_CMP_LO] = ISA_CMP_HS, [ISA_CMP_LS] = ISA_CMP_HI, [ISA_CMP_HI] = ISA_CMP_LS,
        [ISA_CMP_HS] = ISA_CMP_LO,
    };
    return (enum isa_cmp)of[c];
}

static bool is_below(enum isa_cmp c) {
    return c == ISA_CMP_LT || c == ISA_CMP_LE || c == ISA_CMP_LO || c == ISA_CMP_LS;
}

static bool is_unsigned(const struct kir_inst *i) {
    return !isa_type_is_signed((enum isa_type)i->ty) || i->mods.cmp >= ISA_CMP_LO;
}

static struct kir_value *compare(const struct kernel *k, const struct kir_inst *old, enum isa_cmp c,
                                 struct kir_value *a, struct kir_value *b) {
    struct kir_value *ops[] = {a, b};
    struct kir_inst *i = like(k, old, ops);
    i->mods.cmp = (uint8_t)c;
    return i->res[0];
}

// Does the comparison hold (or not) in all threads of a block? NULL: no number tells.
static struct kir_value *all_compare(const struct kernel *k, const struct kir_inst *i, bool want) {
    struct index x;
    if (i->nops != 2 || i->nres != 1 || i->mods.boolop || isa_type_is_float((enum isa_type)i->ty) ||
        i->ty == ISA_PRED || i->mods.cmp > ISA_CMP_HS)
        return NULL;
    enum isa_cmp c = want ? (enum isa_cmp)i->mods.cmp : opposite((enum isa_cmp)i->mods.cmp);
    for (unsigned n = 0; n < 2; n++) {
        if (!find_index(i->ops[n], &x) || (is_unsigned(i) && x.added < 0))
            continue;
        struct kir_value *other = of_block(k, i->ops[1 - n], MAX_DEPTH);
        if (!other)
            return NULL;
        if (c == ISA_CMP_NE && other->kind == KIR_VALUE_CONST && !other->bits.u64[0] && !x.added)
            return compare(k, i, ISA_CMP_NE, extreme(k, &x, false), other);
        if (c == ISA_CMP_NE || c == ISA_CMP_EQ)
            return NULL;
        struct kir_value *v = extreme(k, &x, is_below(c) == (n == 0));
        return n ? compare(k, i, c, other, v) : compare(k, i, c, v, other);
    }
    return NULL;
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
        struct kir_inst *both = like(k, i, ops);
        both->op = ISA_OP_AND;
        return both->res[0];
    }
    return i->op == ISA_OP_SETP ? all_compare(k, i, want) : NULL;
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
        if (all) {
            struct kir_inst *both =
                kir_inst_new(k->f, ISA_OP_AND, ISA_PRED, 2, 1, &(uint8_t){KIR_PRED}, 0);
            both->ops[0] = all;
            both->ops[1] = p;
            kir_insert_before(k->at, both);
            p = both->res[0];
        }
        all = p;
        k->tests[k->ntests] = t;
        k->passes[k->ntests++] = passes;
        b = next;
    }
    return all;
}

static bool is_access(const struct kir_inst *i) {
    bool plain = (i->op == ISA_OP_LD || i->op == ISA_OP_ST) && i->mods.sem == ISA_SEM_WEAK;
    bool atomic = (i->op == ISA_OP_RED || i->op == ISA_OP_ATOM) && !i->mods.vec &&
                  (i->mods.sem == ISA_SEM_WEAK || i->mods.sem == ISA_SEM_RELAXED);
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
static void copy_behind(struct kernel *k, struct kir_value *all, struct arena *tmp) {
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

bool whole_blocks(struct kir_func *f) {
    struct arena tmp = {0};
    struct kernel k = {.f = f};
    if (f->blocks.len < 2 || f->blocks.data[0]->preds.len || !is_simple(f))
        return false;
    k.at = f->blocks.data[0]->last;
    struct kir_value *all = find_tests(&k, f->blocks.data[0]);
    if (all)
        copy_behind(&k, all, &tmp);
    if (all)
        kir_remove_unreachable(f);
    kir_remove_dead(f);
    kir_renumber(f);
    arena_free(&tmp);
    return all;
}
