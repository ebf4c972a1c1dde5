// What `kudzu check` keeps for the pages of an address space: a pointer for each, in a table of two
// levels whose parts are made where they are needed. No lock; tables are not given back.
#ifndef KUDZU_DEVICE_CHECK_PAGES_H
#define KUDZU_DEVICE_CHECK_PAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/generated_code.h"

enum {
    CHECK_PAGE_BITS = KD_CHECK_PAGE_BITS,
    CHECK_LEAF_BITS = KD_CHECK_LEAF_BITS,
    CHECK_TOP_BITS = KD_CHECK_TOP_BITS
};

typedef _Atomic(void *) check_leaf[1 << CHECK_LEAF_BITS];
struct check_pages {
    _Atomic(check_leaf *) top[1 << CHECK_TOP_BITS];
};

// The pointer of the page that contains the address; NULL: there is none so far and it is not to be
// made, there is no memory for it, or there is no such address.
_Atomic(void *) *check_pages_slot(struct check_pages *t, uint64_t address, bool make);
// Pages of zeros, which need memory where they are touched; munmap gives them back. NULL: none
// left.
void *check_pages_zeroed(size_t size);
// What is kept for pages that lie in [address, address + size) as a whole becomes zeros, and the
// system gets its memory. Each pointer that is above `marks` leads to `each` bytes and stays, since
// others may look there; those up to `marks` become NULL.
void check_pages_drop(struct check_pages *t, uint64_t address, uint64_t size, size_t each,
                      const void *marks);

#endif
