// What the interpreter's files share.
//
//   interp.c          blocks, warps, which thread runs next
//   interp_decode.c   functions in a form that is quick to run
//   interp_exec.c     one instruction of one thread
//   interp_call.c     calls and returns, functions that the device provides
//   interp_memory.c   addresses, loads, stores
//   interp_atomic.c   atomics
//   interp_sreg.c     special registers, symbols' addresses
//   interp_warp.c     operations between the lanes of a warp
//   interp_matrix.c   matrix instructions
//   interp_barrier.c  barriers of a block
//   interp_cluster.c  the barrier of a cluster
//   interp_phase.c    mbarrier objects, asynchronous copies, and threads that wait for a phase
//   interp_check.c    what `kudzu check` asks of the device
//   interp_search.c   which thread made an access
#ifndef KUDZU_IR_INTERP_INTERNAL_H
#define KUDZU_IR_INTERP_INTERNAL_H

#include "ir/interp/interp.h"

enum { INTERP_BARRIERS = KD_BARRIERS };

// An operand: a constant, or the place of a value in the frame's registers.
struct interp_ref {
    const union isa_bits *constant; // NULL: a register
    uint32_t slot;                  // in words of 64 bits
    bool wide;                      // 128 bits: two words
};

// What happens on the way to a block: phis, all at once.
struct interp_move {
    struct interp_ref from;
    uint32_t to;
    bool undefined; // any value is right
};
struct interp_edge {
    uint32_t pc;
    uint32_t nmoves;
    struct interp_move *moves;
};

struct interp_inst {
    const struct kir_inst *ir;
    struct interp_ref *ops;
    uint32_t *res;             // slots
    struct interp_edge *edges; // by target
};

struct interp_func {
    const struct kir_func *ir;
    struct interp_inst *code; // by pc, in the order of blocks
    uint32_t ncode, nslots, nargs;
    uint32_t *slots; // by value id
};

struct interp_frame {
    const struct interp_func *func;
    uint32_t regs;  // where its registers begin; arguments come after them
    uint32_t pc;    // of the caller, while this frame is not the last one
    uint64_t local; // base of its locals in the thread's local memory
    uint64_t top;   // end of what it has allocated there
};

enum interp_state {
    INTERP_READY,
    INTERP_WARP_WAIT,
    INTERP_BAR_WAIT,
    INTERP_CLUSTER_WAIT,
    INTERP_PHASE_WAIT, // stands at an instruction that is tried again
    INTERP_DONE
};

struct interp_thread {
    uint32_t id; // linear in the block
    uint8_t state;
    uint32_t pc;
    uint32_t depth; // frames
    uint64_t *regs; // of all frames
    size_t regs_cap;
    struct interp_frame *frames;
    uint32_t frames_cap;
    uint64_t last_run;    // the warp's step in which it ran last
    uint32_t member_mask; // INTERP_WARP_WAIT
    uint32_t barrier;     // INTERP_BAR_WAIT
    bool cluster_arrived; // at the cluster's barrier, in its current phase
};

struct interp_warp {
    uint32_t first, lanes; // threads first .. first + lanes
    uint32_t live, ready;  // masks
    uint64_t step;
    uint32_t favoured; // lane that must run, while favour > 0
    uint32_t favour;   // steps
    bool give_way;     // ends its turn
};

struct interp_barrier {
    uint32_t arrived;       // threads
    uint32_t expected;      // 0: all of the block
    uint32_t lanes, truths; // of bar.red: threads, true predicates
    uint32_t waiting;
    uint32_t came[KD_MOST_WARPS]; // which lanes of each warp have arrived
};

struct interp;

// Another way to run the threads of a block than one warp after the other.
struct interp_way {
    // Lets all threads that are ready run for a while; were there any?
    bool (*round)(const struct interp_way *way, struct interp *in);
    // Whether a thread that is ready can do nothing more but end, without an operation of its warp
    // or a barrier: those that wait for its warp's lanes need not wait for it. NULL: not known.
    bool (*only_ends)(const struct interp_way *way, struct interp_thread *t);
};
enum { INTERP_TURN = 512 }; // steps of a warp before the next warp runs

