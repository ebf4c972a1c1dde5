// A block that is being run, from the inside: its memory, and the stacks of its units (warps or
// threads) where it needs them.
//
// A unit gets a stack when it starts; one that ends hands its stack to the next that has not
// started. So a block whose units never wait uses one stack. Units switch to each other
// directly; control goes back to the runner when the block has ended, failed, or when all that
// its units do is wait for something outside.
#ifndef KUDZU_DEVICE_BLOCK_H
#define KUDZU_DEVICE_BLOCK_H

#include "device/exec/cluster.h"
#include "device/exec/launch.h"
#include "device/exec/runner.h"
#include "device/sched/hang.h"

enum { BARRIERS = KD_BARRIERS, MAX_UNITS = 1024 };

struct block_region {
    uint8_t *map;
    uint64_t map_size, usable;
};

// What a unit waits for.
enum unit_wait {
    UNIT_RUNS,
    UNIT_AT_BARRIER,
    UNIT_AT_WARP_OP,
    UNIT_AT_PHASE,   // a64, a: the mbarrier object's address, the phase's parity
    UNIT_AT_CLUSTER, // the cluster's barrier
    UNIT_FOR_ROOM,   // in tensor memory
    UNIT_PARKED,     // the interpreter's, until another block of the cluster does something
    UNIT_ENDED
};

struct unit {
    struct stack *stack; // NULL: not started, or ended
    uint8_t wait;        // enum unit_wait
    uint8_t barrier;     // UNIT_AT_BARRIER: which
    // UNIT_AT_WARP_OP: the operation, its operands, and what it gave
    uint8_t op, mode;
    uint32_t membermask, a, b, c;
    uint64_t a64;
    uint64_t *operands, *results; // of a matrix instruction
    uint64_t result;
    struct wait_site sites[WAIT_SITES]; // where its lanes look, while somebody wants to know
    uint64_t ended;        // objects of which it ended phases since others ran: async_object_bit
    uint32_t cluster_mark; // one more than the phase of the cluster's barrier that it arrived in
};

struct barrier {
    uint32_t arrived;                // threads
    uint32_t expected;               // threads; 0: all that have not exited
    uint32_t true_count, lane_count; // bar.red
    uint32_t op;
    uint32_t came[KD_MOST_WARPS]; // threads units: which lanes of each warp arrived
    bool in_use;
};

struct resident {
    struct kd_block b;       // what generated code sees
    const struct code *code; // the launch's, or what has taken its place
    struct runner *runner;
    struct op *op; // whose block; held while a block runs
    const struct kd_launch *launch;
    struct block_region shared, window, local, spill;
    uint64_t described; // one more than the number of the grid that b still describes; 0: of none

    uint32_t nunits, next_unit, live;
    uint32_t current; // unit
    struct stack *current_stack;
    uint32_t ready_first, ready_count; // ring of units that can go on
    uint32_t picks;                    // in another order than theirs: how often one was chosen
    uint32_t yields;                   // since anything but yielding was done
    uint32_t at_phases;                // units in UNIT_AT_PHASE
    uint32_t grid_waits; // units that wait for other grids; they can go on now and again
    bool started;
    bool triggered;                 // lets dependent grids begin
    uint64_t next_block, end_block; // of those that follow on the same stack
    struct barrier barriers[BARRIERS];
    struct unit *units;
    uint16_t *ready;
    struct resident *next;

    struct check_threads *checked;             // check_clocks.c's own; NULL: none so far
    struct block_calls *calls;                 // of the device runtime; NULL: none so far
    struct split_frames *splits, *free_splits; // split.c's own: frames; NULL: none so far

    uint64_t cancelled; // blocks that have not begun and never will: their work is this one's

    struct cluster *cluster, alone; // alone: of a block without others
    uint32_t cluster_place;         // among its members
    uint32_t cluster_phase;         // that what follows is about
    uint32_t cluster_units;         // that have arrived and not ended
    bool cluster_told;              // the block has arrived
};

static inline struct resident *resident_of(struct kd_block *b) {
    return (struct resident *)b; // b is the first member
}
static inline bool on_stacks(const struct resident *s) {
    return s->launch->code->info.mode == KD_MODE_WARP_STACKS ||
           s->launch->code->info.mode == KD_MODE_THREAD_STACKS;
}
// Units are calls that share the block's groups; they begin when others wait.
static inline bool splits(const struct resident *s) {
    return s->launch->code->info.flags & KD_CODE_SPLITS;
}
static inline bool thread_units(const struct resident *s) {
    return s->launch->code->info.mode == KD_MODE_THREAD_STACKS;
}

// The calling unit goes on later: the block's other units run meanwhile. All units of all blocks of
// the cluster waiting is a deadlock.
void block_wait(struct resident *s);
// A unit that waited can go on.
void block_release(struct resident *s, uint32_t unit);
// The calling unit lets others run, of this block and of others.
void block_yield(struct resident *s);
// The same for other units of this block alone: each that can go on does so for a while.
void block_let_others(struct resident *s);
// Programmatic dependent launch (guide 6.2.8.6): the block has triggered; the calling unit goes on
// when the grids that its own depends on have ended.
void block_trigger(struct resident *s);
void block_wait_for_grids(struct resident *s);
// Cluster launch control (guide 12): a cluster of the launch that has not begun never will, the
// calling block does its work. ctaid: the index of its first block. False: there is none left, or
// the block had better end: something of a higher priority waits, or better code is there.
bool block_cancel(struct resident *s, uint32_t ctaid[3]);
_Noreturn void block_fault(struct resident *s, enum kd_fault fault, const char *message);

// warp_op.c: what `lane` gets of the operation that the lanes of `here` have met at; row: the
// warp's 32 units, of which those count.
uint64_t warp_op_result(const struct unit *row, uint32_t lane, uint32_t here);
// split.c: no block runs: frames that a fault left are free again.
void splits_forget(struct resident *s);

// barrier.c, warp_op.c: a unit has ended; others may have waited for no one else.
void barrier_unit_ended(struct resident *s, uint32_t unit);
void warp_op_unit_ended(struct resident *s, uint32_t unit);

#endif
