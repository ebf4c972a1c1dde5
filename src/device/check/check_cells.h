// Who has accessed memory last: for each four bytes a few numbers, each that of a thread and of a
// *stamp*, which tells of the access. Lanes of a warp that do the same share a stamp, and stamps
// that no cell names are used again.
#ifndef KUDZU_DEVICE_CHECK_CELLS_H
#define KUDZU_DEVICE_CHECK_CELLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/generated_code.h"
#include "device/check/check_pages.h"

// An access: in which launch and block, by a thread of which warp, and what that had passed by
// then.
struct check_stamp {
    const struct kd_check_site *site;
    uint32_t grid, block;
    uint32_t epoch, warp_syncs;
    uint16_t warp;
    uint8_t bytes : 4;  // of the four, a bit each
    bool has_value : 1; // what is stored is known
    bool goes_on : 1;   // an asynchronous copy's that nobody has waited for
    atomic_uint refs;
};

// ---- stamps -------------------------------------------------------------------------------

// Of one worker, who makes stamps.
struct check_stamps;
// To be called when a block begins that the worker runs: its grid has cells from now on. *s: NULL
// at first. False: no memory.
bool check_stamps_enter(struct check_stamps **s, uint64_t grid);
// The grid has ended. Where no other one runs, memory is given back.
void check_stamps_leave(uint64_t grid);
// The number of an equal stamp that the worker has made lately; 0: none.
uint32_t check_stamp_find(const struct check_stamps *s, const struct check_stamp *stamp);
// The same, and makes it where there is none. 0: there are too many.
uint32_t check_stamp_make(struct check_stamps *s, const struct check_stamp *stamp);
const struct check_stamp *check_stamp_of(uint32_t number);
// So many more may name it, or do so no more. A stamp that is found or made is there until the
// worker makes others, or for as long as it is named.
void check_stamp_hold(struct check_stamps *s, uint32_t number, uint32_t n);
void check_stamp_drop(struct check_stamps *s, uint32_t number, uint32_t n);
// Of those that might have named it so many did not.
void check_stamp_release(struct check_stamps *s, uint32_t number, uint32_t n);

// ---- cells --------------------------------------------------------------------------------

// What names an access: the stamp's number, and the lane. 0: none.
enum { CHECK_LANE_BITS = 5, CHECK_STAMP_BITS = 32 - CHECK_LANE_BITS };

// Those of a page: arrays of a page each, so that what is not used needs no memory.
enum { CHECK_CELLS = 1 << (CHECK_PAGE_BITS - 2), CHECK_READERS = 2 };
struct check_cells {
    // Who wrote last, and what, where the stamp has it: by a weak access, and by a strong one.
    uint32_t weak[CHECK_CELLS], weak_value[CHECK_CELLS];
    uint32_t strong[CHECK_CELLS], strong_value[CHECK_CELLS];
    uint32_t readers[CHECK_READERS][CHECK_CELLS];
};
// Which of a page's arrays may name something; others need not be looked at, which takes memory and
// time. Pages may share it. To be set before an array comes to name something, and read, with the
// lock of the row.
enum {
    CHECK_NAMES_WEAK = 1,
    CHECK_NAMES_STRONG = 2,
    CHECK_NAMES_READER = 4, // the first one's; and so on
    CHECK_NAMES_ALL = 15
};
typedef _Atomic uint8_t check_names;
check_names *check_names_of(uint64_t address);
static inline void check_names_add(check_names *n, uint8_t arrays) {
    if ((atomic_load_explicit(n, memory_order_relaxed) & arrays) != arrays)
        atomic_fetch_or_explicit(n, arrays, memory_order_relaxed);
}
// NULL: no memory is left. While a grid runs that has entered.
struct check_cells *check_cells_of(uint64_t address);
// What was there is over.
void check_cells_forget(uint64_t address, uint64_t bytes);

#endif
