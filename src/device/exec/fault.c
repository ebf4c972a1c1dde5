// Faults of kernel code: the signal handler leaves the kernel's stack for the scheduler's and
// the launch ends there. A signal that does not come from kernel code goes to the handler that
// the program had, as if this one were not here.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "device/check/host/check_host.h"
#include "device/check/host/check_touch.h"
#include "device/code/module.h"
#include "device/exec/block.h"
#include "device/exec/runner.h"
#include "device/exec/single_step.h"
#include "device/internal.h"
#include "device/memory/ipc.h"
#include "device/memory/rights.h"
#include "device/sched/op.h"
#include "support/debug.h"
#include "support/environment.h"
#include "support/run_report.h"

static const int signals[] = {
    SIGSEGV, SIGBUS, SIGFPE, SIGILL,
    SIGTRAP, // of the brk instruction (aarch64), behind a single one (x86-64)
};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

// A program may install its own handler after ours, and have it call what was there before: ours.
// If ours then came first again by calling the program's, each would call the other for ever. So
// each time that a handler is put in front it is another function, with its own predecessor.
enum { GENERATIONS = 4 };
static struct sigaction previous[GENERATIONS][SIGNALS];
static int installed[SIGNALS]; // generations in use

static uint64_t program_counter(const ucontext_t *u) {
#if defined(__x86_64__)
    return (uint64_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return u->uc_mcontext.pc;
#endif
}

// Where it is not known, a fault counts as one of a write.
static bool is_write(const ucontext_t *u) {
#if defined(__x86_64__)
    enum { WRITE = 2 };
    return u->uc_mcontext.gregs[REG_ERR] & WRITE;
#else
    (void)u;
    return true;
#endif
}

// What lies at the stack's end, which may be where the function returns to.
static uint64_t stack_end(const ucontext_t *u) {
    uint64_t word = 0;
#if defined(__x86_64__)
    memcpy(&word, (const void *)u->uc_mcontext.gregs[REG_RSP], sizeof word);
#else
    (void)u;
#endif
    return word;
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
    return (word & 0xffff0000) == 0; // udf
#endif
}

static enum kd_fault classify(const struct runner *r, int sig, const siginfo_t *info, uint64_t pc) {
    uint64_t address = (uint64_t)info->si_addr;
    switch (sig) {
    case SIGFPE:
    case SIGTRAP:
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

// Code of a context that has faulted is no longer executable: see context_stop_code.
static bool is_stopped(const struct runner *r, int sig, const siginfo_t *info, uint64_t pc) {
    return sig == SIGSEGV && (uint64_t)info->si_addr == pc && r->block &&
           context_faulted(r->block->op->context);
}

static void take_fault(struct runner *r, int sig, const siginfo_t *info, ucontext_t *u) {
    uint64_t pc = program_counter(u);
    bool stopped = is_stopped(r, sig, info, pc);
    r->fault.fault = classify(r, sig, info, pc);
    r->fault.address = (uint64_t)info->si_addr;
    // A general protection fault (an address that no address can be) comes without one.
    r->fault.address_known = (sig == SIGSEGV || sig == SIGBUS) && info->si_code != SI_KERNEL;
    r->fault.thread_known = false;
    r->fault.message[0] = 0;
    r->fault.file[0] = 0;
    r->fault.line = 0;
    r->outcome = stopped ? OUTCOME_CANCELLED : OUTCOME_FAULT;
    r->stack = NULL;
    redirect(u, r->scheduler_sp);
}

static int signal_index(int sig) {
    int i = 0;
    while (signals[i] != sig)
        i++;
    return i;
}

static void pass_on(const struct sigaction *old, int sig, siginfo_t *info, void *context) {
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(sig, info, context);
    } else if (old->sa_handler == SIG_DFL || old->sa_handler == SIG_IGN) {
        // The instruction runs again and now the system does what it would have done. A signal
        // that was sent (kill) has to be sent again, and one that comes behind an instruction.
        signal(sig, SIG_DFL);
        if (info->si_code <= 0 || sig == SIGTRAP)
            raise(sig);
    } else {
        old->sa_handler(sig);
    }
}

// Lets the thread go on, or run one instruction. False: it has been stopped by something else.
static bool let_by(enum check_host_answer answer, ucontext_t *u) {
    if (answer == CHECK_HOST_ONCE)
        single_step_begin(u);
    return answer != CHECK_HOST_NOT;
}

// The host has touched a page that it may not. False: it has not.
static bool let_host_by(const siginfo_t *info, ucontext_t *u, bool of_device) {
    return let_by(check_host_fault((uint64_t)info->si_addr, program_counter(u), is_write(u),
                                   of_device, single_step_allowed(u)),
                  u);
}

// The host has touched a device's memory. False: it has not.
static bool let_touch_by(const siginfo_t *info, ucontext_t *u, bool of_device) {
    return rights_device_fault(info) &&
           let_by(check_touch_fault(info, u, program_counter(u), stack_end(u), is_write(u),
                                    of_device, single_step_allowed(u)),
                  u);
}

static void handle(int generation, int sig, siginfo_t *info, void *context) {
    struct runner *r = runner_current();
    if (sig == SIGSEGV && info->si_code > 0 && ipc_wait_for_move((uint64_t)info->si_addr))
        return;
    if (sig == SIGSEGV && info->si_code > 0 && let_host_by(info, context, r && r->stack))
        return;
    if (sig == SIGSEGV && info->si_code > 0 && let_touch_by(info, context, r && r->block))
        return;
    if (sig == SIGTRAP && single_step_end(info, context)) {
        bool of_page = check_host_stepped(), of_device = check_touch_stepped(context);
        if (of_page || of_device)
            return;
    }
    if (sig == SIGSEGV &&
        rights_allow(info, context, r && r->block ? r->block->op->context->device->index : -1,
                     is_write(context)))
        return;
    // Sent by a process, not raised by an instruction: not the kernel's.
    if (r && r->stack && info->si_code > 0)
        take_fault(r, sig, info, context);
    else
        pass_on(&previous[generation][signal_index(sig)], sig, info, context);
}

#define HANDLER(g)                                                                                 \
    static void handler_##g(int sig, siginfo_t *info, void *context) {                             \
        handle(g, sig, info, context);                                                             \
    }
HANDLER(0)
HANDLER(1)
HANDLER(2)
HANDLER(3)
static void (*const handlers[GENERATIONS])(int, siginfo_t *, void *) = {handler_0, handler_1,
                                                                        handler_2, handler_3};

static bool is_ours(const struct sigaction *a) {
    for (int g = 0; g < GENERATIONS; g++)
        if ((a->sa_flags & SA_SIGINFO) && a->sa_sigaction == handlers[g])
            return true;
    return false;
}

// On x86-64 a SIGTRAP is nothing that a kernel raises.
static bool is_needed(int sig) {
#if defined(__x86_64__)
    return sig != SIGTRAP || check_host_follow() || atomic_load(&rights_device_key);
#else
    (void)sig;
    return true;
#endif
}

void fault_handlers_install(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction now, mine = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigemptyset(&mine.sa_mask);
        if (!is_needed(signals[i]))
            continue;
        if (installed[i] == GENERATIONS || sigaction(signals[i], NULL, &now) || is_ours(&now))
            continue;
        int g = installed[i]++;
        previous[g][i] = now;
        mine.sa_sigaction = handlers[g];
        sigaction(signals[i], &mine, NULL);
    }
    pthread_mutex_unlock(&lock);
}

