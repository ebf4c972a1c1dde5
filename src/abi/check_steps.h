// What the device computes for all threads of a block to know whether they can race in shared
// memory (passes/check/check_shared.h, device/check/check_steps.c). A program is a list of steps;
// operands are steps in front of it, counted from its group's first step. Values are unsigned
// integers of 64 bits, one a thread.
#ifndef KUDZU_ABI_CHECK_STEPS_H
#define KUDZU_ABI_CHECK_STEPS_H

#include <stdint.h>

enum kd_step_op {
    KD_STEP_END,     // of the program
    KD_STEP_GROUP,   // value: so many steps follow that belong to one group of accesses
    KD_STEP_CONST,   // value
    KD_STEP_TID,     // value: 0 to 2
    KD_STEP_NTID,    // the same
    KD_STEP_NCTAID,  // the same
    KD_STEP_DYNAMIC, // where dynamic shared memory begins
    KD_STEP_PARAM,   // of b bytes, at value in the parameters
    KD_STEP_ADD,     // a + b; and so on, modulo 2^64
    KD_STEP_SUB,
    KD_STEP_MUL,
    KD_STEP_SHL, // of `value` bits: what is shifted further is 0
    KD_STEP_SHR, // the same
    KD_STEP_SAR, // the same; a is sign-extended
    KD_STEP_AND,
    KD_STEP_OR,
    KD_STEP_XOR,
    KD_STEP_MIN, // unsigned
    KD_STEP_MAX,
    KD_STEP_SMIN, // signed
    KD_STEP_SMAX,
    KD_STEP_DIV, // by 0: 0
    KD_STEP_REM,
    KD_STEP_EQ, // 1 or 0
    KD_STEP_NE,
    KD_STEP_LT, // unsigned
    KD_STEP_LE,
    KD_STEP_SLT, // signed
    KD_STEP_SLE,
    KD_STEP_SELECT, // a ? b : c
    KD_STEP_ZEXT,   // the low `value` bits of a
    KD_STEP_SEXT,   // the same, sign-extended
    // A number that a loop counts: a at first, then b. Those of one loop stand together.
    KD_STEP_PHI,
    // Where the group's accesses begin: those up to the next step of another kind are made
    // together.
    KD_STEP_TOGETHER,
    // Of `value` bytes at a, where b is not 0. c: enum kd_step_access.
    KD_STEP_ACCESS,
    // Once more from the PHIs at step `value` on, of which there are c, where b (KD_STEP_NONE: the
    // same as true) is not 0 in any thread, and a PHI changes.
    KD_STEP_LOOP
};
enum { KD_STEP_NONE = 0xffff }; // no operand
enum kd_step_access { KD_STEP_WRITES = 1, KD_STEP_STRONG = 2 };
struct kd_check_step {
    uint16_t op, a, b, c;
    uint64_t value;
};

#endif
