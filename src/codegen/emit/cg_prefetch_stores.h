#ifndef KUDZU_CODEGEN_CG_PREFETCH_STORES_H
#define KUDZU_CODEGEN_CG_PREFETCH_STORES_H

#include "codegen/core/state.h"

// At a group's head: asks for the lines that it will write behind its barriers.
void cg_prefetch_stores(struct cg_func *g);
const struct kir_inst *cg_asks_for_stores(const struct cg_func *g);

// At the end of block b: what it has loaded may tell where later blocks store.
void cg_prefetch_later_stores(struct cg_func *g, const struct kir_block *b);

#endif
