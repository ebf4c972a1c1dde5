// Code that is there twice: for groups of lanes that pass a test, and for others.
#ifndef KUDZU_PASSES_GROUP_VERSION_H
#define KUDZU_PASSES_GROUP_VERSION_H

#include "ir/clean/copy.h"
#include "passes/flow/flow.h"

struct group_version {
    struct arena *tmp;
    struct kir_func *f;
    const struct flow *fl;  // of f, before anything was added
    struct kir_block *head; // ends with the test
    struct kir_inst *at;    // in it: what is there twice begins here
    unsigned most;          // instructions that may be there twice
    // What group_version_find finds: blocks behind the test, and the last one of a loop's
    // iteration.
    VEC(struct kir_block *) region;
    struct kir_block *latch;
    // What group_version_make makes: the rest of the iteration; NULL: both go on to the end.
    struct kir_block *tail;
    bool *inside; // by block id: there twice
};

// What begins at `at` and ends with the function, or with an iteration of the innermost loop around
// it. False: it cannot be there twice, or is too long.
bool group_version_find(struct group_version *v);

// Makes the copy, which runs where `all`, a value of the head, is true. c: its blocks and values by
// those of the original. The latter's first block is new.
void group_version_make(struct group_version *v, struct kir_value *all, struct kir_copy *c);

// Instructions of one result before `at`; comparisons have their flag set. Extremes, sums and
// others have operands of one type.
struct kir_value *group_version_put(const struct group_version *v, struct kir_inst *i);
struct kir_value *group_version_unary(const struct group_version *v, isa_op op, uint8_t ty,
                                      struct kir_value *x);
struct kir_value *group_version_binary(const struct group_version *v, isa_op op, uint8_t ty,
                                       struct kir_value *x, struct kir_value *y);
struct kir_value *group_version_compare(const struct group_version *v, enum isa_cmp cmp, uint8_t ty,
                                        struct kir_value *x, struct kir_value *y);

#endif
