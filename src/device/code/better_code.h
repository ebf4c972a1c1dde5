// Better code for kernels that were compiled quickly (KD_CODE_QUICK), made by threads in the
// background while they run.
#ifndef KUDZU_DEVICE_BETTER_CODE_H
#define KUDZU_DEVICE_BETTER_CODE_H

#include "device/code/kernel.h"

// Asks for better code in place of v's, which is k's, for the launches that `want` describes.
// Nothing happens when there is no memory or no thread for it: v's code is right.
void better_code_want(struct kd_kernel *k, struct variant *v, const struct kd_spec *want);
// k ends: from now on nothing of it is touched. Does not wait for a compilation that runs.
// Compilations that kd_finish_better_code would wait for go on, for the cache.
void better_code_forget(struct kd_kernel *k);
// Holds the threads back from publishing code while fn(k) runs.
void better_code_locked(struct kd_kernel *k, void (*fn)(struct kd_kernel *));

#endif
