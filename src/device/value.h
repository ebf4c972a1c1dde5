// Operations on words in memory that wait in a queue for their turn.
#ifndef KUDZU_DEVICE_VALUE_H
#define KUDZU_DEVICE_VALUE_H

#include <stdbool.h>

struct op;

// Goes on with an operation whose predecessors have ended. True: it has ended too.
bool value_run(struct op *op);
// Takes over an operation that has not: its end is seen to.
void value_park(struct op *op);

#endif
