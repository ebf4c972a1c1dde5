#ifndef KUDZU_CODEGEN_CG_PRODUCT_H
#define KUDZU_CODEGEN_CG_PRODUCT_H

#include "codegen/core/state.h"

// Emits i; false: it is none of these instructions.
bool cg_emit_product(struct cg_func *g, struct kir_inst *i);

// May an ldmatrix wait until the products that alone use it load its rows themselves?
bool cg_defer_matrices(struct cg_func *g, struct kir_inst *i);

#endif
