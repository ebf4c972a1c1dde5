// Grid-stride loops: `for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x *
// blockDim.x)`.
#ifndef KUDZU_PASSES_STRIDE_LOOP_H
#define KUDZU_PASSES_STRIDE_LOOP_H

#include "ir/ir.h"
#include "passes/analysis/launch_number.h"

// Is the kernel one such loop and nothing else, whose n each launch can compute? How: without a
// step, it is none.
struct launch_number stride_loop_find(struct kir_func *f);

// In such a kernel the body is left, without the loop: it runs once, for the i of the block that
// %ctaid.x tells of. Who runs it goes on with blocks that lie a grid further, as long as the first
// of their threads has an i < n. n and a step together are at most 2^30 then (KD_SPEC_STRIDES).
// ntid: of the launch, 0 where it is not known. Returns n, a constant or made in the first block;
// NULL: the kernel is no such loop, and stays. f is valid before and after.
struct kir_value *stride_loop_open(struct kir_func *f, const uint32_t ntid[3]);

#endif
