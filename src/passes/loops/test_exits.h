// Tests behind a loop of how far its counter came.
#ifndef KUDZU_PASSES_TEST_EXITS_H
#define KUDZU_PASSES_TEST_EXITS_H

#include "ir/ir.h"

// Where a counter that leaves a loop is compared with something that the loop does not change, and
// used for nothing else, the comparison is made in the loop. f is valid before and after.
void test_exits(struct kir_func *f);

#endif
