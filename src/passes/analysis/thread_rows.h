// Threads that take rows of four words.
#ifndef KUDZU_PASSES_THREAD_ROWS_H
#define KUDZU_PASSES_THREAD_ROWS_H

#include "passes/flow/flow.h"

// fl: of a kernel without barriers, warp operations and calls, at the width of its vectors. True
// when each thread loads and stores rows of four floats that lie apart from its neighbours' rows,
// with little arithmetic between them, which treats a row's words alike: then four words of one
// thread make a vector without being moved, while those of neighbouring threads have to be taken
// out of as many lines.
bool thread_rows_are_vectors(const struct flow *fl);

#endif
