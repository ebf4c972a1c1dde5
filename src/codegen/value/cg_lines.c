// Four words a thread that pass from block to block, and around loops, as they lie in memory:
// line by line, a line being the words of four threads. A radix sort's thread loads four keys, as
// it stored them, and the block splits all keys in their order: no word has to be taken out of its
// line. LLVM does not see that, since a phi stands between load and split. Here such phis are made
// of lines, and their words are taken apart where somebody wants them, which may be nobody.
//
// Only for words that a split stores (cg_split.c), in kernels whose block is one team: elsewhere
// what is alive at a barrier is saved word by word.
#include "codegen/value/cg_lines.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_fours.h"
#include "codegen/value/cg_home.h"
#include "codegen/value/cg_known.h"
#include "codegen/value/cg_value.h"

enum { WORDS = 4, LANES = 16, MOST_LINES = KD_WARP / WORDS };

struct four {
    struct kir_value *word[WORDS];
    const struct kir_inst *load; // NULL: they are phis
    bool known[CG_MAX_TEAM];     // the load has been emitted, and the lines are in their variables
    LLVMValueRef line[CG_MAX_TEAM][MOST_LINES];
    LLVMValueRef in[CG_MAX_TEAM][MOST_LINES]; // on their way over an edge
    struct four *next;
};

struct cg_lines {
    struct four *first;
};

// ---- finding them -------------------------------------------------------------------------------

static bool is_word(struct cg_func *g, const struct kir_value *v) {
    return v->kind == KIR_VALUE_INST && v->type == KIR_B32 && !g->fl->shared[v->id] &&
           !g->fl->live_out[v->id] && !cg_has_home(g, v) &&
           g->fl->shape[v->id].kind == SHAPE_VARYING;
}

// The load of four words that gives all of them, in their order; NULL: there is none.
static const struct kir_inst *load_of(struct kir_value *const *word) {
    const struct kir_inst *i = word[0]->kind == KIR_VALUE_INST ? word[0]->def : NULL;
    if (!i || i->op != ISA_OP_LD || i->mods.vec != WORDS || isa_type_bits(i->ty) != 32 ||
        isa_type_is_float(i->ty))
        return NULL;
    for (unsigned k = 0; k < WORDS; k++)
        if (word[k] != i->res[k])
            return NULL;
    return i;
}

static struct four *find(const struct cg_func *g, struct kir_value *const *word) {
    for (struct four *f = g->lines ? g->lines->first : NULL; f; f = f->next) {
        bool same = true;
        for (unsigned k = 0; k < WORDS; k++)
            same &= f->word[k] == word[k];
        if (same)
            return f;
    }
    return NULL;
}

static void operands(const struct four *f, uint32_t p, struct kir_value **in) {
    for (unsigned k = 0; k < WORDS; k++)
        in[k] = f->word[k]->def->ops[p];
}

static void add(struct cg_func *g, struct kir_value *const *word, const struct kir_inst *load) {
    struct four *f = find(g, word);
    if (f)
        return;
    f = arena_new(g->cg->arena, struct four);
    for (unsigned k = 0; k < WORDS; k++)
        f->word[k] = word[k];
    f->load = load;
    f->next = g->lines->first;
    g->lines->first = f;
}

// Phis of one block that all lanes enter together, and which some edge gives words of a load.
static void add_phis(struct cg_func *g, struct kir_value *const *word) {
    const struct kir_block *b = word[0]->def->block;
    struct four f = {.load = NULL};
    struct kir_value *in[WORDS];
    bool loaded = false;
    for (unsigned k = 0; k < WORDS; k++) {
        f.word[k] = word[k];
        for (unsigned n = 0; n < k; n++)
            if (word[n] == word[k])
                return;
        if (word[k]->def->op != ISA_OP_PHI || word[k]->def->block != b)
            return;
    }
    for (uint32_t p = 0; p < b->preds.len; p++) {
        operands(&f, p, in);
        loaded |= load_of(in) != NULL;
    }
    if (!loaded || !g->fl->full[b->id] || g->fl->join[b->id])
        return;
    for (uint32_t p = 0; p < b->preds.len; p++) {
        operands(&f, p, in);
        if (load_of(in))
            add(g, in, load_of(in));
    }
    add(g, word, NULL);
}

static bool stores_a_word(const struct kir_inst *i) {
    return i->op == ISA_OP_ST && !i->mods.vec && isa_type_bits(i->ty) == 32 &&
           i->mods.sem == ISA_SEM_WEAK;
}

static struct kir_inst *next_access(struct kir_inst *i) {
    do
        i = i->next;
    while (i && (isa_op_info[i->op].klass == ISA_CLASS_POINTWISE ||
                 isa_op_info[i->op].klass == ISA_CLASS_SOURCE));
    return i;
}

// Four stores, one behind the other, of a thread's four words?
static void look_at(struct cg_func *g, struct kir_inst *i) {
    struct kir_value *word[WORDS];
    for (unsigned k = 0; k < WORDS; k++, i = next_access(i)) {
        if (!i || !stores_a_word(i) || !is_word(g, i->ops[1]))
            return;
        word[k] = i->ops[1];
    }
    if (load_of(word))
        add(g, word, load_of(word));
    else
        add_phis(g, word);
}

static void make_variables(struct cg_func *g) {
    struct cg *c = g->cg;
    LLVMTypeRef t = LLVMVectorType(c->i32, LANES);
    for (struct four *f = g->lines->first; f; f = f->next)
        for (unsigned turn = 0; turn < c->team; turn++)
            for (unsigned n = 0; n < c->width / WORDS; n++)
                f->line[turn][n] = LLVMBuildAlloca(c->b, t, "line");
}

