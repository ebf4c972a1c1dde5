// The litmus tests: what each thread does, and the outcome that ordering forbids.
//
//   W v n   store n to variable v           Wr v n  the same, where a release stands
//   R v     load into the next register     Ra v    the same, where an acquire stands
//   A v     add 1, old value into the next register
//   F       a fence
//
// Registers are numbered through all threads. An outcome is a list of "register=value", or
// "variable=value" for what is in memory at the end.
#ifndef KUDZU_LITMUS_TESTS_H
#define KUDZU_LITMUS_TESTS_H

// What forbids the outcome.
enum strength {
    BY_COHERENCE, // nothing more than that all accesses are morally strong
    BY_CAUSALITY, // release and acquire
    BY_SC,        // fence.sc
};

struct litmus {
    const char *name, *threads, *outcome;
    enum strength strength;
};

static const struct litmus tests[] = {
    {"CoWW", "W x 1 W x 2", "x=1", BY_COHERENCE},
    {"CoRW", "R x W x 1", "0=1", BY_COHERENCE},
    {"CoRR", "W x 1 | R x R x", "0=1 1=0", BY_COHERENCE},
    {"CoRW2", "R x W x 1 | W x 2", "0=2 x=2", BY_COHERENCE},
    {"CoWR", "W x 1 R x | W x 2", "0=2 x=1", BY_COHERENCE},
    {"CoRR2", "W x 1 | W x 2 | R x R x | R x R x", "0=1 1=2 2=2 3=1", BY_COHERENCE},
    {"add", "A x | A x", "x=1", BY_COHERENCE},
    {"add2", "A x A x | A x", "0=1 1=1", BY_COHERENCE},
    {"MP", "W x 1 F Wr y 1 | Ra y F R x", "0=1 1=0", BY_CAUSALITY},
    {"LB", "Ra x F Wr y 1 | Ra y F Wr x 1", "0=1 1=1", BY_CAUSALITY},
    {"S", "W x 2 F Wr y 1 | Ra y F W x 1", "0=1 x=2", BY_CAUSALITY},
    {"WRC", "W x 1 | Ra x F Wr y 1 | Ra y F R x", "0=1 1=1 2=0", BY_CAUSALITY},
    {"ISA2", "W x 1 F Wr y 1 | Ra y F Wr z 1 | Ra z F R x", "0=1 1=1 2=0", BY_CAUSALITY},
    {"SB", "W x 1 F R y | W y 1 F R x", "0=0 1=0", BY_SC},
    {"R", "W x 1 F W y 1 | W y 2 F R x", "0=0 y=2", BY_SC},
    {"2+2W", "W x 1 F W y 2 | W y 1 F W x 2", "x=1 y=1", BY_SC},
    {"IRIW", "W x 1 | W y 1 | Ra x F R y | Ra y F R x", "0=1 1=0 2=1 3=0", BY_SC},
    {"RWC", "W x 1 | Ra x F R y | W y 1 F R x", "0=1 1=0 2=0", BY_SC},
};

// How the accesses are written; %s stands for the scope. NULL as a release or acquire: as the plain
// one. Forms: a store has address and value, a load result and address.
struct style {
    const char *name;
    const char *store, *load, *release, *acquire, *fence;
    enum strength strength; // the most that it forbids
    bool sys, no_cluster;   // of scope sys alone; no scope cluster
    bool data;              // plain accesses are weak: only for tests that read such data by a flag
};

static const struct style styles[] = {
    {.name = "relaxed",
     "st.relaxed.%s%s.u32",
     "ld.relaxed.%s%s.u32",
     NULL,
     NULL,
     NULL,
     BY_COHERENCE},
    {.name = "volatile", "st.volatile%s.u32", "ld.volatile%s.u32", NULL, NULL, NULL, BY_COHERENCE},
    {.name = "mmio",
     "st.mmio.relaxed.%s%s.u32",
     "ld.mmio.relaxed.%s%s.u32",
     NULL,
     NULL,
     NULL,
     BY_COHERENCE,
     .sys = true},
    {.name = "atom",
     "atom.relaxed.%s%s.exch.b32 _,",
     "atom.relaxed.%s%s.or.b32",
     NULL,
     NULL,
     NULL,
     BY_COHERENCE},
    {.name = "release, acquire",
     "st.relaxed.%s%s.u32",
     "ld.relaxed.%s%s.u32",
     "st.release.%s%s.u32",
     "ld.acquire.%s%s.u32",
     NULL,
     BY_CAUSALITY},
    {.name = "atom.release, atom.acquire",
     "st.relaxed.%s%s.u32",
     "ld.relaxed.%s%s.u32",
     "atom.release.%s%s.exch.b32 _,",
     "atom.acquire.%s%s.or.b32",
     NULL,
     BY_CAUSALITY},
    {.name = "atom.acq_rel",
     "st.relaxed.%s%s.u32",
     "ld.relaxed.%s%s.u32",
     "atom.acq_rel.%s%s.exch.b32 _,",
     "atom.acq_rel.%s%s.or.b32",
     NULL,
     BY_CAUSALITY},
    {.name = "red.release",
     "st.relaxed.%s%s.u32",
     "ld.relaxed.%s%s.u32",
     "red.release.%s%s.max.u32",
     "ld.acquire.%s%s.u32",
     NULL,
     BY_CAUSALITY},
    {.name = "fence.acq_rel",
     "st.relaxed.%s%s.u32",
     "ld.relaxed.%s%s.u32",
     NULL,
     NULL,
     "fence.acq_rel.%s",
     BY_CAUSALITY},
    {.name = "weak data, fence",
     "st.weak%s.u32",
     "ld.weak%s.u32",
     "st.relaxed.%s%s.u32",
     "ld.relaxed.%s%s.u32",
     "fence.acq_rel.%s",
     BY_CAUSALITY,
     .data = true},
    {.name = "weak data, release, acquire",
     "st.weak%s.u32",
     "ld.weak%s.u32",
     "st.release.%s%s.u32",
     "ld.acquire.%s%s.u32",
     NULL,
     BY_CAUSALITY,
     .data = true},
    {.name = "fence.sc",
     "st.relaxed.%s%s.u32",
     "ld.relaxed.%s%s.u32",
     NULL,
     NULL,
     "fence.sc.%s",
     BY_SC},
    {.name = "atom, fence.sc",
     "atom.relaxed.%s%s.exch.b32 _,",
     "atom.relaxed.%s%s.or.b32",
     NULL,
     NULL,
     "fence.sc.%s",
     BY_SC},
    {.name = "volatile, membar",
     "st.volatile%s.u32",
     "ld.volatile%s.u32",
     NULL,
     NULL,
     "membar.%s",
     BY_SC,
     .no_cluster = true},
};

// Where the threads of a test are: thread k is lane k of a warp, warp k of a block, block k of a
// cluster or of the grid.
enum place { LANES, WARPS, CLUSTER, BLOCKS };
struct setting {
    enum place place;
    const char *scope;
    bool shared; // variables in shared memory
};
static const struct setting settings[] = {
    {LANES, "cta", false},  {LANES, "gpu", true},        {WARPS, "cta", true},
    {WARPS, "sys", false},  {CLUSTER, "cluster", false}, {CLUSTER, "gpu", false},
    {BLOCKS, "gpu", false}, {BLOCKS, "sys", false},
};

#endif
