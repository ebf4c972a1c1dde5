// What a thread does with each of four words, step by step: tests it, and stores where the test
// says so,
//
//     for (k = 0; k < 4; k++)
//         if ((s[4 * t + k - 1] & 15) != (x[k] & 15))
//             first[x[k] & 15] = 4 * t + k;
//
// Lane by lane each step takes every fourth word out of its line (cg_lines.c, cg_fours.c). Here the
// steps are made together, on the words as they lie in memory: lane l of a vector is word l % 4 of
// thread l / 4. Of several stores to one place the last lane's stays, so a thread's steps keep
// their order; what a step loads must not be what one before it has stored.
//
// In kernels whose block is one team: places in shared memory are constants there.
#include <string.h>

#include "codegen/access/cg_gather.h"
#include "codegen/access/cg_lone.h"
#include "codegen/access/cg_places.h"
#include "codegen/access/cg_table.h"
#include "codegen/access/cg_words.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/emit/cg_pure.h"
#include "codegen/emit/cg_steps.h"
#include "codegen/value/cg_again.h"
#include "codegen/value/cg_align.h"
#include "codegen/value/cg_fours.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_lines.h"
#include "codegen/value/cg_source.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/arith.h"
#include "plan/plan.h"

enum {
    WORDS = 4,
    LANES = 16,
    MOST_LANES = 32,
    MOST_BLOCKS = 16,
    MOST_DEPTH = 8,
    MOST_LEAVES = 4,
    MOST_OPERANDS = 4,
    MOST_INDEX = INT32_MAX / 2
};

// Where `first` is as first_holds says the step stores without asking further, else where `test` is
// as `holds` says. What `asks` loads is loaded in the latter case alone.
struct step {
    struct kir_inst *store;
    struct kir_value *test, *first; // first NULL: test alone decides
    struct kir_block *asks;         // NULL without `first`
    bool holds, first_holds;
    struct kir_value *index, *base;
};

// Four words that have lines, of each group of the team.
struct leaf {
    struct kir_value *word[WORDS];
    LLVMValueRef line[KD_WARP / WORDS];
};

struct steps {
    struct cg_func *g;
    struct kir_block *from, *end; // all lanes come to both
    struct step step[WORDS];
    struct kir_block *inside[MOST_BLOCKS];
    unsigned blocks;
    uint8_t *made; // by value id: of those inside, emitted in `from`
    struct leaf leaf[MOST_LEAVES];
    unsigned leaves, shuffled, loaded; // shuffled: lines that are made of words
    unsigned part;                     // lanes of the group from part * width / 4 on
    LLVMValueRef loads;                // of which of them; NULL: of all
};

// ---- finding them -------------------------------------------------------------------------------

static bool is_inside(const struct steps *s, const struct kir_block *b) {
    for (unsigned k = 0; k < s->blocks; k++)
        if (s->inside[k] == b)
            return true;
    return false;
}

static bool add_block(struct steps *s, struct kir_block *b) {
    if (b == s->from || is_inside(s, b) || s->blocks == MOST_BLOCKS)
        return false;
    s->inside[s->blocks++] = b;
    return true;
}

// Where an edge leads, past blocks of which it alone leads to each and that do nothing.
static struct kir_block *past_empty(struct steps *s, struct kir_block *b) {
    while (b->first == b->last && b->last->op == ISA_OP_BRA && b->preds.len == 1 && add_block(s, b))
        b = b->last->targets[0];
    return b;
}

static bool is_pure(const struct kir_inst *i) {
    enum isa_class k = isa_op_info[i->op].klass;
    return (k == ISA_CLASS_POINTWISE || k == ISA_CLASS_SOURCE) && i->op != ISA_OP_PHI;
}

// A parameter of the kernel, which stays as it is.
static bool is_parameter(const struct steps *s, const struct kir_inst *i) {
    return i->op == ISA_OP_LD && i->mods.space == ISA_SPACE_PARAM && s->g->f->is_kernel &&
           i->nres == 1 && s->g->fl->shape[i->res[0]->id].kind == SHAPE_UNIFORM;
}

static bool is_word_access(const struct kir_inst *i, isa_op op) {
    return i->op == op && !i->mods.vec && i->mods.sem == ISA_SEM_WEAK &&
           isa_type_bits(i->ty) == 32 && !isa_type_is_float(i->ty);
}

