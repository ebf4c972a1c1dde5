// What the emission of one kernel and of one function holds.
#ifndef KUDZU_CODEGEN_STATE_H
#define KUDZU_CODEGEN_STATE_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "abi/generated_code.h"
#include "codegen/notes.h"
#include "codegen/pointwise/pointwise.h"
#include "passes/flow/flow.h"

// What is known of one IR value in the block being emitted. For a uniform value `scalar`; for
// offsets `scalar` is the base and, when guarded, `guard` the condition under which base and
// offsets hold; else `vec`. What is guarded always has `vec` or `delta`, by how much each lane
// really differs from `scalar`: that stays when something uniform is added, so that an address
// which a loop moves on costs one scalar addition in each iteration.
struct cg_val {
    LLVMValueRef scalar, vec, guard, delta;
    uint32_t epoch; // valid while equal to cg_func.epoch; PERMANENT: everywhere
};
enum { CG_PERMANENT = UINT32_MAX };

// See cg_runs.c.
enum cg_runs {
    CG_RUNS_MAYBE,
    CG_RUNS_ALWAYS,
    CG_RUNS_NEVER,
    CG_RUNS_READING, // maybe, behind one that always runs, and shared memory stays as it is
    CG_RUNS_TURN     // in each iteration of its loop that is not the last, and then all before it
};

// Where a value lives across blocks.
struct cg_var {
    LLVMValueRef scalar, vec, guard; // allocas, NULL when not needed; guarded: vec has the delta
    LLVMValueRef out;                // the vector that leaves a divergent loop
};

enum cg_nan_class { CG_NAN_CLEAN, CG_NAN_AT_DEF, CG_NAN_AT_USE };

// How much work LLVM is given. What its passes take grows faster than a kernel's size, for some
// with its square and more.
// Sets of values, one a block: words of 64 bits in all.
enum { CG_MOST_LIVE_WORDS = 1 << 26 };

enum cg_effort {
    CG_EFFORT_ALL,
    CG_EFFORT_NO_COUNTING, // many loops: nobody asks how often they run
    CG_EFFORT_LITTLE       // large: quick code is all that there is
};

struct cg {
    struct arena *arena;
    LLVMContextRef ctx;
    LLVMModuleRef mod;
    LLVMBuilderRef b;
    struct pw pw;
    struct kir_module *ir;
    struct kir_func *kernel;
    struct machine target;
    LLVMTargetMachineRef machine; // NULL: not made yet
    struct kir_module *own_ir;    // with a kernel of this compilation's own; NULL: none
    struct kd_spec spec;
    enum kd_mode mode;
    unsigned width;
    unsigned team;         // groups that run together; 1 outside KD_MODE_BLOCK
    bool one_team;         // they are the whole block: nobody else has to reach a barrier
    uint64_t large_frames; // bytes of machine stack that large frames take together
    bool quick;            // code that is there soon: see effort.c
    enum cg_effort effort; // what the size of the kernel allows
    bool keeps_variables;  // in memory, some of them: see promote.h
    struct kir_value
        *stride_limit;       // the kernel was a grid-stride loop: see passes/loops/stride_loop.h
    bool splits;             // the block's groups may be shared by several calls: KD_CODE_SPLITS
    bool parks;              // lanes may wait for others of their warp: see cg_park.c
    bool private_frame;      // nobody can tell how the kernel's frame is laid out: cg_frame.c
    bool thread_rows;        // threads run one by one, and four words of one are vectors
    int many_atomics;        // 1: in quick code's form, -1: not, 0: not asked yet
    bool lane_calls;         // accesses at an address a lane, and of pieces of matrices, are calls
    struct cg_piece *pieces; // cg_fragment.c's own: those that have a function; NULL: none
    struct cg_piece_found *pieces_found; // cg_fragment.c's own, too: where registers' elements lie
    bool lanes_meet;                     // before atomic operations and launches: cg_meet_lanes
    LLVMTypeRef i1, i8, i16, i32, i64, i128, f32, f64, ptr, void_t;
    LLVMValueRef *fn;       // by kir_func index: declared functions
    uint8_t *can_exit;      // by kir_func index: lanes may die inside
    bool pointers_exit;     // they may in a function that is called through a pointer
    uint8_t *needed;        // by kir_func index: called from the kernel, or address taken
    uint8_t *address_taken; // by kir_func index, where calls through pointers are reachable
    const struct call_shapes *calls; // which parameters and results of functions are scalars
    uint32_t *frame_depth; // by kir_func index: bytes of frames below, UINT32_MAX: recursive
    bool uses_spill;
    uint32_t group_spill;
    LLVMValueRef *file_names;    // constants by number of the file, made when needed
    LLVMValueRef spill_stride;   // constant global: bytes saved for a group, set at the end
    struct notes *notes;         // what `kudzu explain` tells; NULL: nobody asks
    struct strbuf *plan_text;    // of each function, for `kudzu explain --plan`; NULL: nobody asks
    const struct plan **plans;   // by kir_func index, for the plan's interpreter; NULL: not kept
    const struct kir_inst *inst; // being emitted, for notes
    const char *why_stacks, *why_no_team, *why_scalars; // for notes
    const struct kir_inst *stacks_at, *no_team_at, *scalars_at;
    struct strbuf *err;
    bool failed;
};

