// Four words a lane that go from one place to another, as a tile's rows go to shared memory: a load
// takes the vectors of four lanes apart that lie in memory, and a store puts them together again.
// LLVM sees that one undoes the other where nothing else uses the words; here the store finds the
// vectors.
#include "codegen/value/cg_fours.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"

enum { KEPT = 2 * CG_MAX_TEAM, WORDS = 4, LINES = KD_WARP / 4, LANES = 16 };

// Of the last loads: the words of all lanes, and what they were made of.
struct cg_fours {
    LLVMValueRef word[KEPT][WORDS], line[KEPT][LINES];
    unsigned next;
};

static LLVMValueRef pick(struct cg *c, LLVMValueRef x, LLVMValueRef y, const unsigned *from) {
    LLVMValueRef idx[LANES];
    for (unsigned k = 0; k < LANES; k++)
        idx[k] = cg_i32(c, from[k]);
    return LLVMBuildShuffleVector(c->b, x, y, LLVMConstVector(idx, LANES), "");
}

// Eight shuffles of two vectors, where one shuffle a word would take twelve.
void cg_take_fours_apart(struct cg *c, const LLVMValueRef *line, LLVMValueRef *word) {
    LLVMValueRef pair[2][2];
    unsigned from[LANES];
    for (unsigned h = 0; h < 2; h++)
        for (unsigned k = 0; k < 2; k++) {
            for (unsigned l = 0; l < LANES; l++)
                from[l] = l % 8 * 4 + k * 2 + l / 8;
            pair[h][k] = pick(c, line[2 * h], line[2 * h + 1], from);
        }
    for (unsigned k = 0; k < WORDS; k++) {
        for (unsigned l = 0; l < LANES; l++)
            from[l] = l % 8 + k % 2 * 8 + l / 8 * 16;
        word[k] = pick(c, pair[0][k / 2], pair[1][k / 2], from);
    }
}

void cg_make_fours(struct cg *c, const LLVMValueRef *word, LLVMValueRef *line) {
    LLVMValueRef x[WORDS];
    for (unsigned first = 0; first < c->width; first += LANES) {
        for (unsigned k = 0; k < WORDS; k++)
            x[k] = cg_sixteen_of(c, word[k], first);
        cg_put_in_order(c, x, WORDS, 1, line + first / WORDS);
    }
}

static LLVMValueRef bits_of(LLVMValueRef v) {
    return LLVMIsABitCastInst(v) ? LLVMGetOperand(v, 0) : v;
}

void cg_keep_fours(struct cg_func *g, const LLVMValueRef *word, const LLVMValueRef *line) {
    if (!g->fours)
        g->fours = arena_new(g->cg->arena, struct cg_fours);
    struct cg_fours *f = g->fours;
    unsigned at = f->next++ % KEPT;
    for (unsigned k = 0; k < WORDS; k++)
        f->word[at][k] = bits_of(word[k]);
    for (unsigned k = 0; k < g->cg->width / 4; k++)
        f->line[at][k] = line[k];
}

const LLVMValueRef *cg_fours_of(const struct cg_func *g, const LLVMValueRef *word) {
    const struct cg_fours *f = g->fours;
    for (unsigned at = 0; f && at < KEPT; at++) {
        bool same = true;
        for (unsigned k = 0; k < WORDS; k++)
            same &= f->word[at][k] == bits_of(word[k]);
        if (same)
            return f->line[at];
    }
    return NULL;
}
