// Words of the plan's text form, shared by its printer and its parser.
#ifndef KUDZU_PLAN_WORDS_H
#define KUDZU_PLAN_WORDS_H

#include <stddef.h>

#include "plan/plan.h"

extern const char *const plan_form_words[PLAN_FORMS];
extern const char *const plan_sharing_words[PLAN_SHARINGS]; // "" for PLAN_OWN
extern const char *const plan_mask_words[PLAN_MASKS];
extern const char *const plan_kind_words[PLAN_KINDS];

// A flag of struct plan_access.
struct plan_flag {
    const char *word;
    size_t offset;
};
enum { PLAN_FLAGS = 9 };
extern const struct plan_flag plan_flags[PLAN_FLAGS];

#endif
