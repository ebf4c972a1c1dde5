#include "device/exec/runner.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "device/sync.h"

enum { SIGNAL_STACK_BYTES = 64 << 10, CALL_STACK_SHIFT = 16 };

// Read by the signal handler: must not need memory on first use.
static __thread struct runner *current __attribute__((tls_model("initial-exec")));

// Runners of threads that have ended, with their stacks, for the next thread.
static struct kd_spinlock spare_lock;
static struct runner *spare;
static _Atomic(struct runner *) all; // none is ever freed
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void release(void *p) {
    struct runner *r = p;
    if (r->signal_stack) {
        stack_t off = {.ss_flags = SS_DISABLE};
        sigaltstack(&off, NULL);
        munmap(r->signal_stack, SIGNAL_STACK_BYTES);
        r->signal_stack = NULL;
    }
    current = NULL;
    kd_lock(&spare_lock);
    r->next = spare;
    spare = r;
    kd_unlock(&spare_lock);
}

static void make_key(void) {
    pthread_key_create(&at_exit, release);
}

// A stack overflow can only be handled on another stack. A program's own is left in place.
static void install_signal_stack(struct runner *r) {
    stack_t old;
    if (sigaltstack(NULL, &old) == 0 && !(old.ss_flags & SS_DISABLE))
        return;
    void *p =
        mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return;
    stack_t mine = {.ss_sp = p, .ss_size = SIGNAL_STACK_BYTES};
    sigaltstack(&mine, NULL);
    r->signal_stack = p;
}

static struct runner *make(void) {
    pthread_once(&once, make_key);
    kd_lock(&spare_lock);
    struct runner *r = spare;
    if (r)
        spare = r->next;
    kd_unlock(&spare_lock);
    if (!r) {
        r = calloc(1, sizeof *r);
        if (!r)
            return NULL;
        r->next_of_all = atomic_load(&all);
        while (!atomic_compare_exchange_weak(&all, &r->next_of_all, r))
            ;
    }
    r->smid = 0;
    install_signal_stack(r);
    pthread_setspecific(at_exit, r);
    current = r;
    return r;
}

struct runner *runner_get(void) {
    return current ? current : make();
}

struct runner *runner_current(void) {
    return current;
}

bool runners_progress(const struct kd_context *c, uint64_t *begun) {
    bool any = false;
    *begun = 0;
    for (struct runner *r = atomic_load(&all); r; r = r->next_of_all)
        if (atomic_load_explicit(&r->works_for, memory_order_relaxed) == c) {
            any = true;
            *begun += atomic_load_explicit(&r->begun, memory_order_relaxed);
        }
    return any;
}

bool runners_are_stuck(unsigned stuck) {
    for (struct runner *r = atomic_load(&all); r; r = r->next_of_all)
        if (atomic_load(&r->works_for) && atomic_load(&r->stuck) < stuck)
            return false;
    return true;
}

// Kernels expect rounding to nearest, denormals kept, exceptions masked, whatever the program
// has set for its own threads.
uint32_t runner_enter(void) {
#if defined(__x86_64__)
    uint32_t saved = _mm_getcsr();
    _mm_setcsr(0x1f80);
    return saved;
#elif defined(__aarch64__)
    uint64_t saved;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return (uint32_t)saved;
#endif
}

void runner_leave(struct runner *r, uint32_t saved) {
    tile_release(r);
#if defined(__x86_64__)
    _mm_setcsr(saved);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)saved));
#endif
}

struct call {
    struct runner *runner;
    void (*fn)(void *);
    void *arg;
};

KD_NEVER_RETURNS static void call_main(void *arg) {
    struct call *c = arg;
    c->fn(c->arg);
    runner_abandon(c->runner, OUTCOME_DONE);
}

enum outcome runner_call(struct runner *r, unsigned shift, void (*fn)(void *), void *arg) {
    if (r->call_stack && r->call_stack->shift < shift) {
        stack_give(&r->stacks, r->call_stack);
        r->call_stack = NULL;
    }
    if (!r->call_stack && !(r->call_stack = stack_take(&r->stacks, shift))) {
        r->fault = (struct fault_info){.fault = KD_FAULT_OUT_OF_MEMORY};
        return OUTCOME_FAULT;
    }
    struct call c = {r, fn, arg};
    r->stack = r->call_stack;
    kd_fiber_switch(&r->scheduler_sp, kd_fiber_prepare(r->stack->high, call_main, &c));
    return r->outcome;
}

KD_NEVER_RETURNS _Noreturn void runner_abandon(struct runner *r, enum outcome why) {
    r->outcome = why;
    r->stack = NULL;
    kd_fiber_resume(r->scheduler_sp);
}
