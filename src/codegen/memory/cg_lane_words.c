// Loads of words that each lane finds side by side at its own place (plan/lane_words.c): a vector
// a lane, and a transposition in registers, which the first of them makes for all.
#include "codegen/memory/cg_lane_words.h"
#include "codegen/access/cg_places.h"
#include "codegen/access/cg_words.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_spread.h"
#include "codegen/core/cg_transposition.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/value/cg_value.h"
#include "isa/ops/memory.h"
#include "plan/plan.h"

enum { WORD = 4, MOST_WORDS = 16, KEPT = 16 };

// Words that were loaded, in one group.
struct loaded {
    const struct kir_inst *by;
    int64_t lo;
    unsigned n, turn;
    uint32_t epoch;
    LLVMValueRef word[MOST_WORDS];
};

// The latest ones, in a ring.
struct cg_lane_words {
    struct loaded kept[KEPT];
    unsigned next;
};

static const struct loaded *find(const struct cg_func *g, const struct plan_access *a) {
    const struct kir_inst *i = a->inst;
    for (unsigned k = 0; g->lane_words && k < KEPT; k++) {
        const struct loaded *x = &g->lane_words->kept[k];
        if (x->by && x->by->block == i->block && x->by->ops[0] == i->ops[0] &&
            x->by->mods.space == i->mods.space && x->lo == a->words_lo && x->n == a->words &&
            x->turn == g->turn && x->epoch == g->epoch && plan_is_beside(i, x->by))
            return x;
    }
    return NULL;
}

static LLVMValueRef load_row(struct cg *c, LLVMValueRef p, LLVMTypeRef elem, unsigned n) {
    LLVMValueRef x = LLVMBuildLoad2(c->b, LLVMVectorType(elem, n), p, "");
    LLVMSetAlignment(x, WORD);
    return x;
}

static LLVMValueRef join(struct cg *c, LLVMValueRef *x, unsigned n) {
    for (; n > 1; n /= 2)
        for (unsigned k = 0; k < n / 2; k++)
            x[k] = cg_concat(c, x[2 * k], x[2 * k + 1]);
    return x[0];
}

// After how many lanes they find the same words again; at least `least`.
static unsigned period(const struct cg *c, const struct cg_places *at, unsigned least) {
    unsigned n = c->width;
    while (at->offs && n / 2 >= least) {
        for (unsigned l = 0; l < n / 2; l++)
            if (at->offs[l] != at->offs[l + n / 2])
                return n;
        n /= 2;
    }
    return n;
}

// Lanes from `first` on, as many as a register has.
static void load_register(struct cg_func *g, const struct plan_access *a, struct cg_places *at,
                          struct cg_spread *s, LLVMTypeRef elem, unsigned first, unsigned lanes,
                          LLVMValueRef *r) {
    struct cg *c = g->cg;
    unsigned n = a->words;
    LLVMValueRef row[MOST_WORDS];
    for (unsigned j = 0; j < n; j++) {
        for (unsigned k = 0; k < lanes / n; k++) {
            LLVMValueRef p = cg_place(g, at, s, first + cg_row_at(j, k, n, lanes));
            row[k] = load_row(c, cg_byte_gep(c, p, a->words_lo - a->inst->offset), elem, n);
        }
        r[j] = join(c, row, lanes / n);
    }
    cg_transpose_words(c, r, n, lanes);
}

static void load_words(struct cg_func *g, const struct plan_access *a, LLVMTypeRef elem,
                       LLVMValueRef *word) {
    struct cg *c = g->cg;
    struct cg_places at = cg_places_of(g, a->inst);
    struct cg_spread s = cg_spread_places(g, &at);
    LLVMValueRef part[MOST_WORDS][KD_WARP / 4], r[MOST_WORDS];
    unsigned n = a->words, registers = c->target.vector_bits / 32;
    unsigned all = period(c, &at, n < 4 ? 4 : n), lanes = all < registers ? all : registers;
    for (unsigned first = 0; first < all; first += lanes) {
        load_register(g, a, &at, &s, elem, first, lanes, r);
        for (unsigned k = 0; k < n; k++)
            part[k][first / lanes] = r[k];
    }
    for (unsigned k = 0; k < n; k++) {
        word[k] = join(c, part[k], all / lanes);
        for (unsigned have = all; have < c->width; have *= 2)
            word[k] = cg_concat(c, word[k], word[k]);
    }
}

static const struct loaded *load(struct cg_func *g, const struct plan_access *a, LLVMTypeRef elem) {
    if (!g->lane_words)
        g->lane_words = arena_new(g->cg->arena, struct cg_lane_words);
    if (a->inst->mods.space == ISA_SPACE_SHARED || a->inst->mods.space == ISA_SPACE_GENERIC)
        cg_flush_words(g);
    struct loaded *x = &g->lane_words->kept[g->lane_words->next++ % KEPT];
    load_words(g, a, elem, x->word);
    x->by = a->inst;
    x->lo = a->words_lo;
    x->n = a->words;
    x->turn = g->turn;
    x->epoch = g->epoch;
    return x;
}

bool cg_load_lane_words(struct cg_func *g, const struct plan_access *a, LLVMTypeRef elem,
                        LLVMValueRef *out) {
    struct cg *c = g->cg;
    if (!a->words || (g->now.mask && !a->in_block) || g->reds || g->appends)
        return false;
    const struct loaded *x = find(g, a);
    if (!x)
        x = load(g, a, elem);
    for (unsigned k = 0; k < a->count; k++) {
        LLVMTypeRef t = cg_vec_of(c, elem);
        out[k] = LLVMBuildBitCast(c->b, x->word[(a->inst->offset - x->lo) / WORD + k], t, "");
        if (g->now.mask)
            out[k] = cg_select(c, g->now.mask, out[k], LLVMConstNull(t));
    }
    return true;
}

void cg_forget_lane_words(struct cg_func *g) {
    if (g->lane_words)
        *g->lane_words = (struct cg_lane_words){0};
}
