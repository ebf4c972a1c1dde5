// Operations on words in memory that wait in a queue for their turn.
#ifndef KUDZU_DEVICE_VALUE_H
#define KUDZU_DEVICE_VALUE_H

#include <stdbool.h>

struct op;

// Goes on with an operation whose predecessors have ended. True: it has ended too.
bool value_run(struct op *op);
// To be called before an operation that can wait is made. False: the system refuses a thread.
bool value_watch(void);
// Takes over an operation that has not: its end is seen to.
void value_park(struct op *op);

// file_wait.c: takes a count of an eventfd, if there is one.
bool file_take_count(int fd);

#endif
