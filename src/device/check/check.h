// What `kudzu check` finds while kernels run (docs/design/check.md).
//
//   check_blocks.c  allocations under numbers that are never used again
//   check_lives.c   memory of graphs, which lives as long as nodes say
//   check_access.c  accesses of kernels, which generated code tells of
//   check_race.c    accesses of threads that nothing orders; in race/:
//   check_unordered.c  which two race; check_visit.c, check_rows.c: lanes, one by one or in rows;
//   check_race_report.c  what is told; check_sums.c: sums of products in registers;
//   check_tensor.c  columns of tensor memory
//   check_intervals.c  the same in shared memory, at first sight
//   check_arrays.c  arrays of a launch that its threads cannot race in
//   check_cells.c   who has accessed memory last
//   check_clocks.c  barriers and synchronisations that threads have passed
//   check_streams.c streams, events and graphs, which order launches and copies
//   check_moves.c   copies and sets of the host
//   check_children.c  what kernels launch
//   check_schedule.c  blocks and threads in other orders, and results that differ then
//   check_delay.c   the same of operations of streams and graphs
//   check_host.c    the host's accesses to memory that kernels access, too
//   check_copies.c  asynchronous copies that nobody has waited for
//   check_async.c   what copies of tensors and to several blocks access, and products
//   check_order.c   fences, atomic objects and barriers that order them
//   check_vector.c  what a thread knows of the others
//   check_init.c    memory that nobody has written
//   check_copied.c  the same, where a copy takes it to the host
//   check_sync.c    barriers and operations of warps, and who comes to them
//   check_scopes.c  local variables whose scope has ended
//   check_report.c  what is printed and counted
#ifndef KUDZU_DEVICE_CHECK_H
#define KUDZU_DEVICE_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/generated_code.h"
#include "support/check/check_tools.h"

struct kd_context;
struct kd_memory;
struct host_call;

// ---- check_blocks.c -----------------------------------------------------------------------

// PLANNED: of a graph whose allocation node has not run.
enum check_state { CHECK_UNKNOWN, CHECK_ALIVE, CHECK_FREED, CHECK_PLANNED };
struct check_block {
    _Atomic uint64_t base, size;
    _Atomic uint32_t state; // enum check_state; set last
    uint32_t is_heap;       // of the device's heap
};
// The block with a number below KD_CHECK_LOCAL; NULL: there never was one.
struct check_block *check_block_of(uint32_t number);
// The extents of struct kd_block.
const struct kd_check_extent *check_extents(void);
// The number of the allocation that contains the address and lives; 0: there is none, or it may go
// on behind its end.
uint32_t check_find(const struct kd_block *b, uint64_t address);
// The same for an address that many threads of the block ask for.
uint32_t check_find_again(struct kd_block *b, uint64_t address);
// Whether memory is there, of whatever kind.
bool check_there(uint64_t address, uint64_t bytes);
// The allocation of memory.c or pool.c with this number has been freed.
void check_freed(uint64_t id);
// What an allocation of memory.c is from now on.
void check_block_becomes(const struct kd_memory *m, enum check_state state);
// A block of a pool has been taken, or freed in a queue: id is the allocation's number then.
struct check_pool_event {
    uint64_t base, size, number; // number: of queue.h
    uint64_t queue, id;
};
void check_pool_event(struct check_pool_event e);
// The allocation that lives and begins or ends nearest to the address, looked for among those that
// kernels have had pointers to. False: there is none.
bool check_nearest(uint64_t address, uint64_t *base, uint64_t *size);

// A block of the device's heap: `size` bytes at ptr, of which the heap has set aside more.
void check_heap_add(uint64_t ptr, uint64_t size);
enum check_heap { CHECK_HEAP_OK, CHECK_HEAP_TWICE, CHECK_HEAP_INVALID };
// A kernel frees ptr. OK: *give is a block that the heap may have back (0: none now), since freed
// ones are kept for a while.
enum check_heap check_heap_free(uint64_t ptr, uint64_t *give);
// Whether a thread is about to free what it may not, which is reported where site is not NULL.
bool check_heap_bad(struct kd_block *b, uint32_t thread, uint64_t ptr,
                    const struct kd_check_site *site);
