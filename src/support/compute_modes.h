// Compute modes of devices (guide 6.4): who may have contexts of a device. They are the user's, in
// $XDG_CONFIG_HOME/kudzu/compute-modes (else ~/.config): a digit for each device of the machine,
// CUcomputemode's and nvmlComputeMode_t's number. Without the file all are in the default mode.
#ifndef KUDZU_SUPPORT_COMPUTE_MODES_H
#define KUDZU_SUPPORT_COMPUTE_MODES_H

#include <stdbool.h>

enum compute_mode {
    COMPUTE_MODE_DEFAULT = 0,
    COMPUTE_MODE_PROHIBITED = 2,
    COMPUTE_MODE_EXCLUSIVE = 3, // one context, of one process
    COMPUTE_MODE_DEVICES = 64
};

// The mode of a device by its number in the machine.
enum compute_mode compute_mode_get(unsigned device);

// Sets it for all of the user's processes; contexts that are there stay. False: errno says why.
bool compute_mode_set(unsigned device, enum compute_mode mode);

// Before a context is made; `false` if the mode does not allow it. Where the file exists, a process
// is seen by others from its first context of a device on.
bool compute_mode_enter(unsigned device);
// After a context that was allowed has ended.
void compute_mode_leave(unsigned device);

#endif