bool fault_signals_unblock(sigset_t *before) {
    sigset_t ours;
    sigemptyset(&ours);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&ours, signals[i]);
    if (pthread_sigmask(SIG_UNBLOCK, &ours, before))
        return false;
    for (int i = 0; i < SIGNALS; i++)
        if (sigismember(before, signals[i]))
            return true;
    return false;
}

bool context_begin_fault(struct kd_context *c) {
    int none = 0;
    if (!atomic_compare_exchange_strong(&c->faulted, &none, 1))
        return false;
    context_stop_code(c);
    return true;
}

// CUDA_DEVICE_WAITS_ON_EXCEPTION=1: the process stops, so that a debugger can be attached.
static void wait_for_debugger(const struct kd_fault_record *r) {
    const char *wish = environment_get("CUDA_DEVICE_WAITS_ON_EXCEPTION");
    if (!wish || strcmp(wish, "1"))
        return;
    fprintf(stderr, "kudzu: %s\nkudzu: process %ld waits for a debugger, or SIGCONT\n", r->text,
            (long)getpid());
    kill(getpid(), SIGSTOP);
}

void context_cancel(struct kd_context *c, const char *why) {
    if (!context_begin_fault(c))
        return;
    c->fault = (struct kd_fault_record){.fault = KD_FAULT_DEADLOCK};
    snprintf(c->fault.text, sizeof c->fault.text, "%s", why);
    atomic_store_explicit(&c->faulted, 2, memory_order_release);
    run_report_fault(NULL, why);
    if (debug_on("fault"))
        fprintf(stderr, "kudzu: %s\n", why);
}

static void (*on_fault)(struct kd_context *c, const struct kd_fault_record *r);

void kd_on_fault(void (*fn)(struct kd_context *c, const struct kd_fault_record *r)) {
    on_fault = fn;
}

void context_end_fault(struct kd_context *c, const struct kd_fault_record *r) {
    c->fault = *r;
    run_report_fault(*r->kernel ? r->kernel : NULL, r->text);
    if (on_fault)
        on_fault(c, r); // before a caller can see the fault
    atomic_store_explicit(&c->faulted, 2, memory_order_release);
    if (debug_on("fault"))
        fprintf(stderr, "kudzu: %s\n", r->text);
    wait_for_debugger(r);
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