static bool is_load(const struct kir_inst *i) {
    return is_word_access(i, ISA_OP_LD) && i->mods.space == ISA_SPACE_SHARED;
}

// The only store of a block that does nothing else; NULL: it is no such block.
static struct kir_inst *sole_store(const struct steps *s, const struct kir_block *b) {
    struct kir_inst *store = NULL;
    for (struct kir_inst *i = b->first; i != b->last; i = i->next) {
        bool here = !store && is_word_access(i, ISA_OP_ST);
        if (!here && !is_pure(i) && !is_parameter(s, i))
            return NULL;
        store = here ? i : store;
    }
    return b->last->op == ISA_OP_BRA ? store : NULL;
}

static bool only_loads(const struct steps *s, const struct kir_block *b) {
    for (const struct kir_inst *i = b->first; i != b->last; i = i->next)
        if (!is_pure(i) && !is_parameter(s, i) && !is_load(i))
            return false;
    return true;
}

static bool is_test(const struct kir_block *b) {
    return b->last->op == ISA_OP_CBR && b->last->targets[0] != b->last->targets[1];
}

// The step's last test, at the end of b: to the store, or past it to `next`.
static bool find_test(struct steps *s, struct step *p, struct kir_block *b, struct kir_block *store,
                      struct kir_block *next) {
    struct kir_block *to[2];
    for (unsigned k = 0; k < 2; k++)
        to[k] = past_empty(s, b->last->targets[k]);
    p->test = b->last->ops[0];
    p->holds = to[0] == store;
    return to[p->holds ? 0 : 1] == store && to[p->holds ? 1 : 0] == next;
}

// The step that b's end begins; the block behind it, or NULL.
static struct kir_block *find_step(struct steps *s, struct step *p, struct kir_block *b) {
    struct kir_block *to[2], *next;
    if (!is_test(b))
        return NULL;
    for (unsigned k = 0; k < 2; k++)
        to[k] = past_empty(s, b->last->targets[k]);
    unsigned at = sole_store(s, to[0]) ? 0 : 1;
    p->store = sole_store(s, to[at]);
    if (!p->store || !add_block(s, to[at]))
        return NULL;
    next = to[at]->last->targets[0];
    if (to[1 - at] == next) {
        p->test = b->last->ops[0];
        p->holds = at == 0;
        return next;
    }
    p->first = b->last->ops[0];
    p->first_holds = at == 0;
    p->asks = to[1 - at];
    bool fits = is_test(p->asks) && p->asks->preds.len == 1 && only_loads(s, p->asks) &&
                add_block(s, p->asks) && find_test(s, p, p->asks, to[at], next);
    return fits ? next : NULL;
}

static void without_not(struct step *p) {
    while (p->test->kind == KIR_VALUE_INST && p->test->def->op == ISA_OP_NOT) {
        p->test = p->test->def->ops[0];
        p->holds = !p->holds;
    }
}

static bool find_steps(struct steps *s) {
    struct kir_block *b = s->from;
    for (unsigned k = 0; k < WORDS; k++) {
        b = find_step(s, &s->step[k], b);
        if (!b || !s->g->fl->full[b->id] || b == s->from || is_inside(s, b))
            return false;
        without_not(&s->step[k]);
        if (k + 1 < WORDS && (!only_loads(s, b) || !add_block(s, b)))
            return false;
    }
    s->end = b;
    return b->first->op != ISA_OP_PHI;
}

// They are left by their end alone, and come to by their beginning.
static bool is_closed(const struct steps *s) {
    const struct cfg *cfg = s->g->fl->cfg;
    const struct cfg_loop *l = cfg->loop[s->from->id];
    bool ok = cfg->loop[s->end->id] == l;
    for (unsigned k = 0; k < s->blocks && ok; k++) {
        const struct kir_block *b = s->inside[k];
        ok = cfg->loop[b->id] == l && cfg->pos[b->id] > cfg->pos[s->from->id] &&
             cfg->pos[b->id] < cfg->pos[s->end->id];
        for (uint32_t p = 0; p < b->preds.len; p++)
            ok &= b->preds.data[p] == s->from || is_inside(s, b->preds.data[p]);
    }
    return ok;
}

static bool is_made_inside(const struct steps *s, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && is_inside(s, v->def->block);
}

