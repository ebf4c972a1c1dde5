#ifndef KUDZU_CODEGEN_CG_LANE_WORDS_H
#define KUDZU_CODEGEN_CG_LANE_WORDS_H

#include <stdbool.h>

#include "codegen/core/state.h"

struct plan_access;

// A load of words that the block loads side by side at each lane's place (plan/lane_words.c): a
// vector of `elem` for each component. All of them are loaded by the first that comes. False: it is
// none, or has a mask that it needs.
bool cg_load_lane_words(struct cg_func *g, const struct plan_access *a, LLVMTypeRef elem,
                        LLVMValueRef *out);
// What has been loaded may not be there for what is emitted next.
void cg_forget_lane_words(struct cg_func *g);

#endif
