// A kernel and the code made for it so far.
//
// For a launch the code for exactly its block shape is taken: from memory, from the image, from
// the disk cache, or compiled. A kernel that is launched with more than four shapes gets code
// for any shape. What cannot be compiled is interpreted. Code that was compiled quickly is replaced
// by better code when that is there (better_code.h).
#ifndef KUDZU_DEVICE_KERNEL_H
#define KUDZU_DEVICE_KERNEL_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/device.h"
#include "device/exec/launch.h"

enum { MAX_VARIANTS = 32, EXACT_SHAPES = 4 };

struct variant {
    struct kd_spec spec; // what launches it serves: ntid and flags
    struct code code;
};

struct kd_kernel {
    struct kd_module *module;
    const struct kj_kernel *info;
    uint32_t index;
    uint32_t max_dynamic;                             // shared memory
    uint32_t cluster[3];                              // set by the host; [0] 0: not set
    uint32_t large_clusters;                          // of more than KD_CLUSTER_PORTABLE blocks
    pthread_mutex_t lock;                             // of adding variants
    _Atomic(struct variant *) variants[MAX_VARIANTS]; // filled from the front, never changed
    uint32_t shapes;                                  // exact ones among them
    bool stopped;                                     // better_code.c's lock guards it
    _Atomic uint32_t thread_ps; // what a thread takes, in picoseconds; 0: not known
    _Atomic uint64_t quick_ns;  // what launches took that began in quick code
};

void kernel_open(struct kd_kernel *k, struct kd_module *m, uint32_t index);
void kernel_close(struct kd_kernel *k);
// The specialisation that a launch would like best. params: the parameter block.
struct kd_spec kernel_spec(const struct kd_kernel *k, const uint32_t grid[3],
                           const uint32_t block[3], const void *params);
// Code for a launch. NULL with a reason, and the status.
const struct code *kernel_code(struct kd_kernel *k, const uint32_t grid[3], const uint32_t block[3],
                               const void *params, enum kd_status *status);
// Whether kernel_code would have to make it first.
bool kernel_has_code(struct kd_kernel *k, const uint32_t grid[3], const uint32_t block[3],
                     const void *params);
// Makes its code not executable.
void kernel_stop(struct kd_kernel *k);
// For tests: code that is there already, for all shapes.
bool kernel_add_code(struct kd_kernel *k, const struct code *code);

#endif