// By how many words what a step stores stands behind where that with the least offset begins.
static int64_t further(const struct steps *s, const struct step *p) {
    int64_t least = p->store->offset;
    for (unsigned k = 0; k < WORDS; k++)
        least = s->step[k].store->offset < least ? s->step[k].store->offset : least;
    return (p->store->offset - least) / 4;
}

static bool find_places(struct steps *s) {
    const struct step *first = &s->step[0];
    for (struct step *p = s->step; p < s->step + WORDS; p++) {
        s->g->block = p->store->block;
        p->index = cg_index_of(s->g, p->store, 4, &p->base);
        s->g->block = s->from;
        if (!p->index || p->base != first->base || is_made_inside(s, p->base) ||
            p->store->mods.space != first->store->mods.space || !cg_is_aligned(s->g, p->store) ||
            cg_largest(p->index) > MOST_INDEX || further(s, p) > MOST_INDEX || further(s, p) < 0 ||
            (p->store->offset - first->store->offset) % 4)
            return false;
    }
    return first->store->mods.space == ISA_SPACE_SHARED ||
           first->store->mods.space == ISA_SPACE_GLOBAL;
}

// ---- places of loads and stores -----------------------------------------------------------------

// A constant place in shared memory.
static bool constant(struct cg_func *g, struct kir_value *v, int64_t *at) {
    LLVMValueRef x = cg_scalar(g, v);
    if (!LLVMIsAConstantInt(x))
        return false;
    *at = LLVMConstIntGetSExtValue(x);
    return true;
}

// Does a word that a lane loads at `at` stand among so many bytes behind `to`?
static bool meet(const struct cg *c, const struct shape *s, int64_t at, int64_t to, int64_t bytes) {
    for (unsigned l = 0; l < c->width; l++)
        if (at + s->offs[l] < to + bytes && at + s->offs[l] + 4 > to)
            return true;
    return false;
}

// Does the current group load nothing that a step stores?
static bool is_apart(struct steps *s, const struct kir_inst *load) {
    struct cg_func *g = s->g;
    struct kir_value *v = load->ops[0];
    struct shape shape = cg_shape(g, v);
    int64_t at, to;
    if (shape.kind != SHAPE_OFFSETS || shape.guard || is_made_inside(s, v) ||
        !cg_is_aligned(g, load) || !constant(g, v, &at))
        return false;
    if (s->step[0].store->mods.space == ISA_SPACE_GLOBAL)
        return true;
    if (!constant(g, s->step[0].base, &to))
        return false;
    for (unsigned k = 0; k < WORDS; k++)
        if (meet(g->cg, &shape, at + load->offset, to + s->step[k].store->offset,
                 (int64_t)cg_largest(s->step[k].index) * 4 + 4))
            return false;
    return true;
}

static bool are_apart(struct steps *s) {
    bool ok = true;
    for (unsigned k = 0; k < s->blocks; k++)
        for (const struct kir_inst *i = s->inside[k]->first; i; i = i->next)
            ok = ok && (i->op != ISA_OP_LD || is_parameter(s, i) || is_apart(s, i));
    return ok;
}

// Does nothing change what i, in the block that the steps begin in, has loaded?
static bool stays(const struct kir_inst *i) {
    for (i = i->next; i != i->block->last; i = i->next)
        if (!is_pure(i) && i->op != ISA_OP_LD)
            return false;
    return true;
}

// ---- four values, a step each -------------------------------------------------------------------

static bool is_known(struct steps *s, struct kir_value *v) {
    struct shape shape = cg_shape(s->g, v);
    bool there = !is_made_inside(s, v) || s->made[v->id];
    return there &&
           (shape.kind == SHAPE_UNIFORM || (shape.kind == SHAPE_OFFSETS && !shape.guard)) &&
           (v->type == KIR_B32 || v->type == KIR_B64 || v->type == KIR_B16);
}

static bool are_known(struct steps *s, struct kir_value *const *v) {
    for (unsigned k = 0; k < WORDS; k++)
        if (!is_known(s, v[k]) || v[k]->type != v[0]->type)
            return false;
    return true;
}

