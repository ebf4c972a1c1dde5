#ifndef KUDZU_CODEGEN_CG_SUM_ROWS_H
#define KUDZU_CODEGEN_CG_SUM_ROWS_H

#include "codegen/core/state.h"

// A store for which cg_stores_pair says so: makes it, or puts it off up to the last one of several
// that are made together.
void cg_store_sums(struct cg_func *g, struct kir_inst *i);

#endif
