// Matrix instructions: the registers of a warp's lanes go through isa_matrix_run.
#include "ir/interp/interp_internal.h"
#include "isa/matrix.h"
#include "isa/ops/matrix.h"

struct access {
    struct interp *in;
    struct interp_warp *w;
    uint8_t space;
    uint32_t first; // lane that reads what a descriptor names
};

static void *lane_memory(void *ctx, unsigned lane, uint64_t address, unsigned bytes) {
    struct access *a = ctx;
    struct interp_thread *t = &a->in->threads[a->w->first + lane];
    return a->in->failed ? NULL : interp_address(a->in, t, a->space, address, bytes, bytes);
}

static void *shared_memory(void *ctx, uint32_t address, unsigned bytes) {
    struct access *a = ctx;
    struct interp_thread *t = &a->in->threads[a->w->first + a->first];
    if (a->in->failed)
        return NULL;
    return interp_address(a->in, t, ISA_SPACE_SHARED, address, bytes, bytes);
}

void interp_matrix(struct interp *in, struct interp_warp *w, uint32_t lanes) {
    uint64_t rows[ISA_MATRIX_ROWS][ISA_LANES] = {{0}};
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    const struct interp_inst *like = interp_at(&in->threads[w->first + first]);
    const struct kir_inst *ir = like->ir;
    struct isa_matrix x = isa_matrix_of((isa_op)ir->op, &ir->mods);
    struct access access = {in, w, ir->mods.space, first};
    struct isa_matrix_memory memory = {&access, lane_memory, shared_memory, w->first / KD_WARP};
    if (ir->nops + ir->nres > ISA_MATRIX_ROWS && ir->op != ISA_OP_WGMMA_MMA) {
        interp_fault(in, &in->threads[w->first + first], KD_FAULT_ILLEGAL_INSTRUCTION);
        return;
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        struct interp_thread *t = &in->threads[w->first + lane];
        for (uint32_t k = 0; k < ir->nops; k++)
            rows[k][lane] = interp_get(t, &interp_at(t)->ops[k]).u64[0];
        rows[0][lane] += (uint64_t)ir->offset;
    }
    uint64_t(*results)[ISA_LANES] = isa_matrix_result_rows(&x, ir->nops, rows);
    isa_matrix_run(&x, &memory, lanes, ir->nops, (const uint64_t(*)[ISA_LANES])rows, results);
    for (uint32_t m = lanes; m && !in->failed; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        struct interp_thread *t = &in->threads[w->first + lane];
        for (uint32_t k = 0; k < ir->nres; k++)
            interp_set64(t, interp_at(t), k, results[k][lane]);
    }
}