// Words side by side, of which each thread loads four.
static bool are_loaded(struct steps *s, struct kir_value *const *v) {
    const struct kir_inst *first = v[0]->kind == KIR_VALUE_INST ? v[0]->def : NULL;
    if (!first)
        return false;
    struct shape shape = cg_shape(s->g, first->ops[0]);
    for (unsigned k = 0; k < WORDS; k++) {
        const struct kir_inst *i = v[k]->kind == KIR_VALUE_INST ? v[k]->def : NULL;
        if (!i || !is_load(i) || i->ops[0] != first->ops[0] || v[k]->type != KIR_B32 ||
            i->offset != first->offset + (int64_t)k * 4 || !is_apart(s, i) ||
            !(is_inside(s, i->block) || (i->block == s->from && stays(i))))
            return false;
    }
    for (unsigned l = 1; l < s->g->cg->width; l++)
        if (shape.offs[l] - shape.offs[l - 1] != WORDS * 4)
            return false;
    return true;
}

static bool are_computed_alike(struct steps *s, struct kir_value *const *v) {
    const struct kir_inst *first = v[0]->kind == KIR_VALUE_INST ? v[0]->def : NULL;
    for (unsigned k = 0; k < WORDS; k++) {
        const struct kir_inst *i = v[k]->kind == KIR_VALUE_INST ? v[k]->def : NULL;
        if (!i || i->op != first->op || !is_pure(i) || i->ty != first->ty || i->ty2 != first->ty2 ||
            memcmp(&i->mods, &first->mods, sizeof i->mods) || i->nops != first->nops ||
            i->nres != 1 || !i->nops || i->nops > MOST_OPERANDS ||
            isa_op_info[i->op].klass != ISA_CLASS_POINTWISE || isa_type_is_float(i->ty) ||
            isa_type_is_float(i->ty2) || i->flag != first->flag || i->index != first->index ||
            i->offset != first->offset || i->sym != first->sym || v[k]->type != v[0]->type ||
            !(i->block == s->from || is_inside(s, i->block)))
            return false;
    }
    return true;
}

static void operands(struct kir_value *const *v, uint32_t op, struct kir_value **out) {
    for (unsigned k = 0; k < WORDS; k++)
        out[k] = v[k]->def->ops[op];
}

static const struct leaf *find_leaf(const struct steps *s, struct kir_value *const *v) {
    for (unsigned k = 0; k < s->leaves; k++)
        if (!memcmp(s->leaf[k].word, v, sizeof s->leaf[k].word))
            return &s->leaf[k];
    return NULL;
}

// Words of the current group that have lines, or get them: where others are loaded as they lie that
// costs no more than taking those apart.
static bool have_lines(struct steps *s, struct kir_value *const *v) {
    struct cg_func *g = s->g;
    struct cg *c = g->cg;
    LLVMValueRef x[WORDS];
    struct leaf *f = &s->leaf[s->leaves];
    if (find_leaf(s, v))
        return true;
    for (unsigned k = 0; k < WORDS; k++)
        if (v[k]->type != KIR_B32 || is_made_inside(s, v[k]) || s->leaves == MOST_LEAVES)
            return false;
    if (!cg_lines_of(g, v, f->line)) {
        for (unsigned k = 0; k < WORDS; k++)
            x[k] = cg_vec(g, v[k]);
        const LLVMValueRef *line = cg_fours_of(g, x);
        LLVMTypeRef t = LLVMVectorType(c->i32, LANES);
        if (!line)
            cg_make_fours(c, x, f->line);
        for (unsigned n = 0; n < c->width / WORDS; n++)
            f->line[n] = LLVMBuildBitCast(c->b, line ? line[n] : f->line[n], t, "");
        s->shuffled += !line;
    }
    memcpy(f->word, v, sizeof f->word);
    s->leaves++;
    return true;
}

// Can the current group's values be made as their words lie?
static bool can_make(struct steps *s, struct kir_value *const *v, unsigned depth) {
    struct kir_value *op[WORDS];
    if (are_known(s, v))
        return true;
    if (are_loaded(s, v)) {
        s->loaded++;
        return true;
    }
    bool ok = depth && are_computed_alike(s, v);
    for (uint32_t k = 0; ok && k < v[0]->def->nops; k++) {
        operands(v, k, op);
        ok = can_make(s, op, depth - 1);
    }
    return ok || have_lines(s, v);
}

// ---- making them --------------------------------------------------------------------------------

// Which thread of the group, and which word of it, is lane l?
static unsigned thread_of(const struct steps *s, unsigned l) {
    return s->part * (s->g->cg->width / WORDS) + l / WORDS;
}

