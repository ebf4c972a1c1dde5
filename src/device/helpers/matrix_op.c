// Matrix instructions of generated code: one warp's registers in memory, through isa_matrix_run.
#include "device/exec/block.h"
#include "device/helpers/runtime.h"
#include "device/helpers/warp_matrix.h"

// Generated code hands over addresses of the process.
static void *lane_memory(void *ctx, unsigned lane, uint64_t address, unsigned bytes) {
    return (void *)(uintptr_t)address;
}

static void *shared_memory(void *ctx, uint32_t address, unsigned bytes) {
    struct resident *s = ctx;
    if (address > s->b.shared_window_bytes || bytes > s->b.shared_window_bytes - address)
        block_fault(s, KD_FAULT_ILLEGAL_ADDRESS,
                    "a matrix descriptor that reaches out of the block's shared memory");
    return s->b.shared + address;
}

void warp_matrix(struct resident *s, uint32_t warp, uint32_t lanes, uint32_t nops, uint64_t code,
                 uint64_t (*rows)[ISA_LANES]) {
    struct isa_matrix x = isa_matrix_unpack(code);
    struct isa_matrix_memory memory = {s, lane_memory, shared_memory, warp};
    isa_matrix_run(&x, &memory, lanes, nops, (const uint64_t(*)[ISA_LANES])rows,
                   isa_matrix_result_rows(&x, nops, rows));
}

void kd_rt_matrix(struct kd_block *b, uint32_t thread, uint32_t lanes, uint32_t nops, uint64_t code,
                  uint64_t *rows) {
    warp_matrix(resident_of(b), thread / KD_WARP, lanes, nops, code,
                (uint64_t(*)[ISA_LANES])(void *)rows);
}
