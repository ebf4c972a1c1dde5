// Light stacks: a hand-written switch, and a pool of stacks with guard pages.
#ifndef KUDZU_DEVICE_FIBER_H
#define KUDZU_DEVICE_FIBER_H

#include <stddef.h>
#include <stdint.h>

// For functions that are left by a switch and never return: ThreadSanitizer counts calls and
// returns, and its record of the calls would grow with each.
#ifdef __SANITIZE_THREAD__
#define KD_NEVER_RETURNS __attribute__((no_sanitize("thread")))
#else
#define KD_NEVER_RETURNS
#endif

// Saves the callee-saved registers on the present stack, its pointer in *save, and goes on where
// `to` was saved.
void kd_fiber_switch(void **save, void *to);
// The same without saving: the present stack is given up. Also where a signal handler makes a
// faulting thread go on (its first argument register is `to`).
_Noreturn void kd_fiber_resume(void *to);
// A stack that, when first switched to, calls entry(arg), which must not return.
void *kd_fiber_prepare(void *stack_top, void (*entry)(void *), void *arg);

// Stacks of one size class (1 << shift bytes) for one thread's use: no locks.
enum { STACK_MIN_SHIFT = 16, STACK_MAX_SHIFT = 30 };
struct stack {
    struct stack *next;  // in a pool's list or a block's
    uint8_t *low, *high; // usable bytes: low <= sp < high
    uint8_t shift;
    void *sp;    // where it was left
    void *owner; // the fiber's own
};
struct stack_pool {
    struct stack *free[STACK_MAX_SHIFT + 1];
};
// NULL: the system has no more address space.
struct stack *stack_take(struct stack_pool *p, unsigned shift);
void stack_give(struct stack_pool *p, struct stack *s);
unsigned stack_shift(uint64_t bytes);
// 1 when `address` lies in the guard below a stack.
int stack_guard_hit(const struct stack *s, uint64_t address);

#endif
