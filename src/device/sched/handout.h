// How the units of an operation are handed out to threads: how many threads are worth it, which
// units a thread gets, and what launches of a kernel are known to take.
#ifndef KUDZU_DEVICE_HANDOUT_H
#define KUDZU_DEVICE_HANDOUT_H

#include <stdbool.h>
#include <stdint.h>

struct kd_kernel;
struct op;

// Before the operation becomes ready: how many threads are worth it, of `workers`.
int handout_plan(struct op *op, int workers);
// Whether units are left to be handed out.
bool handout_left(const struct op *op);

struct handout {
    uint64_t first, n;
    bool begins, ends; // the first units that are handed out; the last
};
// Takes the next units for a thread, from the end where the operation allows it: false when there
// are none left. Who holds units keeps the operation from ending, and with it its context.
// `many`: no other thread is expected; pieces that lie side by side are taken together.
bool handout_take(struct op *op, unsigned worker, bool from_end, bool many, struct handout *h);
// Takes all that are left.
bool handout_take_rest(struct op *op, struct handout *h);
// So many threads of the kernel took so long on one thread of the device.
void handout_learn(struct kd_kernel *k, uint64_t threads, uint64_t ns);

// What a thread that joins in a launch costs all of them: cache lines that each of them changes in
// turn, and data that was in the cache of another core (3 us on 16 cores of a Xeon).
enum { JOIN_NS = 3000 };

#endif
