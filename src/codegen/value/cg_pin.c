// Vectors that LLVM shall make where they stand. It would move what only one group's store needs to
// where that store is, behind what other groups of the team do, and all that it loaded would wait
// in memory meanwhile. What passes through an empty assembler statement stays before it.
#include "codegen/value/cg_pin.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/value/cg_home.h"
#include "codegen/value/cg_known.h"

static LLVMValueRef part(struct cg *c, LLVMValueRef x, unsigned first, unsigned lanes) {
    LLVMValueRef idx[KD_WARP];
    for (unsigned k = 0; k < lanes; k++)
        idx[k] = cg_i32(c, first + k);
    return LLVMBuildShuffleVector(c->b, x, LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(idx, lanes), "");
}

static LLVMValueRef pin(struct cg *c, LLVMValueRef x) {
    const char *place = c->target.mask_registers          ? "=v,0"
                        : c->target.family == MACHINE_ARM ? "=w,0"
                                                          : "=x,0";
    LLVMTypeRef t = LLVMTypeOf(x), f = LLVMFunctionType(t, &t, 1, 0);
    LLVMValueRef empty = LLVMGetInlineAsm(f, "", 0, place, 4, 1, 0, LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(c->b, f, empty, &x, 1, "");
}

void cg_pin(struct cg_func *g, struct kir_value *v) {
    struct cg *c = g->cg;
    // LLVM has no operands of assembler statements for vectors of fixed length in SVE's registers.
    unsigned lanes = c->target.sve_granules ? 4 : c->target.vector_bits / 32;
    if (kir_type_bits(v->type) != 32 || g->fl->shape[v->id].kind != SHAPE_VARYING ||
        c->width % lanes || cg_made_once(g, v) || cg_has_home(g, v))
        return;
    struct cg_val *val = cg_val_of(g, v);
    LLVMValueRef parts[8], x = val->vec;
    unsigned n = 0;
    if (!x || val->epoch != g->epoch)
        return;
    for (unsigned at = 0; at < c->width; at += lanes)
        parts[n++] = pin(c, part(c, x, at, lanes));
    for (; n > 1; n /= 2)
        for (unsigned k = 0; k < n / 2; k++)
            parts[k] = cg_concat(c, parts[2 * k], parts[2 * k + 1]);
    val->vec = parts[0];
}
