// The SIMD code generator: one kernel and the functions it calls -> one LLVM module.
//
//   compile.c    chooses mode and width, runs everything below, emits the object
//   cg_module.c  declarations, helpers of the device, types
//   cg_func.c    one function: the loop over groups, what is computed once
//   cg_invariant.c what does not depend on the thread
//   cg_block_test.c tests at the beginning that are the same for all threads of a block
//   cg_edge.c    blocks, edges, masks, phis
//   cg_counted.c loops that lanes leave by counting: iterations without masks
//   cg_whole.c   blocks that all lanes enter: versions without masks
//   cg_inst.c    one instruction: to its family, by its shape
//   cg_live.c    what is alive where groups stop
//   cg_barrier.c barriers: saving and going on, or a helper
//   cg_wait.c    loops that wait tell for what
//   cg_park.c    lanes that wait for others of their warp, which come another way
//   cg_value.c   values: scalar, offsets or vector; variables across blocks
//   cg_words.c   words of shared memory in registers
//   cg_runs.c    which blocks are known to run, or not to
//   cg_home.c    values that stay in one place in memory
//   cg_tile.c    products whose sums are tiles, on tile registers
//   cg_row_tile.c    the same in vector registers
//   cg_slot.c    vectors that live through several barriers
//   cg_web.c     values that can have one place
//   cg_no_wrap.c sums and products that do not wrap
//   cg_nan.c     where the bits of a NaN can be seen
//   cg_source.c  special registers, symbols, parameters, address conversion
//   cg_mem.c     loads and stores
//   cg_frame.c   arrays that each thread has for itself
//   cg_interleaved.c members of structures in an array
//   cg_gather.c  one access a lane
//   cg_stretch.c scatters whose lanes mostly lie side by side
//   cg_lines.c   four words a lane that stay as they lie in memory
//   cg_count.c   prefix sums of how many elements a test holds for
//   cg_split.c   elements that go to two places in their order
//   cg_ticket.c  what the block with the next number from a counter will touch
//   cg_lone.c    scattered stores that hardly any lane makes
//   cg_steps.c   tests and stores of four words a lane, made as the words lie
//   cg_sorted.c  lanes that are neighbours once they are sorted
//   cg_table.c   loads from small tables in shared memory
//   cg_stream.c  stores past the caches
//   cg_once.c    loads from shared memory that all groups have alike
//   cg_transpose.c a team's accesses that are lines the other way round
//   cg_prefetch.c asking for memory before it is needed
//   cg_ahead.c   asking for what later threads load
//   cg_pin.c     vectors that stay where they are made
//   cg_copy.c    loads whose results are only stored again
//   cg_align.c   tests of addresses that are not proven aligned
//   cg_atomic.c  atom and red
//   cg_reds.c    operations on memory that a run of blocks puts off, as for histograms
//   cg_bins.c    where lanes go to words of their own; cg_cells.c: where all go to one
//   cg_append.c  what threads append to lists, kept for a run of blocks
//   cg_stack.c   alloca and its kind
//   cg_texture.c texture fetches
//   cg_async.c   mbarrier objects, asynchronous copies
//   cg_check.c   what `kudzu check` puts into kernels
//   cg_warp.c    shuffles, votes, matches, reductions
//   cg_matrix.c  matrix instructions: to the next two, or a helper
//   cg_product.c products of matrices in registers
//   cg_wgmma.c   products of matrices in shared memory
//   cg_fragment.c matrices between memory and registers
//   cg_call.c    calls: direct, indirect, built-in
//   pointwise*.c everything that works lane by lane
//   depth_first.c the order of long blocks
//   one_test.c   the tests of one way through a kernel, made at once
//   abreast.c    scalars that are computed alike, in the lanes of one vector
//   block_graph.c which instructions of a block need which
//   cold.c       what blocks that hardly ever run need is computed there
//   notes.c      what is noted on the way; explain.c the report of it
#ifndef KUDZU_CODEGEN_CG_H
#define KUDZU_CODEGEN_CG_H

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
    bool quick;            // code that is there soon: see compile.c
    enum cg_effort effort; // what the size of the kernel allows
    bool keeps_variables;  // in memory, some of them: see promote.h
    struct kir_value
        *stride_limit;       // the kernel was a grid-stride loop: see passes/loops/stride_loop.h
    bool splits;             // the block's groups may be shared by several calls: KD_CODE_SPLITS
    bool parks;              // lanes may wait for others of their warp: see cg_park.c
    bool private_frame;      // nobody can tell how the kernel's frame is laid out: cg_frame.c
    bool thread_rows;        // threads run one by one, and four words of one are vectors
    bool lane_calls;         // accesses at an address a lane, and of pieces of matrices, are calls
    struct cg_piece *pieces; // cg_fragment.c's own: those that have a function; NULL: none
    struct cg_piece_found *pieces_found; // cg_fragment.c's own, too: where registers' elements lie
    bool lanes_meet;                     // before atomic operations and launches: see cg_atomic.c
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
    uint32_t *again;                // by value id: see cg_invariant.c; NULL: nothing is
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
    const struct kir_inst *asks_for_stores; // cg_prefetch.c
    struct cg_lines *lines;                 // cg_lines.c's own; NULL: there are none
    struct cg_counts *counts;               // cg_count.c's own; NULL: none yet
    struct cg_words *words;                 // cg_words.c's own; NULL: addresses are not known
    struct cg_once *once;                   // cg_once.c's own; NULL: groups load for themselves
    const uint8_t *read;                    // by value: some instruction reads it
    struct cg_reds *reds;                   // cg_reds.c's own; NULL: nothing is put off
    struct cg_appends *appends;   // cg_append.c's own; NULL: what is appended is stored at once
    LLVMValueRef *whole;          // cg_whole.c's own, by block id; NULL: there are none
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

