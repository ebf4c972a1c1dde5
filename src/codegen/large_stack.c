#include "codegen/large_stack.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// Debuggers and profilers find the way back: the frame's address is told from the frame pointer,
// which lies on the former stack.
void kj_call_on_stack(void *top, void (*work)(void *), void *arg)
    __attribute__((visibility("hidden")));

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl kj_call_on_stack\n"
        ".hidden kj_call_on_stack\n"
        ".type kj_call_on_stack, @function\n"
        ".p2align 4\n"
        "kj_call_on_stack:\n"
        "  .cfi_startproc\n"
        "  endbr64\n"
        "  pushq %rbp\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset %rbp, -16\n"
        "  movq %rsp, %rbp\n"
        "  .cfi_def_cfa_register %rbp\n"
        "  movq %rdi, %rsp\n"
        "  movq %rdx, %rdi\n"
        "  callq *%rsi\n"
        "  movq %rbp, %rsp\n"
        "  popq %rbp\n"
        "  .cfi_def_cfa %rsp, 8\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size kj_call_on_stack, .-kj_call_on_stack\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl kj_call_on_stack\n"
        ".hidden kj_call_on_stack\n"
        ".type kj_call_on_stack, %function\n"
        ".p2align 4\n"
        "kj_call_on_stack:\n"
        "  .cfi_startproc\n"
        "  hint #34\n" // bti c
        "  stp x29, x30, [sp, #-16]!\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset x29, -16\n"
        "  .cfi_offset x30, -8\n"
        "  mov x29, sp\n"
        "  .cfi_def_cfa x29, 16\n"
        "  mov sp, x0\n"
        "  mov x0, x2\n"
        "  blr x1\n"
        "  mov sp, x29\n"
        "  ldp x29, x30, [sp], #16\n"
        "  .cfi_def_cfa sp, 0\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size kj_call_on_stack, .-kj_call_on_stack\n");
#endif

enum { GUARD_BYTES = 64 << 10 };

struct run {
    void (*work)(void *);
    void *arg;
    void *fake; // AddressSanitizer's
    const void *former;
    size_t former_bytes;
};

static void start(void *p) {
    struct run *r = p;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(NULL, &r->former, &r->former_bytes);
#endif
    r->work(r->arg);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(NULL, r->former, r->former_bytes);
#endif
}

bool large_stack_run(void (*work)(void *), void *arg, size_t bytes, bool (*keep)(void)) {
    struct run r = {.work = work, .arg = arg};
    size_t all = bytes + GUARD_BYTES;
    uint8_t *low = mmap(NULL, all, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (low == MAP_FAILED)
        return false;
    mprotect(low, GUARD_BYTES, PROT_NONE);
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before); // nothing unwinds this stack
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&r.fake, low + GUARD_BYTES, bytes);
#endif
    kj_call_on_stack(low + all, start, &r);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(r.fake, NULL, NULL);
    __asan_unpoison_memory_region(low, all);
#endif
    pthread_setcancelstate(before, NULL);
    if (!keep())
        munmap(low, all);
    return true;
}
