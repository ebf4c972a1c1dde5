#ifndef KUDZU_CODEGEN_CG_FRAME_H
#define KUDZU_CODEGEN_CG_FRAME_H

#include "codegen/core/state.h"

// I is a load or store of the kernel's private frame, and has been emitted.
bool cg_emit_frame(struct cg_func *g, struct kir_inst *i);

#endif
