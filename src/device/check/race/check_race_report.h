// What is told of accesses that race.
#ifndef KUDZU_DEVICE_CHECK_RACE_REPORT_H
#define KUDZU_DEVICE_CHECK_RACE_REPORT_H

#include "device/check/race/check_unordered.h"

// Of one launch. why: more to say, or NULL.
void check_race_report(const struct kd_block *b, const struct check_record *old,
                       const struct check_record *new, uint64_t address, const char *why);
// The access that was made is one of another operation.
void check_race_report_other(const struct kd_block *b, const struct check_record *old,
                             const struct check_record *new, uint64_t address);
// Of one launch: a thread reads a register of a sum of the product at a site, and has not waited.
void check_race_report_sum(const struct kd_block *b, uint32_t thread,
                           const struct kd_check_site *reads, const struct kd_check_site *product);
// The same of a place in code that accesses tensor memory, where a product writes or a copy.
void check_race_report_tensor(const struct kd_block *b, uint32_t thread,
                              const struct kd_check_site *place,
                              const struct kd_check_site *product);
// A thread's access to the shared memory of the block with a number, which ends before it, or could
// have.
void check_race_report_ended(const struct kd_block *b, const struct check_record *x, uint32_t block,
                             bool has_ended);

#endif
