// The stack switch for aarch64 (AAPCS64): x19..x30 and d8..d15.
#if defined(__aarch64__)

#include "device/exec/fiber.h"

__asm__(".text\n"
        ".globl kd_fiber_switch\n"
        ".hidden kd_fiber_switch\n"
        ".type kd_fiber_switch, %function\n"
        ".p2align 4\n"
        "kd_fiber_switch:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp, #0]\n"
        "  stp x21, x22, [sp, #16]\n"
        "  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n"
        "  stp x27, x28, [sp, #64]\n"
        "  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n"
        "  stp d10, d11, [sp, #112]\n"
        "  stp d12, d13, [sp, #128]\n"
        "  stp d14, d15, [sp, #144]\n"
        "  mov x2, sp\n"
        "  str x2, [x0]\n"
        "  mov x0, x1\n"
        ".globl kd_fiber_resume\n"
        ".hidden kd_fiber_resume\n"
        ".type kd_fiber_resume, %function\n"
        "kd_fiber_resume:\n"
        "  mov sp, x0\n"
        "  ldp x19, x20, [sp, #0]\n"
        "  ldp x21, x22, [sp, #16]\n"
        "  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n"
        "  ldp x27, x28, [sp, #64]\n"
        "  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n"
        "  ldp d10, d11, [sp, #112]\n"
        "  ldp d12, d13, [sp, #128]\n"
        "  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n"
        "  ret\n"
        ".size kd_fiber_switch, .-kd_fiber_switch\n"
        // First entry: x19 is the function, x20 its argument.
        ".type kd_fiber_start, %function\n"
        ".p2align 4\n"
        "kd_fiber_start:\n"
        "  mov x0, x20\n"
        "  blr x19\n"
        "  brk #1\n"
        ".size kd_fiber_start, .-kd_fiber_start\n");

void kd_fiber_start(void) __attribute__((visibility("hidden")));

void *kd_fiber_prepare(void *stack_top, void (*entry)(void *), void *arg) {
    uint64_t *sp = (uint64_t *)((uint64_t)stack_top & ~15ull) - 20;
    for (int i = 0; i < 20; i++)
        sp[i] = 0;
    sp[0] = (uint64_t)entry;
    sp[1] = (uint64_t)arg;
    sp[11] = (uint64_t)kd_fiber_start;
    return sp;
}

#endif