static LLVMValueRef make_known(struct steps *s, struct kir_value *const *v) {
    struct cg_func *g = s->g;
    struct cg *c = g->cg;
    LLVMTypeRef t = cg_scalar_type(c, v[0]->type);
    LLVMValueRef four = LLVMGetPoison(LLVMVectorType(t, WORDS)), lane[MOST_LANES], word[MOST_LANES];
    for (unsigned k = 0; k < WORDS; k++)
        four = LLVMBuildInsertElement(c->b, four, cg_scalar(g, v[k]), cg_i32(c, k), "");
    for (unsigned l = 0; l < c->width; l++) {
        struct shape shape = cg_shape(g, v[l % WORDS]);
        int64_t off = shape.kind == SHAPE_OFFSETS ? shape.offs[thread_of(s, l)] : 0;
        lane[l] = LLVMConstInt(t, (uint64_t)off, 1);
        word[l] = cg_i32(c, l % WORDS);
    }
    four = LLVMBuildShuffleVector(c->b, four, LLVMGetPoison(LLVMTypeOf(four)),
                                  LLVMConstVector(word, c->width), "");
    return LLVMBuildAdd(c->b, four, LLVMConstVector(lane, c->width), "");
}

static LLVMValueRef make_loaded(struct steps *s, struct kir_value *const *v) {
    struct cg_func *g = s->g;
    struct cg *c = g->cg;
    const struct kir_inst *i = v[0]->def;
    int64_t off = i->offset + cg_shape(g, i->ops[0]).offs[thread_of(s, 0)];
    LLVMValueRef p = cg_pointer(g, ISA_SPACE_SHARED, cg_scalar(g, i->ops[0]), false);
    LLVMValueRef at = cg_i64(c, (uint64_t)off), x;
    LLVMTypeRef ov[2] = {cg_vec_of(c, c->i32), c->ptr};
    p = LLVMBuildGEP2(c->b, c->i8, p, &at, 1, "");
    bool asked = false;
    for (unsigned k = 0; k < WORDS; k++)
        asked |= s->step[k].asks && v[k]->def->block == s->step[k].asks;
    if (!asked || !s->loads) {
        x = LLVMBuildLoad2(c->b, ov[0], p, "");
        LLVMSetAlignment(x, 4);
        return x;
    }
    LLVMValueRef args[4] = {p, cg_i32(c, 4), s->loads, LLVMConstNull(ov[0])};
    return cg_call_intrinsic(c, "llvm.masked.load", ov, 2, args, 4);
}

static LLVMValueRef make_line(struct steps *s, const struct leaf *f) {
    struct cg *c = s->g->cg;
    const LLVMValueRef *line = &f->line[s->part * (c->width / LANES)];
    return c->width == LANES ? line[0] : cg_concat(c, line[0], line[1]);
}

static LLVMValueRef make(struct steps *s, struct kir_value *const *v, unsigned depth);

static LLVMValueRef compute(struct steps *s, struct kir_value *const *v, unsigned depth) {
    struct cg_func *g = s->g;
    LLVMValueRef src[MOST_OPERANDS], dst[1];
    struct kir_value *op[WORDS];
    const struct kir_inst *i = v[0]->def;
    for (uint32_t k = 0; k < i->nops && k < MOST_OPERANDS; k++) {
        operands(v, k, op);
        src[k] = make(s, op, depth - 1);
        if (!src[k])
            return NULL;
    }
    return pw_emit(&g->cg->pw, i, g->cg->width, src, dst) ? dst[0] : NULL;
}

static LLVMValueRef make(struct steps *s, struct kir_value *const *v, unsigned depth) {
    if (are_known(s, v))
        return make_known(s, v);
    if (are_loaded(s, v))
        return make_loaded(s, v);
    const struct leaf *f = find_leaf(s, v);
    if (f)
        return make_line(s, f);
    return depth && are_computed_alike(s, v) ? compute(s, v, depth) : NULL;
}

// ---- emitting them ------------------------------------------------------------------------------

