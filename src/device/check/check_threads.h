// What check_clocks.c and check_sync.c keep of the threads of a block that is checked.
#ifndef KUDZU_DEVICE_CHECK_THREADS_H
#define KUDZU_DEVICE_CHECK_THREADS_H

#include "device/check/check.h"
#include "device/check/check_vector.h"
#include "device/exec/block.h"

// A barrier or an operation of a warp at which lanes have come that others have to come to.
struct check_meeting {
    const struct kd_check_site *site; // where the first one came
    uint32_t what;                    // which kind of meeting
    uint32_t members, arrived;        // lanes
};
enum { CHECK_MEETINGS = 8 }; // of a warp that are remembered

// Of a warp whose lanes have not always synchronised together: how often each has, and what each
// knows of the others' counts.
struct check_clocks {
    uint32_t own[KD_WARP], known[KD_WARP][KD_WARP];
};

// Barriers that each thread has passed, and the warp's count of synchronisations, as each lane knew
// it when it took part in one.
struct check_threads {
    uint64_t grid, block; // grid: one more than its number
    uint32_t ctaid[3];
    uint32_t epoch[MAX_UNITS], seen[MAX_UNITS];
    uint32_t warp[KD_MOST_WARPS];
    uint32_t ended[KD_MOST_WARPS]; // lanes
    // By result: lanes of whose last fetch it follows from something that is not written.
    uint32_t unwritten[KD_MOST_WARPS][4];
    bool apart[KD_MOST_WARPS];         // the warp's lanes have clocks of their own
    struct check_clocks *clocks;       // of each warp; NULL: none so far
    struct check_order *order;         // check_order.c's own; NULL: nothing but barriers so far
    struct check_order *no_order;      // the same, while the block has none
    struct check_stamps *stamps;       // check_cells.c's own, of the worker
    bool has_cells;                    // accesses can be remembered
    struct check_intervals *intervals; // check_intervals.c's own, of the worker
    // One more than the most barriers that a thread had passed at a fence; 0: none.
    uint32_t fenced;
    uint32_t objects_told;            // of bulk copies, so many times
    uint32_t commits;                 // of tcgen05, told to objects
    uint32_t products[KD_MOST_WARPS]; // groups of wgmma.mma that each warp has ended
    uint32_t groups[MAX_UNITS];       // the same, as each thread has ended them,
    uint32_t over[MAX_UNITS];         // and has waited for the first ones
    struct check_scopes *scopes;      // check_scopes.c's own; NULL: no variable has ended so far
    struct check_columns *tensor;     // check_tensor.c's own; NULL: nothing was written so far
    struct check_copies *copies;      // check_copies.c's own; NULL: none so far
    const struct kd_check_site *place[KD_MOST_WARPS], *last; // where code was last told of
    uint8_t open[KD_MOST_WARPS]; // so many meetings of the warp, the first ones
    struct check_meeting meetings[KD_MOST_WARPS][CHECK_MEETINGS];
};
// What is kept of the block begins. NULL: no memory.
struct check_threads *check_threads_begin(struct kd_block *b);
// Of the block that runs; begins anew with each block. NULL: no memory.
static inline struct check_threads *check_threads_of(struct kd_block *b) {
    struct check_threads *t = resident_of(b)->checked;
    if (t && t->grid == b->gridid + 1 && t->ctaid[0] == b->ctaid[0] && t->ctaid[1] == b->ctaid[1] &&
        t->ctaid[2] == b->ctaid[2])
        return t;
    return check_threads_begin(b);
}
// Whose clock in a vector (check_vector.h) counts groups of products of a warp's warpgroup.
enum { CHECK_WARPGROUP = 4 }; // warps
static inline uint32_t check_who_multiplies(uint32_t warp) {
    return CHECK_WHO_PRODUCTS + warp / CHECK_WARPGROUP * CHECK_WARPGROUP;
}
// The clocks of a warp's lanes, from now on each its own. NULL: no memory.
struct check_clocks *check_set_apart(struct check_threads *t, uint32_t warp);

// How often another thread of the warp has synchronised, as a thread knows.
uint32_t check_known_to(const struct check_threads *t, uint32_t thread, uint32_t other);

// ---- check_scopes.c -----------------------------------------------------------------------

// Another block begins: all variables live.
void check_scopes_begin(struct check_threads *t);

// ---- race/check_tensor.c ------------------------------------------------------------------

// Another block begins: nothing has been written in tensor memory.
void check_tensor_begin(struct check_threads *t);

