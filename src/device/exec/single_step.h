// Lets a thread run one instruction and stops it behind that, by SIGTRAP.
#ifndef KUDZU_DEVICE_SINGLE_STEP_H
#define KUDZU_DEVICE_SINGLE_STEP_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

// False on other machines than x86-64, and while a debugger, which a SIGTRAP would stop in, traces
// the process.
bool single_step_possible(void);
// Of a thread that a signal has stopped: false where SIGTRAP is blocked or the thread was stepped
// before, by itself.
bool single_step_allowed(const ucontext_t *u);
void single_step_begin(ucontext_t *u);
// Is the SIGTRAP that of a step? It goes on without one then.
bool single_step_end(const siginfo_t *info, ucontext_t *u);

#endif