// cg_module.c
void cg_error(struct cg *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
LLVMTypeRef cg_scalar_type(struct cg *c, enum kir_type t);
LLVMTypeRef cg_vec_type(struct cg *c, enum kir_type t); // a scalar type at width 1
LLVMTypeRef cg_vec_of(struct cg *c, LLVMTypeRef t);
LLVMTypeRef cg_int_type(struct cg *c, unsigned bits);
LLVMTypeRef cg_mask_type(struct cg *c);
LLVMValueRef cg_i32(struct cg *c, uint64_t v);
LLVMValueRef cg_i64(struct cg *c, uint64_t v);
LLVMValueRef cg_call_intrinsic(struct cg *c, const char *name, LLVMTypeRef *overload,
                               unsigned noverload, LLVMValueRef *args, unsigned nargs);
LLVMValueRef cg_call_rt(struct cg *c, const char *name, LLVMValueRef *args, unsigned nargs);
void cg_declare_functions(struct cg *c);
// A function of the module's own that many places call, with vectors in registers; code that is
// made once compiles faster than code that stands everywhere. *made: the caller writes its body,
// the builder stands at the beginning. cg_end_own goes back to where the builder stood.
struct cg_own {
    LLVMValueRef f;
    LLVMBasicBlockRef from; // NULL: the function was there
};
enum cg_own_effect {
    CG_ANY_EFFECT = -1,
    CG_READS_ARGS = 1,
    CG_WRITES_ARGS = 2,
    CG_CHANGES_ARGS = 3,
    CG_READS = 21
};
struct cg_own cg_own_function(struct cg *c, const char *name, LLVMTypeRef t,
                              enum cg_own_effect effect);
void cg_end_own(struct cg *c, const struct cg_own *own);
LLVMValueRef cg_call_own(struct cg *c, LLVMTypeRef t, LLVMValueRef f, LLVMValueRef *args,
                         unsigned n);
LLVMTypeRef cg_func_type(struct cg *c, const struct kir_func *f);
LLVMTypeRef cg_param_type(struct cg *c, const struct kir_func *f, uint32_t k);
LLVMTypeRef cg_result_type(struct cg *c, const struct kir_func *f, uint32_t k);
// A load of a field of struct kd_block.
LLVMValueRef cg_block_field(struct cg_func *g, size_t offset, LLVMTypeRef t, const char *name);
// A field of a structure of the device's, at p.
LLVMValueRef cg_field(struct cg *c, LLVMValueRef p, size_t offset);
void cg_set_field(struct cg *c, LLVMValueRef p, size_t offset, LLVMValueRef x);

// cg_func.c
void cg_emit_kernel(struct cg *c, struct flow *fl);
void cg_emit_function(struct cg *c, struct kir_func *f, struct flow *fl);
LLVMValueRef cg_entry_alloca(struct cg_func *g, LLVMTypeRef t); // at the function's head
LLVMBasicBlockRef cg_new_block(struct cg_func *g, const char *name);
// Ends the launch with a fault when `bad` (i1) holds.
void cg_fault_if(struct cg_func *g, LLVMValueRef bad, enum kd_fault fault);

struct cg_live; // cg_live.c

// cg_block_test.c
// Looks for what is computed for a test of the block alone: cg_emit_invariants leaves it out.
void cg_find_block_test(struct cg_func *g);
// The outcomes of the tests of up to CG_PIECE_BLOCKS blocks (i8 each), and for each block the first
// one behind it with another outcome (i32; or the last one's successor).
struct cg_stretches {
    LLVMValueRef tests, ends;
};
enum { CG_PIECE_BLOCKS = 1024 };
// A loop that makes the tests of `count` blocks from `first` on (i32 each), and goes to `done`.
// False: the test is not one of the block alone, and test_only is NULL from here on.
bool cg_emit_block_tests(struct cg_func *g, struct cg_stretches *s, LLVMValueRef first,
                         LLVMValueRef count, LLVMBasicBlockRef done);
// Of the step-th of these blocks: where its stretch ends, and the outcome (i1).
LLVMValueRef cg_stretch_end(struct cg_func *g, const struct cg_stretches *s, LLVMValueRef step);
LLVMValueRef cg_stretch_test(struct cg_func *g, const struct cg_stretches *s, LLVMValueRef step);
// From here on the test's outcome is `test`.
void cg_set_block_test(struct cg_func *g, LLVMValueRef test);
// cg_invariant.c
// Emits what is computed once, where it dominates everything: without of_group for all groups, else
// for the group that is being emitted.
void cg_emit_invariants(struct cg_func *g, bool of_group);
// What cg_find_block_test has found: is it the same for all threads of a block? Emits it.
bool cg_is_test_invariant(struct cg_func *g);
void cg_emit_test_only(struct cg_func *g);
// Finds what follows from the group's index, to be made where the group begins and again where it
// goes on behind a barrier: what is alive there (`live`; NULL: all).
void cg_find_again(struct cg_func *g);
bool cg_is_meeting(const struct cg_func *g, const struct kir_inst *i);
void cg_make_again(struct cg_func *g, const struct cg_live *live);
bool cg_is_again(const struct cg_func *g, const struct kir_value *v);
// Is i computed at the head of the function or, with of_group, of a group?
bool cg_belongs_to_head(struct cg_func *g, const struct kir_inst *i, bool of_group);
bool cg_is_of_test(const struct cg_func *g, const struct kir_inst *i);

// cg_prefetch.c
// In a counted loop: asks for what an access at p will touch some iterations later, `bytes` a group
// (0: in pieces).
void cg_prefetch_turns(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, unsigned bytes,
                       bool is_store);
// Outside loops: asks for what the same access of later groups will touch, `bytes` a group.
void cg_prefetch_groups(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, unsigned bytes,
                        bool is_store);
// By how many bytes the address of an access grows in each iteration, as an i64, when it fills a
// tile, or writes one: it stands in a loop with barriers, and the next iteration's memory is worth
// asking for. Else NULL.
LLVMValueRef cg_next_tile(struct cg_func *g, const struct kir_inst *i);
// Asks for what lies `by` (i64) bytes behind the pointer p.
void cg_prefetch_at(struct cg *c, LLVMValueRef p, LLVMValueRef by, bool is_store);
// Into which cache: numbers of LLVM's.
enum cg_cache { CG_SECOND_CACHE = 2, CG_FIRST_CACHE = 3 };
void cg_prefetch_to(struct cg *c, LLVMValueRef p, bool is_store, enum cg_cache where);
// The same, or where this machine had better put it.
void cg_prefetch_line(struct cg *c, LLVMValueRef p, bool is_store, enum cg_cache where);
// Into the first cache on all machines: for what is waited for alone, as by a locked instruction.
void cg_prefetch_near(struct cg *c, LLVMValueRef p, LLVMValueRef by, bool is_store);
// The same for all lanes of an access of `bytes` a lane whose addresses are p and constant offsets.
void cg_prefetch_tile(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, unsigned bytes,
                      LLVMValueRef by);
// At a group's head: asks for the lines that it will write behind its barriers.
void cg_prefetch_stores(struct cg_func *g);
const struct kir_inst *cg_asks_for_stores(const struct cg_func *g);
// Does the store i ask for what the next block stores to?
bool cg_asks_for_next(const struct cg_func *g, const struct kir_inst *i);
// At the end of block b: what it has loaded may tell where later blocks store.
void cg_prefetch_later_stores(struct cg_func *g, const struct kir_block *b);

// cg_pin.c
// The current group's v, a vector that was just made, stays before what is emitted next.
void cg_pin(struct cg_func *g, struct kir_value *v);

// cg_ahead.c
// At a thread's head, where threads run one after the other: asks for what a later one will need.
void cg_run_ahead(struct cg_func *g);

// cg_align.c
void cg_find_alignment(struct cg_func *g);
bool cg_is_aligned(struct cg_func *g, const struct kir_inst *i); // proven
// Ends the launch unless the addresses of all active lanes are multiples of the access's size.
// May begin a new block: values made before it can be used after it.
void cg_check_alignment(struct cg_func *g, struct kir_inst *i);
// The name of i's source file as a constant; NULL when there is no line.
LLVMValueRef cg_file_name(struct cg *c, const struct kir_inst *i);
// Calls the helper that ends the launch; it does not return. address: NULL when there is none.
void cg_fault_at(struct cg_func *g, const struct kir_inst *i, LLVMValueRef thread,
                 enum kd_fault fault, LLVMValueRef address);
// Tells LLVM to unroll the loop that `branch` closes, when its iterations can be counted.
void cg_unroll(struct cg *c, LLVMValueRef branch);
// Keeps LLVM from unrolling and vectorizing it.
void cg_no_loop_transforms(struct cg *c, LLVMValueRef branch);
// Goes on with group `turn` of the team.
void cg_turn_to(struct cg_func *g, unsigned turn);

// cg_sum_rows.c
// A store for which cg_stores_pair says so: makes it, or puts it off up to the last one of several
// that are made together.
void cg_store_sums(struct cg_func *g, struct kir_inst *i);
// cg_mem.c: does i store a pair of a product's sums in each lane, four lanes beside each other? Its
// store alone.
bool cg_stores_pair(struct cg_func *g, struct kir_inst *i);
void cg_store_pair(struct cg_func *g, struct kir_inst *i);

// cg_copy.c
// Is i a load of 8 or 16 bytes a lane, at addresses that follow no pattern, whose results the next
// store stores, and nothing else uses? Then it is that store, else NULL.
struct kir_inst *cg_copying_store(struct cg_func *g, const struct kir_inst *i);
// The load's part, where cg_copying_store says so, and the store's; p: a pointer a lane. Inactive
// lanes copy nothing.
void cg_begin_copy(struct cg_func *g, const struct kir_inst *load, LLVMValueRef p);
bool cg_is_copy(struct cg_func *g, const struct kir_inst *store);
bool cg_flows_into_phi(const struct kir_inst *of); // does a result of its?
void cg_end_copy(struct cg_func *g, const struct kir_inst *store, LLVMValueRef p);
// Does a row of copies begin at `first`? Its end then, else NULL.
struct kir_inst *cg_row_of_copies(struct cg_func *g, struct kir_inst *first);
// Is i one of what can be made before all copies of a row, and not there yet?
bool cg_is_before_copies(struct cg_func *g, const struct kir_inst *i);
// Has all that the copies of such a row read brought into the cache; what computes their addresses
// has been emitted.
void cg_prefetch_copies(struct cg_func *g, struct kir_inst *first);
// Memory for one address a lane to read from (0) or write to (1); 16 bytes of memory that lanes
// which are not active read (zeros) or write instead.
LLVMValueRef cg_lane_memory(struct cg_func *g, unsigned n);
LLVMValueRef cg_idle_memory(struct cg_func *g, bool store);

// cg_inst.c
void cg_emit_inst(struct cg_func *g, struct kir_inst *i);
// cg_pure.c
// The same for an instruction without effect, which may be made early, or once more.
void cg_emit_pure(struct cg_func *g, struct kir_inst *i);
// Fails the compilation for an instruction that nobody knows.
void cg_cannot_compile(struct cg_func *g, const struct kir_inst *i);
// May i touch shared memory, other than by a load or store?
bool cg_touches_shared(const struct kir_inst *i);
bool cg_emit_pointwise(struct cg_func *g, struct kir_inst *i);
// The result of i as one scalar, of the operands src: does it wrap? See cg_no_wrap.c.
void cg_note_no_wrap(struct cg_func *g, const struct kir_inst *i, const LLVMValueRef *src,
                     LLVMValueRef result);

// cg_stack.c
bool cg_allocates(const struct kir_func *f);
void cg_begin_stack(struct cg_func *g); // at the function's first block
// i64: where the frame of a function that is called here begins, for all lanes.
LLVMValueRef cg_stack_end(struct cg_func *g);

// cg_edge.c
void cg_emit_blocks(struct cg_func *g); // all of them, in layout order
// A block's instructions, phis and terminator apart, for all groups of the team.
void cg_emit_body(struct cg_func *g, struct kir_block *b);
void cg_emit_terminator(struct cg_func *g, struct kir_block *b);
// Gives the phis behind edge k their values for the lanes of `mask` (NULL: all).
void cg_assign_phis(struct cg_func *g, struct kir_block *from, uint32_t k, LLVMValueRef mask);
// The same for all active lanes of the current group, which go there next.
void cg_take_lanes(struct cg_func *g, struct kir_block *from, uint32_t k);
// Control goes on where the lanes have been sent over edge k.
void cg_go_to_next(struct cg_func *g, struct kir_block *b, uint32_t k);
// Behind b no lane is active any more: on to where lanes wait, or to the end.
void cg_follow_layout(struct cg_func *g, struct kir_block *b);
void cg_jump(struct cg_func *g, struct flow_next n);
// Makes what the phis behind b's edges will get, before b branches: what is made in one arm
// cannot be used in the other.
void cg_prepare_phis(struct cg_func *g, struct kir_block *b);

// cg_all_lanes.c
struct cg_counted {
    struct kir_value *index, *limit; // lanes stay while index < limit
    struct kir_value *next;          // the phi that gets `index`; NULL: none
    bool is_signed, or_equal;
    uint32_t back;                    // which target is the block itself
    int64_t most;                     // the largest offset from the first group's base
    struct kir_block *middle, *latch; // NULL, and the block itself: there is one block
    struct cg_counted *part;          // which lanes go to the middle block: index < limit
};
// Does the comparison p of block b have a form that one scalar answers for the team?
bool cg_find_condition(struct cg_func *g, const struct kir_block *b, const struct kir_value *p,
                       bool stay_if_true, struct cg_counted *l);
LLVMValueRef cg_extend(struct cg *c, LLVMValueRef x, bool is_signed); // to an i64
// No lane of the team wraps, and each lane's index is below the limit (i1). base: of the first one.
LLVMValueRef cg_all_stay(struct cg_func *g, const struct cg_counted *l, LLVMValueRef base);

// cg_counted.c
// The team's masks into mask[] and out of the way: what follows is for all lanes, b's phis too.
void cg_masks_off(struct cg_func *g, const struct kir_block *b, LLVMValueRef *mask);
// And back again, on another way.
void cg_masks_on(struct cg_func *g, LLVMValueRef *mask);
// At the head of a loop that lanes leave by counting, of one block or with a part that some
// iterations leave out: emits the iterations that all lanes make, and leaves the builder where the
// iterations under masks begin. Does nothing in other blocks.
void cg_emit_full_turns(struct cg_func *g, struct kir_block *b);
// Are all lanes of the team active (i1)?
LLVMValueRef cg_all_active(struct cg_func *g);
// At b's branch: do all lanes of the team take edge k (i1)? NULL: no scalar comparison tells.
LLVMValueRef cg_all_take(struct cg_func *g, struct kir_block *b, uint32_t k);

// cg_whole.c
// Is a version of b without masks worth its code?
bool cg_wants_whole(struct cg_func *g, const struct kir_block *b);
// How many instructions it would be; 0: it cannot.
unsigned cg_could_be_whole(struct cg_func *g, const struct kir_block *b);
// At the end of `from`, before it branches: asks for those it branches to whether all lanes do.
void cg_ask_whole(struct cg_func *g, struct kir_block *from);
LLVMValueRef cg_is_whole(struct cg_func *g, const struct kir_block *b); // i1; NULL: nobody asked
// Emits b's body in two versions, and what they hand to the next block; false: there is one.
bool cg_emit_whole(struct cg_func *g, struct kir_block *b);

// cg_live.c
// Values that are alive behind an instruction, without its results, in the order of the layout.
// Asked for in that order: in linear time and room, as far as the lists are short.
struct cg_live {
    uint32_t n;
    struct kir_value **values;
};
struct cg_live cg_live_after(struct cg_func *g, const struct kir_inst *i);
void cg_forget_walk(struct cg_func *g); // values have become permanent since

// cg_barrier.c
bool cg_emit_barrier(struct cg_func *g, struct kir_inst *i);
// Saves what the group needs behind i, where it is to stop; cg_go_on begins the code that it goes
// on with.
struct cg_stop *cg_save_to_stop(struct cg_func *g, struct kir_inst *i, enum kd_split_wait wait);
void cg_go_on(struct cg_func *g, const struct cg_stop *s);
// In how many of the active lanes a barrier's predicate holds, and how many there are: i32.
void cg_count_group(struct cg_func *g, struct kir_inst *i, LLVMValueRef n[2]);

// cg_wait.c: lanes in loop l, at whose head control is, have looked in vain: who wants to know is
// told what they wait for, and with `yields` others run.
void cg_call_wait(struct cg_func *g, const struct cfg_loop *l, bool yields);

// cg_park.c
// Around the loop over groups: its variables; the head to which a group comes back for each split,
// returning the group; the split's frame, of which `first` becomes whether it begins; where a split
// that has stopped goes, and what stands there.
void cg_make_park(struct cg_func *g, LLVMValueRef waiting);
LLVMValueRef cg_begin_splits(struct cg_func *g, LLVMValueRef group);
LLVMValueRef cg_split_frame(struct cg_func *g, LLVMValueRef own, LLVMValueRef *first);
void cg_start_splits(struct cg_func *g);
LLVMBasicBlockRef cg_after_split(struct cg_func *g, LLVMBasicBlockRef next_group);
void cg_end_split(struct cg_func *g, LLVMBasicBlockRef next_group);
// Writes into the frame that the active lanes stop, for what, and in which state they go on; `op`:
// the operation that they stop at.
void cg_say_stop(struct cg_func *g, uint32_t state, enum kd_split_wait wait,
                 const struct kir_inst *op);
void cg_stop_at_barrier(struct cg_func *g, const struct kir_inst *i);
LLVMValueRef cg_active_lanes(struct cg_func *g);  // an i32
LLVMValueRef cg_stopped_lanes(struct cg_func *g); // those that go on here, an i32
void cg_go_on_with_split(struct cg_func *g);      // sets the mask
// At the head of loop l that has looked in vain: lanes that are elsewhere go on first; where there
// are none, other groups do. False: lanes do not wait for each other in it.
bool cg_emit_turn(struct cg_func *g, const struct cfg_loop *l, LLVMBasicBlockRef look);
// A warp operation at which lanes may have to wait for others; false: it is none.
bool cg_emit_meeting(struct cg_func *g, struct kir_inst *i);

// cg_value.c
struct cg_val *cg_val_of(struct cg_func *g, const struct kir_value *v);
// Made for the team's first group alone: shared, or a lag apart from group to group. A value with
// a guard has its vector in every group all the same.
bool cg_made_once(const struct cg_func *g, const struct kir_value *v);
struct cg_var *cg_var_of(struct cg_func *g, const struct kir_value *v);
struct shape cg_shape(struct cg_func *g, const struct kir_value *v); // as seen in g->block
struct shape cg_shape_at_def(const struct cg_func *g, const struct kir_value *v);
LLVMValueRef cg_scalar(struct cg_func *g, struct kir_value *v); // uniform value, or offsets' base
LLVMValueRef cg_guard(struct cg_func *g, struct kir_value *v);  // NULL: none
LLVMValueRef cg_vec(struct cg_func *g, struct kir_value *v);    // a scalar at width 1
// By how much each lane of a uniform value or one with offsets differs from cg_scalar.
LLVMValueRef cg_delta(struct cg_func *g, struct kir_value *v);
bool cg_is_guarded(const struct cg_func *g, const struct kir_value *v);     // where it is defined
void cg_set_scalar(struct cg_func *g, struct kir_value *v, LLVMValueRef x); // uniform result
// With a guard also what always holds: vec or delta, the other one NULL.
void cg_set_offsets(struct cg_func *g, struct kir_value *v, LLVMValueRef base, LLVMValueRef guard,
                    LLVMValueRef vec, LLVMValueRef delta);
void cg_set_vec(struct cg_func *g, struct kir_value *v, LLVMValueRef x); // varying result
// Sets the result from a scalar or a vector, whichever its shape wants: x is a vector.
void cg_set_result(struct cg_func *g, struct kir_value *v, LLVMValueRef x);
LLVMValueRef cg_splat(struct cg *c, LLVMValueRef x);
LLVMValueRef cg_offs_vec(struct cg_func *g, const int64_t *offs, LLVMTypeRef elem);
// Can v be used here although this instruction does not name it? Not after a barrier that it
// was not saved at.
bool cg_at_hand(struct cg_func *g, const struct kir_value *v);
LLVMValueRef cg_mask(struct cg_func *g);                         // never NULL: all ones when full
LLVMValueRef cg_mask_bits(struct cg_func *g, LLVMValueRef mask); // iW
LLVMValueRef cg_bits_of_lanes(struct cg *c, LLVMValueRef mask);  // bit l: lane l
LLVMValueRef cg_any(struct cg_func *g, LLVMValueRef mask);       // i1
LLVMValueRef cg_lane_index(struct cg_func *g); // vector i32: thread index in the block
LLVMValueRef cg_extract(struct cg_func *g, LLVMValueRef vec, LLVMValueRef lane);
LLVMValueRef cg_select(struct cg *c, LLVMValueRef m, LLVMValueRef a, LLVMValueRef b);
void cg_find_crossing(struct cg_func *g);
void cg_make_vars(struct cg_func *g);
void cg_store_live_out(struct cg_func *g, struct kir_value *v);
void cg_store_var(struct cg_func *g, struct kir_value *v);
void cg_reset_vars(struct cg_func *g);

// What stands between runs only when the group has an active lane: a block is entered when any
// group of a team has one. The n values x made there are zero for a group without.
struct cg_active {
    LLVMBasicBlockRef from, done;
};
struct cg_active cg_begin_active(struct cg_func *g);
// The same where a group without a team, too, may have none.
struct cg_active cg_begin_some(struct cg_func *g);
void cg_end_active(struct cg_func *g, const struct cg_active *a, LLVMValueRef *x, unsigned n);

// Is it known while code is generated that no lane of the group is active?
bool cg_never_active(const struct cg_func *g);
// Is lane k active in a mask that is a constant?
bool cg_constant_lane(struct cg *c, LLVMValueRef mask, unsigned k);

// A loop over the active lanes of `mask`, in lane order:
//   struct cg_lane_loop l = cg_begin_lanes(g, mask);  ... l.lane is an i32 ...  cg_end_lanes(g,
//   &l);
struct cg_lane_loop {
    LLVMValueRef lane, bits_phi, bits;
    LLVMBasicBlockRef head, done, body_from;
};
struct cg_lane_loop cg_begin_lanes(struct cg_func *g, LLVMValueRef mask);
void cg_end_lanes(struct cg_func *g, struct cg_lane_loop *l);

// cg_mem.c
// Does a load take more than vectors, where all lanes are active? Then it can be made in two steps:
// what later code can find again, and the rest, which may stand in a block of its own.
bool cg_load_costs(struct cg_func *g, const struct kir_inst *i);
struct cg_costly_load *cg_prepare_costly(struct cg_func *g, struct kir_inst *i);
unsigned cg_make_costly(struct cg_func *g, const struct cg_costly_load *l, LLVMValueRef *x);
LLVMTypeRef cg_costly_type(struct cg_func *g, const struct cg_costly_load *l); // of each of x
unsigned cg_costly_bytes(struct cg_func *g, const struct cg_costly_load *l);   // of all of them

// cg_spread.c
// The lanes of a vector as scalars. Three vectors (`which` 0 to 2) can be spread at a time; a
// scalar or a constant is left as it is.
enum { CG_OF_EXTRACT = 3 }; // the place that cg_extract uses
struct cg_spread {
    LLVMValueRef vec, place, words;
    LLVMTypeRef type;
    unsigned bits;         // of a lane in `words`, less than the type's where vec extends it
    LLVMValueRef word[32]; // those of `words` taken out so far
    LLVMValueRef reg;      // a register with reg_words of them, from reg_first on
    unsigned reg_words, reg_first;
    LLVMValueRef shifted; // of bytes: the word with lanes 2 * pair and 2 * pair + 1 lowest
    unsigned pair;
};
struct cg_spread cg_spread(struct cg_func *g, LLVMValueRef vec, unsigned which); // through memory
// For places and values of stores, in full code from register to register.
struct cg_spread cg_take_apart(struct cg_func *g, LLVMValueRef vec, unsigned which);
// Has vec been extended by zeros from bytes or halves of words?
bool cg_is_narrow(LLVMValueRef vec);
// Of a vector that went through memory: a lane that is found when it runs, an i32.
LLVMValueRef cg_spread_at(struct cg_func *g, const struct cg_spread *s, LLVMValueRef lane);
// In one block, or in blocks that follow each other.
LLVMValueRef cg_spread_lane(struct cg_func *g, struct cg_spread *s, unsigned lane);

// cg_gather.c
// A place a lane: `base` + offs[lane], `base` + index[lane] * scale (32-bit indices),
// `base` + lane * step (i64), or the vector `pointers`.
struct cg_places {
    LLVMValueRef pointers, base, index, step;
    struct kir_value *index_of; // what the index is the vector of, where that is known
    const int64_t *offs;
    unsigned scale; // bytes: 1, 2, 4 or 8
    bool index_signed;
    bool stretches; // the lanes' own index is part of theirs: they may lie side by side
};
LLVMValueRef cg_pointers(struct cg_func *g, const struct cg_places *p); // a vector
// Accesses of `count` components of `bytes` bytes, one after the other, by each active lane.
struct cg_lane_access {
    LLVMTypeRef elem;
    unsigned count, bytes;
    struct cg_places at;
    bool rare;         // short code rather than fast code
    bool whole;        // all components of a lane in one access, of 16 bytes at most
    bool lone;         // a store that mostly no lane makes or one, by cg_is_lone
    LLVMValueRef from; // i32: lone: lane l stores from + l * by; NULL: not known
    uint32_t by;
    LLVMValueRef
        ahead; // i64: where, behind each place, memory will be needed soon; NULL: not known
};
// Of one lane, whole.
void cg_load_whole(struct cg *c, const struct cg_lane_access *a, LLVMValueRef p, LLVMValueRef *out);
void cg_store_whole(struct cg *c, const struct cg_lane_access *a, LLVMValueRef p,
                    LLVMValueRef *comp);
void cg_gather(struct cg_func *g, struct cg_lane_access a, LLVMValueRef *out); // inactive: zero
void cg_scatter(struct cg_func *g, struct cg_lane_access a, LLVMValueRef *comp);
// The memory that inactive lanes read and write instead.
LLVMValueRef cg_zero_slot(struct cg_func *g);
LLVMValueRef cg_sink_slot(struct cg_func *g);
// cg_lane_calls.c: the same in quick code, for what cg_calls_for_lanes accepts.
bool cg_calls_for_lanes(const struct cg_func *g, const struct cg_lane_access *a);
void cg_gather_by_call(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *out);
void cg_scatter_by_call(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *comp);
// cg_sorted.c: the same when each lane's place is known and, sorted, they lie side by side; false:
// they do not.
bool cg_scatter_sorted(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef *comp);
// The places as they are used without a mask, lane by lane.
struct cg_spread cg_spread_places(struct cg_func *g, const struct cg_places *p);
struct cg_spread cg_take_places_apart(struct cg_func *g, const struct cg_places *p);
LLVMValueRef cg_place(struct cg_func *g, const struct cg_places *p, struct cg_spread *s,
                      unsigned lane);
// The 32-bit index behind the address of i, which is a uniform base and `bytes` times the index;
// NULL: there is none.
struct kir_value *cg_index_of(struct cg_func *g, const struct kir_inst *i, unsigned bytes,
                              struct kir_value **base);
// Where the lanes of an access find their memory, i->offset included.
struct cg_places cg_places_of(struct cg_func *g, struct kir_inst *i);
// The address of i as one scalar pointer (uniform, or the base of offsets), i->offset included.
LLVMValueRef cg_scalar_pointer(struct cg_func *g, const struct kir_inst *i);
// One pointer a lane from the address itself; safe to make before a branch.
LLVMValueRef cg_exact_pointers(struct cg_func *g, const struct kir_inst *i);
// The pointer, or the pointers, so many bytes behind p.
LLVMValueRef cg_byte_gep(const struct cg *c, LLVMValueRef p, int64_t bytes);
// cg_frame.c: i is a load or store of the kernel's private frame, and has been emitted.
bool cg_emit_frame(struct cg_func *g, struct kir_inst *i);
// cg_interleaved.c
// The load i, whose lanes lie `distance` bytes apart, the first one's at `base`: a vector of `elem`
// for each component, where it needs no mask and whole vectors of memory are worth it. Else false.
bool cg_load_interleaved(struct cg_func *g, const struct kir_inst *i, LLVMTypeRef elem,
                         LLVMValueRef base, int64_t distance, LLVMValueRef *out);
// Is the store i one of several that fill the rows of memory between lanes? Then it is made with
// the last of them, as the store `row` of a vector a lane.
enum cg_row { CG_ROW_NONE, CG_ROW_LATER, CG_ROW_NOW };
enum cg_row cg_store_row(struct cg_func *g, struct kir_inst *i, struct kir_inst *row);
// Is i a load or store of vectors whose lanes do not follow each other word by word?
bool cg_is_strided(struct cg_func *g, struct kir_inst *i);
// Is i a load or store outside shared memory whose lanes do?
bool cg_is_line(struct cg_func *g, struct kir_inst *i);

// cg_split.c
// Stores that put elements into one of two places, each of which counts up: false, when i is none.
bool cg_emit_split(struct cg_func *g, struct kir_inst *i);
// The elements of vectors x[0], x[step], ... (n of them, of sixteen lanes), lane by lane.
void cg_put_in_order(struct cg *c, LLVMValueRef *x, unsigned n, unsigned step, LLVMValueRef *out);
LLVMValueRef cg_sixteen_of(struct cg *c, LLVMValueRef x, unsigned first); // lanes of x

// cg_count.c
// What a predicate asks of a 32-bit word: a bit of it (of its complement, if `inside`), or how it
// compares with `by`; the contrary, if `outside`.
struct cg_test {
    struct kir_value *x, *by;
    bool is_bit, inside, outside, is_signed;
    uint8_t cmp, number; // number: which bit, where `by` is NULL; from 32 on there are zeros
};
bool cg_find_test(struct cg_func *g, const struct kir_value *pred, struct cg_test *t);
bool cg_find_term(struct cg_func *g, struct kir_value *v, struct cg_test *t); // v: 1 or 0
// 1: y holds where x does; -1: where x does not; 0: neither is known. *below: if what is asked for
// is a bit of a word, not one above it. The words are not looked at.
int cg_tests_agree(const struct cg_test *x, const struct cg_test *y, bool *below);
bool cg_same_test(const struct cg_test *x, const struct cg_test *y); // of different words
void cg_note_count(struct cg_func *g, const struct kir_inst *i);     // behind i
// Is a counter in each lane where it was in the lane before, and what that lane counted further:
// those of its words for which t holds, or does not?
struct cg_counter {
    LLVMValueRef first;    // in lane 0
    LLVMValueRef if_below; // an i1, under which that is so; NULL: always
    LLVMValueRef bits[KD_WARP / 4], count[KD_WARP / 4]; // i32: which words of a line, and how many
};
bool cg_counts_on(struct cg_func *g, struct kir_value *counter, struct kir_value *const *word,
                  const struct cg_test *t, bool holds, struct cg_counter *out);

// cg_ticket.c
// i accesses so many bytes at p, at a place that follows from a number of the block's own: asks for
// some lines of what the block with the worker's next number will access.
void cg_prefetch_ticket(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p,
                        unsigned bytes);

// cg_lone.c
// Is i a store of which a vector's lanes mostly make none or one? Its block may then run with no
// lane active.
bool cg_is_lone(const struct cg_func *g, const struct kir_inst *i);
// Stores the lowest active lane's word x; goes on, where there are more lanes, with storing them
// all, after which there is a branch to the block that is returned.
LLVMBasicBlockRef cg_store_lone(struct cg_func *g, const struct cg_lane_access *a, LLVMValueRef x);

// Sets from and by of a store of v.
void cg_find_growth(struct cg_func *g, struct kir_value *v, struct cg_lane_access *a);

// cg_steps.c
// At the end of b: emits what all lanes do up to where they meet again, if that is four tests and
// stores of theirs, and goes on there. The blocks between are then done.
bool cg_emit_steps(struct cg_func *g, struct kir_block *b);

// cg_stretch.c
// Is the lane's own index part of an index (32 bits) that follows no pattern?
bool cg_may_stretch(struct cg_func *g, const struct kir_value *index);
// Stores words of x at places base + index * 4, with a signed index.
void cg_store_stretches(struct cg_func *g, const struct cg_places *at, LLVMValueRef x);

// cg_mem.c: the elements of x, and then those of y.
LLVMValueRef cg_concat(struct cg *c, LLVMValueRef x, LLVMValueRef y);
// Elements from[0] to from[n - 1] of x, and behind them of y (NULL: of x alone).
LLVMValueRef cg_lanes_from(struct cg *c, LLVMValueRef x, LLVMValueRef y, const unsigned *from,
                           unsigned n);
bool cg_is_vector(LLVMTypeRef t);

// cg_fours.c: a load's words, four of each lane, and the vectors of four lanes that they were made
// of; and those vectors again for the words, or NULL.
void cg_keep_fours(struct cg_func *g, const LLVMValueRef *word, const LLVMValueRef *line);
const LLVMValueRef *cg_fours_of(const struct cg_func *g, const LLVMValueRef *word);
// Of sixteen lanes: four words each from the vectors of four lanes.
void cg_take_fours_apart(struct cg *c, const LLVMValueRef *line, LLVMValueRef *word);
// Of all lanes: the other way round.
void cg_make_fours(struct cg *c, const LLVMValueRef *word, LLVMValueRef *line);

// cg_lines.c: four words of each lane, a vector for each four lanes, whatever blocks they pass.
void cg_find_lines(struct cg_func *g);  // the builder stands in the entry block
void cg_reset_lines(struct cg_func *g); // at the start of a group
bool cg_lines_of(struct cg_func *g, struct kir_value *const *word, LLVMValueRef *line); // known?
// Four words that have lines, in their order, if x are these in any order; else NULL.
struct kir_value *const *cg_words_among(struct cg_func *g, struct kir_value *const *x);
void cg_keep_lines(struct cg_func *g, const struct kir_inst *load); // behind the load
// Phis whose words are taken out of lines, in every block anew, and have no variable.
bool cg_is_in_lines(const struct cg_func *g, const struct kir_value *v);
void cg_take_words(struct cg_func *g, const struct kir_value *v);
// Over the edge from `to`'s p-th predecessor, before and behind its branch.
void cg_prepare_lines(struct cg_func *g, const struct kir_block *to, uint32_t p);
void cg_move_lines(struct cg_func *g, const struct kir_block *to, uint32_t p);

// cg_eights.c: i together with the access beside it; false: each by itself.
bool cg_emit_eights(struct cg_func *g, struct kir_inst *i);

// cg_transpose.c
// Is i an access at an address a lane whose groups lie side by side, as far as can be seen?
bool cg_is_transposed(const struct flow *fl, const struct kir_inst *i);
bool cg_emit_transposed(struct cg_func *g, struct kir_inst *i); // for the whole team; false: not i

// cg_stream.c
void cg_find_streams(struct cg_func *g); // the builder stands in the entry block
// Before iterations of l without masks: its index is `left` (i64) below its limit, and grows by
// step (i64).
void cg_find_stream_turns(struct cg_func *g, const struct cfg_loop *l, LLVMValueRef left,
                          LLVMValueRef step);
// An i1: may stores of i's go past the caches to lines at `at` (i64, the bits that all their places
// have)? NULL: never.
LLVMValueRef cg_streams_at(struct cg_func *g, const struct kir_inst *i, LLVMValueRef at);
void cg_store_past(struct cg *c, LLVMValueRef x, LLVMValueRef p); // x: whole lines
// A store of the vector x for i at p; mask NULL: of all lanes. True: it goes past the caches where
// it may, and what is emitted up to cg_end_stream is for the other case.
struct cg_stream {
    LLVMBasicBlockRef done;
};
bool cg_begin_stream(struct cg_func *g, const struct kir_inst *i, LLVMValueRef x, LLVMValueRef p,
                     LLVMValueRef mask, struct cg_stream *s);
void cg_end_stream(struct cg_func *g, const struct cg_stream *s);
// p, or where asking for memory does no harm when i's stores go past the caches.
LLVMValueRef cg_unless_stream(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p);
void cg_close_streams(struct cg_func *g); // at the end of a run of blocks
// After LLVM's passes: is this a branch to a store past the caches, or to the same through them?
bool cg_may_store_past(struct cg *c, LLVMValueRef branch);

// cg_words.c
void cg_make_words(struct cg_func *g); // the builder stands in the entry block
// Loads and stores of shared memory ask here first. True: done, in registers. False: memory has all
// that a load reads, and what a store writes is not remembered. raw: comp before NaNs were made
// canonical.
bool cg_load_words(struct cg_func *g, struct kir_inst *i, unsigned count, unsigned bytes,
                   LLVMTypeRef elem, LLVMValueRef *out);
bool cg_store_words(struct cg_func *g, struct kir_inst *i, unsigned count, unsigned bytes,
                    LLVMValueRef *comp, LLVMValueRef *raw);
// Before anything else that may touch shared memory, and where control flow is not known.
void cg_forget_words(struct cg_func *g);
// x may run behind the block that was emitted, for some groups and lanes. Does it access shared
// memory at known addresses alone, if at all? `now`: memory gets what x may read, and what it may
// write is not known any more.
bool cg_step_over_words(struct cg_func *g, struct kir_block *x, bool now);
// What is known behind b holds in the next block that is as certain to run, in blocks that read
// alone, and those before place `until` of the layout, which have been stepped over: nowhere else.
void cg_carry_words(struct cg_func *g, const struct kir_block *b, uint32_t until);
// Behind the block that was emitted the iteration of its loop has no accesses: what nobody reads
// before it is written again need not be in memory. of_loop: nobody does behind the loop.
void cg_begin_turn_of_words(struct cg_func *g); // the block that is emitted next is a loop's head
void cg_end_turn_of_words(struct cg_func *g, bool of_loop);

// cg_table.c
uint64_t cg_largest(const struct kir_value *v); // that v can be in any thread, as unsigned
// Loads from a small table in shared memory whose index is known to lie in it; false: it is no such
// load. elem: a scalar type of four bytes.
bool cg_load_table(struct cg_func *g, const struct kir_inst *i, LLVMTypeRef elem,
                   LLVMValueRef *out);

// cg_once.c
void cg_make_once(struct cg_func *g);  // the builder stands in the entry block
void cg_begin_once(struct cg_func *g); // where a group begins, or goes on behind a barrier
// The results of a load that the block's first group makes for all; false: it is no such load.
bool cg_load_once(struct cg_func *g, struct kir_inst *i, LLVMValueRef *x);

// cg_atomic.c, of operations on integers whose order is free
uint64_t cg_neutral(const struct kir_inst *i); // leaves any value as it is
LLVMValueRef cg_neutral_vector(struct cg_func *g, const struct kir_inst *i);
LLVMValueRef cg_combined(struct cg *c, const struct kir_inst *i, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef cg_reduced(struct cg_func *g, const struct kir_inst *i, LLVMValueRef x); // a scalar
bool cg_is_reducible(const struct kir_inst *i);
LLVMAtomicOrdering cg_atomic_ordering(const struct kir_inst *i);
bool cg_is_float_atomic(const struct kir_inst *i);
// Does anybody read the old value?
bool cg_has_readers(const struct cg_func *g, const struct kir_inst *i);
// What memory at p holds behind an operation with x and y (NULL: it has one operand) on `old`.
LLVMValueRef cg_new_value(struct cg_func *g, const struct kir_inst *i, LLVMValueRef old,
                          LLVMValueRef x, LLVMValueRef y, LLVMValueRef p);
// One thread's operation; x, y are integers of the type's width. Returns the old value.
LLVMValueRef cg_atomic_one(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p,
                           LLVMValueRef x, LLVMValueRef y);
// With memory at p, in the function that the builder stands in.
void cg_combine_with(struct cg_func *g, const struct kir_inst *i, LLVMValueRef p, LLVMValueRef x);

// cg_reds.c
// Does a run of blocks put off operations on memory? In vectors only.
bool cg_puts_off(struct cg *c, const struct flow *fl);
const uint8_t *cg_read_values(struct arena *arena, const struct kir_func *f); // by id: is it read?
void cg_make_reds(struct cg_func *g);  // the builder stands in the entry block
void cg_close_reds(struct cg_func *g); // at the end of a run of blocks
// `together`: all lanes go to one word.
bool cg_is_put_off(const struct cg_func *g, const struct kir_inst *i, bool together);
// Before an access of so many bytes a lane that is not put off itself.
void cg_settle_reds(struct cg_func *g, struct kir_inst *i, unsigned bytes);
// A parameter of the kernel, or a variable's address: the same in all blocks of a run.
bool cg_is_of_run(const struct cg_func *g, const struct kir_value *v);

// cg_cells.c
// An operation of all lanes on the word at p (an i64), with x, neutral in lanes that do not act;
// false: it is not put off.
bool cg_combine_in_cell(struct cg_func *g, struct kir_inst *i, LLVMValueRef p, LLVMValueRef x);

// cg_bins.c
// An operation with x at the lanes' places, in the window when they lie in it; what is emitted up
// to cg_end_binned is for when they do not.
struct cg_binned {
    LLVMBasicBlockRef done;
};
struct cg_binned cg_begin_binned(struct cg_func *g, struct kir_inst *i, const struct cg_places *at,
                                 LLVMValueRef x);
void cg_end_binned(struct cg_func *g, const struct cg_binned *n);

// cg_append.c
void cg_make_appends(struct cg_func *g);  // the builder stands in the entry block
void cg_close_appends(struct cg_func *g); // at the end of a run of blocks
// Before an access of so many bytes a lane: makes what has been put off and may lie there.
void cg_settle(struct cg_func *g, struct kir_inst *i, unsigned bytes);
void cg_settle_appends(struct cg_func *g, struct kir_inst *i, unsigned bytes); // of atomics
// Is the atomic operation i an addition that says where the next stores go? Then there is nothing
// more to emit for it, nor for those stores, of n components x.
bool cg_is_append(const struct cg_func *g, const struct kir_inst *i); // either
bool cg_append_place(struct cg_func *g, struct kir_inst *i);
bool cg_append_values(struct cg_func *g, const struct kir_inst *i, LLVMValueRef *x, unsigned n);

// cg_runs.c
void cg_find_runs(struct cg_func *g);
// May the block run with no lane active? Then jumping over it is not worth a test.
bool cg_is_harmless(const struct cg_func *g, const struct kir_block *b);
// Remembers the mask that the edge from -> to brings when it is a constant and no other edge leads
// there: `to` runs with it or not at all. An edge that is emitted twice brings two masks.
void cg_know_mask(struct cg_func *g, const struct kir_block *from, const struct kir_block *to,
                  LLVMValueRef mask);
LLVMValueRef cg_known_mask(const struct cg_func *g, const struct kir_block *b); // NULL: not known
// At the end of b: where its lanes meet again they run with its mask, untested.
void cg_find_meeting(struct cg_func *g, const struct kir_block *b);
// At the end of b, which always runs: does what runs next always run, too? Emits nothing that
// stays.
// If not always, and they leave shared memory alone, that counts, too.
bool cg_goes_on(struct cg_func *g, struct kir_block *b);
// Is there no access to shared memory behind b in b's iteration of its loop, which is one of plain
// ones?
bool cg_ends_turn(const struct cg_func *g, const struct kir_block *b);
// May anything outside l read shared memory?
bool cg_is_read_behind(const struct cg_func *g, const struct cfg_loop *l);

// cg_home.c
// The builder stands in the entry block. saved: groups stop at barriers, and have memory there.
void cg_find_homes(struct cg_func *g, bool saved);
void cg_place_homes(struct cg_func *g); // once it is known which are tiles
bool cg_has_home(struct cg_func *g, const struct kir_value *v);
bool cg_same_home(struct cg_func *g, const struct kir_value *x, const struct kir_value *y);
LLVMValueRef cg_load_home(struct cg_func *g, const struct kir_value *v);
void cg_store_home(struct cg_func *g, const struct kir_value *v, LLVMValueRef x);
// The phi gets zero over the edge from the p-th predecessor, as do the others of its half of a
// tile: their rows are stored, with the first of them. False: they are not such.
bool cg_store_zeros(struct cg_func *g, const struct kir_inst *phi, uint32_t p);
// Do x and y stand side by side in a tile's rows, first in 32 bytes of each, and not in registers?
bool cg_is_pair(struct cg_func *g, struct kir_value *x, struct kir_value *y);
// Are the pairs that begin with x and y a line of the tile?
bool cg_is_pair_line(struct cg_func *g, const struct kir_value *x, const struct kir_value *y);
// A row of the pair that begins with x, four lanes of each; line: of the line's two pairs.
LLVMValueRef cg_load_pair_row(struct cg_func *g, const struct kir_value *x, unsigned row,
                              bool line);
// Where v's home is, if it is one vector of memory; else NULL.
LLVMValueRef cg_home_place(struct cg_func *g, const struct kir_value *v);
// The homes of eight values, 16 rows by 16 columns of a product's sums, become a tile: rows 0 to 7
// before the others, of those two registers of 8 columns before the next ones. They do not where
// one of them is part of another tile, or lives through no loop.
void cg_make_tile(struct cg_func *g, struct kir_value *const *eight);
// Are the homes of eight values a tile? Where it stands then, from cg_tiles on.
bool cg_tile_offset(struct cg_func *g, struct kir_value *const *eight, uint32_t *offset);
LLVMValueRef cg_tiles(struct cg_func *g);
bool cg_has_tiles(const struct cg_func *g);  // once homes are known
LLVMValueRef cg_is_tiled(struct cg_func *g); // an i1: the device has tile registers

// cg_tile.c
void cg_find_tiles(struct cg_func *g); // makes them: cg_make_tile

// cg_slot.c
void cg_find_slots(struct cg_func *g);                             // behind cg_find_again
uint32_t cg_slot_of(struct cg_func *g, const struct kir_value *v); // among what is saved; 0: none
// Is v in its slot where groups reach the barrier?
bool cg_is_in_slot(struct cg_func *g, const struct kir_inst *barrier, const struct kir_value *v);
void cg_store_slot(struct cg_func *g, const struct kir_value *v, LLVMValueRef x);
// Has what a phi gets over the edge from the p-th predecessor to be stored into its slot?
bool cg_goes_to_slot(struct cg_func *g, const struct kir_inst *phi, uint32_t p);
// On the edge from b's p-th predecessor: stores what a loop with barriers takes from outside, if it
// begins there.
void cg_enter_slots(struct cg_func *g, const struct kir_block *b, uint32_t p);

// cg_nan.c
void cg_find_nans(struct cg_func *g);
LLVMValueRef cg_canonical(struct cg *c, LLVMValueRef x); // f32, scalar or vector
// Operand k of i, whose value is x, fit for what i sees of it; does it take an instruction?
LLVMValueRef cg_operand_bits(struct cg_func *g, const struct kir_inst *i, uint32_t k,
                             LLVMValueRef x);
bool cg_wants_canonical(const struct cg_func *g, const struct kir_inst *i, uint32_t k);

// families; each returns false when it does not know the instruction
bool cg_emit_source(struct cg_func *g, struct kir_inst *i);
// cg_group.c: group.first and group.all. False: another instruction.
bool cg_emit_group(struct cg_func *g, struct kir_inst *i);
bool cg_emit_memory(struct cg_func *g, struct kir_inst *i);
bool cg_emit_atomic(struct cg_func *g, struct kir_inst *i);
void cg_meet_lanes(struct cg_func *g);
bool cg_emit_stack(struct cg_func *g, struct kir_inst *i);
bool cg_emit_texture(struct cg_func *g, struct kir_inst *i);
bool cg_emit_async(struct cg_func *g, struct kir_inst *i);

// cg_check.c
void cg_emit_check(struct cg_func *g, struct kir_inst *i);
bool cg_emit_warp(struct cg_func *g, struct kir_inst *i);
bool cg_emit_matrix(struct cg_func *g, struct kir_inst *i);
bool cg_emit_product(struct cg_func *g, struct kir_inst *i);
bool cg_emit_wgmma(struct cg_func *g, struct kir_inst *i);
bool cg_emit_fragment(struct cg_func *g, struct kir_inst *i);
// Rows of matrices at the addresses that lanes give (ldmatrix, stmatrix).
struct cg_rows {
    LLVMValueRef base;    // what 32-bit offsets count from
    LLVMValueRef offsets; // memory: an offset, or an address, for each lane
    LLVMTypeRef element;  // i32: offsets, i64: addresses
};
// x, a constant, in memory of its own at a line's beginning.
LLVMValueRef cg_table(struct cg *c, LLVMValueRef x, const char *name);
struct cg_rows cg_rows_of(struct cg_func *g, struct kir_inst *i, LLVMValueRef memory);
// The register of matrix n of those rows.
LLVMValueRef cg_load_matrix(struct cg *c, const struct cg_rows *r, unsigned n, bool trans);
// Where v, a register that quick code has loaded in this stretch of code, lies; NULL: nowhere.
LLVMValueRef cg_fragment_memory(const struct cg_func *g, const struct kir_value *v);
// May an ldmatrix wait until the products that alone use it load its rows themselves?
bool cg_defer_matrices(struct cg_func *g, struct kir_inst *i);
bool cg_emit_call(struct cg_func *g, struct kir_inst *i);
// The pointer that an address in a state space stands for: scalar, or one a lane.
LLVMValueRef cg_pointer(struct cg_func *g, enum isa_space space, LLVMValueRef addr, bool vector);
// Does a generic address, a scalar pointer, lie in the block's shared memory? An i1.
LLVMValueRef cg_lies_in_shared(struct cg_func *g, LLVMValueRef p);
LLVMValueRef cg_symbol_address(struct cg_func *g, const struct kir_symbol *sym, int64_t offset);
LLVMValueRef cg_cast(struct cg *c, LLVMValueRef x, LLVMTypeRef t);      // same width
LLVMValueRef cg_cast_to(struct cg *c, LLVMValueRef x, enum kir_type t); // scalar or vector, as x is
LLVMValueRef cg_function_handle(struct cg *c, const struct kir_func *f);
// Extends or truncates bits loaded or computed at type ty to the representation of `to`.
LLVMValueRef cg_widen(struct cg *c, LLVMValueRef x, enum isa_type ty, enum kir_type to);
LLVMValueRef cg_narrow(struct cg *c, LLVMValueRef x, unsigned bits); // to an integer of `bits`

// explain.c: after code generation with notes, what became of the kernel, as text. flows: by
// kir_func index, NULL where a function is not needed.
void cg_report(struct cg *c, struct flow *const *flows, bool all, struct strbuf *out);

// codegen/llvm/cold.c
// Says that the branch goes to its successor 0 or 1 hardly ever.
void cg_rarely(struct cg *c, LLVMValueRef branch, unsigned successor);

// codegen/pipeline/optimize.c
// Errors that LLVM reports fail the compilation; without this it ends the process for them.
void cg_heed_diagnostics(struct cg *c);
// Of all functions.
size_t cg_count_instructions(LLVMModuleRef m);
// Verifies the module, runs LLVM's passes over it and makes the object.
bool cg_make_object(struct cg *c, void **obj, size_t *size, struct strbuf *err);

#endif
