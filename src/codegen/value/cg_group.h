#ifndef KUDZU_CODEGEN_CG_GROUP_H
#define KUDZU_CODEGEN_CG_GROUP_H

#include "codegen/core/state.h"

// Group.first, group.all, group.few, group.lowest, group.lane. False: another instruction.
bool cg_emit_group(struct cg_func *g, struct kir_inst *i);

#endif