// malloc has returned the block's address at a site.
void check_heap_taken(uint64_t ptr, const struct kd_check_site *site);
// Reports blocks of the heap that nobody has freed, by where they were taken, and forgets them.
// Address range of the heap; size 0: of all.
void check_heap_leaks(uint64_t base, uint64_t size);
enum { CHECK_HEAP_MORE = 16 }; // bytes behind each block

// ---- check_lives.c ------------------------------------------------------------------------

struct op;
// The operation takes or frees memory of a graph, of which it stands for bytes from the address on.
enum check_pool { CHECK_POOL_FREES, CHECK_POOL_TAKES, CHECK_GRAPH_FREES, CHECK_GRAPH_TAKES };
void check_life_changes(const struct op *op, uint64_t address, uint64_t bytes);
// A copy or set of the host is about to access memory: what no graph has taken is reported. call:
// NULL: not known.
void check_life_used(uint64_t address, uint64_t bytes, bool writes, const struct host_call *call);
// The call that has freed an allocation of a graph; NULL: not known.
const struct host_call *check_life_freed_by(uint64_t base);
// The memory is no more.
void check_life_gone(uint64_t base);

// ---- check_race.c -------------------------------------------------------------------------

// Lanes are about to access memory: as kd_rt_check_access.
void check_races(struct kd_block *b, const struct kd_check_site *site, uint32_t thread,
                 uint32_t mask, uint32_t code, const uint64_t *addresses, const uint64_t *more);
// What was there is over: accesses from now on have nothing to do with those before.
void check_race_forget(uint64_t address, uint64_t bytes);
// The grid has ended.
void check_race_ended(uint64_t grid);

// ---- check_async.c ------------------------------------------------------------------------

struct async_outcome;
// As async_execute (helpers/async.h): what memory a copy accesses is looked at.
uint64_t check_async_execute(struct kd_block *b, uint32_t thread, uint32_t code,
                             const uint64_t *args, struct async_outcome *out);

// A warp is about to compute a product, of which code tells by KD_CHECK_PRODUCT for lanes of it.
void check_async_product(struct kd_block *b, uint32_t thread, uint32_t mask,
                         const struct kd_check_site *site, uint64_t descriptor_b,
                         uint64_t descriptor_a);
// As kd_rt_check_origin with KD_CHECK_LINES.
void check_async_lines(struct kd_block *b, uint32_t mask, uint32_t code,
                       const uint64_t *descriptors, uint64_t *lines);

// ---- race/check_sums.c --------------------------------------------------------------------

// As kd_rt_check_origin with KD_CHECK_GROUP.
void check_sums_number(struct kd_block *b, uint32_t thread, uint32_t mask, uint64_t *numbers);
// Lanes read sums of products: as kd_rt_check_access with KD_CHECK_SUM.
void check_sums_read(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                     const struct kd_check_site *site, const uint64_t *more);

// ---- check_moves.c ------------------------------------------------------------------------

// A copy (from: 0: a set) is about to move so many bytes.
void check_moved(const struct op *op, uint64_t to, uint64_t from, uint64_t size);
// All threads of a block of a cluster have ended.
void check_block_leaves(struct kd_block *b);
// A pool's block is freed in op's queue, or taken: as value of its struct kd_set says.
void check_moved_pool(const struct op *op, enum check_pool how, uint64_t address, uint64_t size);
// A queue is about to write a word, by a strong access. What races with it is not looked for.
void check_moved_value(const struct op *op, uint64_t address, uint64_t size);
// The operations that have written a word last, by weak and by strong accesses; 0: none is known.
struct check_writers {
    uint32_t weak, strong;
};
struct check_writers check_moved_writers(const struct op *op, uint64_t address);

