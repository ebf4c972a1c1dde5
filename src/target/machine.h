// What the machines that code is generated for have, and what is worth it there. Passes ask for a
// value and never which processor it is.
#ifndef KUDZU_TARGET_MACHINE_H
#define KUDZU_TARGET_MACHINE_H

#include <stdbool.h>

#include "abi/generated_code.h"

enum machine_family { MACHINE_X86, MACHINE_ARM };

struct machine {
    // What LLVM is told.
    const char *triple, *cpu, *tune, *features;
    enum machine_family family;

    // ---- what there is ----
    unsigned vector_bits;      // of the widest registers
    unsigned vector_registers; // how many
    unsigned sve_granules;     // of 128 bits in a register of SVE; 0: SVE is not used
    unsigned lanes;            // of a kernel, where nothing speaks for another number
    bool holds_line;           // a register holds a cache line
    // Masks are registers of a bit a lane: what is done under one takes no longer than without.
    // With them come permutations of two registers, stores of active lanes side by side, scatters
    // of dwords, and roundings that instructions name.
    bool mask_registers;
    bool masked_loads;     // instructions load dwords and qwords under a mask
    bool masked_stores;    // and store them, and bytes and words as well, as fast as without one
    bool scatters;         // instructions store dwords and qwords at an address a lane
    bool fused;            // multiply-add with one rounding
    bool halves;           // conversions between f16 and f32
    bool pair_products;    // sums of products of neighbouring numbers of 8 and 16 bits
    bool unsigned_doubles; // conversions of f64 to unsigned integers
    bool newer_products;   // VNNI and AMX can be there: code asks when it runs

    // ---- what is worth it ----
    bool fast_gathers;      // gather instructions take less than a load a lane
    bool half_vectors;      // instructions on the widest registers count twice
    bool prefetches_groups; // what later groups of lanes touch is prefetched
    bool second_cache;      // what is prefetched goes into the second cache (cg_prefetch_at.c)
    bool tests_masks;       // whether a lane is active is tested before a masked access
    bool compresses;        // a register's active dwords and qwords go side by side (cg_compress.c)
};

// The machine of a level; `features` (KD_FEATURE_*) say what it has beyond that.
struct machine machine_of(enum kd_level level, unsigned features);
// The same as quick code sees it, which is selected without SVE.
struct machine machine_for_quick_code(const struct machine *m);

#endif
