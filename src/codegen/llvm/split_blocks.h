#ifndef KUDZU_CODEGEN_SPLIT_BLOCKS_H
#define KUDZU_CODEGEN_SPLIT_BLOCKS_H

#include "codegen/core/state.h"

// For quick code, after LLVM's passes: parts long blocks.
void cg_split_blocks(struct cg *c);

#endif
