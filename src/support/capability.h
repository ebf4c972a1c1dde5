// The compute capability that the CPU device has: KUDZU_COMPUTE_CAPABILITY, and what follows from
// it.
#ifndef KUDZU_SUPPORT_CAPABILITY_H
#define KUDZU_SUPPORT_CAPABILITY_H

#include <stdbool.h>
#include <stdint.h>

// Of a multiprocessor and its blocks (guide, table 28). Memory in bytes.
struct capability {
    uint32_t number; // 90 for 9.0
    uint32_t max_threads, max_blocks;
    uint32_t max_shared;       // of a multiprocessor
    uint32_t max_shared_block; // that a block can ask for
    uint32_t reserved_shared;  // that the system takes of each block
    uint32_t shared_unit;      // in which blocks get it
};

// What the variable names, or 9.0 where it is not set or names nothing that is known.
const struct capability *capability_of_device(void);
// Whether the variable is set.
bool capability_is_chosen(void);
// The variable's value if it names none, else NULL.
const char *capability_unknown(void);

#endif
