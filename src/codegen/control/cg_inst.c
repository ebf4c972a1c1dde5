// One instruction: to the function that emits it.
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
#include "isa/ops/all.h"

static bool emit_warp(struct cg_func *g, struct kir_inst *i) {
    return cg_emit_meeting(g, i) || cg_emit_warp(g, i);
}

static bool emit_check(struct cg_func *g, struct kir_inst *i) {
    cg_emit_check(g, i);
    return true;
}

// cg_emit_terminator does, at the end of a block.
static bool emit_terminator(struct cg_func *g, struct kir_inst *i) {
    return false;
}

// What emits each instruction, as instructions.py says, but those of cg_emit_pure.
static bool (*const emitters[ISA_OP_COUNT])(struct cg_func *, struct kir_inst *) = {
#include "isa/rules/emit.inc"
};

void cg_emit_inst(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    enum isa_class k = isa_op_info[i->op].klass;
    bool ok = true;
    c->inst = i;
    if (cg_touches_shared(i))
        cg_forget_words(g);
    if (k == ISA_CLASS_POINTWISE || k == ISA_CLASS_SOURCE)
        cg_emit_pure(g, i);
    else
        ok = emitters[i->op] && emitters[i->op](g, i);
    c->inst = NULL;
    if (!ok)
        cg_cannot_compile(g, i);
}
