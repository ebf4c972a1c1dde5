// What the branches on the way to a place tell of a comparison.
#ifndef KUDZU_PASSES_KNOWN_TEST_H
#define KUDZU_PASSES_KNOWN_TEST_H

#include "passes/flow/cfg.h"

enum known_test { KNOWN_NOT, KNOWN_FALSE, KNOWN_TRUE };

// The result that `setp`, a comparison of integers, has with operands a and b on the edge between
// two blocks in which both are there: a search that leaves its loop at a difference, before its
// counter has come to n, leaves with k == n false.
enum known_test known_test(const struct cfg *c, const struct kir_inst *setp,
                           const struct kir_value *a, const struct kir_value *b,
                           const struct kir_block *from, const struct kir_block *to);

#endif
