#ifndef KUDZU_CODEGEN_ONE_TEST_H
#define KUDZU_CODEGEN_ONE_TEST_H

#include "codegen/core/state.h"

// Before blocks are ordered: kernels that are one long way from beginning to end, with many tests
// on it whose outcome is nearly always the same, get that way without tests. True: something
// changed, and blocks that follow each other alone are to be joined.
bool cg_test_once(struct cg *c);

#endif