// What is each group's own among those of a team.
struct cg_group {
    LLVMValueRef t0;          // i32: index in the block of the group's first thread
    LLVMValueRef group;       // i32: index of the group (t0 / width)
    LLVMValueRef mask;        // of the block being emitted; NULL: all lanes of a full group
    LLVMValueRef spill;       // where its values are kept at barriers
    LLVMValueRef *mask_var;   // by block id; NULL: full
    LLVMValueRef *mask_known; // by block id: its mask whenever it runs, a constant or that of a
                              // block before it (rejoins); NULL: not known
    struct cg_val *vals;      // by value id
    struct cg_var *vars;      // by value id
    LLVMValueRef *known;      // by value id: the constant that a vector is; undefined: several
};
enum { CG_MAX_TEAM = 32 };

struct cg_func {
    struct cg *cg;
    struct flow *fl;
    const struct plan *plan;         // what emission does as it says
    struct affine_motion *by_block;  // of the plan's; NULL: nobody has asked
    struct affine_motion *by_ticket; // cg_ticket.c's own; NULL: the same
    struct kir_func *f;
    LLVMValueRef fn, blk;                // the function; its struct kd_block *
    struct cg_group now;                 // the group that is being emitted
    unsigned turn;                       // its index in the team
    struct cg_group groups[CG_MAX_TEAM]; // all of them; that of `turn` is out of date
    LLVMValueRef entry_mask;             // lanes that the function was entered with; NULL: all
    LLVMValueRef frame;                  // i64: where its local frame begins
    LLVMValueRef top;     // variable: the end of what each lane has allocated; NULL: no alloca
    LLVMValueRef ctaid_x; // i32: of the block of a run; NULL where code runs one block only
    bool walks_rows;      // a run of blocks is walked through row by row
    uint8_t *test_only;   // by value id: cg_block_test.c; NULL: there is no such test
    LLVMValueRef dynamic_shared; // i64: offset of dynamic shared memory in the window
    LLVMValueRef shared_base, local_base, local_stride, params, nthreads; // loaded once
    LLVMBasicBlockRef entry;        // where variables and invariants are made
    LLVMBasicBlockRef pass;         // where a pass over the block's groups begins; NULL: no loop
    LLVMBasicBlockRef end;          // the group is finished
    LLVMBasicBlockRef *test, *body; // by block id
    LLVMBasicBlockRef *loop_end;    // by loop index
    uint32_t *again;                // by value id: see cg_again.c; NULL: nothing is
    uint8_t *again_needed;          // cg_invariant.c's own
    uint32_t *again_list;           // the same
    uint8_t *crosses;               // by value id: used outside its block
    uint8_t *nan;                   // by value id: enum cg_nan_class
    uint8_t *bits_seen;             // by value id: some use sees more of a float than its value
    uint8_t *zeros;                 // by value id: see passes/analysis/alignment.h
    LLVMValueRef *ret_vars;         // functions: by result
    LLVMValueRef alive_var;         // functions whose lanes can die
    LLVMValueRef spill_base;        // of all groups
    LLVMValueRef state_switch;      // where a group goes on after a barrier
    uint32_t nsuspends;
    LLVMValueRef red_prev_popc, red_prev_lanes, red_popc, red_lanes; // bar.red
    LLVMValueRef wgmma_memory;         // cg_wgmma.c's own; NULL: none yet
    LLVMValueRef matrix_rows;          // registers of matrix instructions in memory; NULL: none yet
    const struct kir_inst *copied;     // the load that the next store copies; NULL
    const struct places *copied_from;  // cg_copy.c's own: where it reads
    const struct kir_inst *copies_end; // up to there pure instructions have been emitted; NULL
    LLVMValueRef lane_memory[2]; // an address for each lane: to read, to write; NULL: none yet
    LLVMValueRef idle_memory[2]; // what stands for the row of a lane that is not active
    uint8_t *runs;               // by block id: enum cg_runs
    uint8_t *rejoins;            // by block id: its mask is that of a block before it
    uint8_t *done;               // by block id: emitted with one before it, by cg_emit_steps
    struct cg_fours *fours;      // cg_fours.c's own; NULL: none yet
    const struct kir_inst *asks_for_stores; // cg_prefetch_stores.c
    struct cg_lines *lines;                 // cg_lines.c's own; NULL: there are none
    struct cg_counts *counts;               // cg_count.c's own; NULL: none yet
    struct cg_words *words;                 // cg_words.c's own; NULL: addresses are not known
    struct cg_lane_words *lane_words;       // cg_lane_words.c's own; NULL: none yet
    struct cg_once *once;                   // cg_once.c's own; NULL: groups load for themselves
    const uint8_t *read;                    // by value: some instruction reads it
    struct cg_reds *reds;                   // cg_reds.c's own; NULL: nothing is put off
    struct cg_appends *appends;   // cg_append.c's own; NULL: what is appended is stored at once
    LLVMValueRef *whole;          // cg_ask_whole.c's own, by block id; NULL: there are none
    struct cg_whole *asked;       // the same
    LLVMValueRef stream_test;     // cg_stream.c's own; NULL: none of its stores
    LLVMValueRef stream_turns;    // the same in a counted loop's iterations without masks
    bool streams;                 // some of its stores were emitted
    struct cg_homes *homes;       // cg_home.c's own; NULL: no value has one
    struct cg_slots *slots;       // cg_slot.c's own; NULL: there are none
    uint32_t homes_end;           // bytes of what is saved of a group that these and the state take
    struct cg_products *products; // cg_product.c's own; NULL: none yet
    struct cg_common *common;     // cg_common_panel.c's own; NULL: none yet
    struct cg_sum_rows *sum_rows; // cg_sum_rows.c's own: stores that are put off; NULL: none
    struct cg_fragments *fragments;    // cg_fragment.c's own; NULL: none yet
    LLVMBasicBlockRef suspended;       // a group has reached a barrier
    struct cg_park *park;              // cg_park.c's own; NULL: no lanes are parked
    LLVMBasicBlockRef park_head;       // where a split of the group begins, or goes on
    struct cg_liveness *liveness;      // cg_live.c's own; NULL: nobody has asked
    VEC(struct kir_inst *) made_again; // cg_find_again: in the layout's order
    uint32_t epoch;
    struct kir_block *block;       // being emitted
    const struct kir_value *exact; // a 32-bit index that does not wrap in any lane here; NULL
    bool exact_signed;
    struct kir_value
        *step; // by how much a counted loop's index grows in each iteration; NULL: no such loop
    const struct kir_value *stepped; // the index
    bool may_be_empty;               // the group may have no active lane: others' wait
    bool untested;                   // nobody has asked whether any lane is active in this block
    uint32_t spill_bytes;
    LLVMValueRef scratch[4];               // where lanes become scalars; NULL: none yet
    LLVMValueRef zero_slot, sink_slot;     // what inactive lanes read and write; NULL: none yet
    uint32_t spread_lanes;                 // accesses that were written out lane by lane
    LLVMValueRef lane_places, lane_values; // of accesses by calls; NULL: none yet
};

enum { CG_STATE_START = KD_SPLIT_START, CG_STATE_DONE = KD_SPLIT_DONE, CG_STATE_BARRIER };

#endif
