// The passes that pipeline.c lists. Each returns with what that list says it gives; one that has
// to give up sets cg.failed.
#ifndef KUDZU_PIPELINE_PASSES_H
#define KUDZU_PIPELINE_PASSES_H

#include "codegen/pipeline/pipeline.h"

// calls.c: which functions belong to the kernel, and what holds of them.
void find_functions(struct pipeline *p);

// effort.c: how much work LLVM is given, before there is code.
void choose_effort(struct pipeline *p);

// rewrite.c: indices of 16 bits, and such with a mask, in words of 32 bits.
void try_index_words(struct pipeline *p);

// rewrite.c: what follows from the number of threads in a block alone.
void try_known_size(struct pipeline *p);

// rewrite.c: words of the kernel's own frame that nobody else can look at.
void try_private_frame(struct pipeline *p);

// rewrite.c: a grid-stride loop's body alone: the code of a run of blocks goes on with the next
// iteration. Where the kernel gets another mode for that, it stays as it was.
void try_strides(struct pipeline *p);

// mode.c: how the kernel's blocks are run, and the width that goes with it, of a kernel that
// try_strides has left alone.
void choose_mode(struct pipeline *p);

// mode.c: the same for a kernel of any form, which may get a version for whole blocks before.
void choose_mode_anew(struct pipeline *p);

// unrolled.c: where one team can hold the whole block, loops with barriers in them are written out:
// with the iteration's number each lane's address in shared memory is then known. Mode and width
// stay. pipeline.unrolled says whether.
void try_unrolled(struct pipeline *p);

// rewrite.c: indices that only threads sent elsewhere have below zero.
void try_known_sign(struct pipeline *p);

// rewrite.c: quotients and remainders of indices, for groups of threads that have one quotient and
// others; tests of indices, for groups that no edge touches and others. What one version leaves in
// loops of its own is looked at in another round.
void try_group_versions(struct pipeline *p);

// rewrite.c: loops that lanes leave when data say so have a version for the last lanes, which go on
// one by one, without vectors.
void try_last_lanes(struct pipeline *p);

// rewrite.c: what compilers have written out, where teams and wide groups make long code of it,
// becomes loops again. One team looks into its shared memory and wants to see each place.
void try_rolled(struct pipeline *p);

// emit.c: LLVM's IR for the kernel and its functions.
void emit_all(struct pipeline *p);

// emit.c: refuses what LLVM would take too long for.
void check_length(struct pipeline *p);

// code_info.c: what the device has to know of the code.
void fill_info(struct pipeline *p);

// effort.c: where LLVM's pass would take long for the kernel's variables they become values before.
// Measured: a kernel of any form that was tried is compiled within seconds.
void make_values(struct pipeline *p);

// effort.c: is this quick code, and does better code follow?
void settle_quick(struct pipeline *p);

// emit.c: the object, of what LLVM makes of its IR.
void make_object(struct pipeline *p);

#endif
