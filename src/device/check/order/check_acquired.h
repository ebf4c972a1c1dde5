// What operations have come to know as they ran: from words in memory that others wrote.
#ifndef KUDZU_DEVICE_CHECK_ACQUIRED_H
#define KUDZU_DEVICE_CHECK_ACQUIRED_H

#include <stdbool.h>
#include <stdint.h>

#include "device/check/order/check_known.h"

// The operation at a place of a queue, and all behind it there, know this from now on. False: there
// is no memory.
bool check_acquired_add(uint64_t queue, uint32_t at, struct check_known *k);
// Does who knows k, and is at `own_at` of the queue `own`, know a place by what it, or others that
// it knows, have come to know? number: as of check_known_has.
bool check_acquired_has(const struct check_known *k, uint64_t own, uint32_t own_at, uint64_t queue,
                        uint32_t at, uint32_t number);
// *k is to know what those at its places have come to know. False: there is no memory.
bool check_acquired_close(struct check_known **k);

#endif