// Can i be emitted in `from`? Where not all lanes come to it, what all have alike can.
static bool can_stand_before(const struct steps *s, const struct kir_inst *i) {
    const struct shape *shape = &s->g->fl->shape[i->nres ? i->res[0]->id : 0];
    if (i->nres != 1 || shape->guard || !(is_pure(i) || is_parameter(s, i)))
        return false;
    for (uint32_t k = 0; k < i->nops; k++)
        if (is_made_inside(s, i->ops[k]) && !s->made[i->ops[k]->id])
            return false;
    return shape->kind == SHAPE_UNIFORM || shape->kind == SHAPE_OFFSETS ||
           s->g->fl->full[i->block->id];
}

// Emits what can be, in the current group, for the steps and for who uses it behind them.
static void make_inside(struct steps *s) {
    struct cg_func *g = s->g;
    for (unsigned n = 0; n < s->blocks; n++)
        for (struct kir_inst *i = s->inside[n]->first; i != s->inside[n]->last; i = i->next) {
            if (!can_stand_before(s, i))
                continue;
            struct kir_value *v = i->res[0];
            bool there = (g->turn && cg_made_once(g, v)) ||
                         cg_val_of(g, v)->epoch == CG_PERMANENT || cg_is_again(g, v);
            if (!there)
                cg_emit_pure(g, i);
            s->made[v->id] = 1;
        }
}

static bool are_used_outside(const struct steps *s) {
    const struct cfg *cfg = s->g->fl->cfg;
    for (uint32_t p = 0; p < cfg->nblocks; p++)
        for (const struct kir_inst *i = cfg->order[p]->first; i; i = i->next)
            for (uint32_t k = 0; k < i->nops && !is_inside(s, cfg->order[p]); k++)
                if (is_made_inside(s, i->ops[k]) && !s->made[i->ops[k]->id])
                    return true;
    return false;
}

// Which of the part's lanes store without asking; NULL: none. False: nobody knows.
static bool first_lanes(struct steps *s, LLVMValueRef *out) {
    struct cg *c = s->g->cg;
    LLVMValueRef lane[MOST_LANES];
    bool any = false;
    for (unsigned l = 0; l < c->width; l++) {
        const struct step *p = &s->step[l % WORDS];
        bool yes = false;
        if (p->first) {
            LLVMValueRef m = cg_vec(s->g, p->first);
            m = LLVMIsConstant(m) ? LLVMGetAggregateElement(m, thread_of(s, l)) : NULL;
            if (!m || !LLVMIsAConstantInt(m))
                return false;
            yes = !LLVMIsNull(m) == p->first_holds;
        }
        any |= yes;
        lane[l] = LLVMConstInt(c->i1, yes, 0);
    }
    *out = any ? LLVMConstVector(lane, c->width) : NULL;
    return true;
}

// The lanes that store.
static LLVMValueRef make_mask(struct steps *s, LLVMValueRef first) {
    struct cg *c = s->g->cg;
    struct kir_value *test[WORDS];
    LLVMValueRef flip[MOST_LANES];
    for (unsigned l = 0; l < c->width; l++) {
        test[l % WORDS] = s->step[l % WORDS].test;
        flip[l] = LLVMConstInt(c->i1, !s->step[l % WORDS].holds, 0);
    }
    LLVMValueRef m = make(s, test, MOST_DEPTH);
    if (!m)
        return NULL;
    m = LLVMBuildXor(c->b, m, LLVMConstVector(flip, c->width), "");
    return first ? cg_select(c, first, first, m) : m;
}

// What lanes store is often their number times something, and what all have alike.
static void find_growth(struct cg *c, LLVMValueRef x, struct cg_lane_access *a) {
    int64_t n[MOST_LANES];
    for (unsigned l = 0; l < c->width; l++) {
        LLVMValueRef e = LLVMIsConstant(x) ? LLVMGetAggregateElement(x, l) : NULL;
        if (!e || !LLVMIsAConstantInt(e))
            return;
        n[l] = LLVMConstIntGetSExtValue(e);
        if (l > 1 && n[l] - n[l - 1] != n[1] - n[0])
            return;
    }
    a->from = cg_i32(c, (uint32_t)n[0]);
    a->by = (uint32_t)(n[1] - n[0]);
}

