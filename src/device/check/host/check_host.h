// Accesses of the host to managed and page-locked memory, which pages tell of that it may not
// touch.
#ifndef KUDZU_DEVICE_CHECK_HOST_H
#define KUDZU_DEVICE_CHECK_HOST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct op;

// There is memory that both the host and kernels access.
extern atomic_bool check_host_on;
static inline bool check_host_follow(void) {
    return __builtin_expect(atomic_load_explicit(&check_host_on, memory_order_relaxed), 0);
}
// Memory has been allocated that the host can see; or it is gone, of whatever kind.
void check_host_begin(void);
void check_host_gone(uint64_t address, uint64_t size);
// An operation is about to access memory of the address's page, which it may from now on. True: the
// host can see the page.
bool check_host_touched(uint64_t address);
// An operation has been submitted, and is held: the host gets no further before it has ended,
// within reason, and finds what it may not touch now.
void check_host_submitted(struct op *op);
// A function of the host is about to run in a stream: it does so late, when a thread of the host
// waits, or could have, and all else that could run has run.
struct scheduler;
void check_host_hold(struct scheduler *s);
// A thread of the host begins to launch a kernel, or ends it (-1).
void check_host_launches(int by);
// A thread of the host begins to wait, or ends it (-1).
void check_host_waits(int by);
// Does a thread of the host wait, and none launch anything?
bool check_host_is_idle(void);
// The host has waited for something.
void check_host_update(void);
// A thread at pc has been stopped at the address. of_device: it runs an operation. steps_allowed:
// it can be stopped again behind the instruction (single_step.h). Signal handlers call this.
enum check_host_answer {
    CHECK_HOST_NOT,  // it has been stopped by something else
    CHECK_HOST_GO,   // it may go on
    CHECK_HOST_ONCE, // it may run the instruction, and is to be stopped behind it
};
enum check_host_answer check_host_fault(uint64_t address, uint64_t pc, bool writes, bool of_device,
                                        bool steps_allowed);
// Whether an access of the host at pc races with what an operation has accessed that the host has
// not waited for; that is told of.
bool check_host_race(uint64_t address, uint64_t pc, bool writes);
// Of a signal handler: the frames of the thread that it has stopped at pc. False: there are none.
struct host_call;
bool check_host_frames(uint64_t pc, struct host_call *c);
// It has been stopped behind the instruction. False: it was not to.
bool check_host_stepped(void);

#endif
