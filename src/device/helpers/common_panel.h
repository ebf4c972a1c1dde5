// Panels of matrix products that several warps of a block have in common, for generated code.
#ifndef KUDZU_DEVICE_COMMON_PANEL_H
#define KUDZU_DEVICE_COMMON_PANEL_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/generated_code.h"

enum { COMMON_PANEL_SETS = 8 };

// What a runner keeps of them between two barriers of the block that it runs.
struct common_panels {
    struct panel_set {
        uint32_t place, warp;               // whose; warp 0: nobody has filled it, else one more
        uint64_t from[KD_COMMON_ROWS_MOST]; // where its rows were
    } sets[COMMON_PANEL_SETS];
    uint32_t next, used; // the set that is filled next; how often others were used
    bool alone;          // warps have had nothing in common: one set is enough
    uint8_t bytes[COMMON_PANEL_SETS * KD_COMMON_PANEL_BYTES + 64];
};

#endif
