// A matrix instruction of one warp.
#ifndef KUDZU_DEVICE_WARP_MATRIX_H
#define KUDZU_DEVICE_WARP_MATRIX_H

#include "device/exec/block.h"
#include "isa/matrix.h"

// rows[k][lane] is operand k; results go to where isa_matrix_result_rows says.
void warp_matrix(struct resident *s, uint32_t warp, uint32_t lanes, uint32_t nops, uint64_t code,
                 uint64_t (*rows)[ISA_LANES]);

#endif