struct interp {
    struct interp *next;    // of this host thread's
    struct kd_block *owner; // the block that it runs, or ran when a fault jumped away
    uint64_t serial;        // module that was decoded
    struct arena code;
    struct interp_func **funcs; // by index; decoded when first called
    union isa_bits *moved;      // room for the most phis that one block has
    uint32_t max_moves;
    union isa_bits *handed; // room for the most arguments or results that an instruction hands over
    uint32_t max_handed;
    struct kir_module *m;
    struct kir_func *kernel;
    struct kd_block *b;
    const struct kd_rt *rt;
    struct interp_thread *threads;
    uint32_t threads_cap;
    struct interp_warp *warps;
    uint32_t warps_cap;
    struct interp_barrier barriers[INTERP_BARRIERS];
    uint32_t cluster_arrived;             // threads at the cluster's barrier, that have not ended
    uint32_t cluster_phase;               // of that barrier, when the block last looked
    bool cluster_told;                    // the block has arrived as a whole
    uint32_t live;                        // threads
    uint32_t at_phases;                   // threads in INTERP_PHASE_WAIT
    uint32_t failed;                      // a fault was reported and the helper came back
    const struct interp_thread *asserted; // the first thread whose assertion failed; NULL
    struct interp_search *search;         // NULL: memory is what it is, not a copy
    const struct interp_way *way;         // NULL: warps take turns
};

