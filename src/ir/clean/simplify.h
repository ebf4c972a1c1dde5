// Clean-ups of kernel IR. Each pass keeps the IR valid and returns whether it changed anything.
#ifndef KUDZU_IR_SIMPLIFY_H
#define KUDZU_IR_SIMPLIFY_H

#include "ir/ir.h"

bool kir_remove_unreachable(struct kir_func *f); // unreachable.c: blocks, and phi operands for them
bool kir_merge_blocks(struct kir_func *f);       // merge_blocks.c: a block with its only successor
bool kir_fold(struct kir_func *f);           // fold.c: constants, copies, trivial phis, branches
bool kir_sink_common(struct kir_func *f);    // sink_common.c: phis of one computation
bool kir_remove_dead(struct kir_func *f);    // dead_code.c: what nobody uses, phi cycles too
bool kir_promote_locals(struct kir_func *f); // promote_locals.c: local memory to values
// phase_waits.c: loops that ask for the end of a phase become waits that block
bool kir_block_on_phases(struct kir_func *f);
void kir_renumber(struct kir_func *f);     // renumber.c: dense ids of values and blocks
void kir_layout_frame(struct kir_func *f); // frame.c: offsets of locals

// All of them to the end, on one function or every one.
void kir_simplify_func(struct kir_func *f);
void kir_simplify(struct kir_module *m);

// inline.c: functions in the place of calls of them, where that is worth it; simplifies again.
// is_finite: does f have no loop that may wait for others (passes/flow/finite.h)?
bool kir_inline(struct kir_module *m, bool (*is_finite)(struct kir_func *f));

// constant_shared.c: loads from shared variables that hold but one constant; simplifies again.
bool kir_constant_shared(struct kir_module *m);

#endif
