// Matrix instructions. What cg_product.c, cg_wgmma.c and cg_fragment.c have no code for: the
// registers of a warp's lanes go to memory, a helper computes, the results come back.
#include "codegen/matrix/cg_matrix.h"
#include "codegen/core/cg_blocks.h"
#include "codegen/core/cg_module.h"
#include "codegen/core/cg_vectors.h"
#include "codegen/core/state.h"
#include "codegen/matrix/cg_fragment.h"
#include "codegen/matrix/cg_product.h"
#include "codegen/matrix/cg_wgmma.h"
#include "codegen/value/cg_nan.h"
#include "codegen/value/cg_source.h"
#include "codegen/value/cg_value.h"
#include "isa/matrix.h"
#include "isa/ops/matrix.h"

static struct isa_matrix matrix_of(const struct kir_inst *i) {
    return isa_matrix_of((isa_op)i->op, &i->mods);
}

static bool has_address(const struct kir_inst *i) {
    return i->op == ISA_OP_LDMATRIX || i->op == ISA_OP_STMATRIX || i->op == ISA_OP_WMMA_LOAD ||
           i->op == ISA_OP_WMMA_STORE;
}

// Rows of registers that an instruction needs in memory.
static unsigned rows_of(const struct kir_inst *i) {
    unsigned n = i->nops > i->nres ? i->nops : i->nres;
    return i->op == ISA_OP_WGMMA_MMA ? n : i->nops + i->nres;
}

// One piece of the frame for all matrix instructions of a function.
static LLVMValueRef rows_memory(struct cg_func *g) {
    struct cg *c = g->cg;
    unsigned most = 1;
    if (g->matrix_rows)
        return g->matrix_rows;
    for (uint32_t b = 0; b < g->f->blocks.len; b++)
        for (struct kir_inst *i = g->f->blocks.data[b]->first; i; i = i->next)
            if (isa_is_matrix((isa_op)i->op) && rows_of(i) > most)
                most = rows_of(i);
    LLVMTypeRef row = LLVMArrayType2(c->i64, c->width);
    g->matrix_rows = cg_entry_alloca(g, LLVMArrayType2(row, most));
    return g->matrix_rows;
}

static LLVMValueRef row_at(struct cg *c, LLVMValueRef rows, unsigned k) {
    LLVMValueRef at = cg_i64(c, (uint64_t)k * c->width);
    return LLVMBuildInBoundsGEP2(c->b, c->i64, rows, &at, 1, "");
}

// The address that each lane names, as one of the process.
static LLVMValueRef lane_addresses(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    LLVMTypeRef words = cg_vec_of(c, c->i64);
    LLVMValueRef a = cg_narrow(c, cg_vec(g, i->ops[0]), 64);
    LLVMValueRef offset = LLVMConstInt(c->i64, (unsigned long long)i->offset, 1);
    if (c->width > 1)
        offset = cg_splat(c, offset);
    a = LLVMBuildAdd(c->b, a, offset, "");
    return LLVMBuildPtrToInt(c->b, cg_pointer(g, (enum isa_space)i->mods.space, a, c->width > 1),
                             words, "");
}

static LLVMValueRef operand_row(struct cg_func *g, struct kir_inst *i, unsigned k) {
    struct cg *c = g->cg;
    if (!k && has_address(i))
        return lane_addresses(g, i);
    return cg_narrow(c, cg_operand_bits(g, i, k, cg_vec(g, i->ops[k])), 64);
}

static void set_results(struct cg_func *g, struct kir_inst *i, LLVMValueRef rows, unsigned first) {
    struct cg *c = g->cg;
    for (unsigned k = 0; k < i->nres; k++) {
        LLVMValueRef v = LLVMBuildLoad2(c->b, cg_vec_of(c, c->i64), row_at(c, rows, first + k), "");
        LLVMSetAlignment(v, 8);
        cg_set_result(g, i->res[k], cg_widen(c, v, ISA_B64, i->res[k]->type));
    }
}

bool cg_emit_matrix(struct cg_func *g, struct kir_inst *i) {
    struct cg *c = g->cg;
    if (i->op == ISA_OP_WGMMA_FENCE || i->op == ISA_OP_WGMMA_COMMIT_GROUP ||
        i->op == ISA_OP_WGMMA_WAIT_GROUP)
        return true; // a product is complete when it is issued
    if (!isa_is_matrix((isa_op)i->op))
        return false;
    if (cg_emit_product(g, i) || cg_emit_wgmma(g, i) || cg_emit_fragment(g, i))
        return true;
    struct isa_matrix x = matrix_of(i);
    LLVMValueRef rows = rows_memory(g), code = cg_i64(c, isa_matrix_pack(&x));
    unsigned first = i->op == ISA_OP_WGMMA_MMA ? 0 : i->nops;
    for (unsigned k = 0; k < i->nops; k++)
        LLVMSetAlignment(LLVMBuildStore(c->b, operand_row(g, i, k), row_at(c, rows, k)), 8);
    if (c->width == 1) {
        LLVMValueRef a[] = {g->blk, g->now.t0, cg_i32(c, i->nops),
                            code,   rows,      row_at(c, rows, first)};
        cg_call_rt(c, "kd_rt_lane_matrix", a, 6);
    } else {
        LLVMValueRef lanes = cg_narrow(c, cg_mask_bits(g, cg_mask(g)), 32);
        LLVMValueRef a[] = {g->blk, g->now.t0, lanes, cg_i32(c, i->nops), code, rows};
        cg_call_rt(c, "kd_rt_matrix", a, 6);
    }
    set_results(g, i, rows, first);
    return true;
}
