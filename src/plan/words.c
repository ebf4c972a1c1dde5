#include "plan/words.h"

const char *const plan_form_words[PLAN_FORMS] = {[PLAN_SCALAR] = "scalar",
                                                 [PLAN_OFFSETS] = "offsets",
                                                 [PLAN_GUARDED] = "guarded",
                                                 [PLAN_VECTOR] = "vector"};
const char *const plan_sharing_words[PLAN_SHARINGS] = {
    [PLAN_OWN] = "", [PLAN_SHARED] = "shared", [PLAN_LAG] = "lag"};
const char *const plan_mask_words[PLAN_MASKS] = {
    [PLAN_ALL] = "all", [PLAN_ENTRY] = "entry", [PLAN_BLOCK] = "block"};
const char *const plan_kind_words[PLAN_KINDS] = {
    [PLAN_EACH] = "each",     [PLAN_ONE] = "one",         [PLAN_LINE] = "line",
    [PLAN_PIECES] = "pieces", [PLAN_STRIDED] = "strided", [PLAN_APART] = "apart",
    [PLAN_RUNS] = "runs",     [PLAN_STEPS] = "steps"};

#define FLAG(name)                                                                                 \
    { #name, offsetof(struct plan_access, name) }
const struct plan_flag plan_flags[PLAN_FLAGS] = {FLAG(whole),    FLAG(tested),  FLAG(guess),
                                                 FLAG(in_block), FLAG(by_page), FLAG(sparse),
                                                 FLAG(lone),     FLAG(past),    FLAG(transposed)};
