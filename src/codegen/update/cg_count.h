#ifndef KUDZU_CODEGEN_CG_COUNT_H
#define KUDZU_CODEGEN_CG_COUNT_H

#include "codegen/core/state.h"

// What a predicate asks of a 32-bit word: a bit of it (of its complement, if `inside`), or how it
// compares with `by`; the contrary, if `outside`.
struct cg_test {
    struct kir_value *x, *by;
    bool is_bit, inside, outside, is_signed;
    uint8_t cmp, number; // number: which bit, where `by` is NULL; from 32 on there are zeros
};
bool cg_find_test(struct cg_func *g, const struct kir_value *pred, struct cg_test *t);
bool cg_find_term(struct cg_func *g, struct kir_value *v, struct cg_test *t); // v: 1 or 0

// 1: y holds where x does; -1: where x does not; 0: neither is known. *below: if what is asked for
// is a bit of a word, not one above it. The words are not looked at.
int cg_tests_agree(const struct cg_test *x, const struct cg_test *y, bool *below);
bool cg_same_test(const struct cg_test *x, const struct cg_test *y); // of different words
void cg_note_count(struct cg_func *g, const struct kir_inst *i);     // behind i

// Is a counter in each lane where it was in the lane before, and what that lane counted further:
// those of its words for which t holds, or does not?
struct cg_counter {
    LLVMValueRef first;    // in lane 0
    LLVMValueRef if_below; // an i1, under which that is so; NULL: always
    LLVMValueRef bits[KD_WARP / 4], count[KD_WARP / 4]; // i32: which words of a line, and how many
};
bool cg_counts_on(struct cg_func *g, struct kir_value *counter, struct kir_value *const *word,
                  const struct cg_test *t, bool holds, struct cg_counter *out);

#endif
