// Lanes that access one word after the other look at a row of cells at once.
#ifndef KUDZU_DEVICE_CHECK_ROWS_H
#define KUDZU_DEVICE_CHECK_ROWS_H

#include "device/check/race/check_visit.h"

// Cells of one row, of which each lane from the first on accesses 1 << shift.
struct check_row {
    uint32_t k, n, lane, shift;
};

// Lanes from now.thread on access cells behind each other. False: they need a closer look.
bool check_rows_look(struct check_visit *v, const struct check_row *r, const uint64_t *values,
                     bool one_value);

#endif
