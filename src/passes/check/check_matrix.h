// What a lane accesses by an instruction that loads or stores a warp's matrices.
#ifndef KUDZU_PASSES_CHECK_MATRIX_H
#define KUDZU_PASSES_CHECK_MATRIX_H

#include "ir/ir.h"

enum { CHECK_MATRIX_PARTS = 4 };
struct check_matrix_part {
    struct kir_value *address;
    uint32_t bytes;         // a power of two, which the address is a multiple of
    struct kir_value *more; // how many bytes it is, `bytes` or 0 (B32); NULL: `bytes`
};
// Of ldmatrix, stmatrix, wmma.load or wmma.store; makes instructions in front of i that compute it.
// Returns how many parts.
uint32_t check_matrix_parts(struct kir_func *f, struct kir_inst *i,
                            struct check_matrix_part out[CHECK_MATRIX_PARTS]);

#endif
