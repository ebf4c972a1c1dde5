// Four words a lane that go from one place to another, as a tile's rows go to shared memory: a load
// takes the vectors of four lanes apart that lie in memory, and a store puts them together again.
// LLVM sees that one undoes the other where nothing else uses the words; here the store finds the
// vectors.
#include "codegen/cg.h"

enum { KEPT = 8, WORDS = 4, LINES = KD_WARP / 4 };

// Of the last loads: the words of all lanes, and what they were made of.
struct cg_fours {
    LLVMValueRef word[KEPT][WORDS], line[KEPT][LINES];
    unsigned next;
};

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
