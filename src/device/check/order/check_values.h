// Words in memory that queues write and wait for: a wait is behind the write that it has met, and
// all that this one is behind.
#ifndef KUDZU_DEVICE_CHECK_VALUES_H
#define KUDZU_DEVICE_CHECK_VALUES_H

#include <stdbool.h>
#include <stdint.h>

struct kd_value_op;
struct op;

// The operation writes a value, by store().
void check_values_write(const struct op *op, const struct kd_value_op *v,
                        void (*store)(const struct kd_value_op *));
// A wait's condition holds. holds(): of a value.
void check_values_met(const struct op *op, const struct kd_value_op *v,
                      bool (*holds)(const struct kd_value_op *, uint64_t));
// A copy or set has written to memory.
void check_values_changed(const struct op *op, uint64_t address, uint64_t bytes);
// What was there is over.
void check_values_gone(uint64_t address, uint64_t bytes);

#endif
