// KUDZU_DEBUG=kernels: what kernels take. When the program ends, a line for each kernel with its
// launches and the sum of their seconds, and the seconds in which any kernel was at work.
#ifndef KUDZU_DEVICE_KERNEL_TIMES_H
#define KUDZU_DEVICE_KERNEL_TIMES_H

struct op;

// A launch could begin now: nothing is left that it waits for. From any thread.
void kernel_times_begin(struct op *op);
// It has ended. What did not begin here is not counted.
void kernel_times_end(struct op *op);

#endif