static bool emit_part(struct steps *s) {
    struct cg_func *g = s->g;
    struct cg *c = g->cg;
    struct kir_inst *store = s->step[0].store;
    struct kir_value *index[WORDS], *value[WORDS];
    LLVMValueRef first, x, at;
    for (unsigned k = 0; k < WORDS; k++) {
        index[k] = s->step[k].index;
        value[k] = s->step[k].store->ops[1];
    }
    if (!first_lanes(s, &first))
        return false;
    s->loads = first ? LLVMBuildNot(c->b, first, "") : NULL;
    LLVMValueRef mask = make_mask(s, first);
    if (!mask || !(at = make(s, index, MOST_DEPTH)) || !(x = make(s, value, MOST_DEPTH)))
        return false;
    LLVMValueRef base = cg_pointer(g, store->mods.space, cg_scalar(g, s->step[0].base), false);
    LLVMValueRef behind[MOST_LANES],
        off = cg_i64(c, (uint64_t)(store->offset - further(s, &s->step[0]) * 4));
    for (unsigned l = 0; l < c->width; l++)
        behind[l] = cg_i32(c, (uint64_t)further(s, &s->step[l % WORDS]));
    at = LLVMBuildAdd(c->b, at, LLVMConstVector(behind, c->width), "");
    struct cg_lane_access a = {.elem = c->i32, .count = 1, .bytes = 4};
    a.lone = plan_access_of(g->plan, s->step[WORDS - 1].store)->lone;
    a.at = (struct cg_places){
        .base = LLVMBuildGEP2(c->b, c->i8, base, &off, 1, ""), .index = at, .scale = 4};
    find_growth(c, x, &a);
    g->now.mask = mask;
    cg_scatter(g, a, &x);
    g->now.mask = NULL;
    return true;
}

// Each group by itself is looked at before anything is emitted that stays.
static bool can_emit(struct steps *s) {
    struct kir_value *v[3][WORDS];
    LLVMValueRef first;
    for (unsigned k = 0; k < WORDS; k++) {
        v[0][k] = s->step[k].test;
        v[1][k] = s->step[k].index;
        v[2][k] = s->step[k].store->ops[1];
        if (s->step[k].first && is_made_inside(s, s->step[k].first))
            return false;
    }
    s->leaves = s->shuffled = s->loaded = s->part = 0;
    make_inside(s);
    return !are_used_outside(s) && are_apart(s) && first_lanes(s, &first) &&
           can_make(s, v[0], MOST_DEPTH) && can_make(s, v[1], MOST_DEPTH) &&
           can_make(s, v[2], MOST_DEPTH) && s->shuffled <= s->loaded;
}

// Elsewhere than in blocks that always run words of shared memory may stay in registers, for what
// is known not to load them.
static bool is_wanted(const struct cg_func *g, const struct kir_block *b) {
    const struct cg *c = g->cg;
    return c->target.mask_registers && !c->quick && c->one_team && !(c->width % LANES) &&
           c->width <= MOST_LANES && !g->reds && !g->appends && !c->ir->lockstep &&
           g->runs[b->id] == CG_RUNS_ALWAYS && !g->entry_mask && g->fl->full[b->id] &&
           g->fl->divergent[b->id] && is_test(b);
}

static bool emit_groups(struct steps *s) {
    struct cg_func *g = s->g;
    bool ok = true;
    for (unsigned t = 0; t < g->cg->team && ok; t++) {
        cg_turn_to(g, t);
        ok = can_emit(s);
    }
    for (unsigned t = 0; t < g->cg->team && ok; t++) {
        cg_turn_to(g, t);
        ok = can_emit(s);
        if (!t && ok)
            cg_forget_words(g);
        for (s->part = 0; s->part < WORDS && ok; s->part++)
            ok = emit_part(s);
    }
    cg_turn_to(g, 0);
    return ok;
}

bool cg_emit_steps(struct cg_func *g, struct kir_block *b) {
    struct cg *c = g->cg;
    if (!is_wanted(g, b))
        return false;
    struct steps s = {.g = g, .from = b};
    s.made = arena_array(c->arena, uint8_t, g->f->value_count + 1);
    if (!find_steps(&s) || !is_closed(&s) || !find_places(&s) || !emit_groups(&s))
        return false;
    for (unsigned k = 0; k < WORDS; k++)
        note_on(c->notes, s.step[k].store, false,
                "store: with a thread's other ones, in the order in which their words lie");
    for (unsigned k = 0; k < s.blocks; k++)
        g->done[s.inside[k]->id] = 1;
    LLVMBuildBr(c->b, g->test[s.end->id]);
    return true;
}