// A fence between all host threads. ThreadSanitizer knows no fences; it understands a
// read-modify-write.
static inline void interp_fence(void) {
#ifdef __SANITIZE_THREAD__
    static uint32_t point;
    __atomic_fetch_add(&point, 1, __ATOMIC_SEQ_CST);
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

// interp_decode.c; NULL: no memory
const struct interp_func *interp_decode(struct interp *in, uint32_t index);

// interp.c: runs a block with this memory; gives the memory back, but not `in` itself
void interp_run(struct interp *in, struct kir_module *m, struct kir_func *kernel,
                struct kd_block *b, const struct kd_rt *rt);
void interp_release(struct interp *in);
// kir_interp_block, with another way to run threads (NULL: none).
void interp_block(struct kir_module *m, struct kir_func *kernel, struct kd_block *b,
                  const struct kd_rt *rt, const struct interp_way *way);
// How many steps of its warp's turn an instruction counts for.
uint32_t interp_cost(const struct kir_inst *i);

// interp.c: registers
static inline struct interp_frame *interp_top(struct interp_thread *t) {
    return &t->frames[t->depth - 1];
}
union isa_bits interp_get(const struct interp_thread *t, const struct interp_ref *r);
void interp_set(struct interp_thread *t, const struct interp_inst *i, uint32_t k, union isa_bits v);
static inline void interp_set64(struct interp_thread *t, const struct interp_inst *i, uint32_t k,
                                uint64_t v) {
    interp_set(t, i, k, (union isa_bits){.u64 = {v, 0}});
}
// The current instruction of a thread.
static inline const struct interp_inst *interp_at(struct interp_thread *t) {
    return &interp_top(t)->func->code[t->pc];
}
static inline struct interp_warp *interp_warp_of(struct interp *in, const struct interp_thread *t) {
    return &in->warps[t->id / KD_WARP];
}
// A fault of the thread's current instruction; address: what it touched, of address faults.
void interp_fault_at(struct interp *in, const struct interp_thread *t, enum kd_fault fault,
                     uint64_t address);
void interp_fault(struct interp *in, const struct interp_thread *t, enum kd_fault fault);
void interp_wait(struct interp *in, struct interp_thread *t, enum interp_state state);
void interp_resume(struct interp *in, struct interp_thread *t); // past its instruction
void interp_finish(struct interp *in, struct interp_thread *t); // the thread has ended

// interp_exec.c: runs the instruction that the lanes of `group` stand at, and moves them on.
void interp_step(struct interp *in, struct interp_warp *w, uint32_t group);
// The same for one lane, of an instruction that is not of class warp.
void interp_run_lane(struct interp *in, struct interp_thread *t, const struct interp_inst *i);
// After each lane of a step: a failed assertion ends the launch when all lanes have said so.
void interp_end_step(struct interp *in);
// Which edge the thread's branch takes; none: ntargets.
uint32_t interp_edge(const struct interp_thread *t, const struct interp_inst *i);
void interp_take_edge(struct interp *in, struct interp_thread *t, const struct interp_edge *e);

// interp_call.c
void interp_enter(struct interp *in, struct interp_thread *t, const struct interp_func *f,
                  const union isa_bits *args, uint32_t nargs);
void interp_call(struct interp *in, struct interp_thread *t, const struct interp_inst *i);
void interp_return(struct interp *in, struct interp_thread *t, const struct interp_inst *i);

// interp_memory.c
// Host address of `size` bytes, or NULL after a fault. align: what the address must be a
// multiple of.
void *interp_address(struct interp *in, struct interp_thread *t, uint8_t space, uint64_t addr,
                     uint64_t size, uint64_t align);
// interp_search.c: the place that stands for an address outside of all windows
void *interp_search_address(struct interp *in, struct interp_thread *t, uint64_t address,
                            uint64_t size);
// The address that a load or store of the thread has, in its space, and what lies at an address;
// NULL after a fault.
uint64_t interp_access_address(const struct interp_thread *t, const struct interp_inst *i);
uint8_t *interp_access_at(struct interp *in, struct interp_thread *t, const struct kir_inst *i,
                          uint64_t address);
void interp_load(struct interp *in, struct interp_thread *t, const struct interp_inst *i);
void interp_store(struct interp *in, struct interp_thread *t, const struct interp_inst *i);
// The same from and to a place (NULL: nowhere).
void interp_load_from(struct interp *in, struct interp_thread *t, const struct interp_inst *i,
                      const uint8_t *p);
void interp_store_to(struct interp *in, struct interp_thread *t, const struct interp_inst *i,
                     uint8_t *p);
uint64_t interp_to_generic(struct interp *in, const struct interp_thread *t, uint8_t space,
                           uint64_t addr);
uint64_t interp_from_generic(struct interp *in, const struct interp_thread *t, uint8_t space,
                             uint64_t addr);
bool interp_is_in_space(struct interp *in, const struct interp_thread *t, uint8_t space,
                        uint64_t addr);

// interp_atomic.c
void interp_atomic(struct interp *in, struct interp_thread *t, const struct interp_inst *i);

// interp_sreg.c
uint64_t interp_sreg(struct interp *in, const struct interp_thread *t, enum isa_sreg r);
uint64_t interp_symbol(struct interp *in, struct interp_thread *t, const struct kir_inst *i);

// interp_warp.c
void interp_warp_op(struct interp *in, struct interp_warp *w, uint32_t group);
void interp_warp_check(struct interp *in, struct interp_warp *w); // after a wait began or ended

// interp_cluster.c
void interp_cluster_start(struct interp *in);
void interp_cluster_arrive(struct interp *in, struct interp_thread *t);
void interp_cluster_wait(struct interp *in, struct interp_thread *t);
void interp_cluster_ended(struct interp *in, struct interp_thread *t);
// Has the block arrived, while others of the cluster have not? Releases the threads that wait when
// they have.
bool interp_cluster_pending(struct interp *in);

// interp_phase.c
uint64_t interp_async(struct interp *in, const struct interp_thread *t,
                      const struct interp_inst *i);
void interp_phase_wait(struct interp *in, struct interp_thread *t, const struct interp_inst *i);
// Lets threads go on whose phases have ended; was there one?
bool interp_phase_check(struct interp *in);

// interp_check.c
void interp_check(struct interp *in, struct interp_thread *t, const struct interp_inst *i);

// interp_matrix.c
void interp_matrix(struct interp *in, struct interp_warp *w, uint32_t lanes);

// interp_barrier.c
void interp_barrier_op(struct interp *in, struct interp_thread *t, const struct interp_inst *i);
void interp_barrier_check(struct interp *in); // after a thread ended

#endif