void cg_find_lines(struct cg_func *g) {
    struct cg *c = g->cg;
    if (!c->target.holds_line || c->quick || !c->one_team || c->width % LANES)
        return;
    g->lines = arena_new(c->arena, struct cg_lines);
    for (uint32_t p = 0; p < g->fl->cfg->nblocks; p++)
        for (struct kir_inst *i = g->fl->cfg->order[p]->first; i; i = i->next)
            look_at(g, i);
    if (g->lines->first)
        make_variables(g);
    else
        g->lines = NULL;
}

// ---- what they are ------------------------------------------------------------------------------

void cg_reset_lines(struct cg_func *g) {
    struct cg *c = g->cg;
    for (struct four *f = g->lines ? g->lines->first : NULL; f; f = f->next)
        for (unsigned n = 0; n < c->width / WORDS; n++)
            LLVMBuildStore(c->b, LLVMGetUndef(LLVMVectorType(c->i32, LANES)), f->line[g->turn][n]);
}

static void load_lines(struct cg_func *g, const struct four *f, LLVMValueRef *line) {
    struct cg *c = g->cg;
    for (unsigned n = 0; n < c->width / WORDS; n++)
        line[n] = LLVMBuildLoad2(c->b, LLVMVectorType(c->i32, LANES), f->line[g->turn][n], "");
}

static void store_lines(struct cg_func *g, const struct four *f, const LLVMValueRef *line) {
    for (unsigned n = 0; n < g->cg->width / WORDS; n++)
        LLVMBuildStore(g->cg->b, line[n], f->line[g->turn][n]);
}

static void lines_of_words(struct cg_func *g, struct kir_value *const *word, LLVMValueRef *line) {
    struct cg *c = g->cg;
    LLVMValueRef x[WORDS];
    for (unsigned k = 0; k < WORDS; k++)
        x[k] = cg_vec(g, word[k]);
    const LLVMValueRef *kept = cg_fours_of(g, x);
    LLVMTypeRef t = LLVMVectorType(c->i32, LANES);
    if (!kept)
        cg_make_fours(c, x, line);
    for (unsigned n = 0; n < c->width / WORDS; n++)
        line[n] = LLVMBuildBitCast(c->b, kept ? kept[n] : line[n], t, "");
}

bool cg_lines_of(struct cg_func *g, struct kir_value *const *word, LLVMValueRef *line) {
    const struct four *f = find(g, word);
    bool known = f && (!f->load || f->known[g->turn]);
    if (known)
        load_lines(g, f, line);
    return known;
}

struct kir_value *const *cg_words_among(struct cg_func *g, struct kir_value *const *x) {
    for (struct four *f = g->lines ? g->lines->first : NULL; f; f = f->next) {
        unsigned found = 0;
        for (unsigned k = 0; k < WORDS; k++)
            for (unsigned n = 0; n < WORDS; n++)
                found |= (f->word[k] == x[n]) << k;
        if (found == (1 << WORDS) - 1)
            return f->word;
    }
    return NULL;
}

void cg_keep_lines(struct cg_func *g, const struct kir_inst *load) {
    LLVMValueRef line[MOST_LINES];
    for (struct four *f = g->lines ? g->lines->first : NULL; f; f = f->next)
        if (f->load == load) {
            lines_of_words(g, f->word, line);
            store_lines(g, f, line);
            f->known[g->turn] = true;
        }
}

static struct four *of_phi(const struct cg_func *g, const struct kir_value *v) {
    for (struct four *f = g->lines ? g->lines->first : NULL; f; f = f->next)
        for (unsigned k = 0; k < WORDS && !f->load; k++)
            if (f->word[k] == v)
                return f;
    return NULL;
}

bool cg_is_in_lines(const struct cg_func *g, const struct kir_value *v) {
    return of_phi(g, v) != NULL;
}

void cg_take_words(struct cg_func *g, const struct kir_value *v) {
    struct cg *c = g->cg;
    const struct four *f = of_phi(g, v);
    LLVMValueRef line[MOST_LINES], word[2][WORDS];
    load_lines(g, f, line);
    for (unsigned h = 0; h < c->width / LANES; h++)
        cg_take_fours_apart(c, line + h * WORDS, word[h]);
    for (unsigned k = 0; k < WORDS; k++) {
        LLVMValueRef x = c->width == LANES ? word[0][k] : cg_concat(c, word[0][k], word[1][k]);
        *cg_val_of(g, f->word[k]) = (struct cg_val){.vec = x, .epoch = g->epoch};
    }
}

// ---- edges --------------------------------------------------------------------------------------

void cg_prepare_lines(struct cg_func *g, const struct kir_block *to, uint32_t p) {
    struct kir_value *in[WORDS];
    for (struct four *f = g->lines ? g->lines->first : NULL; f; f = f->next) {
        if (f->load || f->word[0]->def->block != to)
            continue;
        operands(f, p, in);
        const struct four *from = find(g, in);
        for (unsigned k = 0; k < WORDS && !(from && from->known[g->turn]); k++)
            cg_vec(g, in[k]);
    }
}

void cg_move_lines(struct cg_func *g, const struct kir_block *to, uint32_t p) {
    struct kir_value *in[WORDS];
    for (struct four *f = g->lines ? g->lines->first : NULL; f; f = f->next) {
        if (f->load || f->word[0]->def->block != to)
            continue;
        operands(f, p, in);
        if (!cg_lines_of(g, in, f->in[g->turn]))
            lines_of_words(g, in, f->in[g->turn]);
    }
    for (struct four *f = g->lines ? g->lines->first : NULL; f; f = f->next)
        if (!f->load && f->word[0]->def->block == to)
            store_lines(g, f, f->in[g->turn]);
}