// ---- check_arrays.c -----------------------------------------------------------------------

// Is the access to an array in which the launch's threads cannot race? Sets check_apart of the
// block.
bool check_is_apart(struct kd_block *b, const struct kd_check_site *site);

// ---- check_clocks.c -----------------------------------------------------------------------

// Lanes have met those that each one's element of `members` names, in an operation of the warp.
void check_race_synced(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                       const uint64_t *members);
// To be called before anything is kept of what a block does: the first time it begins.
void check_block_begins(struct kd_block *b);

// ---- check_order.c ------------------------------------------------------------------------

// An mbarrier object is about to be told of a thread's copy.
void check_order_signal(struct kd_block *b, uint32_t thread, uint64_t object, uint16_t of);
// What code tells of kinds KD_CHECK_ORDER_* (check_meeting.h), as kd_rt_check_access.
void check_order_tell(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                      const struct kd_check_site *site, const uint64_t *addresses,
                      const uint64_t *more);

// ---- check_init.c -------------------------------------------------------------------------

// What generated code looks at: of struct kd_block.
const struct kd_check_shadow *check_init_shadow(void);
// From now on it is told of all stores.
void check_init_copied(void);
// The memory is new and unwritten, or it has been written.
void check_init_set(uint64_t address, uint64_t size, bool written);
// The memory is no more: it counts as written, and what is kept for whole pages is given back.
void check_init_gone(uint64_t address, uint64_t size);
// The memory is new, has pages of its own, and the host may write to it: what the system has given
// no memory for is unwritten.
void check_init_untouched(uint64_t address, uint64_t size);
// It has been copied; what lies between is written as far as that was. call: that asked for it;
// NULL: nobody knows.
void check_init_copy(uint64_t to, uint64_t from, uint64_t size, const struct host_call *call);
// The block has a window of shared memory, whose bits code is to find side by side.
void check_init_window(struct kd_block *b);
// Its shared memory is unwritten.
void check_init_shared(const struct kd_block *b);
// A block begins: its shared memory, if it is in no cluster, and its local memory are unwritten.
void check_init_block(const struct kd_block *b);
// The bytes that the device keeps for those from the address on, up to the end of their page, with
// a bit for each bit that nobody has written; *n: how many they are. NULL: all are alike, *all.
const uint8_t *check_init_page(uint64_t address, uint64_t *n, uint8_t *all);
// The same within a kernel, to memory that its block may access.
void check_init_moved(const struct kd_block *b, uint64_t to, uint64_t from, uint64_t size);
// So many bytes, 16 at most, become what follows from others, and with `old` from what was there.
void check_init_combined(const struct kd_block *b, uint64_t to, uint32_t bytes, bool old,
                         uint64_t from, uint32_t from_bytes, const struct kd_check_site *site);
// The bits of up to 8 bytes that nobody has written.
uint64_t check_init_bits(uint64_t address, uint32_t bytes);
// The same for the lanes in mask; bits of others, and those that are all decided, stay.
void check_init_lanes(uint32_t mask, const uint64_t *addresses, uint32_t bytes, uint64_t *bits);
// Lanes store as KD_CHECK_SHADOW_STORE says. Does it for those that need no closer look; returns
// the others.
uint32_t check_init_stored(const struct kd_block *b, uint32_t thread, uint32_t mask, bool same,
                           const struct kd_check_site *site, const uint64_t *addresses,
                           const uint64_t *more, bool same_more);
// What code tells (check_shadow.h).
void check_init_tell(struct kd_block *b, uint32_t thread, const struct kd_check_site *site,
                     uint64_t address, uint64_t more);

// ---- check_copied.c -----------------------------------------------------------------------

