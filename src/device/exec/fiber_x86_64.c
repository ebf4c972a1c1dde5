// The stack switch for x86-64 (System V). MXCSR is not switched: kernel code never changes it.
#if defined(__x86_64__)

#include "device/exec/fiber.h"

__asm__(".text\n"
        ".globl kd_fiber_switch\n"
        ".hidden kd_fiber_switch\n"
        ".type kd_fiber_switch, @function\n"
        ".p2align 4\n"
        "kd_fiber_switch:\n"
        "  endbr64\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rdi\n"
        ".globl kd_fiber_resume\n"
        ".hidden kd_fiber_resume\n"
        ".type kd_fiber_resume, @function\n"
        "kd_fiber_resume:\n"
        "  cld\n"
        "  movq %rdi, %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  ret\n"
        ".size kd_fiber_switch, .-kd_fiber_switch\n"
        // First entry: r12 is the function, r13 its argument.
        ".type kd_fiber_start, @function\n"
        ".p2align 4\n"
        "kd_fiber_start:\n"
        "  movq %r13, %rdi\n"
        "  callq *%r12\n"
        "  ud2\n"
        ".size kd_fiber_start, .-kd_fiber_start\n");

void kd_fiber_start(void) __attribute__((visibility("hidden")));

void *kd_fiber_prepare(void *stack_top, void (*entry)(void *), void *arg) {
    // Lowest first: r15 r14 r13 r12 rbx rbp, return address; then the stack is aligned to 16.
    uint64_t *sp = (uint64_t *)((uint64_t)stack_top & ~15ull) - 9;
    sp[0] = sp[1] = 0;
    sp[2] = (uint64_t)arg;
    sp[3] = (uint64_t)entry;
    sp[4] = sp[5] = 0;
    sp[6] = (uint64_t)kd_fiber_start;
    sp[7] = sp[8] = 0;
    return sp;
}

#endif
