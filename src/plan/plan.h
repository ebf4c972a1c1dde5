// What a function's operations become when it is emitted for groups of lanes: how each result is
// represented, under which mask what has an effect happens, and how memory is accessed.
//
// The plan is built from kernel IR and its flow (build.c), and emission reads it. What it says of
// an instruction does not depend on where, how often or for which group of a team that is emitted.
#ifndef KUDZU_PLAN_PLAN_H
#define KUDZU_PLAN_PLAN_H

#include "passes/affine/lane_run.h"
#include "passes/affine/lane_step.h"
#include "passes/affine/motion.h"
#include "passes/flow/flow.h"
#include "target/machine.h"

// How a value is represented where it is defined.
enum plan_form {
    PLAN_SCALAR,  // one for all lanes
    PLAN_OFFSETS, // a scalar, and a constant for each lane
    PLAN_GUARDED, // the same where a condition holds when it runs; and a vector
    PLAN_VECTOR,
    PLAN_FORMS
};
// What the groups of a team have of it.
enum plan_sharing {
    PLAN_OWN,    // each its own
    PLAN_SHARED, // one for the team
    PLAN_LAG,    // the first group's, and by how much it grows from group to group
    PLAN_SHARINGS
};
struct plan_value {
    uint8_t form, sharing;
};

// The lanes that act in a block.
enum plan_mask {
    PLAN_ALL,   // all of a group
    PLAN_ENTRY, // those that the function was entered with
    PLAN_BLOCK, // a mask of its own
    PLAN_MASKS
};

enum plan_access_kind {
    PLAN_EACH,    // an access a lane, at places of their own
    PLAN_ONE,     // one place for all lanes
    PLAN_LINE,    // all lanes side by side
    PLAN_PIECES,  // of n lanes, which lie side by side, or at one place (same)
    PLAN_STRIDED, // lanes n components apart: whole vectors of memory
    PLAN_APART,   // at constant distances that are too long for vectors
    PLAN_RUNS,    // of n lanes as in pieces, wherever each begins
    PLAN_STEPS,   // lanes a distance apart that only the launch knows, where all lanes act
    PLAN_KINDS
};

// The bytes of memory that the members of an interleaved group are taken from, from `lo` on as
// offsets of accesses count, by chunks of `n` elements. The last chunk ends where the bytes do, and
// may overlap the one before.
struct plan_window {
    int64_t lo, bytes;
    unsigned n, chunks, members; // elements of a chunk; chunks; elements a lane that are wanted
};

// A load or store.
struct plan_access {
    struct kir_inst *inst;
    uint8_t kind;
    int8_t lane;          // the only one that acts, by a scalar; -1: several may
    uint8_t count, bytes; // components a lane; bytes of one
    uint16_t n;           // see the kinds; else 0
    uint32_t same;        // bit k: the lanes of the k-th piece have one place
    bool whole;           // a lane's components are one access, as others may look at them
    bool tested, guess;   // runs: whether they are is asked when it runs; it is a guess
    bool in_block;        // all lanes' places lie in the block's shared memory, whoever acts
    bool by_page;         // whether all places lie on one page is asked, to do without the mask
    bool sparse;          // strided: with a mask, an access a lane is less
    bool lone;            // a store that mostly no lane makes or one, in a block that is not asked
    bool past;            // whole lines may go past the caches, which is asked when it runs
    bool transposed;      // for all groups of the team at once: see transposed.c
    const int64_t *offs;  // of lanes at constant offsets from one place; else NULL
    const struct plan_access *row; // the store of all members that this one is part of: see rows.c
    const struct plan_access *beside; // what it is accessed together with: see eights.c
    bool last, leads;                 // of the row's members; of the two
    struct plan_window window;        // strided loads of all lanes; no chunks: there is none
    uint8_t words;    // words that the block loads at each lane's place: lane_words.c; 0: not so
    int64_t words_lo; // where they begin, as offsets of accesses count
    struct lane_step step; // of steps
};

// What a plan is made for.
struct plan_inputs {
    const struct flow *fl;
    const struct machine *machine;
    uint32_t shared_static; // bytes of the kernel's shared variables; 0: not known
    bool quick;             // for code that has to be there soon
    bool all_lanes;         // the function is entered with all lanes of each group
    const struct affine *affine;
    const struct lane_runs *runs;
    const struct lane_steps *steps;     // NULL: nothing is known
    const struct affine_motion *groups; // from group to group of a team; NULL: there is one
    // Does another mechanism make something else of a load or store? NULL: none.
    bool (*is_taken)(void *who, const struct kir_inst *i);
    void *who;
    bool has_runs; // a kernel whose code runs several blocks at a call
    bool puts_off; // some updates are put off to the end of a run of blocks
};

struct plan {
    struct plan_inputs in;
    struct plan_value *values;          // by value id
    uint8_t *masks;                     // by block id: enum plan_mask
    VEC(struct plan_access *) accesses; // in the layout's order
    bool streams;                       // some stores may go past the caches
    struct plan_access **found;         // by hash of the instruction; NULL: free
    uint32_t slots;                     // of these, a power of two
};

// Everything lives in `a`, and as long as in.fl.
struct plan *plan_build(struct arena *a, const struct plan_inputs *in);

// Of a load or store of the function that is not left out of the layout, or of a row's; NULL: i is
// neither.
const struct plan_access *plan_access_of(const struct plan *p, const struct kir_inst *i);

// Does i access the memory of neighbouring groups of the team side by side, an address a lane?
// groups: see plan_inputs.
bool plan_is_transposed(const struct flow *fl, const struct affine_motion *groups,
                        const struct kir_inst *i);

// Of two loads in one block: does only what leaves memory as it is stand between them, close by?
bool plan_is_beside(const struct kir_inst *i, const struct kir_inst *earlier);

// How many bytes a thread stores in an iteration of the loop itself; NULL: outside loops.
unsigned plan_bytes_written(const struct plan *p, const struct cfg_loop *l);

// Do lanes that do not act keep i from something? Then it stands under its block's mask.
bool plan_has_mask(const struct kir_inst *i);

// The text form: the function's instructions in the layout's order, with what is planned for each.
void plan_print(const struct plan *p, struct strbuf *out);
// Reads that of a function with this flow; NULL: it is none, with a message in err.
struct plan *plan_parse(struct arena *a, const struct plan_inputs *in, const char *text,
                        struct strbuf *err);
// Whether representations, masks and accesses fit the operations and the shapes of their operands;
// else what does not, in err.
bool plan_validate(const struct plan *p, struct strbuf *err);

#endif
