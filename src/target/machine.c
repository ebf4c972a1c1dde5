#include "target/machine.h"

static const struct machine machines[] = {
    [KD_LEVEL_X86_64_V2] =
        {
            .triple = "x86_64-unknown-linux-gnu",
            .cpu = "x86-64-v2",
            .tune = "generic",
            .features = "",
            .vector_bits = 128,
            .vector_registers = 16,
            .lanes = 8,
            .pair_products = true,
        },
    [KD_LEVEL_X86_64_V3] =
        {
            .triple = "x86_64-unknown-linux-gnu",
            .cpu = "x86-64-v3",
            .tune = "skylake",
            .features = "+prfchw",
            .vector_bits = 256,
            .vector_registers = 16,
            .lanes = 8,
            .masked_loads = true,
            .fused = true,
            .halves = true,
            .pair_products = true,
            .compresses = true,
        },
    [KD_LEVEL_X86_64_V4] =
        {
            .triple = "x86_64-unknown-linux-gnu",
            .cpu = "x86-64-v4",
            .tune = "skylake-avx512",
            .features = "-prefer-256-bit,+prfchw",
            .vector_bits = 512,
            .vector_registers = 32,
            .lanes = 16,
            .holds_line = true,
            .mask_registers = true,
            .masked_loads = true,
            .masked_stores = true,
            .fused = true,
            .halves = true,
            .pair_products = true,
            .unsigned_doubles = true,
            .newer_products = true,
            .prefetches_groups = true,
            .compresses = true,
        },
    [KD_LEVEL_AARCH64] =
        {
            .triple = "aarch64-unknown-linux-gnu",
            .cpu = "generic",
            .tune = "generic",
            .features = "+neon",
            .family = MACHINE_ARM,
            .vector_bits = 128,
            .vector_registers = 32,
            .lanes = 8,
            .fused = true,
            .halves = true,
            .unsigned_doubles = true,
            .tests_masks = true,
        },
    [KD_LEVEL_AARCH64_SVE256] =
        {
            .triple = "aarch64-unknown-linux-gnu",
            .cpu = "generic",
            .tune = "generic",
            .features = "+neon,+sve",
            .family = MACHINE_ARM,
            .vector_bits = 256,
            .sve_granules = 2,
            .vector_registers = 32,
            .lanes = 8,
            .masked_loads = true,
            .masked_stores = true,
            .scatters = true,
            .fused = true,
            .halves = true,
            .unsigned_doubles = true,
            .fast_gathers = true,
        },
    [KD_LEVEL_AARCH64_SVE512] =
        {
            .triple = "aarch64-unknown-linux-gnu",
            .cpu = "generic",
            .tune = "generic",
            .features = "+neon,+sve",
            .family = MACHINE_ARM,
            .vector_bits = 512,
            .sve_granules = 4,
            .vector_registers = 32,
            .lanes = 16,
            .masked_loads = true,
            .masked_stores = true,
            .scatters = true,
            .fused = true,
            .halves = true,
            .unsigned_doubles = true,
            .fast_gathers = true,
        },
};

struct machine machine_of(enum kd_level level, unsigned features) {
    struct machine m = machines[level];
    // What the features tell was measured on machines with mask registers alone.
    m.fast_gathers |= m.mask_registers && (features & KD_FEATURE_FAST_GATHERS);
    m.half_vectors = m.mask_registers && (features & KD_FEATURE_HALF_VECTORS);
    m.second_cache = m.mask_registers && (features & KD_FEATURE_SECOND_CACHE);
    return m;
}

// LLVM's fast selection has no vectors of fixed length in SVE's registers.
struct machine machine_for_quick_code(const struct machine *m) {
    struct machine quick = *m;
    if (m->sve_granules) {
        quick.features = machines[KD_LEVEL_AARCH64].features;
        quick.vector_bits = machines[KD_LEVEL_AARCH64].vector_bits;
        quick.sve_granules = 0;
        quick.masked_loads = quick.masked_stores = quick.scatters = quick.fast_gathers = false;
    }
    return quick;
}
