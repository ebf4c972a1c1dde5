// Frames whose addresses stay in the kernel.
#ifndef KUDZU_PASSES_PRIVATE_FRAME_H
#define KUDZU_PASSES_PRIVATE_FRAME_H

#include "ir/ir.h"

// Does f have local variables, and are their addresses used for nothing but f's own plain loads and
// stores of up to 8 bytes, so that nobody can tell how a thread's frame is laid out? Then these
// accesses become local ones where they were generic. Else f is as before. Not of functions that
// call others or take memory by alloca: their frames lie behind this one.
bool private_frame(struct kir_func *f);

#endif
