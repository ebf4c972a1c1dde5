#ifndef KUDZU_CODEGEN_CG_RED_SITE_H
#define KUDZU_CODEGEN_CG_RED_SITE_H

#include "codegen/core/state.h"

// `together`: all lanes go to one word.
bool cg_is_put_off(const struct cg_func *g, const struct kir_inst *i, bool together);

// A parameter of the kernel, or a variable's address: the same in all blocks of a run.
bool cg_is_of_run(const struct cg_func *g, const struct kir_value *v);

#endif
