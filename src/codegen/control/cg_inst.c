// One instruction: to its family, by its class.
#include "codegen/control/cg_inst.h"
#include "codegen/access/cg_words.h"
#include "codegen/control/cg_barrier.h"
#include "codegen/control/cg_park.h"
#include "codegen/core/state.h"
#include "codegen/emit/cg_async.h"
#include "codegen/emit/cg_call.h"
#include "codegen/emit/cg_check.h"
#include "codegen/emit/cg_pure.h"
#include "codegen/emit/cg_stack.h"
#include "codegen/emit/cg_texture.h"
#include "codegen/emit/cg_warp.h"
#include "codegen/matrix/cg_matrix.h"
#include "codegen/memory/cg_mem.h"
#include "codegen/update/cg_atomic.h"

void cg_emit_inst(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    bool ok = true;
    c->inst = i;
    if (cg_touches_shared(i))
        cg_forget_words(g);
    switch (isa_op_info[i->op].klass) {
    case ISA_CLASS_POINTWISE:
    case ISA_CLASS_SOURCE:
        cg_emit_pure(g, i);
        break;
    case ISA_CLASS_MEMORY:
        ok = i->op == ISA_OP_TEX || i->op == ISA_OP_SULD || i->op == ISA_OP_SUST
                 ? cg_emit_texture(g, i)
                 : cg_emit_atomic(g, i) || cg_emit_stack(g, i) || cg_emit_memory(g, i);
        break;
    case ISA_CLASS_FENCE:
        ok = i->op == ISA_OP_GRIDDEPCONTROL ? cg_emit_call(g, i) : cg_emit_memory(g, i);
        break;
    case ISA_CLASS_ASYNC:
        ok = cg_emit_async(g, i);
        break;
    case ISA_CLASS_CHECK:
        cg_emit_check(g, i);
        break;
    case ISA_CLASS_WARP:
        ok = cg_emit_matrix(g, i) || cg_emit_meeting(g, i) || cg_emit_warp(g, i);
        break;
    case ISA_CLASS_BLOCK:
        ok = cg_emit_barrier(g, i);
        break;
    case ISA_CLASS_CONTROL:
        ok = cg_emit_call(g, i);
        break;
    case ISA_CLASS_COMPOSITE: // kernel IR has none
        ok = false;
        break;
    }
    c->inst = NULL;
    if (!ok)
        cg_cannot_compile(g, i);
}