// ---- race/check_sums.c --------------------------------------------------------------------

// A thread has ended a group of products, or waited for all but so many.
void check_sums_ended(struct check_threads *t, uint32_t thread);
void check_sums_waited(struct check_threads *t, uint32_t thread, uint64_t left);

// ---- check_copies.c -----------------------------------------------------------------------

struct check_copy {
    const struct kd_check_site *site;
    uint64_t address;
    uint32_t bytes, group;
    uint64_t interval; // of check_intervals.c, in which it began; 0: cells have been told of it
};
// Another block begins: there are none.
void check_copies_begin(struct check_threads *t);
// A thread has begun to read or write memory as the copy says, but for its group.
void check_copies_add(struct kd_block *b, struct check_threads *t, uint32_t thread,
                      struct check_copy copy);
// Cells that have not been told of copies that began before an interval are, and all count so.
void check_copies_to_cells(struct kd_block *b, struct check_threads *t, uint64_t interval);
// Its copies up to now, bulk ones or others, are a group.
void check_copies_commit(struct check_threads *t, uint32_t thread,
                         const struct kd_check_site *site);
// It has waited, as the site says, for all groups but so many.
void check_copies_wait(struct kd_block *b, struct check_threads *t, uint32_t thread,
                       const struct kd_check_site *site, uint64_t groups);
// Sets the words, of four bytes from base on, that copies of the block's threads still write.
void check_copies_mark(const struct check_threads *t, uint32_t nthreads, uint64_t base,
                       uint64_t *word, uint32_t words, uint64_t mark);

// ---- check_race.c -------------------------------------------------------------------------

// A thread's copy, of which cells have not been told, has begun.
void check_race_begun(struct kd_block *b, struct check_threads *t, uint32_t thread,
                      const struct kd_check_site *site, uint64_t address);
// A thread's copy has ended, and counts as one of its accesses.
void check_race_copied(struct kd_block *b, struct check_threads *t, uint32_t thread,
                       const struct kd_check_site *site, uint64_t address, uint64_t bytes);

// A warp, or the thread alone, is about to read 16 bytes of shared memory by the async proxy for a
// product: are they written, as far as any of the warp's threads knows? That its warpgroup reads
// them until somebody has waited for the group, or the thread until what it commits is done, is
// kept, as the site says.
void check_race_by_warp(struct kd_block *b, struct check_threads *t,
                        const struct kd_check_site *site, uint32_t thread, uint64_t address);

// A block of a cluster ends: have others accessed its shared memory, and it does not know?
void check_race_leaves(struct kd_block *b, struct check_threads *t);

// The lock of the row of cells of an address.
struct kd_spinlock *check_race_lock(uint64_t at);

// ---- check_moves.c ------------------------------------------------------------------------

// Is it of a copy, set or freeing, and of no instruction?
bool check_is_move(const struct kd_check_site *site);
// What a report says behind such an access.
const char *check_move_words(const struct kd_check_site *site);
// Writes of two operations, of which the second races, what would have ordered them.
struct check_item;
void check_order_line(const struct check_item *now, const struct check_item *then, char *line);

// ---- check_order.c ------------------------------------------------------------------------

// The grid has ended.
void check_order_forget(uint64_t grid);
// Another block begins: what is known of orders is dropped.
void check_order_begin(struct check_threads *t);
// A thread is about to write something strong at a generic address.
void check_order_write(struct kd_block *b, struct check_threads *t, uint32_t thread,
                       const struct kd_check_site *site, uint64_t address);
// A thread has read something strong there.
void check_order_read(struct kd_block *b, struct check_threads *t, uint32_t thread,
                      const struct kd_check_site *site, uint64_t address);
// What the thread knows now, and what it does from then on is not among: a reference of the
// caller's. NULL: nothing.
struct check_vector *check_order_told(struct check_threads *t, uint32_t thread);
// The block's threads, of which there are nthreads, know all that any of them knew before their
// barrier number `epoch`.
void check_order_barrier(struct check_threads *t, uint32_t nthreads, uint32_t epoch);
// Lanes of a warp have met; those in `here` go on now.
void check_order_met(struct check_threads *t, uint32_t warp, uint32_t lanes, uint32_t here);
// Does a thread know of what another one, of whichever block, did after so many barriers of its
// block and having told others so many times?
bool check_order_knows(const struct check_threads *t, uint32_t thread, uint32_t block,
                       uint32_t other, uint32_t epoch, uint32_t time);

#endif
