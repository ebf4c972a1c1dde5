#ifndef KUDZU_CODEGEN_CG_LIVE_H
#define KUDZU_CODEGEN_CG_LIVE_H

#include "codegen/core/state.h"

// Values that are alive behind an instruction, without its results, in the order of the layout.
// Asked for in that order: in linear time and room, as far as the lists are short.
struct cg_live {
    uint32_t n;
    struct kir_value **values;
};
struct cg_live cg_live_after(struct cg_func *g, const struct kir_inst *i);
void cg_forget_walk(struct cg_func *g); // values have become permanent since

#endif
