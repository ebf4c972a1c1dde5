// Races in shared memory at first sight (check_intervals.c): what is surely none needs no cells.
#ifndef KUDZU_DEVICE_CHECK_INTERVALS_H
#define KUDZU_DEVICE_CHECK_INTERVALS_H

#include "device/check/check_threads.h"

// Of one worker.
struct check_intervals;
// Another block begins.
void check_intervals_begin(struct check_threads *t);
// Lanes are about to access memory, as check_races is told. False: by cells, now.
bool check_intervals_take(struct kd_block *b, struct check_threads *t,
                          const struct kd_check_site *site, uint32_t thread, uint32_t mask,
                          uint32_t code, const uint64_t *addresses, const uint64_t *more);
// A thread has passed so many barriers of the block, to which all had come.
void check_intervals_passed(struct check_threads *t, uint32_t epoch);
// Lanes of a warp are about to be counted as synchronised.
void check_intervals_synced(struct kd_block *b, struct check_threads *t, uint32_t thread,
                            uint32_t mask);
// Cells for all that the interval has had, and will have.
void check_intervals_look(struct kd_block *b, struct check_threads *t);
// The number of the interval, if calls are kept; 0: cells are told of each one.
uint64_t check_intervals_number(const struct check_threads *t);
// So many copies of a thread are about to end: room for them.
void check_intervals_room(struct kd_block *b, struct check_threads *t, uint32_t thread, uint32_t n);
// One of them has ended.
void check_intervals_copied(struct kd_block *b, struct check_threads *t, uint32_t thread,
                            const struct check_copy *c);
// More than barriers orders what the block does from now on: cells for all of it.
void check_intervals_stop(struct kd_block *b, struct check_threads *t);

// check_race.c: what check_races does by cells.
void check_race_cells(struct kd_block *b, struct check_threads *t, const struct kd_check_site *site,
                      uint32_t thread, uint32_t mask, uint32_t code, const uint64_t *addresses,
                      const uint64_t *more);

#endif
