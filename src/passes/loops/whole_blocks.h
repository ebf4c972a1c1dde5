// A version of a kernel for blocks in which all threads pass the tests at its beginning.
#ifndef KUDZU_PASSES_WHOLE_BLOCKS_H
#define KUDZU_PASSES_WHOLE_BLOCKS_H

#include "ir/ir.h"

// Where a kernel begins with tests like `i < n` of what follows from a thread's index, and does
// nothing where they fail, its code is there twice: for blocks of which the last and the first
// thread pass, without the tests, and for others. The grid has at most 2^30 threads in each
// dimension. True: f has changed. f is valid before and after.
//
// full_rows: vectors lie in rows of a block. There indices of several dimensions are computed in 64
// bits in blocks in which they do not wrap (wide_index.h).
bool whole_blocks(struct kir_func *f, bool full_rows);

#endif
