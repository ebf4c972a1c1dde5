// Faults of kernel code: the signal handler leaves the kernel's stack for the scheduler's and
// the launch ends there. A signal that does not come from kernel code goes to the handler that
// the program had, as if this one were not here.
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "device/internal.h"
#include "device/runner.h"
#include "support/debug.h"

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { SIGNALS = sizeof signals / sizeof signals[0] };
static struct sigaction previous[SIGNALS];

static uint64_t program_counter(const ucontext_t *u) {
#if defined(__x86_64__)
    return (uint64_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return u->uc_mcontext.pc;
#endif
}

// Makes the interrupted thread call kd_fiber_resume(sp).
static void redirect(ucontext_t *u, void *sp) {
#if defined(__x86_64__)
    u->uc_mcontext.gregs[REG_RIP] = (greg_t)kd_fiber_resume;
    u->uc_mcontext.gregs[REG_RDI] = (greg_t)sp;
#elif defined(__aarch64__)
    u->uc_mcontext.pc = (uint64_t)kd_fiber_resume;
    u->uc_mcontext.regs[0] = (uint64_t)sp;
#endif
}

// The instruction that compilers emit for a trap.
static bool is_trap(uint64_t pc) {
    uint32_t word = 0;
    memcpy(&word, (const void *)pc, sizeof(uint16_t));
#if defined(__x86_64__)
    return (word & 0xffff) == 0x0b0f; // ud2
#elif defined(__aarch64__)
    memcpy(&word, (const void *)pc, sizeof word);
    return (word & 0xffff0000) == 0 || (word & 0xffe0001f) == 0xd4200000; // udf, brk
#endif
}

static enum kd_fault classify(const struct runner *r, int sig, const siginfo_t *info, uint64_t pc) {
    uint64_t address = (uint64_t)info->si_addr;
    switch (sig) {
    case SIGFPE:
        return KD_FAULT_TRAP;
    case SIGILL:
        return is_trap(pc) ? KD_FAULT_TRAP : KD_FAULT_ILLEGAL_INSTRUCTION;
    case SIGBUS:
        return info->si_code == BUS_ADRALN ? KD_FAULT_MISALIGNED : KD_FAULT_ILLEGAL_ADDRESS;
    default:
        if (stack_guard_hit(r->stack, address))
            return KD_FAULT_STACK_OVERFLOW;
        return address == pc ? KD_FAULT_INVALID_PC : KD_FAULT_ILLEGAL_ADDRESS;
    }
}

static void take_fault(struct runner *r, int sig, const siginfo_t *info, ucontext_t *u) {
    uint64_t pc = program_counter(u);
    r->fault.fault = classify(r, sig, info, pc);
    r->fault.address = (uint64_t)info->si_addr;
    // A general protection fault (an address that no address can be) comes without one.
    r->fault.address_known = (sig == SIGSEGV || sig == SIGBUS) && info->si_code != SI_KERNEL;
    r->fault.thread_known = false;
    r->fault.message[0] = 0;
    r->outcome = OUTCOME_FAULT;
    r->stack = NULL;
    redirect(u, r->scheduler_sp);
}

static void pass_on(int sig, siginfo_t *info, void *context) {
    struct sigaction *old = NULL;
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] == sig)
            old = &previous[i];
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(sig, info, context);
    } else if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN) {
        // The instruction runs again and now the system does what it would have done. A signal
        // that was sent (kill) has to be sent again.
        signal(sig, SIG_DFL);
        if (info->si_code <= 0)
            raise(sig);
    } else {
        old->sa_handler(sig);
    }
}

static void handler(int sig, siginfo_t *info, void *context) {
    struct runner *r = runner_current();
    // Sent by a process, not raised by an instruction: not the kernel's.
    if (r && r->stack && info->si_code > 0)
        take_fault(r, sig, info, context);
    else
        pass_on(sig, info, context);
}

void fault_handlers_install(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct sigaction mine = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&mine.sa_mask);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) ||
            ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler))
            continue;
        previous[i] = now;
        sigaction(signals[i], &mine, NULL);
    }
    pthread_mutex_unlock(&lock);
}

void context_set_fault(struct kd_context *c, const struct kd_fault_record *r) {
    int none = 0;
    if (!atomic_compare_exchange_strong(&c->faulted, &none, 1))
        return;
    c->fault = *r;
    atomic_store_explicit(&c->faulted, 2, memory_order_release);
    if (debug_on("fault"))
        fprintf(stderr, "kudzu: %s\n", r->text);
}

bool kd_context_fault(struct kd_context *c, struct kd_fault_record *out) {
    if (!context_faulted(c))
        return false;
    while (atomic_load_explicit(&c->faulted, memory_order_acquire) != 2)
        kd_relax();
    if (out)
        *out = c->fault;
    return true;
}
