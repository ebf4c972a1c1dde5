// Products of bytes on tile registers (AMX), for generated code.
#ifndef KUDZU_DEVICE_TILE_PRODUCT_H
#define KUDZU_DEVICE_TILE_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/generated_code.h"

struct runner;

// What a runner keeps for them: panels, and the registers where C code stands for the instructions.
struct tile_memory {
    bool configured; // the thread's tile registers are set up
    uint8_t bytes[(2 * KD_TILE_MOST * KD_TILE_STEPS + 8) * KD_TILE_BYTES + 64];
};

// Gives the thread's tile registers back, before other code may use them or the thread rests: as
// long as they hold something, each switch of threads saves 8 KB.
void tile_release(struct runner *r);

#endif
