// A kernel launch, and running its blocks.
#ifndef KUDZU_DEVICE_LAUNCH_H
#define KUDZU_DEVICE_LAUNCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/generated_code.h"
#include "device/device.h"

struct kd_kernel;
struct nested;
struct op;
struct runner;

// Code that can be run: compiled, or the interpreter's handle.
struct code {
    struct kd_code_info info;
    void *entry; // by info.mode; NULL for the interpreter
    void (*interpret)(void *module, uint32_t kernel, struct kd_block *b);
    void *module;
    uint32_t kernel;
    bool from_cache;            // an earlier process has compiled it
    struct loaded_code *loaded; // NULL: not ours to unload
    const struct code *better;  // the same kernel for the same launches; NULL: none (yet). Atomic
};

// What is best now in place of c.
static inline const struct code *code_now(const struct code *c) {
    const struct code *better = __atomic_load_n(&c->better, __ATOMIC_ACQUIRE);
    return better ? better : c;
}

struct kd_launch {
    struct kd_kernel *kernel;
    const struct code *code;
    const char *name;
    uint32_t grid[3], block[3];
    uint32_t cluster[3], cluster_blocks; // a cluster's shape, and how many blocks that is
    bool cluster_explicit;
    uint32_t nthreads, nwarps;
    uint32_t dynamic_offset, dynamic_bytes, window_bytes;
    uint64_t local_stride;
    uint64_t gridid;
    uint64_t stream_bytes; // as in struct kd_block
    const uint8_t *params;
    uint8_t *const *vars;
    uint32_t units;                     // a block's, that may need a stack: warps, threads, or 1
    uint8_t stack_shift;                // size of the stacks it needs
    bool may_wait;                      // its blocks may have to run at the same time
    bool may_group;                     // the scheduler may hand out several at a time
    bool cooperative;                   // all of them
    bool programmatic;                  // may begin before what it depends on has ended
    bool overlaps;                      // the same, but under `kudzu check` it begins behind it
    bool unchecked;                     // `kudzu check` is to say nothing of it
    uint64_t in_queue, number;          // the same: its place (queue.h); 0: not known
    _Atomic(struct nested *) nested;    // what its threads have submitted; NULL: nothing
    uint32_t depth;                     // 0: launched by the host
    struct kd_grid_workspace workspace; // of a cooperative launch
    struct kd_multi_grid *multi;        // that it is a part of, with a reference; NULL: of none
};

// Checks a launch and sets op's launch and units; its parameters are the caller's affair.
enum kd_status launch_prepare(struct op *op, const struct kd_launch_config *config);
// What a launch may be, without looking for code.
enum kd_status launch_check(const struct kd_launch_config *config);
// Copies the parameters into the operation; false: no memory.
bool launch_copy_params(struct op *op, const struct kd_launch_config *config);
// Changes with every launch.
uint64_t launch_new_grids(uint64_t n);
// Size class (stack_shift) of the stacks that code of a kernel needs.
unsigned launch_stack_shift(const struct kd_kernel *k, const struct code *code);

// Runs units [first, first + n) of a launch on the calling thread. Those that wait for others
// stay with the runner (runner_resume), which reports them when they have ended. Returns how many
// have ended, which the caller reports.
uint64_t launch_run(struct runner *r, struct op *op, uint64_t first, uint64_t n);

#endif
