// `kudzu check --schedules`: operations of streams, and of nodes of graphs, in another order than
// that in which they become ready.
#ifndef KUDZU_DEVICE_CHECK_DELAY_H
#define KUDZU_DEVICE_CHECK_DELAY_H

#include <stdatomic.h>
#include <stdbool.h>

struct op;

// There are operations that nothing orders, and another order than theirs is asked for.
extern atomic_bool check_delays_on;
// From now on there may be: a second stream, or a graph of several nodes.
void check_delays_begin(void);
// All that is before op has ended. True: op is kept, and handed to the scheduler when it is its
// turn: when nothing else runs and a thread of the host waits, or when little has come for a while.
bool check_delay(struct op *op);

static inline bool check_delays(void) {
    return __builtin_expect(atomic_load_explicit(&check_delays_on, memory_order_relaxed), 0);
}

#endif
