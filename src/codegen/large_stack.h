// A stack of its own for work that may go deep: LLVM calls itself as deep as a kernel's blocks,
// loops and expressions go, and a launch may come from a thread with little stack.
#ifndef KUDZU_CODEGEN_LARGE_STACK_H
#define KUDZU_CODEGEN_LARGE_STACK_H

#include <stdbool.h>
#include <stddef.h>

// Calls work(arg) on a stack of so many bytes, a multiple of the page; only what is touched becomes
// memory. False: the system has no such room, and work was not called. keep: asked after work has
// returned; true: the stack stays as it is for ever, since something may still point into it.
bool large_stack_run(void (*work)(void *), void *arg, size_t bytes, bool (*keep)(void));

#endif