// The site that stored what nobody has decided there; NULL: it is all decided, or was so in memory
// that was copied.
void check_copied_stored(uint64_t address, uint64_t size, const struct kd_check_site *site);
// What is kept of whole pages there is given back.
void check_copied_gone(uint64_t address, uint64_t size);
// That site; NULL: there is none.
const struct kd_check_site *check_copied_by(uint64_t address);
// Whether that has been told of any site so far.
bool check_copied_any(void);
// Where such bits came from is copied along.
void check_copied_moved(uint64_t to, uint64_t from, uint64_t size);
// The host gets the bytes: what of them nobody has decided is reported.
void check_copied_to_host(uint64_t from, uint64_t size, const struct host_call *call);

// ---- check_sync.c -------------------------------------------------------------------------

// What code tells (check_meeting.h), as kd_rt_check_access.
void check_sync_tell(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                     const struct kd_check_site *site, const uint64_t *addresses,
                     const uint64_t *more);
// A fault ends the block's launch. thread: KD_CHECK_NO_THREAD, where nobody knows; file, line: ""
// and 0 then.
void check_fault(struct kd_block *b, enum kd_fault fault, uint32_t thread, const char *file,
                 uint32_t line, const char *message);
enum { KD_CHECK_NO_THREAD = UINT32_MAX };
// A thread waits for what nobody can write any more, at a line of the source (file may be NULL).
void check_waits(struct kd_block *b, uint32_t thread, const char *file, uint32_t line,
                 const char *what);

// ---- check_scopes.c -----------------------------------------------------------------------

// Local variables of lanes begin or end, as the site's kind says: as kd_rt_check_access.
void check_scopes_tell(struct kd_block *b, uint32_t thread, uint32_t mask, uint32_t code,
                       const struct kd_check_site *site, const uint64_t *addresses,
                       const uint64_t *more);
// A variable of a thread that has ended: bytes [from, to) of the thread's local memory.
struct check_ended {
    uint64_t from, to;
    const struct kd_check_site *site; // where it ended
};
// The first one that an access to its local memory touches; NULL: there is none.
const struct check_ended *check_scopes_find(struct kd_block *b, uint32_t thread, uint64_t offset,
                                            uint64_t bytes);

// ---- check_access.c -----------------------------------------------------------------------

// A kernel prints the string at an address (0: none).
void check_printed(struct kd_block *b, uint32_t thread, uint64_t address);
// A kernel submits a copy or set that reads or writes so many bytes at an address.
void check_submitted(struct kd_block *b, uint32_t thread, uint64_t address, bool writes,
                     uint64_t bytes);
// The device is about to access memory for a thread, as the site says. In shared memory of the
// cluster it has to stay in the variable that `begin` lies in, a generic address as well; 0: none.
void check_moved_by_device(struct kd_block *b, uint32_t thread, const struct kd_check_site *site,
                           uint64_t begin, uint64_t address, uint64_t bytes);
// Has any access been reported?
bool check_access_told(void);
// The generic address of what a site accesses there.
uint64_t check_generic_address(const struct kd_block *b, const struct kd_check_site *site,
                               uint64_t address);
// Is it in shared memory of a cluster of several blocks, and this block's cluster?
bool check_in_cluster(const struct kd_block *b, uint64_t address);

// ---- check_report.c -----------------------------------------------------------------------

enum { CHECK_LINE = 512 };
struct check_report {
    const char *what;                  // "Invalid __global__ read of size 4 bytes"
    const struct kd_check_site *site;  // NULL: not of an instruction
    const struct kd_check_site *other; // of a second access; NULL: there is none
    uint32_t thread;
    const struct kd_block *b;     // NULL: of no kernel
    const uint32_t *ctaid;        // of the thread's block; NULL: that of b
    char lines[3][CHECK_LINE];    // more; "" ends them
    const struct host_call *call; // that was made by the host; NULL: none is known
    const char *frames_of;        // what that has to do with it; NULL: "driver entry point"
    uint64_t leaked;              // bytes
};
// Prints a report, once for each kind and place. False: it had been printed.
bool check_report(const struct check_report *r);

#endif
