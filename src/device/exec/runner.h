// A runner is a thread's ability to run kernel code: stacks, block memory, fault recovery.
// Workers have one for life; a host thread gets one when it first helps.
#ifndef KUDZU_DEVICE_RUNNER_H
#define KUDZU_DEVICE_RUNNER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/generated_code.h"
#include "device/exec/fiber.h"
#include "device/helpers/common_panel.h"
#include "device/helpers/tile_product.h"

struct kd_device;
struct op;
struct resident;
struct scheduler;

// Why control came back from kernel code.
enum outcome { OUTCOME_DONE, OUTCOME_YIELD, OUTCOME_FAULT, OUTCOME_CANCELLED };

struct fault_info {
    enum kd_fault fault;
    bool address_known, thread_known;
    uint64_t address;
    uint32_t thread;
    uint32_t line;
    char file[256];    // of the source; "" when it is not known
    char message[512]; // more about it; "" when there is none
};

struct runner {
    uint32_t smid;
    struct stack_pool stacks;
    struct stack *call_stack; // for runner_call
    // While kernel code runs: its stack, and where to go back to.
    struct stack *stack;
    void *scheduler_sp;
    enum outcome outcome;
    struct fault_info fault;
    // The first assertion that failed in the block that runs; its launch is about to end.
    bool assert_failed;
    uint32_t assert_thread;
    char assert_text[512];
    struct resident *block;   // whose code it is; NULL: a copy or set
    struct resident *waiting; // blocks that yielded, oldest first
    struct resident *waiting_last;
    uint32_t nwaiting, waiting_units;
    unsigned listed;        // how many lists of waiting threads it has had its part in (hang.h)
    _Atomic unsigned stuck; // hang.c's own: how far it is with a list, read by other threads
    struct kd_share *share; // whose work it runs or keeps waiting, entered; NULL: of none
    bool running;           // takes work, and looks at `local`
    struct scheduler *scheduler; // whose work it takes while `running`
    bool is_done;                // has left an operation: takes what that makes ready
    struct op *local;            // short nodes of graphs that this thread runs next
    struct op *next_op;          // it has made that ready itself; held
    struct resident *spare;      // block memory not in use
    struct cluster *spare_clusters;
    char *scratch; // for printf
    size_t scratch_size;
    void *signal_stack;
    struct tile_memory tiles;
    struct common_panels common;
    // Read by other threads: blocks begun so far, and the context whose blocks it runs now or keeps
    // waiting; NULL: none.
    _Atomic uint64_t begun;
    _Atomic(struct kd_context *) works_for;
    struct runner *next;
    struct runner *next_of_all;
};

// The calling thread's runner; NULL: no memory. Not for signal handlers.
struct runner *runner_get(void);
// The same without making one.
struct runner *runner_current(void);

// Are all that have work at step `stuck` or beyond?
bool runners_are_stuck(unsigned stuck);

// Around a stretch of running kernel code: sets the floating-point mode that kernels expect.
uint32_t runner_enter(void);
void runner_leave(struct runner *r, uint32_t saved);

// Calls fn(arg) on a stack of its own; a fault in it ends the call.
enum outcome runner_call(struct runner *r, unsigned stack_shift, void (*fn)(void *), void *arg);
// From within: leaves the present stack for good.
_Noreturn void runner_abandon(struct runner *r, enum outcome why);

// launch.c: runs each waiting block on until it yields again or ends.
void runner_resume(struct runner *r);

// How many chunks of blocks threads have begun that work for c now. False: none does.
bool runners_progress(const struct kd_context *c, uint64_t *begun);

// fault.c: the signals of faults reach this thread, whose mask was *before. True: that has to be
// set again.
bool fault_signals_unblock(sigset_t *before);
// fault.c: installs the handlers if they are not (or no longer) there.
void fault_handlers_install(void);

#endif
