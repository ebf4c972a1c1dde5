// `kudzu check --schedules`: blocks and threads in another order than that of their numbers, and
// what copies to the host bring then, which should be the same.
#ifndef KUDZU_DEVICE_CHECK_SCHEDULE_H
#define KUDZU_DEVICE_CHECK_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct host_call;

// The number in KUDZU_SCHEDULE. 0: blocks and threads come as they are numbered; 1: in reverse; any
// other: in an order that the number makes.
uint64_t check_schedule(void);
// Is it one of the runs of --schedules, the first one too?
bool check_schedule_is_set(void);
// Which of n blocks is the index-th that begins.
uint64_t check_schedule_block(uint64_t schedule, uint64_t n, uint64_t index);
// A number that the schedule gives to the how manieth of some events.
uint64_t check_schedule_rank(uint64_t schedule, uint64_t index);
// A copy has brought the bytes. Those to the host are kept in the file that
// KUDZU_SCHEDULE_OUTPUTS names, by schedule 0, and compared with what is there by others.
void check_schedule_copied(uint64_t to, uint64_t from, uint64_t size, const struct host_call *call);

#endif
